/* SPDX-License-Identifier: MIT
 *
 * Shows a queue of runs: on a terminal one line that is redrawn, in a pipe one line a finished run.
 *
 *     37/990  ━━━━━──────────────  BACE GIN 3 12/50, TOX21 PNA 0 41/50  2:31:07 left
 *     [38/990] BACE GIN 3: rocauc 0.7812, 0:04, 2:31:03 left
 */
#ifndef L2R_CLI_QUEUE_DISPLAY_H
#define L2R_CLI_QUEUE_DISPLAY_H

#include "jobs/runner.h"

#include <stdio.h>

struct cli_queue_display {
    FILE *stream;
    bool live, quiet, drawn;
    size_t n_done, n_jobs; /* as of the last progress */
    double seconds_left;
};

void cli_queue_display_init(struct cli_queue_display *display, FILE *stream, bool quiet);
void cli_queue_display_progress(struct cli_queue_display *display, const struct l2r_runner_state *state,
                                const struct l2r_job *jobs);
/* A run is finished: before the progress that counts it. */
void cli_queue_display_finished(struct cli_queue_display *display, const char *label, const struct l2r_result *result);
/* Takes the live line off the terminal, so that other text can follow. */
void cli_queue_display_erase(struct cli_queue_display *display);

/* One live line of at most `width` columns. */
void cli_queue_display_line(char *line, size_t size, FILE *stream, const struct l2r_runner_state *state,
                            const struct l2r_job *jobs, int width);

#endif
