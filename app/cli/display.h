/* SPDX-License-Identifier: MIT
 *
 * Shows work in progress: on a terminal one line that is redrawn, in a pipe one line for each step.
 *
 *     one run     epoch 12/100  ━━━━━─────  loss 0.4312  valid rocauc 0.7812  best 0.7903 @ 9  3412 graphs/s  0:41 left
 *     many runs   37/990  ━━━━━──────────────  BACE GIN 3 12/50, TOX21 PNA 0 41/50  2:31:07 left
 *                 [38/990] BACE GIN 3: rocauc 0.7812, 0:04, 2:31:03 left
 */
#ifndef L2R_CLI_DISPLAY_H
#define L2R_CLI_DISPLAY_H

#include "jobs/runner.h"
#include "store/run.h"

#include <stdio.h>

/* ---- one run ---- */

struct cli_display {
    FILE *stream;
    bool live;       /* redraws */
    bool quiet;      /* only notes */
    bool brief;      /* no summary at the start: it was shown for an earlier seed */
    char label[32];  /* in front of the line: "seed 3"; may be empty */
    bool drawn;      /* a live line stands on the terminal */
    double drawn_at; /* seconds on the monotonic clock */
    double valid;    /* at the end of the last epoch; NaN at first */
    int64_t epoch, n_epochs;
};

void cli_display_init(struct cli_display *display, FILE *stream, bool quiet);
/* Before each run that is shown: clears the numbers of the last one. */
void cli_display_restart(struct cli_display *display, const char *label);
/* The callbacks of a run. */
struct l2r_callbacks cli_display_callbacks(struct cli_display *display);
/* Erases the live line, so that other text can follow. */
void cli_display_erase(struct cli_display *display);

/* ---- many runs (jobs/runner.h) ---- */

struct cli_jobs_display {
    FILE *stream;
    bool live, quiet, drawn;
    size_t n_done, n_jobs; /* as of the last progress */
    double seconds_left;
};

void cli_jobs_display_init(struct cli_jobs_display *display, FILE *stream, bool quiet);
void cli_jobs_display_progress(struct cli_jobs_display *display, const struct l2r_runner_state *state,
                               const struct l2r_job *jobs);
/* A run is finished: before the progress that counts it. */
void cli_jobs_display_finished(struct cli_jobs_display *display, const char *label, const struct l2r_result *result);
/* Erases the live line, so that other text can follow. */
void cli_jobs_display_erase(struct cli_jobs_display *display);

#endif
