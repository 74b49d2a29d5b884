/* SPDX-License-Identifier: MIT
 *
 * Scoring: a network's outputs for many graphs, in batches, without dropout and with running statistics.
 *
 *     graphs [n]  ──batches──►  output [n × outputs], z [n × width]       ──►  metrics (l2r_scored)
 *
 * Where the tape belongs to one of several ranks (tape->pass.ranks), each scores some of the batches and all get
 * everything.
 */
#ifndef L2R_PREDICT_SCORE_H
#define L2R_PREDICT_SCORE_H

#include "metrics/metrics.h"
#include "nn/network.h"

/* output [n × outputs]: logits, or values in the targets' own units.
 * Batches have at most batch_size graphs, and fewer where graphs are big, so that memory stays bounded. The tape is
 * reset. */
enum l2r_status l2r_score(float *output, const struct l2r_network *network, struct l2r_tape *tape,
                          const struct l2r_dataset *data, const int32_t *graphs, int64_t n, int64_t batch_size,
                          struct l2r_error *error);

/* The same, and the graphs' representations: z [n × width], the rows that the head is applied to. output or z may be
 * NULL. */
enum l2r_status l2r_score_represent(float *output, float *z, const struct l2r_network *network, struct l2r_tape *tape,
                                    const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                    int64_t batch_size, struct l2r_error *error);

/* The same, and what the head's last layer reads: x [n × l2r_network_last_width]. Any of the three may be NULL. */
struct l2r_layers {
    float *output, *z, *x;
};
enum l2r_status l2r_score_layers(const struct l2r_layers *to, const struct l2r_network *network, struct l2r_tape *tape,
                                 const struct l2r_dataset *data, const int32_t *graphs, int64_t n, int64_t batch_size,
                                 struct l2r_error *error);

/* The same for a batch that the caller has made: output [batch->n_graphs × outputs]. */
enum l2r_status l2r_score_batch(float *output, const struct l2r_network *network, struct l2r_tape *tape,
                                const struct l2r_batch *batch, struct l2r_error *error);

/* Outputs and labels of a list of graphs, ready for the metrics (scored.c). */
struct l2r_scored {
    float *output, *labels;
    struct l2r_scores scores;
    const struct l2r_signature *signature; /* the network's: what tasks are called */
};
enum l2r_status l2r_scored_make(struct l2r_scored *scored, const struct l2r_network *network, struct l2r_tape *tape,
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
/* Adds to the report of a committee (nn/members.h) what each member scores by itself, uncalibrated; nothing for a model
 * that is none:  "members": [{"member": 1, "model": "gin", "rocauc": 0.77, …, "loss": 0.5}, …] */
enum l2r_status l2r_report_members(json_t *report, const struct l2r_network *network, struct l2r_tape *tape,
                                   const struct l2r_dataset *data, const int32_t *graphs, int64_t n, int64_t batch_size,
                                   const char *list, struct l2r_error *error);

#endif
