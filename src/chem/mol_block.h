/* SPDX-License-Identifier: MIT
 *
 * The mol blocks of SD files are text of other people, so a block is checked before RDKit reads it: RDKit takes memory
 * for as many atoms as a block announces.
 *
 *     aspirin                        lines 1 to 3: any text
 *      13 13  0     …    V2000       line 4: atoms and bonds, three digits each, and a line for each of them; or
 *     M  V30 COUNTS 13 13 0 0 0      no more of anything than the block has lines. A line that ends with - continues
 *
 * Structure is printable ASCII; names and the data of S-groups may be any text.
 */
#ifndef L2R_CHEM_MOL_BLOCK_H
#define L2R_CHEM_MOL_BLOCK_H

#include "base/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* L2R_ERR_FORMAT, with the line of the block, where the check fails. Needs no RDKit. */
enum l2r_status l2r_mol_block_check(const char *block, size_t length, struct l2r_error *error);

#ifdef __cplusplus
}
#endif
#endif
