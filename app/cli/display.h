/* SPDX-License-Identifier: MIT
 *
 * Shows a training run: on a terminal one line that is redrawn, in a pipe one line an epoch.
 *
 *     epoch 12/100  ━━━━──────────────  loss 0.4312  valid rocauc 0.7812  best 0.7903 @ 9  3412 graphs/s  0:41 left
 */
#ifndef L2R_CLI_DISPLAY_H
#define L2R_CLI_DISPLAY_H

#include "train/run.h"

#include <stdio.h>

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
/* Before each run that is shown: forgets the last one's numbers. */
void cli_display_restart(struct cli_display *display, const char *label);
/* The callbacks of a run. */
struct l2r_watch cli_display_watch(struct cli_display *display);
/* Takes the live line off the terminal, so that other text can follow. */
void cli_display_erase(struct cli_display *display);

/* One live line of at most `width` columns: what matters least is left out first. */
void cli_display_line(char *line, size_t size, const struct cli_display *display, const struct l2r_progress *progress,
                      int width);

#endif
