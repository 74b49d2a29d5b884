/* SPDX-License-Identifier: MIT
 *
 * What a prediction rests on, in one of four ways: occlusion and Shapley values show by how much each node and edge
 * changes it, with a sign (contributions.h); GNNExplainer, described here, shows which few edges suffice for it; and a
 * network with gates (nn/gates.h) has its own weight on each edge.
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
 * Target: the model's own prediction, or the label. With several tasks ℓ is their mean (or one task's). A regression's
 * ℓ is the squared error in units of the training targets' standard deviation; exp(−ℓ) replaces p everywhere, so its
 * own prediction has p = 1. Of a committee some members may be left out (subject.h): the class that is explained is
 * then that of the whole, the value that of those explained.
 */
#ifndef L2R_EXPLAIN_EXPLAINER_H
#define L2R_EXPLAIN_EXPLAINER_H

#include "model/predictor.h"

enum l2r_explainer_kind { L2R_EXPLAINER_MASKS, L2R_EXPLAINER_OCCLUSION, L2R_EXPLAINER_SHAPLEY, L2R_EXPLAINER_GATES };

struct l2r_explain_settings {
    enum l2r_explainer_kind explainer;
    int64_t samples; /* orders for Shapley values */
    int64_t steps, restarts;
    double learning_rate;
    double edge_size, edge_entropy, feature_size; /* factors of the three terms beside ℓ */
    uint64_t seed;
    bool use_label;        /* the target; otherwise the prediction */
    int32_t task;          /* of several; negative: all */
    const char *task_name; /* instead of its number; NULL: the number counts */
    int64_t n_important;   /* this many edges are the explanation; 0: those whose importance is above 1/2 */
    int32_t motif;         /* the mark (dataset.h, node_mark) of the nodes that should be found */
};

/* By their kinds; NULL at the end. */
struct l2r_explainer {
    const char *name, *help;
};
extern const struct l2r_explainer *const l2r_explainers[];

/* --steps, --lr, --restarts, …; ends with a zero row. */
extern const struct l2r_option l2r_explain_options[];
struct l2r_explain_settings l2r_explain_settings_of(const struct l2r_config *config);

/* Importance is the mean mask over the restarts, or the size of a contribution as a share of the largest. Scores that
 * are not defined (no edges, no marks) are NaN. */
struct l2r_explanation {
    int32_t graph;
    int64_t n_nodes, n_edges, n_columns;
    int32_t *ends;           /* [n_edges × 2], the lower end first */
    float *edge;             /* [n_edges]: importance */
    float *node;             /* [n_nodes]: mean importance of the node's edges to others; 0 without */
    float *column;           /* [n_columns]: categorical columns, then real ones */
    float *edge_effect;      /* [n_edges]: contribution, with its sign; NULL: masks have none */
    float *node_effect;      /* [n_nodes]: the same of nodes */
    uint8_t *important;      /* [n_edges]: 1 for the edges that are the explanation */
    uint8_t *important_node; /* [n_nodes]: 1 for as many nodes, where a number was asked for; NULL: none was */
    uint8_t *mark;           /* [n_nodes]: node_mark of the data; NULL: it has none */
    float *output;           /* [outputs]: what the whole model says of the graph, as l2r_predictor_predict has it */
    float *target; /* [n_tasks]: a class, 0 or 1, or a value in its own units; NaN: no part of the explanation */
    int32_t n_members, n_explained; /* of the model, and those whose mean is explained (subject.h) */

    double answer; /* of the whole model for the task that is explained: a value, or the probability
                                      * of class 1, or of the target among several; NaN: several tasks are */
    double value,
        baseline;     /* the prediction explained, and that for an empty graph; contributions are their difference */
    bool adds_up;     /* the contributions of the nodes add up to value − baseline */
    bool saturated;   /* the masks do not distinguish edges: nearly all are 1, or nearly all 0 */
    double p;         /* exp(−ℓ) of the whole graph; calibrated where the whole model is explained */
    double p_without; /* without the important edges: masked out, or taken away */
    double p_only;    /* without all others */
    double fidelity_plus;            /* p − p_without: high when what is important is needed */
    double fidelity_minus;           /* p − p_only: near 0 when it is enough */
    double sparsity;                 /* share of edges that are not important */
    double node_auc, node_precision; /* against the nodes of the true motif; precision at k = their number */
    double edge_auc, edge_precision; /* against the edges between them */
};

/* Fails for settings that the model cannot satisfy; replaces the name of a task by its number. */
enum l2r_status l2r_explain_check(struct l2r_explain_settings *settings, const struct l2r_committee *model,
                                  const struct l2r_dataset *data, struct l2r_error *error);

