/* SPDX-License-Identifier: MIT
 *
 * The columns of `l2r predict`, each with the delimiter before it:
 *
 *     multi-class   class, p_A, p_B …          one probability a class, named by the source's integer
 *     binary        p                          several tasks: p_0, p_1, …, or by name p_NR-AR, …
 *     regression    value                      several tasks: value_0, value_1, …, or by name
 *     ensemble      the same names once more with _sd behind them
 *     domain        distance, applicability
 *
 * With plain outputs `logit` takes the place of p.
 */
#ifndef L2R_CLI_ANSWER_COLUMNS_H
#define L2R_CLI_ANSWER_COLUMNS_H

#include "predict/committee.h"

#include <stdio.h>

struct cli_columns {
    const struct l2r_committee *committee;
    char delimiter;
    const char *prefix; /* of every name; "" but where a table has such columns already */
};

void cli_columns_output_names(FILE *out, const struct cli_columns *columns);
void cli_columns_domain_names(FILE *out, const struct cli_columns *columns);
/* The fields of graph i; answers NULL: as many empty ones. */
void cli_columns_output(FILE *out, const struct cli_columns *columns, const struct l2r_answers *answers, int64_t i);
void cli_columns_domain(FILE *out, const struct cli_columns *columns, const struct l2r_answers *answers, int64_t i);

/* A graph's label as its source writes it, with a comma before it; a missing one is an empty field. */
void cli_label_field(FILE *out, const struct l2r_dataset *data, int64_t graph, int32_t task);

#endif
