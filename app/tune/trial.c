/* SPDX-License-Identifier: MIT
 *
 * See trial.h. The curve is read from the run's metrics.jsonl, not kept in memory: a run that was killed and resumed
 * has the same curve as one that went through.
 */
#include "tune/trial.h"

#include "base/array.h"
#include "base/memory.h"
#include "io/file.h"
#include "metrics/metrics.h"
#include "model/run_names.h"
#include "store/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 4096, LARGEST_FILE = 64 << 20 };

/* Reads metrics.jsonl: the validation score after each epoch, and the name of the metric. */
struct history {
    json_t *curve;
    char metric[32];
    double best, seconds;
    int64_t best_epoch;
};

/* The one key beside "loss". */
static const char *metric_in(json_t *valid)
{
    const char *name;
    json_t *value;
    json_object_foreach(valid, name, value)
    {
        if (strcmp(name, "loss") != 0) return name;
    }
    return NULL;
}

static void add_epoch(struct history *h, const json_t *epoch)
{
    json_t *valid = json_object_get(epoch, "valid");
    const char *name = metric_in(valid);
    double score = name != NULL ? l2r_line_number(valid, name) : (double)NAN;
    double seconds = l2r_line_number(epoch, "seconds");
    if (name != NULL) snprintf(h->metric, sizeof h->metric, "%s", name);
    json_array_append_new(h->curve, l2r_json_real(score));
    if (!isnan(seconds)) h->seconds += seconds;
    const struct l2r_metric *metric = l2r_metric_find(h->metric);
    if (metric == NULL || !l2r_metric_better(metric, score, h->best)) return;
    h->best = score;
    h->best_epoch = (int64_t)json_array_size(h->curve);
}

/* last: later epochs are ignored; 0: all count. */
static void read_history(struct history *h, const char *dir, int64_t last)
{
    char path[LONGEST_PATH], *text = NULL;
    size_t length = 0;
    *h = (struct history){.curve = json_array(), .best = (double)NAN};
    snprintf(path, sizeof path, "%.4000s/" L2R_METRICS_FILE, dir);
    if (l2r_file_read(&text, &length, path, LARGEST_FILE, NULL) != L2R_OK) return;
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        json_t *epoch = json_loadb(line, (size_t)(end - line), 0, NULL);
        bool wanted = last == 0 || (int64_t)json_array_size(h->curve) < last;
        if (epoch != NULL && wanted) add_epoch(h, epoch);
        json_decref(epoch);
    }
    l2r_free(text);
}

json_t *l2r_trial_curve(const char *dir)
{
    struct history h;
    read_history(&h, dir, 0);
    return h.curve;
}

json_t *l2r_trial_line(const struct l2r_study_run *run, const char *fingerprint, const struct l2r_trial_end *end)
{
    struct history h;
    double ess, left;
    const struct l2r_result *r = end->result;
    read_history(&h, run->dir, end->stopped_at);
    l2r_line_weights(&ess, &left, run->dir);
    if (r != NULL) snprintf(h.metric, sizeof h.metric, "%s", r->metric);
    json_t *line = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:s*, s:s, s:o, s:I, s:I}", "kind", "trial", "id",
                             run->id, "data", fingerprint, "method", l2r_config_text(run->config, "method"), "trial",
                             (json_int_t)run->trial, "seed", (json_int_t)run->seed, "outcome", end->outcome, "why",
                             end->why, "metric", h.metric, "valid", l2r_json_real(r ? l2r_result_selected(r) : h.best),
                             "best_epoch", (json_int_t)(r ? r->best_epoch : h.best_epoch), "epochs",
                             (json_int_t)(r ? r->epochs : (int64_t)json_array_size(h.curve)));
    json_object_set_new(line, "ess", l2r_json_real(ess));
    json_object_set_new(line, "curve", h.curve);
    json_object_set_new(line, "seconds", l2r_json_real(r ? r->seconds : h.seconds));
    json_object_set_new(line, "cpu_seconds", l2r_json_real(end->cpu_seconds));
    json_object_set_new(line, "threads", json_integer(end->threads));
    if (r != NULL) json_object_set_new(line, "vector", json_string(r->vector));
    if (r != NULL) json_object_set_new(line, "parameters", json_integer(r->n_parameters));
    if (strcmp(end->outcome, "stopped") == 0) json_object_set_new(line, "rule", json_string(end->rule));
    (void)l2r_line_origin(line);
    json_object_set_new(line, "config", l2r_config_to_json(run->config));
    return line;
}

bool l2r_trial_line_counts(const json_t *line, const char *rule)
{
    const char *outcome = json_string_value(json_object_get(line, "outcome"));
    const char *by = json_string_value(json_object_get(line, "rule"));
    if (outcome == NULL) return false;
    return strcmp(outcome, "stopped") != 0 || (by != NULL && strcmp(by, rule) == 0);
}

/* The best score of the first epochs, up to `epoch`; NaN: all of them are NaN. */
static double best_until(const json_t *curve, int64_t epoch, const struct l2r_metric *metric)
{
    double best = (double)NAN;
    for (int64_t e = 0; e < epoch; e++) {
        const json_t *score = json_array_get(curve, (size_t)e);
        double value = json_is_number(score) ? json_number_value(score) : (double)NAN;
        if (l2r_metric_better(metric, value, best)) best = value;
    }
    return best;
}

/* The median of what the earlier runs had reached by then; NaN: fewer than three got that far. values [n]: scratch. */
static double median_at(double *values, const json_t *const *curves, size_t n, int64_t epoch,
                        const struct l2r_metric *metric)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        if ((int64_t)json_array_size(curves[i]) < epoch) continue;
        double best = best_until(curves[i], epoch, metric);
        if (!isnan(best)) values[found++] = best;
    }
    qsort(values, found, sizeof *values, l2r_compare_double);
    return found >= 3 ? (values[(found - 1) / 2] + values[found / 2]) / 2 : (double)NAN;
}

int64_t l2r_median_stop(const json_t *curve, const json_t *const *curves, size_t n, int64_t from, int64_t last,
                        const struct l2r_metric *metric)
{
    int64_t stop = 0;
    double *values = l2r_alloc(n, sizeof *values);
    if (values == NULL) return 0; /* out of memory: the run goes on */
    if (last > (int64_t)json_array_size(curve)) last = (int64_t)json_array_size(curve);
    for (int64_t epoch = from; epoch <= last && stop == 0; epoch++) {
        double median = median_at(values, curves, n, epoch, metric);
        if (!isnan(median) && l2r_metric_better(metric, median, best_until(curve, epoch, metric))) stop = epoch;
    }
    l2r_free(values);
    return stop;
}
