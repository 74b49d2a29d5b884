/* SPDX-License-Identifier: MIT
 *
 * The checkpoints of a run's fits, from which it resumes: DIR/state/ while the run is under way.
 *
 *     state/1-gin.safetensors            the newest checkpoint of a fit (store/checkpoint.h), by the fit's name
 *     state/1-gin-previous.safetensors   the one before, in case the newest is damaged
 *     state/1-gin-refit.safetensors      of its refit, after --refit
 *
 * A checkpoint belongs to the run if its options are the run's. An intact checkpoint of another run counts as damage.
 */
#ifndef L2R_STORE_STATE_H
#define L2R_STORE_STATE_H

#include "fit/fit.h"

struct l2r_state {
    char dir[4096]; /* DIR/state */
    const struct l2r_config *config;
    char *options; /* the run's, as checkpoints hold them */
    bool leads;    /* may write; only rank 0 does */
};

enum l2r_status l2r_state_init(struct l2r_state *state, const char *dir, const struct l2r_config *config, bool leads,
                               struct l2r_error *error);
void l2r_state_clear(struct l2r_state *state);
/* Are there any checkpoints? */
bool l2r_state_is_there(const struct l2r_state *state);

/* Some sound checkpoint of the run whose split is the run's; *file is NULL where there is none. Fails where all that
 * are sound were trained with other options, and names one of these. */
enum l2r_status l2r_state_open(struct l2r_safetensors **file, char path[4096], const struct l2r_state *state,
                               struct l2r_error *error);

/* For fit/fit.h. restore: from the newest sound checkpoint; a fit that has none begins. What was damaged is noted. */
enum l2r_status l2r_state_restore(const struct l2r_state *state, struct l2r_fit *fit, struct l2r_error *error);
enum l2r_status l2r_state_save(const struct l2r_state *state, struct l2r_fit *fit, struct l2r_error *error);

/* Are the current options those that the file at `path` was written with? */
enum l2r_status l2r_state_compare(const struct l2r_config *config, const json_t *saved, const char *path,
                                  struct l2r_error *error);
/* The options that a run in a folder was trained with, from a checkpoint or the result; NULL: there is none. To be
 * freed. */
json_t *l2r_state_options(const char *dir);

#endif
