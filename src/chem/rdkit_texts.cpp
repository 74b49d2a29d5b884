/* SPDX-License-Identifier: MIT
 *
 * Molecules that arrive as other texts than the SMILES of one molecule (molecule.h), on RDKit: mixtures, of which the
 * largest fragment is wanted, and the mol blocks of SD files. Both become SMILES, from which everything else is made,
 * so that atoms are numbered in one way wherever a molecule comes from.
 */
#include "chem/rdkit_guard.h"

extern "C" {
#include "base/memory.h"
}
#include "chem/molecule.h"

#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/GraphMol.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace
{

enum l2r_status give(char **smiles, const std::string &text, struct l2r_error *error)
{
    *smiles = l2r_strdup(text.c_str());
    return *smiles ? L2R_OK : l2r_fail_memory(error, text.size() + 1, "a SMILES");
}

const RDKit::ROMol &largest(const std::vector<boost::shared_ptr<RDKit::ROMol>> &fragments)
{
    size_t best = 0;
    unsigned most = 0;
    double heaviest = 0;
    for (size_t i = 0; i < fragments.size(); i++) {
        unsigned atoms = fragments[i]->getNumHeavyAtoms();
        double weight = 0;
        for (const RDKit::Atom *atom : fragments[i]->atoms()) weight += atom->getMass();
        if (i > 0 && (atoms < most || (atoms == most && weight <= heaviest))) continue;
        best = i;
        most = atoms;
        heaviest = weight;
    }
    return *fragments[best];
}

} // namespace

enum l2r_status l2r_molecule_largest_fragment(char **smiles, const char *text, struct l2r_error *error)
{
    *smiles = nullptr;
    return l2r::guard(error, "RDKit rejects the SMILES", [&]() {
        std::string whole(text, std::strcspn(text, " \t\r\n"));
        std::unique_ptr<RDKit::ROMol> mol(RDKit::SmilesToMol(whole));
        if (!mol) return l2r_fail(error, L2R_ERR_FORMAT, "not a valid SMILES");
        auto fragments = RDKit::MolOps::getMolFrags(*mol);
        if (fragments.size() < 2) return give(smiles, whole, error);
        return give(smiles, RDKit::MolToSmiles(largest(fragments), true), error);
    });
}

enum l2r_status l2r_molecule_from_block(char **smiles, const char *block, size_t length, struct l2r_error *error)
{
    *smiles = nullptr;
    return l2r::guard(error, "RDKit rejects the mol block", [&]() {
        std::unique_ptr<RDKit::ROMol> mol(RDKit::MolBlockToMol(std::string(block, length), true, true, false));
        if (!mol) return l2r_fail(error, L2R_ERR_FORMAT, "not a valid mol block");
        if (mol->getNumAtoms() == 0) return l2r_fail(error, L2R_ERR_FORMAT, "the mol block has no atom");
        if (mol->getNumAtoms() > L2R_MOST_ATOMS)
            return l2r_fail(error, L2R_ERR_FORMAT, "the molecule has more than %d atoms",
                            static_cast<int>(L2R_MOST_ATOMS));
        return give(smiles, RDKit::MolToSmiles(*mol, true), error);
    });
}
