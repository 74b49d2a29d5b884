/* SPDX-License-Identifier: MIT
 *
 * Continuing a run from its folder. A kill leaves it whole: files are replaced in one step, checkpoints carry
 * checksums, and of those the last two are kept. What is damaged afterwards, by a disk or a hand, is found out: of two
 * checkpoints the sound one is used, the split is made again, the best model is written again from the checkpoint.
 */
#ifndef L2R_TRAIN_RESUME_H
#define L2R_TRAIN_RESUME_H

#include "base/json.h"
#include "train/checkpoint.h"

/* The checkpoints of a run's folder. */
struct l2r_saved {
    char last[4096], previous[4096], best[4096]; /* paths */
    struct l2r_safetensors *file;                /* the newest that is sound; NULL: there is none */
    const char *path;                            /* its path */
    char note[1200];                             /* what was found damaged and is done about it; "": nothing */
};

/* The paths only. */
enum l2r_status l2r_saved_init(struct l2r_saved *saved, const char *dir, struct l2r_error *error);
bool l2r_saved_is_there(const struct l2r_saved *saved);
/* Opens the last checkpoint or, if it is missing or damaged, the one before. Fails where a file cannot be read at
 * all. */
enum l2r_status l2r_saved_open(struct l2r_saved *saved, struct l2r_error *error);
void l2r_saved_close(struct l2r_saved *saved);

/* Fails where the options at hand are not those of the run, but for a few that change no number. */
enum l2r_status l2r_resume_options(const struct l2r_config *config, const struct l2r_safetensors *file,
                                   const char *path, struct l2r_error *error);
/* The options that the newest sound checkpoint in a folder was trained with; NULL: there is none. To be freed. */
json_t *l2r_resume_config(const char *dir);
/* Fails where the graphs or labels are not those that the checkpoint was trained on. */
enum l2r_status l2r_resume_data(const struct l2r_saved *saved, const struct l2r_dataset *data, struct l2r_error *error);
/* The split of the run: from `path`, or made again if that file is missing, damaged or not the run's. *made: it was. */
enum l2r_status l2r_resume_split(struct l2r_split *split, bool *made, const struct l2r_saved *saved, const char *path,
                                 const struct l2r_dataset *data, const struct l2r_config *config,
                                 struct l2r_error *error);
/* Brings back position, parameters and the best so far. *best_saved: its epoch, if best.safetensors holds it, else 0;
 * checksum: that file's. */
enum l2r_status l2r_resume(struct l2r_trainer *trainer, struct l2r_snapshot *best, int64_t *best_saved,
                           char checksum[L2R_CHECKSUM_TEXT], const struct l2r_saved *saved, struct l2r_error *error);

#endif
