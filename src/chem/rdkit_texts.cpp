/* SPDX-License-Identifier: MIT
 *
 * Texts that are made of molecules (molecule.h), on RDKit: the largest fragment of a mixture, and the pieces of a
 * molecule. Mixtures and mol blocks (rdkit_block.cpp) become SMILES, from which everything else is made, so that atoms
 * are numbered in one way wherever a molecule comes from.
 */
#include "chem/rdkit_guard.h"

extern "C" {
#include "base/memory.h"
}
#include "chem/molecule.h"

#include <GraphMol/ChemTransforms/MolFragmenter.h>
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

enum l2r_status l2r::give(char **smiles, const std::string &text, struct l2r_error *error)
{
    *smiles = l2r_strdup(text.c_str());
    return *smiles ? L2R_OK : l2r_fail_memory(error, text.size() + 1, "a SMILES");
}

enum l2r_status l2r_molecule_largest_fragment(char **smiles, const char *text, struct l2r_error *error)
{
    *smiles = nullptr;
    return l2r::guard(error, "RDKit rejects the SMILES", [&]() {
        std::string whole;
        enum l2r_status status = l2r::take(whole, text, error);
        if (status != L2R_OK) return status;
        std::unique_ptr<RDKit::ROMol> mol(RDKit::SmilesToMol(whole));
        if (!mol) return l2r_fail(error, L2R_ERR_FORMAT, "not a valid SMILES");
        auto fragments = RDKit::MolOps::getMolFrags(*mol);
        if (fragments.size() < 2) return l2r::give(smiles, whole, error);
        return l2r::give(smiles, RDKit::MolToSmiles(largest(fragments), true), error);
    });
}

/* The cut molecule has the atoms of the whole one, in their order, and then those that stand for what was cut off. */
enum l2r_status l2r_molecule_pieces_find(struct l2r_molecule_pieces *pieces, const char *smiles,
                                         struct l2r_error *error)
{
    *pieces = l2r_molecule_pieces();
    enum l2r_status status = l2r::guard(error, "RDKit cannot take the molecule apart", [&]() {
        std::shared_ptr<const RDKit::ROMol> mol;
        enum l2r_status read = l2r::read(mol, smiles, error);
        if (read != L2R_OK) return read;
        std::unique_ptr<RDKit::ROMol> cut(RDKit::MolFragmenter::fragmentOnBRICSBonds(*mol));
        for (RDKit::Atom *atom : cut->atoms())
            if (atom->getAtomicNum() == 0) atom->setIsotope(0);
        std::vector<int> which;
        auto parts = RDKit::MolOps::getMolFrags(*cut, false, &which);
        std::string texts;
        for (const auto &part : parts) texts += RDKit::MolToSmiles(*part, false) + '\0';
        pieces->n = static_cast<int32_t>(parts.size());
        pieces->n_atoms = static_cast<int32_t>(mol->getNumAtoms());
        pieces->piece = static_cast<int32_t *>(l2r_alloc(mol->getNumAtoms(), sizeof *pieces->piece));
        pieces->smiles = static_cast<char *>(l2r_alloc(texts.size() + 1, 1));
        if (!pieces->piece || !pieces->smiles) return l2r_fail_memory(error, texts.size(), "the pieces of a molecule");
        std::memcpy(pieces->smiles, texts.data(), texts.size());
        for (int32_t i = 0; i < pieces->n_atoms; i++) pieces->piece[i] = which[static_cast<size_t>(i)];
        return L2R_OK;
    });
    if (status != L2R_OK) {
        l2r_free(pieces->piece);
        l2r_free(pieces->smiles);
        *pieces = l2r_molecule_pieces();
    }
    return status;
}
