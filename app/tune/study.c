/* SPDX-License-Identifier: MIT
 *
 * See study.h: the plan, the lines of runs that have ended, and the ranking. Training is in study_train.c.
 *
 * The plan is a pure function of the settings, and a run is recognised by its options (l2r_run_id), not by its number:
 * a study can be made longer, or get another method, and keeps every run that it has.
 */
#include "tune/study.h"

#include "base/memory.h"
#include "io/file.h"
#include "io/staging.h"
#include "metrics/statistics.h"
#include "tune/trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_PATH = 4096, MOST_RUNS = 1000000 };

enum l2r_status l2r_study_config(struct l2r_config **config, const struct l2r_study *study, int method, int64_t trial,
                                 int64_t seed, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char number[24];
    L2R_TRY(l2r_config_copy(config, study->settings.bases[method], error));
    L2R_TRY(l2r_search_set(*config, &study->settings.search, study->draws[method][trial], error));
    snprintf(number, sizeof number, "%" PRId64, seed);
    L2R_TRY(l2r_config_set(*config, "seed", number, error));
done:
    return status;
}

static enum l2r_status add_run(struct l2r_study *study, int method, int64_t trial, int64_t seed,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[LONGEST_PATH];
    if (!l2r_reserve((void **)&study->runs, &study->capacity, study->n + 1, sizeof *study->runs))
        return l2r_fail_memory(error, sizeof *study->runs, "the trials");
    struct l2r_study_run *run = &study->runs[study->n++];
    *run = (struct l2r_study_run){.method = method, .trial = trial, .seed = seed};
    L2R_TRY(l2r_study_config(&run->config, study, method, trial, seed, error));
    L2R_TRY(l2r_config_set(run->config, "eval-test", "false", error));
    L2R_TRY(l2r_run_id(run->id, l2r_config_text(run->config, "data"), run->config, error));
    snprintf(run->label, sizeof run->label, "%s trial %" PRId64 " seed %" PRId64,
             l2r_config_text(run->config, "method"), trial, seed);
    snprintf(path, sizeof path, "%.3900s/work/%s", study->settings.dir, run->id);
    run->dir = l2r_strdup(path);
    if (run->dir == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the trials");
done:
    return status;
}

/* Chooses the draws of a method's trials. */
static enum l2r_status plan_draws(struct l2r_study *study, int method, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_study_settings *s = &study->settings;
    struct l2r_config *config = NULL;
    int64_t *n = &study->n_trials[method];
    L2R_TRY(l2r_search_size(n, &s->search, s->bases[method], error));
    study->draws[method] = l2r_alloc((size_t)*n, sizeof **study->draws);
    if (study->draws[method] == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the trials");
    L2R_TRY(l2r_config_copy(&config, s->bases[method], error));
    L2R_TRY(l2r_search_plan(study->draws[method], &s->search, config, *n, error));
done:
    l2r_config_free(config);
    return status;
}

static enum l2r_status count_trials(struct l2r_study *study, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_study_settings *s = &study->settings;
    study->n_trials = l2r_alloc((size_t)s->n_methods, sizeof *study->n_trials);
    study->draws = l2r_alloc((size_t)s->n_methods, sizeof *study->draws);
    if (study->n_trials == NULL || study->draws == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the trials");
    for (int m = 0; m < s->n_methods; m++) {
        L2R_TRY(plan_draws(study, m, error));
        if (study->n_trials[m] > study->longest) study->longest = study->n_trials[m];
    }
    if (study->longest * s->n_methods * s->n_seeds > MOST_RUNS)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%lld trials of %d methods with %d seeds are more than %d runs",
                 (long long)study->longest, s->n_methods, s->n_seeds, MOST_RUNS);
    study->first = l2r_alloc((size_t)(study->longest * s->n_methods), sizeof *study->first);
    if (study->first == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the trials");
done:
    return status;
}

/* Trial by trial, so that at any moment all methods have had the same number of them. */
static enum l2r_status plan(struct l2r_study *study, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_study_settings *s = &study->settings;
    for (int64_t k = 0; k < study->longest; k++)
        for (int m = 0; m < s->n_methods; m++) {
            study->first[k * s->n_methods + m] = k < study->n_trials[m] ? study->n : SIZE_MAX;
            if (k >= study->n_trials[m]) continue;
            for (int i = 0; i < s->n_seeds; i++) L2R_TRY(add_run(study, m, k, s->seeds[i], error));
        }
done:
    return status;
}

/* A run is stopped by comparison with the trials before it, so a stopped one counts only where these are the same. */
static enum l2r_status name_rule(struct l2r_study *study, struct l2r_error *error)
{
    const struct l2r_search *search = &study->settings.search;
    size_t size = strlen(search->space->text) + 64;
    study->rule = l2r_alloc(size, 1);
    if (study->rule == NULL) return l2r_fail_memory(error, size, "the trials");
    snprintf(study->rule, size, "median from %" PRId64 ", %s, seed %" PRIu64 ": %s", study->settings.median_from,
             search->kind == L2R_SEARCH_GRID ? "grid" : "random", search->seed, search->space->text);
    return L2R_OK;
}

/* Finds the lines of runs that have ended. A folder that a kill left behind after its line was written is removed. */
static void find_lines(struct l2r_study *study)
{
    for (size_t i = 0; i < study->n; i++) {
        struct l2r_study_run *run = &study->runs[i];
        run->line = l2r_results_find(&study->results, "trial", run->id, run->config, study->fingerprint);
        if (!l2r_trial_line_counts(run->line, study->rule)) run->line = NULL;
        if (run->line != NULL && l2r_path_is_dir(run->dir)) l2r_remove_tree(run->dir);
    }
}

enum l2r_status l2r_study_open(struct l2r_study *study, const struct l2r_study_settings *settings,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[LONGEST_PATH];
    size_t data;
    *study = (struct l2r_study){.settings = *settings, .results = {.file = -1}};
    l2r_shared_data_init(&study->shared);
    L2R_TRY(count_trials(study, error));
    L2R_TRY(plan(study, error));
    L2R_TRY(name_rule(study, error));
    L2R_TRY(l2r_shared_data_add(&data, &study->shared, l2r_config_text(settings->bases[0], "data"), settings->bases[0],
                                error));
    L2R_TRY(l2r_shared_data_fingerprint(study->fingerprint, &study->shared, data, error));
    L2R_TRY(l2r_make_dirs(settings->dir, error));
    L2R_TRY(l2r_path_join(path, sizeof path, settings->dir, "trials.jsonl", error));
    L2R_TRY(l2r_results_open(&study->results, path, true, error));
    find_lines(study);
done:
    return status;
}

void l2r_study_close(struct l2r_study *study)
{
    for (size_t i = 0; i < study->n; i++) {
        l2r_config_free(study->runs[i].config);
        l2r_free(study->runs[i].dir);
    }
    l2r_free(study->runs);
    for (int m = 0; study->draws != NULL && m < study->settings.n_methods; m++) l2r_free(study->draws[m]);
    l2r_free(study->draws);
    l2r_free(study->n_trials);
    l2r_free(study->first);
    l2r_free(study->rule);
    l2r_results_close(&study->results);
    l2r_shared_data_clear(&study->shared);
    *study = (struct l2r_study){.results = {.file = -1}};
}

size_t l2r_study_left(const struct l2r_study *study)
{
    size_t left = 0;
    for (size_t i = 0; i < study->n; i++) left += study->runs[i].line == NULL;
    return left;
}

const struct l2r_study_run *l2r_study_find(const struct l2r_study *study, int method, int64_t trial, int seed)
{
    size_t first = study->first[trial * study->settings.n_methods + method];
    return first == SIZE_MAX ? NULL : &study->runs[first + (size_t)seed];
}

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
