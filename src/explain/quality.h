/* SPDX-License-Identifier: MIT
 *
 * How good an explanation is. Against the network, with p = exp(−ℓ) of the whole graph:
 *
 *     fidelity+ = p − p(without the important edges)     fidelity− = p − p(only these)     sparsity = share left out
 *
 * and, where the data marks the nodes of a planted motif, against the truth: ROC-AUC of the importances, and precision
 * at k, the number of true nodes or edges.
 */
#ifndef L2R_EXPLAIN_QUALITY_H
#define L2R_EXPLAIN_QUALITY_H

#include "explain/masked_graph.h"

/* Marks the edges that are the explanation: the n most important, or, for n = 0, those above 1/2. Of equal ones the
 * first counts. */
enum l2r_status l2r_quality_choose(struct l2r_explanation *e, int64_t n, struct l2r_error *error);

/* p, p_without, p_only and what follows from them. Masks are 0 and 1 here; feature columns are all there. */
enum l2r_status l2r_quality_fidelity(struct l2r_explanation *e, struct l2r_masked_graph *g, struct l2r_error *error);

/* Node and edge scores against the nodes marked `motif`; NaN without marks, or when all or none are true. */
enum l2r_status l2r_quality_truth(struct l2r_explanation *e, int32_t motif, struct l2r_error *error);

/* The share of true items among the k = (number of true items) highest values; items that tie at the border count by
 * their share. NaN when nothing is true. scratch: [n] */
double l2r_precision_at_k(const float *value, const float *truth, float *scratch, int64_t n);

#endif
