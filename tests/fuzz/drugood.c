/* SPDX-License-Identifier: MIT
 * Any bytes as a DrugOOD file: JSON with the rows of five parts, molecules without RDKit (table_file.h,
 * toy/chem.c). */
#include "table_file.h"

extern const struct l2r_reader l2r_reader_drugood;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return read_rows(&l2r_reader_drugood, "t.json", false, data, size);
}
