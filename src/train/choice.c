/* SPDX-License-Identifier: MIT
 * See choice.h. */
#include "train/choice.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/rng.h"
#include "comm/comm.h"
#include "io/file.h"
#include "io/json_file.h"
#include "predict/predictor_state.h"
#include "predict/run_names.h"
#include "predict/score.h"
#include "train/ownership.h"
#include "train/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_CANDIDATES = 4, RESAMPLES = 200 };
static const char *const strength[N_CANDIDATES] = {"1", "0.9", "0.8", "0.6"}; /* the first is plain training */
static const double enough = 2; /* standard errors by which a candidate must be better */

struct candidate {
    struct l2r_config *config;
    struct l2r_result result;
    struct l2r_predictor *predictor;
    struct l2r_scored scored;        /* of the validation graphs */
    double value, difference, error; /* of the validation score: its difference from the first, and that one's error */
};

struct choice {
    const struct l2r_run *run;
    const struct l2r_dataset *data;
    struct l2r_dataset *own;
    struct l2r_split split;
    const struct l2r_metric *metric;
    struct candidate candidates[N_CANDIDATES];
    int chosen;
    char folder[4096], record[4096], sentence[400];
};

bool l2r_choice_asked(const struct l2r_config *config)
{
    return config && l2r_config_has(config, "ess") && l2r_config_is(config, "ess", "choose");
}

/* The folder must be free, or the choice be resumed. */
static enum l2r_status open_folder(struct choice *c, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *out = c->run->out;
    if (!out) return L2R_OK;
    L2R_TRY(l2r_path_join(c->folder, sizeof c->folder, out, L2R_CANDIDATES_FOLDER, error));
    L2R_TRY(l2r_path_join(c->record, sizeof c->record, out, L2R_CHOICE_FILE, error));
    if (c->run->resume) goto done;
    if (l2r_path_is_dir(c->folder) || l2r_path_is_file(c->record))
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s already holds a run; continue it with `resume` or choose another `out`", out);
    L2R_TRY(l2r_folder_refuse_files(out, error));
done:
    return status;
}

static enum l2r_status train_one(struct choice *c, int k, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct candidate *one = &c->candidates[k];
    struct l2r_run run = *c->run;
    char dir[4200], note[160];
    snprintf(note, sizeof note, "candidate %d of %d: `ess=%s`%s", k + 1, N_CANDIDATES, strength[k],
             k == 0 ? ", plain training" : "");
    l2r_watch_note(c->run->callbacks, note);
    L2R_TRY(l2r_config_copy(&one->config, c->run->config, error));
    L2R_TRY(l2r_config_set(one->config, "ess", strength[k], error));
    snprintf(dir, sizeof dir, "%s/ess-%s", c->folder, strength[k]);
    run.config = one->config;
    run.data = c->data;
    run.split = &c->split;
    if (run.out) run.out = dir, run.resume = l2r_path_is_dir(dir);
    L2R_TRY(l2r_run_train(&one->result, &one->predictor, &run, error));
    if (run.out) L2R_TRY(l2r_predictor_open(&one->predictor, dir, error));
    L2R_TRY(l2r_scored_make(&one->scored, &one->predictor->network, &one->predictor->tape, c->data,
                            l2r_split_part(&c->split, L2R_PART_VALID), l2r_split_size(&c->split, L2R_PART_VALID),
                            one->predictor->batch_size, error));
    c->metric = l2r_metric_find(one->result.metric);
done:
    return status;
}

/* ---- evidence ---- */

/* The metric of the rows [n] of what was scored; room holds outputs, then labels. */
static double value_of(const struct choice *c, const struct l2r_scores *s, const int64_t *rows, float *room)
{
    struct l2r_error ignored;
    struct l2r_scores some = *s;
    int64_t outputs = s->task == L2R_TASK_MULTICLASS ? s->n_classes : s->n_tasks;
    float *labels = room + s->n_graphs * outputs;
    double value;
    for (int64_t i = 0; i < s->n_graphs; i++) {
        memcpy(room + i * outputs, s->output + rows[i] * outputs, (size_t)outputs * sizeof *room);
        memcpy(labels + i * s->n_tasks, s->labels + rows[i] * s->n_tasks, (size_t)s->n_tasks * sizeof *room);
    }
    some.output = room;
    some.labels = labels;
    return l2r_metric_compute(&value, c->metric, &some, &ignored) == L2R_OK ? value : (double)NAN;
}

/* Differences from the first candidate, on the same resampled graphs for all. A sample on which the metric is not
 * defined (one class only) is passed over. */
