/* SPDX-License-Identifier: MIT
 *
 * See study.h: sends the missing runs through the runner and keeps a line of each.
 *
 *     with the median rule      one pass through the runner per round of L2R_ROUND trials (trial.h says why)
 *     without                   a single pass
 *     l2r_study_finish          one more pass for the winner: all seeds, now with test scores, folders kept
 *
 * The runner calls every function here under its lock, so none of them needs one.
 */
#include "base/memory.h"
#include "io/file.h"
#include "io/staging.h"
#include "model/run_names.h"
#include "store/run.h"
#include "tune/study.h"
#include "tune/trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One pass through the runner. */
struct pass {
    struct l2r_study *study;
    const struct l2r_study_callbacks *callbacks; /* may be NULL */
    struct l2r_job *jobs;
    size_t *runs; /* [n]: the study's number of each job */
    size_t n;
    size_t before, total;       /* runs of earlier passes, and of all */
    double *seconds;            /* [n_methods] that a run of a trial takes */
    struct l2r_result *results; /* [n], in the last training of a method; NULL: trials */
    enum l2r_status status;     /* of the first run that failed for a reason that is not its own */
    struct l2r_error error;
};

/* Mean seconds of each method's runs so far, or of all runs; NaN: nothing is known. Cached, because they are needed
 * after every batch. */
static void learn_seconds(struct pass *pass)
{
    const struct l2r_study *study = pass->study;
    double all = 0, n_all = 0;
    for (int m = 0; m < study->settings.n_methods; m++) {
        double sum = 0, n = 0;
        for (size_t i = 0; i < study->n; i++) {
            double seconds = l2r_line_number(study->runs[i].line, "seconds");
            if (study->runs[i].method != m || isnan(seconds)) continue;
            sum += seconds;
            n++;
        }
        pass->seconds[m] = sum / n;
        all += sum;
        n_all += n;
    }
    for (int m = 0; m < study->settings.n_methods; m++)
        if (isnan(pass->seconds[m])) pass->seconds[m] = all / n_all;
}

