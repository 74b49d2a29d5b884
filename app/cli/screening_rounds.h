/* SPDX-License-Identifier: MIT
 *
 * A table that several ranks pass through together: in every round each takes one chunk, and rank 0 writes what they
 * have made of them in the order of the table.
 *
 *     round 0    rank 0: chunk 0    rank 1: chunk 1    rank 2: chunk 2     -> written: 0, 1, 2
 *     round 1    rank 0: chunk 3    …
 */
#ifndef L2R_CLI_SCREENING_ROUNDS_H
#define L2R_CLI_SCREENING_ROUNDS_H

#include "cli/screening.h"
#include "comm/comm.h"

/* How far it has come. */
struct cli_progress {
    int64_t rows, good;
    int64_t first_line;      /* of the first row with a problem; 0: none yet */
    char first_problem[200]; /* what it was */
    double started, shown_at;
    bool live;
};

enum l2r_status cli_screen_rounds(struct cli_progress *progress, FILE *out, const struct cli_screening *screening,
                                  const struct l2r_molecule_table *table, struct l2r_table_chunks *chunks, bool refuse,
                                  struct l2r_comm *comm, struct l2r_error *error);

/* Of screening.c: one more chunk; the live line; a table with a bad row where none may be; a full disk, noticed after
 * the chunk that met it. */
void cli_screening_count(struct cli_progress *progress, const struct l2r_table_chunk *chunk);
void cli_screening_show(struct cli_progress *progress);
enum l2r_status cli_screening_refuse(const struct cli_progress *progress, const struct cli_screening *screening,
                                     struct l2r_error *error);
enum l2r_status cli_screening_written(FILE *out, const char *path, struct l2r_error *error);

#endif
