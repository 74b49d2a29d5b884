/* SPDX-License-Identifier: MIT
 *
 * One trained model, or several that were trained alike and are asked together:
 *
 *     output        = mean over the models of the probability or value       (of the logit, if wanted)
 *     spread        = standard deviation over the models (n − 1)
 *     interval      = output ± the mean over the models of half the width of their own intervals (nn/calibration.h):
 *                     the error of a mean is at most the mean of the errors
 *     distance      = mean over the models of the distance to their training graphs   (predict/domain.h)
 *     applicability = mean over the models
 *
 * Models may differ in everything but what they answer: task, tasks, classes.
 */
#ifndef L2R_PREDICT_COMMITTEE_H
#define L2R_PREDICT_COMMITTEE_H

#include "data/dataset.h"
#include "predict/predictor.h"

struct l2r_committee {
    struct l2r_predictor **models; /* [n_models] */
    int n_models;
    enum l2r_task task;
    int32_t n_outputs;
    bool logits;     /* plain outputs instead of probabilities */
    bool has_domain; /* every model knows its domain: distance and applicability are given */
    float *z;        /* [block × widest model] */
    int64_t width;
    double *sums;          /* [block × (2 · outputs + 2)] */
    double *half;          /* [outputs] half the widths of intervals; NULL: not asked for, or not known */
    struct l2r_comm *comm; /* ranks that questions are divided among, who all ask the same; NULL: alone */
};

/* paths [n]: folders of runs or .safetensors files, n >= 1. An error names the first model that answers something else
 * than the first. */
enum l2r_status l2r_committee_new(struct l2r_committee *committee, const char *const *paths, int n,
                                  struct l2r_error *error);
void l2r_committee_clear(struct l2r_committee *committee);

/* Looks for the domains of all models; until then, and where this fails, distances are not given. */
enum l2r_status l2r_committee_find_domains(struct l2r_committee *committee, struct l2r_error *error);

/* Finds the intervals of a regression. coverage: NaN for what the models were trained with. */
enum l2r_status l2r_committee_find_intervals(struct l2r_committee *committee, double coverage, struct l2r_error *error);

/* The class that a row of outputs speaks for: the largest output, counted as often as in training (class weights). */
int32_t l2r_committee_class(const struct l2r_committee *committee, const float *row);

/* What they say of n graphs; members that are NULL are not wanted. */
struct l2r_answers {
    float *output;        /* [n × outputs] */
    float *spread;        /* [n × outputs]; needs two models */
    float *distance;      /* [n]; need has_domain */
    float *applicability; /* [n] */
};
/* Where an output of one model is not finite, that of the committee is not either.
 * Several ranks divide the blocks of graphs, or the batches of each block where there are few, and all get all answers,
 * the same bits as alone. */
enum l2r_status l2r_committee_ask(const struct l2r_answers *answers, struct l2r_committee *committee,
                                  const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                  struct l2r_error *error);

/* Memory for the answers about n graphs, as far as this committee can give them. */
enum l2r_status l2r_answers_new(struct l2r_answers *answers, const struct l2r_committee *committee, int64_t n,
                                struct l2r_error *error);
void l2r_answers_clear(struct l2r_answers *answers);

#endif
