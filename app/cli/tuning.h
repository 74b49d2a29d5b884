/* SPDX-License-Identifier: MIT
 *
 * The result of `l2r tune`: tables for people, JSON for programs, and the command that trains the winner.
 */
#ifndef L2R_CLI_TUNING_H
#define L2R_CLI_TUNING_H

#include "tune/study.h"

#include <stdio.h>

/* A study whose trials have ended. */
struct cli_tuning {
    const struct l2r_study *study;
    const char *seeds;               /* as typed */
    struct l2r_trial_score **scores; /* [n_methods]: the trials of each, the best first */
    struct l2r_result **finals;      /* [n_methods][n_seeds] of --final; NULL: the winners were not trained */
};

/* Ranks the trials. An error when a method has none that counts. Clear it after an error too. */
enum l2r_status cli_tuning_init(struct cli_tuning *tuning, const struct l2r_study *study, const char *seeds,
                                struct l2r_error *error);
void cli_tuning_clear(struct cli_tuning *tuning);

/* "l2r train --data … --lr 0.00123 --seeds 0-2 --out DIR/METHOD": trains a method's winner and tests it. */
void cli_tuning_command(char *out, size_t size, const struct cli_tuning *tuning, int method);

void cli_tuning_print(FILE *stream, const struct cli_tuning *tuning);
/* New reference; NULL: out of memory. */
json_t *cli_tuning_to_json(const struct cli_tuning *tuning);

#endif
