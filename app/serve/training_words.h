/* SPDX-License-Identifier: MIT
 *
 * The words of the command that a request for a training means (trainings.h):
 *
 *     {"table": "esol.csv", "name": "esol", "options": {"epochs": 50}}
 *         ->  l2r train --data TABLES/esol.csv --out RUNS/esol --epochs=50 --quiet
 *
 * Options are checked as the command does. Whatever could name a file is refused: only columns, counts, choices and
 * names of models pass.
 */
#ifndef L2R_SERVE_TRAINING_WORDS_H
#define L2R_SERVE_TRAINING_WORDS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { L2R_TRAINING_WORDS = 72 };

struct l2r_training_words {
    char *name, *table;                 /* of the run; of the table, "" where a run is continued */
    char *list[L2R_TRAINING_WORDS + 1]; /* "l2r", "train", …, NULL */
    int n;
};

/* Is this the name of a table, in the folder itself and not hidden? By its ending. */
bool l2r_training_is_table(const char *name);
enum l2r_status l2r_training_words_make(struct l2r_training_words *words, const char *tables, const char *runs,
                                        const char *body, size_t length, struct l2r_error *error);
/* As one would type it, quoted for a shell; from l2r_alloc. NULL: out of memory. */
char *l2r_training_command(const struct l2r_training_words *words);
void l2r_training_words_clear(struct l2r_training_words *words);

#endif
