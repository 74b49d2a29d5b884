/* SPDX-License-Identifier: MIT
 * See side_by_side.h. */
#include "cli/side_by_side.h"

#include "base/memory.h"
#include "cli/display.h"
#include "cli/process.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "model/run_names.h"
#include "store/result_file.h"

struct together {
    struct l2r_result **results;
    const struct l2r_job *jobs;
    struct cli_jobs_display display;
    enum l2r_status failure; /* of a run that failed */
};

static enum l2r_status on_finished(void *context, const struct l2r_job_end *done, struct l2r_error *error)
{
    struct together *t = context;
    char path[CLI_PATH + 64];
    snprintf(path, sizeof path, "%s/" L2R_RESULT_FILE, t->jobs[done->job].dir);
    cli_jobs_display_finished(&t->display, t->jobs[done->job].label, done->result);
    struct l2r_result *kept = t->results[done->job] = l2r_alloc(1, sizeof *kept);
    if (kept == NULL) return l2r_fail_memory(error, sizeof *kept, "results");
    return l2r_result_read(kept, NULL, path, error);
}

static void on_failed(void *context, size_t job, const struct l2r_error *why)
{
    struct together *t = context;
    char text[2048];
    cli_jobs_display_erase(&t->display);
    fprintf(stderr, "l2r: %s: %s\n", t->jobs[job].label, cli_format_options(text, sizeof text, why->message));
    t->failure = why->status;
}

static void on_progress(void *context, const struct l2r_runner_state *state)
{
    struct together *t = context;
    cli_jobs_display_progress(&t->display, state, t->jobs);
}

static void on_note(void *context, size_t job, const char *sentence)
{
    struct together *t = context;
    char text[2048];
    cli_jobs_display_erase(&t->display);
    fprintf(stderr, "note: %s: %s\n", t->jobs[job].label, cli_format_options(text, sizeof text, sentence));
}

enum l2r_status cli_train_side_by_side(struct l2r_result **results, struct l2r_job *jobs, size_t n, int n_workers,
                                       FILE *progress, bool quiet, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_shared_data shared;
    struct together t = {.results = results, .jobs = jobs};
    size_t n_failed = 0;
    l2r_shared_data_init(&shared);
    cli_jobs_display_init(&t.display, progress, quiet);
    t.display.n_jobs = n;
    for (size_t i = 0; i < n; i++)
        L2R_TRY(l2r_shared_data_add(&jobs[i].data, &shared, l2r_config_text(jobs[i].config, "data"), jobs[i].config,
                                    error));
    const struct l2r_runner runner = {.jobs = jobs,
                                      .n_jobs = n,
                                      .shared = &shared,
                                      .n_workers = n_workers,
                                      .context = &t,
                                      .finished = on_finished,
                                      .failed = on_failed,
                                      .progress = on_progress,
                                      .note = on_note,
                                      .stop = cli_stop_requested};
    L2R_TRY(l2r_runner_run(&runner, &n_failed, error));
    if (n_failed > 0) L2R_FAIL(t.failure, "%zu of %zu runs failed", n_failed, n);
done:
    cli_jobs_display_erase(&t.display);
    l2r_shared_data_clear(&shared);
    return status;
}
