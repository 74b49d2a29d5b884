/* SPDX-License-Identifier: MIT
 *
 * l2r predict and l2r fingerprint on a table of molecules: its rows as they are (table_rows.h), answers behind them,
 * row for row.
 */
#ifndef L2R_CLI_TABLE_ANSWERS_H
#define L2R_CLI_TABLE_ANSWERS_H

#include "cli/command.h"
#include "predict/committee.h"

/* Columns of answer_columns.h and `problem`. out NULL: standard output. */
enum l2r_status cli_predict_table(struct l2r_committee *committee, const struct cli_call *call, const char *where,
                                  const char *out, struct l2r_error *error);
/* Columns z_0, z_1, … and `problem`; npy: the numbers alone, a row of NaN where there is no molecule. */
enum l2r_status cli_fingerprint_table(struct l2r_predictor *predictor, const struct cli_call *call, const char *where,
                                      const char *out, bool npy, struct l2r_error *error);

#endif
