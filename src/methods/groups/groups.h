/* SPDX-License-Identifier: MIT
 *
 * Groups of training graphs, for methods that compare them: the environments of the data, or class × environment. They
 * are numbered 0 .. n-1 in the order in which they first occur among the training graphs; a group without training
 * graphs does not exist.
 *
 * And what such methods need of a mini-batch: all of its rows. Where it is divided among ranks, rows are gathered in
 * the order of the batch, every rank computes the same numbers from them, and each uses its own part.
 */
#ifndef L2R_METHODS_GROUPS_GROUPS_H
#define L2R_METHODS_GROUPS_GROUPS_H

#include "batch/batch.h"
#include "methods/method.h"

struct l2r_graph_groups {
    int32_t n;
    int32_t *of;    /* [n_graphs of the data]; -1: not a training graph */
    int64_t *count; /* [n]: training graphs in each */
};

/* by_class: graphs of different classes (of their first label) are in different groups, unlabelled ones in one. */
enum l2r_status l2r_graph_groups_make(struct l2r_graph_groups *groups, const struct l2r_training_set *set,
                                      bool by_class, struct l2r_error *error);
void l2r_graph_groups_clear(struct l2r_graph_groups *groups);

/* The graphs of the whole batch, of which ranks[first .. first + here] are this rank's. */
struct l2r_whole {
    const int32_t *graphs; /* [n] */
    int64_t n, first, here;
    const struct l2r_division *division; /* NULL: one rank has all */
};
struct l2r_whole l2r_whole_of(const struct l2r_batch *batch);
/* [n × cols] from this rank's rows [here × cols]; memory of the tape. NULL: the tape has failed. */
const l2r_real *l2r_whole_rows(struct l2r_tape *tape, const struct l2r_whole *whole, const l2r_real *mine,
                               int64_t cols);

/* ---- Penalties: one number that is a function of all rows of a batch, λ P(x) ---- */

/* The rows of a penalty, besides x. */
struct l2r_rows_known {
    const int32_t *group; /* [n] */
    int32_t n_groups;
    const float *labels;               /* [n × tasks] */
    const struct l2r_network *network; /* task and class weights */
};

/* P of x [n × cols], and d P / d x into d_x [n × cols], which is zeroed. Scratch memory comes from the tape. */
typedef double l2r_penalty_fn(l2r_real *d_x, struct l2r_tape *tape, const l2r_real *x, int64_t n, int64_t cols,
                              const struct l2r_rows_known *rows);

/* λ P(x) as a value of the tape, [1 × 1]; x [B × cols] is this rank's. */
l2r_node l2r_penalty(struct l2r_tape *tape, const struct l2r_batch *batch, const struct l2r_dataset *data,
                     const struct l2r_network *network, const struct l2r_graph_groups *groups, l2r_node x,
                     double lambda, l2r_penalty_fn *penalty);

/* The penalties, each defined beside the method that is named after it. */
l2r_penalty_fn l2r_penalty_irm, l2r_penalty_vrex, l2r_penalty_coral;

#endif
