/* SPDX-License-Identifier: MIT
 *
 * Rules behind split.h under which whole groups of graphs go to one part: molecules of one scaffold, rows of one year.
 *
 *     scaffold           as OGB does it: the largest group first (among equals the one that begins last in the data), to train as long as
 *                        train does not exceed its share, then to valid as long as both do not exceed theirs, then to test
 *     scaffold-balanced  groups larger than half of valid or of test first, in random order, then the others in random order; each to
 *                        the first of train, valid, test that it fits into
 *     column             in ascending order of the column's values: the last ones test, those before them validate
 */
#ifndef L2R_DATA_SPLITS_SPLIT_GROUPS_H
#define L2R_DATA_SPLITS_SPLIT_GROUPS_H

#include "data/splits/split_rules.h"

/* Each fills part [n]; false when out of memory. group [n]: numbers from 0 to below n. */
bool l2r_split_by_group(uint8_t *part, const int32_t *group, int64_t n, const struct l2r_split_rule *rule);
bool l2r_split_by_group_balanced(uint8_t *part, const int32_t *group, int64_t n, const struct l2r_split_rule *rule);
/* As few of the last ranks as reach the share of test, before them as few as reach the share of valid; a share of 0 takes none. */
bool l2r_split_by_rank(uint8_t *part, const int32_t *rank, int64_t n, const struct l2r_split_rule *rule);

#endif
