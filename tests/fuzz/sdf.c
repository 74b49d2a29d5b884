/* SPDX-License-Identifier: MIT
 * Any bytes as an SD file: records, properties and mol blocks, which are checked and read without RDKit
 * (table_file.h, toy/chem.c). */
#include "table_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_table("t.sdf", data, size);
}
