/* SPDX-License-Identifier: MIT
 *
 * The mol blocks of SD files become SMILES (molecule.h). They are checked before RDKit reads them (mol_block.h).
 */
#include "chem/rdkit_guard.h"

extern "C" {
#include "base/memory.h"
}
#include "chem/mol_block.h"
#include "chem/molecule.h"

#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/GraphMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>

#include <memory>
#include <string>

enum l2r_status l2r_molecule_from_block(char **smiles, const char *block, size_t length, struct l2r_error *error)
{
    *smiles = nullptr;
    enum l2r_status status = l2r_mol_block_check(block, length, error);
    if (status != L2R_OK) return status;
    return l2r::guard(error, "RDKit rejects the mol block", [&]() {
        std::string text(block, length);
        std::unique_ptr<RDKit::ROMol> mol(RDKit::MolBlockToMol(text, true, true, false));
        if (!mol) return l2r_fail(error, L2R_ERR_FORMAT, "not a valid mol block");
        if (mol->getNumAtoms() == 0) return l2r_fail(error, L2R_ERR_FORMAT, "the mol block has no atom");
        if (mol->getNumAtoms() > L2R_MOST_ATOMS)
            return l2r_fail(error, L2R_ERR_FORMAT, "the molecule has more than %d atoms",
                            static_cast<int>(L2R_MOST_ATOMS));
        return l2r::give(smiles, RDKit::MolToSmiles(*mol, true), error);
    });
}
