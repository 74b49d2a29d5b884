/* SPDX-License-Identifier: MIT
 *
 * Predictions beside labels: those of the runs of a group for the graphs of a part. One run is shown by itself; the
 * folds of a cross-validation are combined, so that every graph occurs once, predicted by the model that was not
 * trained on it.
 *
 *     scores of a run (output, choice, split) + labels of the data  ->  p, label [n × columns]
 *
 * A column is a task, or a class against the rest.
 */
#ifndef L2R_REPORT_OUTCOMES_H
#define L2R_REPORT_OUTCOMES_H

#include "report/run_scores.h"

struct l2r_outcomes {
    int64_t n;
    int32_t columns;
    float *p;        /* [n × columns]: probabilities, or values */
    float *label;    /* [n × columns]: 1 and 0, or values; NaN: missing, a bound only, or no finite prediction */
    bool binary;     /* a column is a task of two classes */
    int32_t *choice; /* the classes of `l2r predict`: [n], of binary tasks [n × columns]; NULL: values */
    int32_t *graph;  /* [n] */
    size_t room[4];  /* of p, label, graph, choice */
};

/* Appends part `part` of a run; nothing if the run has not scored it. Clear it also after a failure. */
enum l2r_status l2r_outcomes_add(struct l2r_outcomes *outcomes, const struct l2r_run_scores *scores, int part,
                                 struct l2r_error *error);
void l2r_outcomes_clear(struct l2r_outcomes *outcomes);

/* p and label of one column, [n] each. */
void l2r_outcomes_column(float *p, float *label, const struct l2r_outcomes *outcomes, int32_t column);
/* count [k × k]: rows are true classes, columns predicted ones. Binary: k = 2, of one column. */
void l2r_outcomes_count(int64_t *count, const struct l2r_outcomes *outcomes, int32_t column, int32_t k);

#endif
