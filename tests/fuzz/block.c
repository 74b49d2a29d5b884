/* SPDX-License-Identifier: MIT
 * Any bytes as the mol block of an SD file, read by RDKit: a SMILES, or a refusal of one line. */
#include "base/memory.h"
#include "chem/molecule.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct l2r_error error = {0};
    char *smiles = NULL;
    enum l2r_status status = l2r_molecule_from_block(&smiles, (const char *)data, size, &error);
    if ((status == L2R_OK) != (smiles != NULL)) abort();
    if (status != L2R_OK && (!error.message[0] || strchr(error.message, '\n'))) abort();
    l2r_free(smiles);
    return 0;
}
