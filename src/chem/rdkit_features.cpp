/* SPDX-License-Identifier: MIT
 *
 * l2r_molecule_features (molecule.h) on RDKit. The categories are OGB's (Hu et al. 2020), so that a model trained on
 * one of OGB's molecule sets reads SMILES too:
 *
 *     atom   0  atomic number 1..118, other        3  formal charge -5..5, other     6  hybridisation sp, sp2, sp3,
 *            1  chirality none, cw, ccw, other     4  hydrogens 0..8, other             sp3d, sp3d2, other
 *            2  neighbours with hydrogens 0..10    5  radical electrons 0..4, other  7  aromatic   8  in a ring
 *     bond   0  single, double, triple, aromatic, other
 *            1  stereo none, Z, E, cis, trans, any    2  conjugated
 *
 * The scaffold is what is left when everything but rings and the links between them is cut off (Bemis & Murcko 1996).
 */
#include "chem/rdkit_guard.h"

extern "C" {
#include "base/memory.h"
}
#include "chem/molecule.h"

#include <GraphMol/ChemTransforms/ChemTransforms.h>
#include <GraphMol/GraphMol.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/SanitException.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>

#include <cstring>
#include <memory>
#include <string>

namespace
{

using RDKit::Atom;
using RDKit::Bond;

/* The category of a number: its place in first..last, or the one after, which stands for everything else. */
int32_t index_in(int first, int last, int number)
{
    return number >= first && number <= last ? number - first : last - first + 1;
}

int32_t chirality_of(const Atom &atom)
{
    switch (atom.getChiralTag()) {
    case Atom::CHI_UNSPECIFIED:
        return 0;
    case Atom::CHI_TETRAHEDRAL_CW:
        return 1;
    case Atom::CHI_TETRAHEDRAL_CCW:
        return 2;
    case Atom::CHI_OTHER:
        return 3;
    default:
        return 4;
    }
}

int32_t hybridisation_of(const Atom &atom)
{
    switch (atom.getHybridization()) {
    case Atom::SP:
        return 0;
    case Atom::SP2:
        return 1;
    case Atom::SP3:
        return 2;
    case Atom::SP3D:
        return 3;
    case Atom::SP3D2:
        return 4;
    default:
        return 5;
    }
}

int32_t type_of(const Bond &bond)
{
    switch (bond.getBondType()) {
    case Bond::SINGLE:
        return 0;
    case Bond::DOUBLE:
        return 1;
    case Bond::TRIPLE:
        return 2;
    case Bond::AROMATIC:
        return 3;
    default:
        return 4;
    }
}

int32_t stereo_of(const Bond &bond)
{
    switch (bond.getStereo()) {
    case Bond::STEREONONE:
        return 0;
    case Bond::STEREOZ:
        return 1;
    case Bond::STEREOE:
        return 2;
    case Bond::STEREOCIS:
        return 3;
    case Bond::STEREOTRANS:
        return 4;
    default:
        return 5;
    }
}

void describe(int32_t *row, const Atom &atom, const RDKit::RingInfo &rings)
{
    row[0] = index_in(1, 118, atom.getAtomicNum());
    row[1] = chirality_of(atom);
    row[2] = index_in(0, 10, static_cast<int>(atom.getTotalDegree()));
    row[3] = index_in(-5, 5, atom.getFormalCharge());
    row[4] = index_in(0, 8, static_cast<int>(atom.getTotalNumHs()));
    row[5] = index_in(0, 4, static_cast<int>(atom.getNumRadicalElectrons()));
    row[6] = hybridisation_of(atom);
    row[7] = atom.getIsAromatic() ? 1 : 0;
    row[8] = rings.numAtomRings(atom.getIdx()) > 0 ? 1 : 0;
}

void describe(int32_t *row, const Bond &bond)
{
    row[0] = type_of(bond);
    row[1] = stereo_of(bond);
    row[2] = bond.getIsConjugated() ? 1 : 0;
}

std::string scaffold_of(const RDKit::ROMol &mol)
{
    if (mol.getRingInfo()->numRings() == 0) return "";
    std::unique_ptr<RDKit::ROMol> core(RDKit::MurckoDecompose(mol));
    if (!core || core->getNumAtoms() == 0) return "";
    core->clearComputedProps();
    core->updatePropertyCache();
    RDKit::MolOps::symmetrizeSSSR(*core);
    return RDKit::MolToSmiles(*core, true);
}

/* More atoms than allowed? An atom takes a letter at least, so that only long texts are read twice; the quick way, no
 * chemistry. */
bool is_too_large(const std::string &text)
{
    if (text.size() <= L2R_MOST_ATOMS) return false;
    RDKit::SmilesParserParams quick;
    quick.sanitize = quick.removeHs = false;
    std::unique_ptr<RDKit::ROMol> mol(RDKit::SmilesToMol(text, quick));
    return mol && mol->getNumAtoms() > L2R_MOST_ATOMS;
}

bool has_wildcard(const RDKit::ROMol &mol)
{
    for (const Atom *atom : mol.atoms())
        if (atom->getAtomicNum() == 0) return true;
    return false;
}

/* All arrays in one block, which the caller frees at once: atom rows, bonds, bond rows, scaffold, SMILES. */
enum l2r_status copy(struct l2r_molecule_graph *f, const RDKit::ROMol &mol, const std::string *scaffold,
                     const std::string *canonical, struct l2r_error *error)
{
    size_t n = mol.getNumAtoms(), m = mol.getNumBonds();
    size_t numbers = n * L2R_ATOM_COLUMNS + m * (2 + L2R_BOND_COLUMNS);
    size_t bytes = numbers * sizeof(int32_t) + (scaffold ? scaffold->size() + canonical->size() + 2 : 0);
    f->block = l2r_alloc_raw(bytes, 1);
    if (!f->block) return l2r_fail_memory(error, bytes, "a molecule");
    f->n_atoms = static_cast<int32_t>(n);
    f->n_bonds = static_cast<int32_t>(m);
    f->atom_rows = static_cast<int32_t *>(f->block);
    f->bonds = f->atom_rows + n * L2R_ATOM_COLUMNS;
    f->bond_rows = f->bonds + 2 * m;
    for (const Atom *atom : mol.atoms())
        describe(f->atom_rows + atom->getIdx() * L2R_ATOM_COLUMNS, *atom, *mol.getRingInfo());
    for (const Bond *bond : mol.bonds()) {
        f->bonds[2 * bond->getIdx()] = static_cast<int32_t>(bond->getBeginAtomIdx());
        f->bonds[2 * bond->getIdx() + 1] = static_cast<int32_t>(bond->getEndAtomIdx());
        describe(f->bond_rows + bond->getIdx() * L2R_BOND_COLUMNS, *bond);
    }
    if (!scaffold) return L2R_OK;
    f->scaffold = reinterpret_cast<char *>(f->bond_rows + m * L2R_BOND_COLUMNS);
    std::memcpy(f->scaffold, scaffold->c_str(), scaffold->size() + 1);
    f->canonical = f->scaffold + scaffold->size() + 1;
    std::memcpy(f->canonical, canonical->c_str(), canonical->size() + 1);
    return L2R_OK;
}

} // namespace