static enum l2r_status record(struct pass *pass, size_t job, const struct l2r_trial_end *end, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_study *study = pass->study;
    struct l2r_study_run *run = &study->runs[pass->runs[job]];
    json_t *line = l2r_trial_line(run, study->fingerprint, end);
    if (line == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a line of trials.jsonl");
    run->line = line;
    status = l2r_results_add(&study->results, line, error); /* which keeps it as long as the study lasts */
    if (status != L2R_OK) run->line = NULL;
    if (status != L2R_OK) goto done;
    learn_seconds(pass);
    l2r_remove_tree(run->dir);
    if (pass->callbacks && pass->callbacks->ended) pass->callbacks->ended(pass->callbacks->context, run->label, line);
done:
    return status;
}

static enum l2r_status on_finished(void *context, const struct l2r_job_end *done, struct l2r_error *error)
{
    struct pass *pass = context;
    if (pass->results != NULL) {
        l2r_result_copy_scores(&pass->results[done->job], done->result);
        return L2R_OK;
    }
    if (isnan(l2r_result_selected(done->result)))
        return l2r_fail(
            error, L2R_ERR_ARGUMENT,
            "trials are ranked on the validation graphs, of which %s has none; see --split and --valid-fraction",
            l2r_config_text(pass->jobs[done->job].config, "data"));
    const struct l2r_trial_end end = {
        .outcome = "finished", .result = done->result, .cpu_seconds = done->cpu_seconds, .threads = done->threads};
    return record(pass, done->job, &end, error);
}

/* The epoch at which the median rule (trial.h) ends a run; 0: it goes on. */
static int64_t stopped_at(const struct l2r_study *study, const struct l2r_study_run *run)
{
    int64_t earlier = run->trial / L2R_ROUND * L2R_ROUND, stop = 0;
    const struct l2r_metric *metric = l2r_study_metric(study);
    if (earlier == 0 || metric == NULL) return 0;
    const json_t **curves = l2r_alloc((size_t)earlier, sizeof *curves);
    json_t *curve = l2r_trial_curve(run->dir);
    int seed = 0;
    while (study->settings.seeds[seed] != run->seed) seed++;
    for (int64_t k = 0; curves != NULL && k < earlier; k++)
        curves[k] = json_object_get(l2r_study_find(study, run->method, k, seed)->line, "curve");
    if (curves != NULL) /* stopping at the last epoch saves nothing */
        stop = l2r_median_stop(curve, curves, (size_t)earlier, study->settings.median_from,
                               l2r_config_int(run->config, "epochs") - 1, metric);
    l2r_free(curves);
    json_decref(curve);
    return stop;
}

static bool is_hopeless(void *context, size_t job, const struct l2r_progress *progress)
{
    const struct pass *pass = context;
    bool early = progress->epoch < pass->study->settings.median_from;
    return !early && stopped_at(pass->study, &pass->study->runs[pass->runs[job]]) > 0;
}

/* A trial may diverge or have options that do not fit together: that is its result. Any other failure, such as a
 * full disk, ends the study. */
static void on_failed(void *context, size_t job, const struct l2r_error *why)
{
    struct pass *pass = context;
    struct l2r_error error = *why;
    enum l2r_status status = why->status;
    bool own = status == L2R_ERR_DIVERGED || status == L2R_ERR_ARGUMENT || status == L2R_ERR_INTERRUPTED;
    if (own && pass->results == NULL) {
        const struct l2r_trial_end end = {
            .outcome = status == L2R_ERR_DIVERGED   ? "diverged"
                       : status == L2R_ERR_ARGUMENT ? "refused"
                                                    : "stopped",
            .why = status == L2R_ERR_INTERRUPTED ? NULL : why->message,
            .cpu_seconds = (double)NAN,
            .threads = 1,
            .rule = pass->study->rule,
            .stopped_at =
                status == L2R_ERR_INTERRUPTED ? stopped_at(pass->study, &pass->study->runs[pass->runs[job]]) : 0};
        status = record(pass, job, &end, &error);
    }
    if (status == L2R_OK || pass->status != L2R_OK) return;
    pass->status = status;
    pass->error = error;
}

static double expected(void *context, size_t job)
{
    const struct pass *pass = context;
    if (pass->results != NULL) return (double)NAN;
    return pass->seconds[pass->study->runs[pass->runs[job]].method];
}

static void on_progress(void *context, const struct l2r_runner_state *state)
{
    const struct pass *pass = context;
    struct l2r_runner_state all = *state;
    all.n_jobs = pass->total;
    all.n_done += pass->before;
    if (state->n_active > 0 && isnan(expected(context, state->active[0].job))) all.seconds_left = (double)NAN;
    pass->callbacks->progress(pass->callbacks->context, &all, pass->jobs);
}

static void on_note(void *context, size_t job, const char *sentence)
{
    const struct pass *pass = context;
    pass->callbacks->note(pass->callbacks->context, pass->jobs[job].label, sentence);
}

static bool on_stop(void *context)
{
    const struct pass *pass = context;
    return pass->callbacks->stop(pass->callbacks->context);
}

static enum l2r_status send(struct pass *pass, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_study_callbacks *w = pass->callbacks;
    bool trials = pass->results == NULL;
    for (size_t j = 0; j < pass->n; j++)
        L2R_TRY(l2r_shared_data_add(&pass->jobs[j].data, &pass->study->shared,
                                    l2r_config_text(pass->jobs[j].config, "data"), pass->jobs[j].config, error));
    const struct l2r_runner runner = {.jobs = pass->jobs,
                                      .n_jobs = pass->n,
                                      .shared = &pass->study->shared,
                                      .n_workers = pass->study->settings.n_workers,
                                      .context = pass,
                                      .finished = on_finished,
                                      .failed = on_failed,
                                      .give_up = trials && pass->study->settings.median_from > 0 ? is_hopeless : NULL,
                                      .expected = expected,
                                      .progress = w && w->progress ? on_progress : NULL,
                                      .note = trials && w && w->note ? on_note : NULL,
                                      .stop = w && w->stop ? on_stop : NULL};
    L2R_TRY(l2r_runner_run(&runner, NULL, error));
    if (pass->status != L2R_OK) L2R_FAIL(pass->status, "%s", pass->error.message);
done:
    return status;
}

/* The missing runs of trials [begin, end). */
static enum l2r_status train_trials(struct l2r_study *study, int64_t begin, int64_t end, size_t before, size_t total,
                                    const struct l2r_study_callbacks *callbacks, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct pass pass = {.study = study, .callbacks = callbacks, .before = before, .total = total};
    pass.jobs = l2r_alloc(study->n, sizeof *pass.jobs);
    pass.runs = l2r_alloc(study->n, sizeof *pass.runs);
    pass.seconds = l2r_alloc((size_t)study->settings.n_methods, sizeof *pass.seconds);
    if (pass.jobs == NULL || pass.runs == NULL || pass.seconds == NULL)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the trials");
    learn_seconds(&pass);
    for (size_t i = 0; i < study->n; i++) {
        const struct l2r_study_run *run = &study->runs[i];
        if (run->line != NULL || run->trial < begin || run->trial >= end) continue;
        pass.runs[pass.n] = i;
        pass.jobs[pass.n++] = (struct l2r_job){.label = run->label, .dir = run->dir, .config = run->config};
    }
    if (pass.n > 0) L2R_TRY(send(&pass, error));
done:
    l2r_free(pass.jobs);
    l2r_free(pass.runs);
    l2r_free(pass.seconds);
    return status;
}

enum l2r_status l2r_study_train(struct l2r_study *study, const struct l2r_study_callbacks *callbacks,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t total = l2r_study_left(study);
    int64_t round = study->settings.median_from > 0 ? L2R_ROUND : study->longest;
    for (int64_t begin = 0; begin < study->longest; begin += round)
        L2R_TRY(train_trials(study, begin, begin + round, total - l2r_study_left(study), total, callbacks, error));
done:
    return status;
}

enum l2r_status l2r_study_finish(struct l2r_result *results, struct l2r_study *study, int method, int64_t trial,
                                 const struct l2r_study_callbacks *callbacks, struct l2r_error *error)
{
    enum { LONGEST_PATH = 4096, LABEL = 64 };
    enum l2r_status status = L2R_OK;
    const struct l2r_study_settings *s = &study->settings;
    size_t n = (size_t)s->n_seeds;
    const char *name = l2r_config_text(s->bases[method], "method");
    struct pass pass = {.study = study, .callbacks = callbacks, .n = n, .total = n, .results = results};
    struct l2r_config **configs = l2r_alloc(n, sizeof *configs);
    char(*dirs)[LONGEST_PATH] = l2r_alloc(n, sizeof *dirs), (*labels)[LABEL] = l2r_alloc(n, sizeof *labels);
    pass.jobs = l2r_alloc(n, sizeof *pass.jobs);
    memset(results, 0, n * sizeof *results);
    if (!configs || !dirs || !labels || !pass.jobs) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the runs");
    for (size_t i = 0; i < n; i++) {
        L2R_TRY(l2r_study_config(&configs[i], study, method, trial, s->seeds[i], error));
        snprintf(dirs[i], LONGEST_PATH, "%.3900s/%s/%s-%" PRId64, s->dir, name, l2r_sibling_names[L2R_SIBLING_SEED],
                 s->seeds[i]);
        snprintf(labels[i], LABEL, "%s seed %" PRId64, name, s->seeds[i]);
        pass.jobs[i] = (struct l2r_job){.label = labels[i], .dir = dirs[i], .config = configs[i]};
    }
    L2R_TRY(send(&pass, error));
done:
    for (size_t i = 0; configs != NULL && i < n; i++) l2r_config_free(configs[i]);
    l2r_free(configs);
    l2r_free(dirs);
    l2r_free(labels);
    l2r_free(pass.jobs);
    return status;
}
