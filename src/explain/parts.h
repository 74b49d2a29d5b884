/* SPDX-License-Identifier: MIT
 *
 * Predictions for parts of one graph: the nodes and edges that are left when others are removed. They are removed from
 * the graph itself, so no model needs masks for it.
 *
 *     mark the part in p->node, p->edge  ──l2r_parts_add──►  … waits …  ──l2r_parts_flush──►  v(part)
 *
 *     v   a regression's value in its own units; the log-odds of class 1 of a binary task, of the target class among
 *         several
 *
 * Parts become small data sets of their own, each scored as one batch; a set ends when it holds many nodes, so that
 * memory does not grow with the number of parts. Where a member also reads features of the whole molecule, every part
 * has those of the whole: these features are not removed.
 */
#ifndef L2R_EXPLAIN_PARTS_H
#define L2R_EXPLAIN_PARTS_H

#include "explain/explainer.h"

struct l2r_builder;

struct l2r_parts {
    const struct l2r_committee *model;
    const struct l2r_dataset *data;
    const struct l2r_explanation *e;
    int32_t output; /* which one is explained */
    struct l2r_tape tape;
    struct l2r_arena arena;
    struct l2r_builder *builder; /* the parts that wait */
    int64_t n_waiting, nodes_waiting;
    double **to;          /* [waiting]: where their predictions go */
    size_t to_capacity;   /* of these */
    int32_t *edge_type;   /* [n_edges]: row of the arc features */
    uint8_t *node, *edge; /* [n_nodes], [n_edges]: 1 for those in the current part */
    int32_t *number;      /* [n_nodes]: of a node within its part */
    int32_t *node_rows, *edges, *edge_rows;
    float *reals, *edge_reals;
};

/* e has its edges and its target; data is in the network's own numbers (l2r_signature_view). The caller clears it,
 * after a failure too. */
enum l2r_status l2r_parts_init(struct l2r_parts *p, const struct l2r_explanation *e, const struct l2r_committee *model,
                               const struct l2r_dataset *data, struct l2r_error *error);
void l2r_parts_clear(struct l2r_parts *p);

/* The current part becomes all nodes or none, and all edges or none. */
void l2r_parts_take(struct l2r_parts *p, bool nodes, bool edges);
/* *to receives the prediction for the current part, at the latest with the next flush. */
enum l2r_status l2r_parts_add(double *to, struct l2r_parts *p, struct l2r_error *error);
enum l2r_status l2r_parts_flush(struct l2r_parts *p, struct l2r_error *error);

/* exp(−ℓ) of e's target where the prediction is v, as in l2r_masked_graph_losses. */
double l2r_parts_probability(const struct l2r_parts *p, double v);

#endif
