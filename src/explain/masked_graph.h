/* SPDX-License-Identifier: MIT
 *
 * A graph under masks: the loss ℓ(m, f) of a fixed network on several copies of one graph, each with masks m
 * [n_edges], f [n_columns] of its own, and the gradients ∂ℓ/∂m, ∂ℓ/∂f. Copies are graphs of one batch and do not see
 * each other, because a network in prediction mode treats every graph alone. Also here: the explainer's objective, a
 * function of the masks' logits.
 */
#ifndef L2R_EXPLAIN_MASKED_GRAPH_H
#define L2R_EXPLAIN_MASKED_GRAPH_H

#include "explain/explainer.h"

struct l2r_masked_graph {
    const struct l2r_network *network;
    struct l2r_arena arena; /* all but the tape's values */
    struct l2r_tape tape;
    struct l2r_batch batch; /* `copies` times the graph */
    int32_t graph;
    int64_t copies, n_nodes, n_edges, n_columns; /* of one copy */
    int32_t *arc_edge;                           /* [arcs of the batch] */
    int32_t *ends;                               /* [n_edges × 2], the lower end first */
    float *target;                               /* [copies × n_tasks]; NaN at first */
    l2r_real *one;                               /* [copies] */
    l2r_real *masks, *d_masks;                   /* [copies × (n_edges + n_columns)]: all edges, then all columns */
};

/* The caller clears g, after a failure too. */
enum l2r_status l2r_masked_graph_init(struct l2r_masked_graph *g, const struct l2r_network *network,
                                      const struct l2r_dataset *data, int32_t graph, int64_t copies,
                                      struct l2r_error *error);
void l2r_masked_graph_clear(struct l2r_masked_graph *g);

/* ℓ of every copy under g->masks; output [outputs], if not NULL, is the first copy's. gradient: g->d_masks gets that of
 * the sum. */
enum l2r_status l2r_masked_graph_losses(double *losses /* [copies] */, float *output, struct l2r_masked_graph *g,
                                        bool gradient, struct l2r_error *error);

/* The objective of each copy at these logits, laid out as g->masks, and the gradient of their sum; g->masks are the
 * sigmoids afterwards. */
enum l2r_status l2r_mask_objective(double *values /* [copies] */, l2r_real *d_logits, const l2r_real *logits,
                                   struct l2r_masked_graph *g, const struct l2r_explain_settings *settings,
                                   struct l2r_error *error);

#endif
