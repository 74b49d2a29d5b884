/* SPDX-License-Identifier: MIT
 *
 * Streams a table of molecules through a command in constant memory.
 *
 *     table -> chunks of rows -> molecules -> the command's `handle`, `write` -> a file, complete or not at all
 *
 * The table is opened by the user's options; "-" is standard input, which one process alone can read. Progress and a
 * summary go to stderr. With several ranks, each takes its share of the chunks and rank 0 writes them in the order of
 * the table.
 */
#ifndef L2R_CLI_SCREENING_H
#define L2R_CLI_SCREENING_H

#include "cli/command.h"
#include "model/predictor.h"
#include "model/table_chunks.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What a command does with a table. */
struct cli_screening {
    const char *where;               /* the table; "-": standard input */
    const struct l2r_source *source; /* the table itself, made of SMILES that were typed; NULL: it is opened here */
    const char *out;                 /* NULL: standard output */
    const char *what;                /* what was done to the good rows, for the summary: "predicted" */
    bool own;                        /* the table that the model was trained on, which is read as in training */
    bool quiet;                      /* no progress and no summary */
    /* Only the molecules that begin in these lines, which ascend; NULL: all rows. */
    const int64_t *lines; /* [n_lines] */
    int64_t n_lines;
    void *context;
    /* Once, before the rows. header [length] is NULL when the table has none. */
    enum l2r_status (*begin)(void *context, FILE *out, const struct l2r_molecule_table *table, const char *header,
                             size_t length, struct l2r_error *error);
    /* Predicts a chunk. A row without a prediction gets a problem, and its `graph` becomes -1. */
    enum l2r_status (*handle)(void *context, const struct l2r_table_chunk *chunk, struct l2r_error *error);
    /* Writes the rows of the last chunk. */
    void (*write)(void *context, FILE *out, const struct l2r_molecule_table *table,
                  const struct l2r_table_chunk *chunk);
    /* Once, after the rows; may be NULL. False: the output cannot be written. */
    bool (*end)(void *context, FILE *out, int64_t rows);
};

/* call->options must declare l2r_data_options and "threads". The model must be one of molecules: if the user names no
 * column of SMILES, the one that it was trained on is taken, provided that the table has it. */
enum l2r_status cli_screen(const struct cli_screening *screening, const struct cli_call *call,
                           const struct l2r_predictor *model, struct l2r_error *error);

#endif