static enum l2r_status weigh_evidence(struct choice *c, struct l2r_error *error)
{
    const struct l2r_scores *s = &c->candidates[0].scored.scores;
    int64_t n = s->n_graphs, width = s->n_tasks + (s->task == L2R_TASK_MULTICLASS ? s->n_classes : s->n_tasks);
    double sum[N_CANDIDATES] = {0}, square[N_CANDIDATES] = {0}, count = 0, sign = c->metric->higher_is_better ? 1 : -1;
    struct l2r_rng rng =
        l2r_rng_at((uint64_t)l2r_config_int(c->run->config, "seed"), L2R_RANDOM_CONTROL, UINT64_C(1) << 63);
    int64_t *rows = l2r_alloc((size_t)n, sizeof *rows);
    float *room = l2r_alloc((size_t)(n * width), sizeof *room);
    for (int draw = -1; rows && room && draw < RESAMPLES; draw++) { /* -1: all graphs as they are */
        double value[N_CANDIDATES], all = 0;
        for (int64_t i = 0; i < n; i++) rows[i] = draw < 0 ? i : (int64_t)l2r_rng_below(&rng, (uint64_t)n);
        for (int k = 0; k < N_CANDIDATES; k++)
            all += value[k] = sign * value_of(c, &c->candidates[k].scored.scores, rows, room);
        for (int k = 0; draw < 0 && k < N_CANDIDATES; k++) {
            c->candidates[k].value = sign * value[k];
            c->candidates[k].difference = value[k] - value[0];
        }
        if (draw < 0 || !isfinite(all)) continue;
        count++;
        for (int k = 0; k < N_CANDIDATES; k++) {
            sum[k] += value[k] - value[0];
            square[k] += (value[k] - value[0]) * (value[k] - value[0]);
        }
    }
    for (int k = 0; k < N_CANDIDATES; k++)
        c->candidates[k].error =
            count > 1 ? sqrt(fmax(0, square[k] - sum[k] * sum[k] / count) / (count - 1)) : (double)NAN;
    bool memory = rows && room;
    l2r_free(rows);
    l2r_free(room);
    return memory ? L2R_OK : l2r_fail_memory(error, (size_t)(n * width) * sizeof *room, "the choice of a strength");
}

static void decide(struct choice *c)
{
    int best = 1;
    for (int k = 2; k < N_CANDIDATES; k++)
        if (c->candidates[k].difference > c->candidates[best].difference) best = k;
    const struct candidate *b = &c->candidates[best];
    bool evident = b->difference > 0 && b->difference > enough * b->error;
    c->chosen = evident ? best : 0;
    const char *unit = c->metric->higher_is_better ? "" : " lower";
    if (evident)
        snprintf(c->sentence, sizeof c->sentence,
                 "`ess=%s` is chosen: its validation %s is %.4g, plain training's %.4g (%+.4f ± %.4f%s)",
                 strength[best], c->metric->name, b->value, c->candidates[0].value, b->difference, b->error, unit);
    else
        snprintf(c->sentence, sizeof c->sentence,
                 "the weights stand back: on the validation graphs no strength is better than plain training by more "
                 "than two standard errors (best `ess=%s`: %s %.4g, plain %.4g, %+.4f ± %.4f%s)",
                 strength[best], c->metric->name, b->value, c->candidates[0].value, b->difference, b->error, unit);
}

/* New reference. */
static json_t *told(const struct choice *c)
{
    json_t *list = json_array();
    for (int k = 0; k < N_CANDIDATES; k++) {
        const struct candidate *one = &c->candidates[k];
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o}", "ess", strength[k], "valid",
                                              l2r_json_real(one->value), "better_by", l2r_json_real(one->difference),
                                              "standard_error", l2r_json_real(one->error)));
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "ess", strength[c->chosen], "metric", c->metric->name, "sentence",
                     c->sentence, "candidates", list);
}

/* ---- the run ---- */

/* In a folder: once more there, with the strength that was chosen, so that it is a run like any other. */
static enum l2r_status finish(struct l2r_result *result, struct l2r_predictor **predictor, struct choice *c,
                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct candidate *one = &c->candidates[c->chosen];
    json_t *choice = told(c);
    if (!choice) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the choice of a strength");
    l2r_watch_note(c->run->callbacks, c->sentence);
    if (c->run->out) {
        struct l2r_run run = *c->run;
        run.config = one->config;
        run.data = c->data;
        run.split = &c->split;
        if (l2r_comm_leads(run.comm)) L2R_TRY(l2r_json_write(choice, c->record, error));
        L2R_TRY(l2r_run_train(result, predictor, &run, error));
    } else {
        *result = one->result;
        one->result = (struct l2r_result){0};
        if (predictor) *predictor = one->predictor, one->predictor = NULL;
    }
    if (result->conclusion) json_object_set(result->conclusion, "choice", choice);
done:
    json_decref(choice);
    return status;
}

enum l2r_status l2r_choice_train(struct l2r_result *result, struct l2r_predictor **predictor, const struct l2r_run *run,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct choice c = {.run = run, .data = run->data};
    *result = (struct l2r_result){0};
    if (l2r_run_check(run->config, error) != L2R_OK) return L2R_ERR_ARGUMENT;
    L2R_TRY(open_folder(&c, error));
    if (!c.data) L2R_TRY(l2r_run_load(&c.own, run->config, run->comm, error));
    if (!c.data) c.data = c.own;
    L2R_TRY(run->split ? l2r_split_copy(&c.split, run->split, error)
                       : l2r_split_make(&c.split, c.data, run->config, error));
    if (l2r_split_size(&c.split, L2R_PART_VALID) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`ess=choose` needs validation graphs, of which the split leaves none");
    for (int k = 0; k < N_CANDIDATES; k++) L2R_TRY(train_one(&c, k, error));
    L2R_TRY(weigh_evidence(&c, error));
    decide(&c);
    L2R_TRY(finish(result, predictor, &c, error));
done:
    for (int k = 0; k < N_CANDIDATES; k++) {
        l2r_scored_clear(&c.candidates[k].scored);
        l2r_predictor_free(c.candidates[k].predictor);
        l2r_result_clear(&c.candidates[k].result);
        l2r_config_free(c.candidates[k].config);
    }
    l2r_split_clear(&c.split);
    l2r_dataset_free(c.own);
    return status;
}
