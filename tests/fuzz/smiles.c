/* SPDX-License-Identifier: MIT
 * Any bytes as a table of SMILES (table_file.h). */
#include "table_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_table("t.csv", data, size);
}
