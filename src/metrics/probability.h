/* SPDX-License-Identifier: MIT
 *
 * Outputs as probabilities, their loss and their reliability.
 *
 *     binary        p = 1 / (1 + exp(−o))               one a task
 *     multi-class   p_k = exp(o_k) / Σ_j exp(o_j)       one a class
 *
 *     loss          the mean over the labelled graphs of
 *                   −log p_y  (multi-class);  the same averaged over the graph's labelled tasks  (binary);
 *                   the mean over its labelled targets of ((output − label) / sd)²  (regression)
 *
 * `loss` has this one meaning in every report, file and message: without weights of classes or graphs.
 */
#ifndef L2R_METRICS_PROBABILITY_H
#define L2R_METRICS_PROBABILITY_H

#include "metrics/metrics.h"

double l2r_sigmoid(double x);
/* log(1 + exp(x)): −log σ(−x). */
double l2r_softplus(double x);
/* log Σ_k exp(row_k), of n >= 1 numbers. */
double l2r_log_sum(const float *row, int32_t n);
/* log p_k − log(1 − p_k) of the softmax, of two classes or more. Unlike p_k itself it does not saturate. */
double l2r_class_odds(const float *row, int32_t n_classes, int32_t k);
/* In place: output [n × n_outputs] from logits to probabilities; regression stays. Values that are not finite become
 * NaN. */
void l2r_probabilities(float *output, enum l2r_task task, int64_t n, int32_t n_outputs);

/* NaN where no graph has a label. */
double l2r_scores_loss(const struct l2r_scores *scores);

/* Bins of equal width: a probability p falls into bin b where b/10 < p <= (b+1)/10, and 0 into the first. */
enum { L2R_RELIABILITY_BINS = 10 };
struct l2r_reliability {
    int64_t n;                           /* labelled graphs */
    int64_t count[L2R_RELIABILITY_BINS]; /* of them in the bin */
    double mean[L2R_RELIABILITY_BINS];   /* mean probability; NaN: the bin is empty */
    double share[L2R_RELIABILITY_BINS];  /* share of hits: positives, or of several classes right guesses */
};
/* Of a binary task, or (task 0) of the most probable class. */
void l2r_reliability_make(struct l2r_reliability *bins, const struct l2r_scores *scores, int32_t task);

#endif
