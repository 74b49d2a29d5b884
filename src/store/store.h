/* SPDX-License-Identifier: MIT
 *
 * The folder of a run (model/run_names.h lists its files): a recipe (recipe/recipe.h) that is written down while it
 * trains, and goes on after it was stopped or killed.
 *
 *     open      takes the lock; returns the result of a finished run
 *     split     of a run under way: that of its checkpoints
 *     begin     config, split and the place of the data go to disk before the first step
 *     hooks     save and restore fits (store/state.h), record their epochs (store/record.h)
 *     finish    the model, with --refit the model that validation chose, the result; the state is removed
 *
 * A kill leaves the folder whole: files are replaced in one step, checkpoints carry checksums, and the last two of each
 * fit are kept. Later damage, by a disk or by hand, is detected and reported; so is an intact file of another run in
 * place of the run's own (store/ownership.h). What can be reconstructed is written again: config and split from the
 * options and the data, metrics from the checkpoints, a damaged model by training again.
 */
#ifndef L2R_STORE_STORE_H
#define L2R_STORE_STORE_H

#include "recipe/recipe.h"
#include "store/ownership.h"
#include "store/record.h"
#include "store/state.h"

struct l2r_store {
    const char *dir; /* NULL: there is no folder, and nothing below does anything */
    const struct l2r_run *plan;
    char result[4096], split[4096], config[4096], best[4096], chosen[4096]; /* paths */
    struct l2r_state state;
    bool under_way; /* there was a checkpoint to resume from */
    int lock;       /* held on the folder; -1: not yet */
    bool leads;     /* may write; only rank 0 does */
    char run[L2R_IDENTITY_TEXT];
    struct l2r_record record;
    struct l2r_recipe_store hooks;
};

/* finished: the result of a run that has ended, if it, the model and the files it lists are as the run left them;
 * otherwise it stays empty. Fails if the plan has other options, data or another split than the run, or if a new run
 * would overwrite something. */
enum l2r_status l2r_store_open(struct l2r_store *store, struct l2r_result *finished, const struct l2r_run *plan,
                               struct l2r_error *error);
/* The split of a new run, or that of the run under way. */
enum l2r_status l2r_store_split(struct l2r_split *split, const struct l2r_store *store, const struct l2r_dataset *data,
                                struct l2r_error *error);
/* Of a finished run: its history, options and, where the plan has the data, its split. */
enum l2r_status l2r_store_reread(struct l2r_result *result, const struct l2r_store *store, struct l2r_error *error);
/* Before the recipe trains, with store->hooks. */
enum l2r_status l2r_store_begin(struct l2r_store *store, const struct l2r_recipe *recipe, struct l2r_error *error);
/* The result is written last: it shows that everything else is complete. */
enum l2r_status l2r_store_finish(struct l2r_store *store, const struct l2r_recipe *recipe, struct l2r_error *error);
/* Closes and releases the lock; status: that of the run. */
enum l2r_status l2r_store_close(struct l2r_store *store, enum l2r_status status, struct l2r_error *error);

#endif
