/* SPDX-License-Identifier: MIT
 *
 * Outputs beside labels, and the report of every metric: one form wherever it goes, result.json, l2r eval --json, the C
 * interface, the HTML page.
 */
#ifndef L2R_MODEL_SCORED_H
#define L2R_MODEL_SCORED_H

#include "metrics/metrics.h"
#include "model/committee.h"

/* Outputs and labels of a list of graphs, ready for the metrics. */
struct l2r_scored {
    float *output, *labels;
    struct l2r_scores scores;
    const struct l2r_signature *signature; /* the model's: what tasks are called */
};
enum l2r_status l2r_scored_make(struct l2r_scored *scored, const struct l2r_committee *committee, struct l2r_tape *tape,
                                const struct l2r_dataset *data, const int32_t *graphs, int64_t n, int64_t batch_size,
                                struct l2r_error *error);
/* The same of one network, without calibration. */
enum l2r_status l2r_scored_network(struct l2r_scored *scored, const struct l2r_network *network, struct l2r_tape *tape,
                                   const struct l2r_dataset *data, const int32_t *graphs, int64_t n, int64_t batch_size,
                                   struct l2r_error *error);
void l2r_scored_clear(struct l2r_scored *scored);
/* The metric; NaN where it is undefined on these labels (an empty part, one class only). Other errors are errors. */
enum l2r_status l2r_scored_metric(double *value, const struct l2r_scored *scored, const struct l2r_metric *metric,
                                  struct l2r_error *error);
/* Every metric that suits the task and is in the list (NULL: all), and for several tasks the same of each:
 *
 *     {"rocauc": 0.79, …, "loss": 0.5, "n": 152,
 *      "tasks": [{"task": 0, "name": "NR-AR", "n": 140, "positives": 12, "rocauc": 0.81, …, "loss": 0.4}, …]}
 *
 * A metric that is undefined is null; n counts the graphs, in a task those with a label. New reference. */
enum l2r_status l2r_scored_report(json_t **report, const struct l2r_scored *scored, const char *list,
                                  struct l2r_error *error);
/* Adds to the report of several members what each scores by itself, not calibrated; nothing for one:
 * "members": [{"member": 1, "model": "gin", "rocauc": 0.77, …, "loss": 0.5}, …] */
enum l2r_status l2r_report_members(json_t *report, const struct l2r_committee *committee, struct l2r_tape *tape,
                                   const struct l2r_dataset *data, const int32_t *graphs, int64_t n, int64_t batch_size,
                                   const char *list, struct l2r_error *error);

#endif
