/* SPDX-License-Identifier: MIT
 *
 * A table of molecules from one end to the other: opened by the user's options, chunk after chunk handed to the
 * command, written to a file that appears whole or not at all, with progress and a sentence at the end.
 */
#ifndef L2R_CLI_SCREENING_H
#define L2R_CLI_SCREENING_H

#include "cli/command.h"
#include "predict/table_chunks.h"

#include <stdio.h>

/* What a command does with a table. */
struct cli_screening {
    const char *where; /* the table */
    const char *out;   /* NULL: standard output */
    const char *what;  /* of molecules with an answer, in the last sentence: "predicted" */
    void *context;
    /* Once, before the rows. header [length] is NULL when the table has none. */
    enum l2r_status (*begin)(void *context, FILE *out, const struct l2r_molecule_table *table, const char *header,
                             size_t length, struct l2r_error *error);
    enum l2r_status (*chunk)(void *context, FILE *out, const struct l2r_molecule_table *table,
                             const struct l2r_table_chunk *chunk, struct l2r_error *error);
    /* Once, behind the rows; may be NULL. False: the output cannot be written. */
    bool (*end)(void *context, FILE *out, int64_t rows);
};

/* call->options must declare l2r_data_options, "threads" too; `run` is the config of the model: where the user names no
 * column of SMILES, the one that it was trained on is taken if the table has it. */
enum l2r_status cli_screen(const struct cli_screening *screening, const struct cli_call *call,
                           const struct l2r_config *run, struct l2r_error *error);

#endif
