/* SPDX-License-Identifier: MIT
 *
 * GNNExplainer (Ying et al. 2019): which edges, and which feature columns, a prediction rests on. A mask in 0..1 on
 * every undirected edge and on every feature column is learned by gradient descent, for one graph at a time and with
 * the network fixed (running statistics, no dropout):
 *
 *     min over masks m, f of   ℓ(m, f) + size·Σ_e m_e + entropy·(1/E) Σ_e H(m_e) + feature·(1/C) Σ_k f_k
 *
 *     m = sigmoid(a), f = sigmoid(b)       ℓ = −log p(target) of the masked network, H(m) = −m log m − (1−m) log(1−m)
 *
 * Adam starts from small random a, b; the masks of several restarts are averaged. The restarts of a graph are copies of
 * it in one batch, so they cost little more than one. Graphs are explained in parallel, each on a tape of its own, and
 * random numbers depend on (seed, graph, restart) alone: an explanation has the same bits alone or among others, for
 * any number of threads.
 *
 * Target: the network's own prediction, or the label. With several tasks ℓ is their mean (or one task's). A
 * regression's ℓ is the squared error in units of the training targets' standard deviation; exp(−ℓ) takes the place of
 * p everywhere, so its own prediction has p = 1.
 */
#ifndef L2R_EXPLAIN_EXPLAINER_H
#define L2R_EXPLAIN_EXPLAINER_H

#include "nn/network.h"
#include "predict/predictor.h"

struct l2r_explain_settings {
    int64_t steps, restarts;
    double learning_rate;
    double edge_size, edge_entropy, feature_size; /* factors of the three terms beside ℓ */
    uint64_t seed;
    bool use_label;      /* the target; otherwise the prediction */
    int32_t task;        /* of several; negative: all */
    int64_t n_important; /* this many edges are the explanation; 0: those whose importance is above 1/2 */
    int32_t motif;       /* the mark (dataset.h, node_mark) of the nodes that should be found */
};

/* --steps, --lr, --restarts, …; ends with a zero row. */
extern const struct l2r_option l2r_explain_options[];
struct l2r_explain_settings l2r_explain_settings_of(const struct l2r_config *config);

/* Importance is the mean mask over the restarts. Scores that are not defined (no edges, no marks) are NaN. */
struct l2r_explanation {
    int32_t graph;
    int64_t n_nodes, n_edges, n_columns;
    int32_t *ends;      /* [n_edges × 2], the lower end first */
    float *edge;        /* [n_edges]: importance */
    float *node;        /* [n_nodes]: mean importance of the node's edges to others; 0 without */
    float *column;      /* [n_columns]: categorical columns, then real ones */
    uint8_t *important; /* [n_edges]: 1 for the edges that are the explanation */
    uint8_t *mark;      /* [n_nodes]: node_mark of the data; NULL: it has none */
    float *output;      /* [outputs] of the network for the whole graph: logits, or standardised values */
    float *target;      /* [n_tasks]: a class, 0 or 1, or a value in its own units; NaN: no part of the explanation */

    double p;                        /* exp(−ℓ) of the whole graph */
    double p_without;                /* with the important edges masked out */
    double p_only;                   /* with all other edges masked out */
    double fidelity_plus;            /* p − p_without: high when what is important is needed */
    double fidelity_minus;           /* p − p_only: near 0 when it is enough */
    double sparsity;                 /* share of edges that are not important */
    double node_auc, node_precision; /* against the nodes of the true motif; precision at k = their number */
    double edge_auc, edge_precision; /* against the edges between them */
};

/* Callbacks of the caller; either may be NULL. Called from any thread, one at a time. */
struct l2r_explain_watch {
    void *context;
    void (*done)(void *context, int64_t n_done, int64_t n);
    bool (*stop)(void *context); /* true: L2R_ERR_INTERRUPTED, and nothing is kept */
};

/* Fills out [n] for graphs [n] of `data`, to be cleared by the caller; after an error it is empty. watch may be
 * NULL. */
enum l2r_status l2r_explain(struct l2r_explanation *out, const struct l2r_predictor *predictor,
                            const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                            const struct l2r_explain_settings *settings, const struct l2r_explain_watch *watch,
                            struct l2r_error *error);
/* The same for a network and data in the network's own numbers (l2r_signature_view). */
enum l2r_status l2r_explain_network(struct l2r_explanation *out, const struct l2r_network *network,
                                    const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                    const struct l2r_explain_settings *settings, const struct l2r_explain_watch *watch,
                                    struct l2r_error *error);
void l2r_explanations_clear(struct l2r_explanation *explanations, int64_t n);

#endif
