/* SPDX-License-Identifier: MIT
 *
 * Where runs go and how they are found again:
 *
 *     runs/motif-gin-erm-0          --data motif:mu=0.8 --seed 0; the next one is …-0.2, then …-0.3
 *     runs/motif-gin-erm-seeds/seed-3
 */
#ifndef L2R_CLI_RUN_FOLDER_H
#define L2R_CLI_RUN_FOLDER_H

#include "base/config.h"

#include <stdbool.h>
#include <stddef.h>

enum { CLI_PATH = 4096 };

/* A name for the folder of a run; `what` is the last part: a seed or "seeds". With resume the newest folder of that
 * name, otherwise one that is not there yet. */
void cli_run_folder_name(char out[CLI_PATH], const struct l2r_config *run, const char *what, bool resume);

/* The folder of `l2r tune`, always the same for a data set and model, so that the same command continues:
 * runs/DATA-MODEL-tune. */
void cli_run_folder_tune(char out[CLI_PATH], const struct l2r_config *run);

/* The config of a run: PATH itself, PATH/config.json or PATH/seed-K/config.json (*many is set then). False: none
 * there. */
bool cli_run_folder_config(char out[CLI_PATH], bool *many, const char *path);

/* Sets a run's config from a file written by a run. Options of a model or method that was replaced on the command line
 * are left out; with `many`, so is the seed. */
enum l2r_status cli_run_folder_replay(struct l2r_config *run, json_t *file, const char *path, bool many,
                                      struct l2r_error *error);

#endif