/* Fills out [n] for graphs [n] of `data`, to be cleared by the caller; after an error it is empty. */
enum l2r_status l2r_explain_graphs(struct l2r_explanation *out, const struct l2r_predictor *predictor,
                                   const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                   const struct l2r_explain_settings *settings, struct l2r_error *error);
/* The same for a model and data in its own numbers (l2r_signature_view). */
enum l2r_status l2r_explain_committee(struct l2r_explanation *out, const struct l2r_committee *model,
                                      const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                      const struct l2r_explain_settings *settings, struct l2r_error *error);
void l2r_explanations_clear(struct l2r_explanation *explanations, int64_t n);

/* ---- a graph under masks (masked_graph.c) ----
 *
 * The loss ℓ(m, f) of a fixed network on several copies of one graph, each with masks m [n_edges], f [n_columns] of its
 * own, and the gradients ∂ℓ/∂m, ∂ℓ/∂f. Copies are graphs of one batch and independent, because a network in prediction
 * mode treats every graph alone. Also here: the explainer's objective, a function of the masks' logits.
 */

struct l2r_masked_graph {
    const struct l2r_network *network;
    const struct l2r_calibration *calibration; /* of the whole model, where all of it is explained; NULL: none */
    struct l2r_arena arena;                    /* all but the tape's values */
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

/* ---- how good an explanation is (quality.c) ----
 *
 * Against the network, with p = exp(−ℓ) of the whole graph:
 *
 *     fidelity+ = p − p(without the important edges)     fidelity− = p − p(only these)     sparsity = share left out
 *
 * and, where the data marks the nodes of a planted motif, against the truth: ROC-AUC of the importances, and precision
 * at k, the number of true nodes or edges.
 */

/* Marks the edges that are the explanation: the n most important, and as many nodes, or, for n = 0, the edges above
 * 1/2. Of equal ones the first counts. */
enum l2r_status l2r_quality_choose(struct l2r_explanation *e, int64_t n, struct l2r_error *error);

/* What follows from p, p_without, p_only and the important edges. */
void l2r_quality_compare(struct l2r_explanation *e);

/* p, p_without, p_only and what follows from them. Masks are 0 and 1 here; feature columns are all there. */
enum l2r_status l2r_quality_fidelity(struct l2r_explanation *e, struct l2r_masked_graph *g, struct l2r_error *error);

/* Node and edge scores against the nodes marked `motif`; NaN without marks, or when all or none are true. */
enum l2r_status l2r_quality_truth(struct l2r_explanation *e, int32_t motif, struct l2r_error *error);

/* The share of true items among the k = (number of true items) highest values; items that tie at the border count by
 * their share. NaN when nothing is true. scratch: [n] */
double l2r_precision_at_k(const float *value, const float *truth, float *scratch, int64_t n);

/* ---- explanations as files (export.c) ----
 *
 *
 *     DIR/explanations.json   settings, mean scores, and for every graph its target, its scores and all importances
 *     DIR/graphs.csv          graph,line,name,smiles,label,target,answer,p,value,baseline,sum    a row for each graph
 *     DIR/edges.csv           graph,u,v,importance,important,contribution    nodes counted from 0 within the graph
 *     DIR/nodes.csv           graph,node,importance,mark,contribution        mark: planted motif, empty where there is
 *                                                                            none
 *
 * and as a table of means over groups of graphs.
 */

/* What the explanations are of; the head of explanations.json. */
struct l2r_explained {
    const char *run, *data_name;
    const struct l2r_committee *model;
    const struct l2r_dataset *data; /* as it was loaded */
    const struct l2r_explain_settings *settings;
    struct l2r_explanation *const *explanations; /* [n] */
    int64_t n;
};

/* The scores of a summary, in this order; ends with NULL. l2r_explanation_score (l2r/model.h) has their values. */
extern const char *const l2r_explanation_score_names[];

/* The sum of the contributions of the nodes; NaN where contributions do not add up to the prediction. */
double l2r_explanation_sum(const struct l2r_explanation *e);

/* One of `graphs` in explanations.json. New reference; NULL: out of memory. */
json_t *l2r_explanation_to_json(const struct l2r_explanation *e, const struct l2r_signature *signature,
                                const struct l2r_dataset *data);

/* [{"graphs": "all", "n": 100, "p": 0.97, "fidelity_plus": …}, {"graphs": "class 0", …}]: means over the graphs for
 * which a score is defined; one row a class of the label where there are several. New reference; NULL: out of
 * memory. */
json_t *l2r_explanations_summary(const struct l2r_explained *all);

/* Writes the four files; the folder must be there. */
enum l2r_status l2r_explanations_write(const struct l2r_explained *all, const char *dir, struct l2r_error *error);

#endif
