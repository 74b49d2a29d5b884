/* SPDX-License-Identifier: MIT
 *
 * Contributions: by how much each node, and each edge, changes the model's prediction for a graph, with a sign.
 *
 *     v(S)         the prediction for the part S of the graph (parts.h): a value in its own units, or log-odds
 *     occlusion    c_i = v(all) − v(all without i)
 *     shapley      c_i = mean over sampled orders of  v(those before i, and i) − v(those before i)
 *
 * Shapley contributions add up:  Σ c_i = v(all) − v(nothing); those of occlusion need not. For nodes "nothing" is a
 * graph without nodes, for edges the nodes without edges; the two are separate games. Orders come in pairs, one the
 * reverse of the other, which halves the noise of a sum that is nearly linear. An order is a function of (seed, graph,
 * its number): the same bits alone or among others, for any number of threads.
 */
#ifndef L2R_EXPLAIN_CONTRIBUTIONS_H
#define L2R_EXPLAIN_CONTRIBUTIONS_H

#include "explain/explainer.h"

/* Fills e->node_effect, e->edge_effect, e->value and e->baseline, from them the importances e->node and e->edge, the
 * size of an effect as a share of the largest, and from these what is important and how p changes without it. e has its
 * edges and its target. data is in the model's own numbers (l2r_signature_view). */
enum l2r_status l2r_contributions_find(struct l2r_explanation *e, const struct l2r_committee *model,
                                       const struct l2r_dataset *data, const struct l2r_explain_settings *settings,
                                       struct l2r_error *error);

/* effect[i] = v(all) − v(all without the nodes of part i), of the answer that e explains: its target's class, or the
 * one task that has a target. part [n_nodes]: 0 .. n_parts−1. */
enum l2r_status l2r_contributions_of_parts(double *effect, const struct l2r_explanation *e,
                                           const struct l2r_committee *model, const struct l2r_dataset *data,
                                           const int32_t *part, int32_t n_parts, struct l2r_error *error);

#endif
