/* SPDX-License-Identifier: MIT
 * What OGB's categories leave out of an atom (molecule.h), on RDKit. */
#include "chem/rdkit_guard.h"

#include "chem/molecule.h"

#include <GraphMol/GraphMol.h>
#include <GraphMol/PeriodicTable.h>

#include <algorithm>
#include <cmath>

namespace
{

int32_t hybridisation_of(const RDKit::Atom &atom)
{
    return atom.getHybridization() == RDKit::Atom::S ? 1 : atom.getHybridization() == RDKit::Atom::SP2D ? 2 : 0;
}

/* Mass beyond the element's mean in units of the digits, from 0. */
int32_t mass_of(const RDKit::Atom &atom)
{
    if (atom.getIsotope() == 0) return L2R_MASS_ZERO;
    double beyond = atom.getMass() - l2r_element_mass(atom.getAtomicNum());
    int32_t units = static_cast<int32_t>(std::lround(beyond * L2R_MASS_UNITS)) + L2R_MASS_ZERO;
    return std::clamp(units, 0, 2 * L2R_MASS_ZERO - 1);
}

} // namespace

double l2r_element_mass(int atomic_number)
{
    if (atomic_number < 1 || atomic_number > 118) return 0;
    return RDKit::PeriodicTable::getTable()->getAtomicWeight(atomic_number);
}

enum l2r_status l2r_molecule_details(int32_t *rows, int32_t n_atoms, const char *smiles, struct l2r_error *error)
{
    return l2r::guard(error, "RDKit rejects the SMILES", [&]() {
        std::shared_ptr<const RDKit::ROMol> mol;
        enum l2r_status status = l2r::read(mol, smiles, error);
        if (status != L2R_OK) return status;
        if (mol->getNumAtoms() != static_cast<unsigned>(n_atoms))
            return l2r_fail(error, L2R_ERR_FORMAT, "the SMILES has %u atoms, the graph %d nodes", mol->getNumAtoms(),
                            static_cast<int>(n_atoms));
        for (const RDKit::Atom *atom : mol->atoms()) {
            int32_t *row = rows + atom->getIdx() * L2R_ATOM_DETAILS, mass = mass_of(*atom);
            row[0] = hybridisation_of(*atom);
            for (int k = 1; k < L2R_ATOM_DETAILS; k++, mass /= L2R_MASS_BASE) row[k] = mass % L2R_MASS_BASE;
        }
        return L2R_OK;
    });
}
