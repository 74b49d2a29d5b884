/* SPDX-License-Identifier: MIT
 *
 * Runs of `l2r train`: the seeds typed, the folders that runs go to and are found in again, and their results.
 *
 *     --seeds 0-4,10                    0, 1, 2, 3, 4, 10
 *     runs/motif-gin-erm-0              --data motif:mu=0.8 --seed 0; the next one is …-0.2, then …-0.3
 *     runs/motif-gin-erm-seeds/seed-3
 *     runs/motif-gin-erm-folds/fold-0   --folds 5; and replicates/replicate-0 of --replicates
 */
#ifndef L2R_CLI_RUNS_H
#define L2R_CLI_RUNS_H

#include "base/config.h"
#include "base/status.h"
#include "model/run_names.h"

#include <l2r/train.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* ---- seeds ---- */

enum { CLI_MAX_SEEDS = 1000 };

struct cli_seeds {
    enum l2r_sibling kind; /* what the numbers are: seeds, folds or replicates */
    int64_t values[CLI_MAX_SEEDS];
    int n;
};

/* In the order typed, each once. */
enum l2r_status cli_seeds_parse(struct cli_seeds *seeds, const char *text, struct l2r_error *error);

/* ---- folders ---- */

enum { CLI_PATH = 4096 };

/* A name for the folder of a run; `what` is the last part: a seed or "seeds". With `resume` the newest folder of that
 * name, otherwise one that does not exist yet. */
void cli_run_folder_name(char out[CLI_PATH], const struct l2r_config *run, const char *what, bool resume);

/* The folder of `l2r tune`: runs/DATA-MODEL-tune. It never changes, so that the same command continues the study. */
void cli_run_folder_tune(char out[CLI_PATH], const struct l2r_config *run);

/* The config of a run: PATH itself, PATH/config.json or PATH/seed-K/config.json and so on (which sets *many). False:
 * none. */
bool cli_run_folder_config(char out[CLI_PATH], bool *many, const char *path);

/* Sets a run's config from a file that a run wrote. Options of a model or method that the command line replaces are
 * left out; with `many`, so is the seed. */
enum l2r_status cli_run_folder_replay(struct l2r_config *run, json_t *file, const char *path, bool many,
                                      struct l2r_error *error);

/* ---- results ---- */

/* The scores of every part and the folder. */
void cli_result_print(FILE *stream, const struct l2r_result *result, const char *dir);
/* One row per seed, fold or replicate, then mean and standard deviation. */
void cli_results_print(FILE *stream, struct l2r_result *const *results, const struct cli_seeds *seeds, const char *dir);

/* {"run": DIR, "seed": 0, "metric": "rocauc", "train": …, "valid": …, "test": …, …}. New reference; NULL: out of
 * memory. */
json_t *cli_result_to_json(const struct l2r_result *result, const char *dir, enum l2r_sibling kind, int64_t number);
/* {"folder": DIR, "metric": …, "runs": […], "mean": {"train": …}, "sd": {…}}. */
json_t *cli_results_to_json(struct l2r_result *const *results, const struct cli_seeds *seeds, const char *dir);

/* Prints indented JSON and a newline; takes over the reference. */
enum l2r_status cli_json_print(FILE *stream, json_t *object, struct l2r_error *error);

#endif
