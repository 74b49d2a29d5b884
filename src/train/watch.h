/* SPDX-License-Identifier: MIT
 *
 * What whoever watches a run (struct l2r_callbacks in run.h; may be NULL) is told besides the numbers of each epoch.
 */
#ifndef L2R_TRAIN_WATCH_H
#define L2R_TRAIN_WATCH_H

#include "train/run.h"
#include "train/trainer.h"

/* A sentence for the user; "" is none. */
void l2r_watch_note(const struct l2r_callbacks *watch, const char *sentence);
/* What the reader has to say about the data, where training cannot start. */
void l2r_watch_tables(const struct l2r_callbacks *watch, const struct l2r_dataset *data);
/* Before the first epoch: data, split, labels, model, folder. Table rows that the reader left out are listed, up to
 * ten. */
void l2r_watch_start(const struct l2r_callbacks *watch, const struct l2r_trainer *trainer, const char *dir);
/* After the first epoch: validation cannot choose among epochs. */
void l2r_watch_undefined(const struct l2r_callbacks *watch, const struct l2r_trainer *trainer);

#endif
