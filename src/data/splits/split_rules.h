/* SPDX-License-Identifier: MIT
 *
 * The rules behind split.h: each assigns a part to every graph. Permutations depend on the split seed alone.
 */
#ifndef L2R_DATA_SPLITS_SPLIT_RULES_H
#define L2R_DATA_SPLITS_SPLIT_RULES_H

#include "data/dataset.h"

/* The largest training graph that published size splits use for a data set of this name; 0: none is known. */
int64_t l2r_split_known_size(const char *name);

struct l2r_split_rule {
    uint64_t seed;
    double valid_fraction, test_fraction;
    int64_t max_train_nodes;
};

/* Each fills part[n_graphs] with L2R_PART_*; false when out of memory. */

/* Graphs of at most max_train_nodes nodes are permuted; the first 500 train and validate, everything else is test. */
bool l2r_split_by_size(uint8_t *part, const struct l2r_dataset *data, const struct l2r_split_rule *rule);
/* The smallest graphs train, those next in size validate, the largest test, by the fractions; of equal size the first come first. */
bool l2r_split_by_order(uint8_t *part, const struct l2r_dataset *data, const struct l2r_split_rule *rule);
/* Stratified: every class (of the first task) is spread over the parts in proportion. A regression has one stratum. */
bool l2r_split_by_chance(uint8_t *part, const struct l2r_dataset *data, const struct l2r_split_rule *rule,
                         bool stratified);

#endif
