/* SPDX-License-Identifier: MIT
 * See calibrate.h. */
#include "model/calibrate.h"

#include "metrics/probability.h"
#include "model/scored.h"

#include <math.h>
#include <string.h>

static const struct l2r_calibrator *find(const char *name)
{
    for (size_t i = 0; l2r_calibrators[i]; i++)
        if (strcmp(l2r_calibrators[i]->name, name) == 0) return l2r_calibrators[i];
    return NULL;
}

/* The labelled graphs of a task, or class k against the rest. x, y: [n_graphs]. */
static struct l2r_logits logits_of(double *x, uint8_t *y, const struct l2r_scores *s, int32_t k)
{
    struct l2r_logits logits = {.x = x, .y = y};
    bool classes = s->task == L2R_TASK_MULTICLASS;
    for (int64_t g = 0; g < s->n_graphs; g++) {
        float label = s->labels[g * s->n_tasks + (classes ? 0 : k)];
        if (isnan(label)) continue;
        const float *row = s->output + g * l2r_scores_outputs(s);
        x[logits.n] = classes ? l2r_class_odds(row, s->n_classes, k) : (double)row[k];
        y[logits.n] = label == (classes ? (float)k : 1);
        logits.n_ones += y[logits.n++];
    }
    return logits;
}

static enum l2r_status fit_maps(struct l2r_calibration *c, int32_t *n_left_out, struct l2r_arena *arena,
                                const struct l2r_calibrator *calibrator, const struct l2r_scores *s,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    c->joint = s->task == L2R_TASK_MULTICLASS && calibrator->fit_classes;
    c->n_maps = c->joint ? 1 : l2r_scores_outputs(s);
    struct l2r_calibration_map *maps = l2r_arena_zeroed(arena, (size_t)c->n_maps, sizeof *maps);
    double *x = l2r_alloc((size_t)s->n_graphs, sizeof *x);
    uint8_t *y = l2r_alloc((size_t)s->n_graphs, sizeof *y);
    if (!maps || !x || !y) {
        status = l2r_fail_memory(error, (size_t)s->n_graphs * sizeof *x, "a calibration");
        goto done;
    }
    c->maps = maps;
    for (int32_t k = 0; k < c->n_maps; k++) {
        struct l2r_logits logits = logits_of(x, y, s, k);
        maps[k].slope = 1;
        if (c->joint && logits.n > 0)
            calibrator->fit_classes(&maps[k], s);
        else if (logits.n_ones > 0 && logits.n_ones < logits.n)
            L2R_TRY(calibrator->fit(&maps[k], arena, &logits, error));
        else
            ++*n_left_out;
    }
done:
    l2r_free(x);
    l2r_free(y);
    return status;
}

static double mapped_distance(const struct l2r_scores *s, int64_t graph, int32_t k)
{
    int64_t at = graph * s->n_tasks + k;
    return l2r_target_transform(s->map, k, (double)s->output[at]) -
           l2r_target_transform(s->map, k, (double)s->labels[at]);
}

static enum l2r_status keep_residuals(struct l2r_calibration *c, struct l2r_arena *arena, const struct l2r_scores *s,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_residuals *residuals = l2r_arena_zeroed(arena, (size_t)s->n_tasks, sizeof *residuals);
    double *distance = l2r_alloc((size_t)s->n_graphs, sizeof *distance);
    if (!residuals || !distance) {
        status = l2r_fail_memory(error, (size_t)s->n_graphs * sizeof *distance, "the errors on validation graphs");
        goto done;
    }
    for (int32_t k = 0; k < s->n_tasks; k++) {
        int64_t n = 0;
        for (int64_t g = 0; g < s->n_graphs; g++)
            if (l2r_scores_distance(&distance[n], s, g, k)) {
                distance[n] = fabs(l2r_target_is_mapped(s->map, k) ? mapped_distance(s, g, k) : distance[n]);
                n++;
            }
        L2R_TRY(l2r_residuals_keep(&residuals[k], arena, distance, n, error));
    }
    c->residuals = residuals;
    c->n_residuals = s->n_tasks;
done:
    l2r_free(distance);
    return status;
}

enum l2r_status l2r_calibration_fit(struct l2r_calibration *c, int32_t *n_left_out, struct l2r_arena *arena,
                                    const char *method, double coverage, const struct l2r_scores *s,
                                    struct l2r_error *error)
{
    const struct l2r_calibrator *calibrator = find(method);
    *n_left_out = 0;
    *c = (struct l2r_calibration){.method = s->task != L2R_TASK_REGRESSION && calibrator ? calibrator->name : "none",
                                  .coverage = coverage};
    if (s->task == L2R_TASK_REGRESSION) return keep_residuals(c, arena, s, error);
    return calibrator ? fit_maps(c, n_left_out, arena, calibrator, s, error) : L2R_OK;
}

enum l2r_status l2r_committee_calibrate(const struct l2r_calibration **calibration, int32_t *n_left_out,
                                        struct l2r_arena *arena, const struct l2r_committee *committee,
                                        const char *method, double coverage, struct l2r_tape *tape,
                                        const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                        int64_t batch_size, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_committee bare = {committee->members, committee->n, NULL};
    struct l2r_scored scored = {0};
    *n_left_out = 0;
    *calibration = NULL;
    if (n == 0 || (strcmp(method, "none") == 0 && data->task != L2R_TASK_REGRESSION)) return L2R_OK;
    struct l2r_calibration *c = l2r_arena_alloc(arena, 1, sizeof *c);
    if (!c) return l2r_fail_memory(error, sizeof *c, "a calibration");
    L2R_TRY(l2r_scored_make(&scored, &bare, tape, data, graphs, n, batch_size, error));
    for (int64_t i = 0; i < n * l2r_committee_outputs(&bare); i++)
        if (!isfinite(scored.output[i])) goto done; /* scoring reports it */
    L2R_TRY(l2r_calibration_fit(c, n_left_out, arena, method, coverage, &scored.scores, error));
    *calibration = c;
done:
    l2r_scored_clear(&scored);
    return status;
}
