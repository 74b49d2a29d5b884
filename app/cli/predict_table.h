/* SPDX-License-Identifier: MIT
 *
 * Predictions of a table of molecules: its rows are passed through in constant memory, with all their columns and the
 * answers after them.
 *
 *     smiles,name            ->  smiles,name,class,p,distance,applicability,unseen,problem
 *     CCO,"ethanol, dry"     ->  CCO,"ethanol, dry",1,0.91,0.8,0.7,,
 */
#ifndef L2R_CLI_PREDICT_TABLE_H
#define L2R_CLI_PREDICT_TABLE_H

#include "answers/answers.h"
#include "cli/selection.h"
#include "io/source.h"

/* source: the table itself; NULL: it is found at `where`. part: the molecules that are predicted; NULL: all rows. The
 * call has the options of `l2r predict`. */
enum l2r_status cli_predict_table(const struct l2r_question *question, const struct cli_call *call, const char *where,
                                  const struct l2r_source *source, const struct cli_selection *part,
                                  struct l2r_error *error);

#endif
