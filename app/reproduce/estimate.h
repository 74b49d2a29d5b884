/* SPDX-License-Identifier: MIT
 *
 * How long runs will take, learned from those that are finished. A run's own guess (its base, in seconds) comes from the system's cost and the
 * number of nodes it trains on; finished runs say by how much such guesses are wrong:
 *
 *     expected = base × mean of (seconds / base) over finished runs of the same system and set; of the same set; of all; or 1
 */
#ifndef L2R_REPRODUCE_ESTIMATE_H
#define L2R_REPRODUCE_ESTIMATE_H

#include "base/status.h"

struct l2r_estimate {
    size_t n_cells, n_columns;
    double *cell, *column, all[2]; /* sum and number, one behind the other */
};

enum l2r_status l2r_estimate_init(struct l2r_estimate *estimate, size_t n_cells, size_t n_columns,
                                  struct l2r_error *error);
void l2r_estimate_clear(struct l2r_estimate *estimate);
void l2r_estimate_learn(struct l2r_estimate *estimate, size_t cell, size_t column, double base, double seconds);
double l2r_estimate_expected(const struct l2r_estimate *estimate, size_t cell, size_t column, double base);

/* The base: GIN of width 64 takes some 5 µs for a node and epoch on one core. */
double l2r_estimate_base(double cost, double nodes, double epochs);

#endif
