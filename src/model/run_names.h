/* SPDX-License-Identifier: MIT
 *
 * The names in a run's folder. All code that writes, reads or looks for one of these files takes its name from here.
 *
 *     DIR/config.json             every option, resolved; `--config DIR/config.json` replays the run
 *     DIR/split.json              the graphs of each part
 *     DIR/data.json               where the data lies (model/data_place.h)
 *     DIR/metrics.jsonl           one line for each epoch
 *     DIR/fits.jsonl              the same of the other members of a committee, and of refits
 *     DIR/best.safetensors        the model (model/trained.h)
 *     DIR/chosen.safetensors      with --refit (recipe/refit.h): the model that validation chose
 *     DIR/result.json             written once, at the end
 *     DIR/state/                  checkpoints to resume from (store/state.h), until then
 *     DIR/seed-K/                 the run of seed K, in a folder of `l2r train --seeds`
 *     DIR/fold-K/                 the run that tests on fold K, in a folder of `l2r train --folds`
 *     DIR/replicate-K/            the run with the K-th seed and split, in a folder of `l2r train --replicates`
 */
#ifndef L2R_MODEL_RUN_NAMES_H
#define L2R_MODEL_RUN_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define L2R_CONFIG_FILE "config.json"
#define L2R_SPLIT_FILE "split.json"
#define L2R_DATA_FILE "data.json"
#define L2R_METRICS_FILE "metrics.jsonl"
#define L2R_FITS_FILE "fits.jsonl"
#define L2R_BEST_FILE "best.safetensors"
#define L2R_CHOSEN_FILE "chosen.safetensors"
#define L2R_STATE_FOLDER "state"
#define L2R_RESULT_FILE "result.json"

/* What distinguishes the runs in one folder, which together are an ensemble. */
enum l2r_sibling { L2R_SIBLING_SEED, L2R_SIBLING_FOLD, L2R_SIBLING_REPLICATE };
enum { L2R_N_SIBLINGS = 3 };
extern const char *const l2r_sibling_names[L2R_N_SIBLINGS]; /* "seed", "fold", "replicate" */

/* The path of FOLDER/seed-K, …; returns what snprintf does. */
int l2r_sibling_folder(char *out, size_t size, const char *folder, enum l2r_sibling kind, int64_t number);
/* The K of the name "seed-K", "fold-K", …, and which of them it is (NULL: not wanted); -1: another name. */
int64_t l2r_sibling_of_folder(enum l2r_sibling *kind, const char *name);
/* The path of the file `name` in the folder of the file `path`: "runs/a/best.safetensors" -> "runs/a/split.json";
 * returns what snprintf does. */
int l2r_path_beside(char *out, size_t size, const char *path, const char *name);
/* A refitted model (recipe/refit.h) was trained on validation graphs, too. This is the path of the run's model before
 * the refit, beside the run's folder or model file `path`; false: there is none, or path is that model itself. */
bool l2r_chosen_find(char *out, size_t size, const char *path);
bool l2r_chosen_is(const char *path);
/* The models of a committee, cut where out is full: "gin,mlp:hidden=300,mlp,boost" as "gin, 2 mlp and boost" where
 * `between` is ", " and `last` is " and ". */
void l2r_committee_name(char *out, size_t size, const char *members, const char *between, const char *last);

#endif
