/* SPDX-License-Identifier: MIT
 *
 * Weights from known environments, as the upper control of an experiment. Where a graph's environment e is what the
 * label y must not be learned from (SPMotif: the base), label and environment are independent under
 *
 *     w_n = ( P(y_n) P(e_n) / P(y_n, e_n) )^p         p = 1: `weights-control=groups`,  ½: `root-groups`
 *
 * with the shares among the training graphs. The square root leaves some dependence and a larger effective sample.
 */
#ifndef L2R_REWEIGHT_GROUPS_H
#define L2R_REWEIGHT_GROUPS_H

#include "data/environments.h"
#include "kernels/real.h"

/* w [n_graphs of the data set], of mean 1 over all training graphs, not over each batch. 1 for graphs that are not
 * among train [n_train], or have no label. Fails if there are no classes or fewer than two environments. */
enum l2r_status l2r_group_weights(l2r_real *w, const struct l2r_environments *environments,
                                  const struct l2r_dataset *data, const int32_t *train, int64_t n_train, double power,
                                  struct l2r_error *error);

#endif
