/* SPDX-License-Identifier: MIT
 *
 * Prints what a run, or a run for each of several seeds, has reached: as text for people, as JSON for programs.
 */
#ifndef L2R_CLI_RESULT_H
#define L2R_CLI_RESULT_H

#include "cli/seeds.h"
#include "train/run.h"

#include <stdio.h>

/* The scores of every part and the folder. */
void cli_result_print(FILE *stream, const struct l2r_result *result, const char *dir);
/* One row a seed, then mean and standard deviation. */
void cli_results_print(FILE *stream, const struct l2r_result *results, const struct cli_seeds *seeds, const char *dir);

/* {"run": DIR, "seed": 0, "metric": "rocauc", "train": …, "valid": …, "test": …, …}. New reference; NULL: out of
 * memory. */
json_t *cli_result_to_json(const struct l2r_result *result, const char *dir, int64_t seed);
/* {"folder": DIR, "metric": …, "runs": […], "mean": {"train": …}, "sd": {…}}. */
json_t *cli_results_to_json(const struct l2r_result *results, const struct cli_seeds *seeds, const char *dir);

/* Prints indented JSON and a line end; takes the reference. */
enum l2r_status cli_json_print(FILE *stream, json_t *object, struct l2r_error *error);

#endif
