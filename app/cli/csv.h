/* SPDX-License-Identifier: MIT
 *
 * Fields of the CSV files that commands write, each with the comma before it.
 */
#ifndef L2R_CLI_CSV_H
#define L2R_CLI_CSV_H

#include "data/dataset.h"

#include <stdio.h>

void cli_csv_field(FILE *out, char delimiter, float value);
/* The same behind a comma. */
void cli_csv_number(FILE *out, float value);
/* Text, quoted when it must be. */
void cli_csv_text(FILE *out, char delimiter, const char *text);
/* As the source writes it; a missing label is an empty field. */
void cli_csv_label(FILE *out, const struct l2r_dataset *data, int64_t graph, int32_t task);

#endif