enum l2r_status l2r::take(std::string &smiles, const char *text, struct l2r_error *error)
{
    smiles.assign(text, std::strcspn(text, " \t\r\n"));
    for (size_t i = 0; i < smiles.size(); i++) {
        unsigned char c = static_cast<unsigned char>(smiles[i]);
        if (c < ' ' || c >= 127)
            return l2r_fail(error, L2R_ERR_FORMAT,
                            "byte %zu of the SMILES (0x%02x) is not a printable ASCII character; some cannot be seen",
                            i + 1, c);
    }
    return L2R_OK;
}

enum l2r_status l2r::read(std::shared_ptr<const RDKit::ROMol> &mol, const char *smiles, struct l2r_error *error)
{
    static thread_local std::string last_text;
    static thread_local std::shared_ptr<const RDKit::ROMol> last;
    std::string text;
    enum l2r_status status = take(text, smiles, error);
    if (status != L2R_OK) return status;
    if (last && text == last_text) {
        mol = last;
        return L2R_OK;
    }
    last.reset();
    if (text.empty()) return l2r_fail(error, L2R_ERR_FORMAT, "the SMILES is empty");
    if (text.size() > L2R_LONGEST_SMILES)
        return l2r_fail(error, L2R_ERR_FORMAT, "the SMILES is longer than %d characters",
                        static_cast<int>(L2R_LONGEST_SMILES));
    if (is_too_large(text))
        return l2r_fail(error, L2R_ERR_FORMAT, "the molecule has more than %d atoms", static_cast<int>(L2R_MOST_ATOMS));
    mol.reset(RDKit::SmilesToMol(text));
    if (!mol) return l2r_fail(error, L2R_ERR_FORMAT, "not a valid SMILES");
    if (mol->getNumAtoms() == 0) return l2r_fail(error, L2R_ERR_FORMAT, "the SMILES has no atom");
    if (has_wildcard(*mol))
        return l2r_fail(error, L2R_ERR_FORMAT, "the SMILES has a wildcard atom (*), which is not an element");
    last_text = text;
    last = mol;
    return L2R_OK;
}

enum l2r_status l2r_molecule_features(struct l2r_molecule_graph *graph, const char *smiles, bool scaffold,
                                      struct l2r_error *error)
{
    *graph = {};
    return l2r::guard(error, "RDKit rejects the SMILES", [&]() {
        std::shared_ptr<const RDKit::ROMol> mol;
        enum l2r_status status = l2r::read(mol, smiles, error);
        if (status != L2R_OK) return status;
        std::string core = scaffold ? scaffold_of(*mol) : "";
        std::string canonical = scaffold ? RDKit::MolToSmiles(*mol, true) : "";
        return copy(graph, *mol, scaffold ? &core : nullptr, &canonical, error);
    });
}
