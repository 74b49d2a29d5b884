/* SPDX-License-Identifier: MIT
 * See ranking.h. */
#include "tune/ranking.h"

#include "base/memory.h"
#include "train/run.h"

#include "metrics/statistics.h"

#include <math.h>
#include <string.h>

const struct l2r_metric *l2r_study_metric(const struct l2r_study *study)
{
    for (size_t i = 0; i < study->n; i++) {
        const char *name = json_string_value(json_object_get(study->runs[i].line, "metric"));
        const struct l2r_metric *metric = name != NULL ? l2r_metric_find(name) : NULL;
        if (metric != NULL) return metric;
    }
    return NULL;
}

static void score_trial(struct l2r_trial_score *score, double *values, const struct l2r_study *study, int method)
{
    const int n = study->settings.n_seeds;
    score->outcome = "finished";
    score->seconds = 0;
    for (int s = 0; s < n; s++) {
        const struct l2r_study_run *run = l2r_study_find(study, method, score->trial, s);
        const char *outcome = json_string_value(json_object_get(run->line, "outcome"));
        if (strcmp(score->outcome, "finished") == 0) score->outcome = outcome != NULL ? outcome : "missing";
        double seconds = l2r_line_number(run->line, "seconds");
        if (!isnan(seconds)) score->seconds += seconds;
        values[s] = l2r_line_number(run->line, "valid");
    }
    l2r_mean_sd(&score->mean, &score->sd, values, n);
    if (strcmp(score->outcome, "finished") != 0) score->mean = score->sd = (double)NAN;
}

static bool comes_before(const struct l2r_trial_score *a, const struct l2r_trial_score *b,
                         const struct l2r_metric *metric)
{
    if (l2r_metric_better(metric, a->mean, b->mean)) return true;
    bool equal = a->mean == b->mean || (isnan(a->mean) && isnan(b->mean));
    return equal && a->trial < b->trial;
}

enum l2r_status l2r_rank_trials(struct l2r_trial_score *scores, const struct l2r_study *study, int method,
                                struct l2r_error *error)
{
    const struct l2r_metric *metric = l2r_study_metric(study);
    double *values = l2r_alloc((size_t)study->settings.n_seeds, sizeof *values);
    if (values == NULL) return l2r_fail_memory(error, (size_t)study->settings.n_seeds * sizeof *values, "scores");
    for (int64_t k = 0; k < study->n_trials[method]; k++) {
        struct l2r_trial_score score = {.trial = k};
        score_trial(&score, values, study, method);
        int64_t at = k;
        for (; at > 0 && metric != NULL && comes_before(&score, &scores[at - 1], metric); at--)
            scores[at] = scores[at - 1];
        scores[at] = score;
    }
    l2r_free(values);
    return L2R_OK;
}
