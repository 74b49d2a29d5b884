/* SPDX-License-Identifier: MIT
 *
 * The folder of a run (model/run_names.h lists its files): where things are, who may write there, and how a run
 * continues from it. A kill leaves the folder whole: files are replaced in one step, checkpoints carry checksums, and
 * the last two of them are kept. Damage done afterwards, by a disk or by hand, is found:
 *
 *     last.safetensors     the checkpoint before it is used
 *     split.json           made again from the options and the data, if the checkpoint confirms it
 *     config.json, best.safetensors, result.json   written again
 *     metrics.jsonl        the lines that are sound and the run's own are kept
 *
 * So is a sound file of another run in place of the run's own (train/ownership.h).
 *
 * What was repaired is told to the watch.
 */
#ifndef L2R_TRAIN_FOLDER_H
#define L2R_TRAIN_FOLDER_H

#include "base/json.h"
#include "train/checkpoint.h"
#include "train/run.h"

/* The checkpoints of a run's folder. */
struct l2r_saved {
    char last[4096], previous[4096], best[4096]; /* paths */
    struct l2r_safetensors *file;                /* the newest that is sound; NULL: there is none */
    const char *path;                            /* its path */
    char note[1200];                             /* what was damaged, and what is done about it; "": nothing */
};

struct l2r_folder {
    const char *dir;
    char result[4096], split[4096], config[4096]; /* paths */
    struct l2r_saved saved;                       /* checkpoints */
    int lock;                                     /* held on the folder; -1: not yet */
    bool leads;                                   /* may write; only rank 0 does */
    const struct l2r_callbacks *watch;            /* may be NULL */
};

/* The paths only; clear closes what was opened and lets the lock go. */
enum l2r_status l2r_folder_init(struct l2r_folder *folder, const char *dir, bool leads,
                                const struct l2r_callbacks *watch, struct l2r_error *error);
void l2r_folder_clear(struct l2r_folder *folder);

/* Makes the folder; one run at a time holds its lock. What a killed run left half written is removed. */
enum l2r_status l2r_folder_lock(struct l2r_folder *folder, struct l2r_error *error);

bool l2r_saved_is_there(const struct l2r_saved *saved);
/* Opens the last checkpoint or, if it is missing, damaged or of a run with other options than `config` (or NULL), the
 * one before. Fails where a file cannot be read at all. */
enum l2r_status l2r_saved_open(struct l2r_saved *saved, const struct l2r_config *config, struct l2r_error *error);
void l2r_saved_close(struct l2r_saved *saved);

/* To begin again in a folder without a sound checkpoint: config.json must have the options at hand. Where there is
 * neither a config nor a checkpoint, nothing that a run would overwrite may be there. */
enum l2r_status l2r_folder_check_begun(const struct l2r_folder *folder, const struct l2r_config *config,
                                       struct l2r_error *error);
/* A finished run gives its result again, if that, the model and the files it lists are as the run left them; otherwise
 * *result stays empty, and they have to be made again. Fails where the plan has other options, data or another split.
 */
enum l2r_status l2r_folder_result(struct l2r_result *result, const struct l2r_folder *folder,
                                  const struct l2r_run *plan, struct l2r_error *error);
/* The split of a new run, or that of the run whose checkpoint is open in `saved`. */
enum l2r_status l2r_folder_split(struct l2r_split *split, const struct l2r_folder *folder,
                                 const struct l2r_config *config, const struct l2r_dataset *data,
                                 struct l2r_error *error);
/* Config and split of a new run go to disk before the first step. */
enum l2r_status l2r_folder_write(const struct l2r_folder *folder, const struct l2r_config *config,
                                 const struct l2r_split *split, struct l2r_error *error);
/* Brings back position, parameters and the best models so far, if the options at hand are those of the run, but for a
 * few that change no number; writes data.json again, and config.json if it is missing, damaged or another run's. */
enum l2r_status l2r_folder_resume(struct l2r_trainer *trainer, struct l2r_snapshot *best, struct l2r_snapshot *other,
                                  const struct l2r_folder *folder, struct l2r_error *error);

/* The options that the newest sound checkpoint in a folder was trained with; NULL: there is none. To be freed. */
json_t *l2r_resume_config(const char *dir);

#endif
