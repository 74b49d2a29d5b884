/* SPDX-License-Identifier: MIT
 *
 * The common part of the metrics that depend only on the order of the graphs (ROC-AUC, average precision), and the ROC
 * curve.
 *
 * Sorted by falling score, graphs of equal score form one step of the curve:
 *
 *     score      3.1   2.0  2.0  2.0   0.7   -1  -1
 *     label       1     1    0    1     0     0   1
 *     step       |--|  |----------|   |--|   |------|
 *
 * A multi-class output is ranked once a class, that class against the rest, by its log-odds
 * logit_k - log(sum over j != k of exp(logit_j)), which orders the graphs as the softmax probability of class k does.
 * The result is rounded to float: rows that are permutations of each other tie, whatever the order of the sum.
 */
#ifndef L2R_METRICS_RANKING_H
#define L2R_METRICS_RANKING_H

#include "metrics/metrics.h"

struct l2r_ranked {
    double score;
    bool positive;
};

/* One column, sorted by falling score. */
struct l2r_ranking {
    struct l2r_ranked *items; /* [n] */
    int64_t n, positives;
};

/* The end of the step that starts at `i`; *positives: those inside it. */
int64_t l2r_ranking_step(int64_t *positives, const struct l2r_ranking *ranking, int64_t i);
/* The area under its ROC curve; needs both classes. */
double l2r_ranking_auc(const struct l2r_ranking *ranking);

/* The mean of a measure over the columns (tasks, or classes against the rest) that have both classes; NaN: none has. */
enum l2r_status l2r_mean_of_rankings(double *value, const struct l2r_scores *scores,
                                     double (*measure)(const struct l2r_ranking *), struct l2r_error *error);

/* A ROC curve: one corner for each step, from (0, 0) to (1, 1). */
struct l2r_roc {
    double *x, *y; /* [n] false and true positive rate; one block that starts at `x` */
    int64_t n;     /* 0: not both classes occur, and the area is NaN */
    double area;
};
/* Of scores against labels: 1, 0, or NaN for a graph that is left out. To be cleared after a success. */
enum l2r_status l2r_roc_make(struct l2r_roc *roc, const float *score, const float *label, int64_t n,
                             struct l2r_error *error);
void l2r_roc_clear(struct l2r_roc *roc);

#endif
