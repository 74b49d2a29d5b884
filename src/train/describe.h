/* SPDX-License-Identifier: MIT
 *
 * What stands above the epochs of a run: data, split, labels, model, folder.
 */
#ifndef L2R_TRAIN_DESCRIBE_H
#define L2R_TRAIN_DESCRIBE_H

#include "train/trainer.h"

/* Tells the watch. Rows that a table's reader left out are listed, up to ten. */
void l2r_describe_run(const struct l2r_trainer *trainer, const char *dir, const struct l2r_watch *watch);
/* Says, after the first epoch, that validation cannot choose among epochs. */
void l2r_describe_undefined(const struct l2r_trainer *trainer, const struct l2r_watch *watch);

#endif
