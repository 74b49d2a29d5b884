/* SPDX-License-Identifier: MIT
 *
 * The folder of a run (run.h lists its files): where things are, who may write there, and what is done where one of
 * them is missing or damaged. What was mended is told to the watch.
 */
#ifndef L2R_TRAIN_FOLDER_H
#define L2R_TRAIN_FOLDER_H

#include "train/resume.h"

struct l2r_folder {
    const char *dir;
    char result[4096], split[4096], config[4096]; /* paths */
    struct l2r_saved saved;                       /* checkpoints */
    int lock;                                     /* held on the folder; -1: not yet */
    bool leads;                                   /* may write; a rank behind the first does not */
    const struct l2r_watch *watch;                /* may be NULL */
};

/* The paths only; clear closes what was opened and lets the lock go. */
enum l2r_status l2r_folder_init(struct l2r_folder *folder, const char *dir, bool leads, const struct l2r_watch *watch,
                                struct l2r_error *error);
void l2r_folder_clear(struct l2r_folder *folder);

/* Makes the folder; one run at a time holds its lock. What a killed run left half written is removed. */
enum l2r_status l2r_folder_lock(struct l2r_folder *folder, struct l2r_error *error);

/* Config and split of a new run go to disk before the first step. */
enum l2r_status l2r_folder_write(const struct l2r_folder *folder, const struct l2r_config *config,
                                 const struct l2r_split *split, struct l2r_error *error);
/* The options are known from the checkpoint: a file of them that is missing or damaged is written again. */
enum l2r_status l2r_folder_mend_config(const struct l2r_folder *folder, const struct l2r_config *config,
                                       struct l2r_error *error);
/* The split of a new run, or that of the run whose checkpoint is open in `saved`. */
enum l2r_status l2r_folder_split(struct l2r_split *split, const struct l2r_folder *folder,
                                 const struct l2r_config *config, const struct l2r_dataset *data,
                                 struct l2r_error *error);
/* A run that has ended gives its result again, if that and the model are sound; otherwise *result stays empty, and both
 * are to be made again. */
enum l2r_status l2r_folder_result(struct l2r_result *result, const struct l2r_folder *folder,
                                  const struct l2r_config *config, struct l2r_error *error);

#endif
