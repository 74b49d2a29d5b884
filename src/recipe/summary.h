/* SPDX-License-Identifier: MIT
 *
 * What the callbacks of a run (struct l2r_callbacks, which may be NULL) receive beside the numbers of each epoch.
 */
#ifndef L2R_RECIPE_SUMMARY_H
#define L2R_RECIPE_SUMMARY_H

#include "recipe/recipe.h"

/* A sentence for the user; "" is none. */
void l2r_summary_note(const struct l2r_callbacks *to, const char *sentence);
/* The reader's notes about the data, where training cannot start. */
void l2r_summary_tables(const struct l2r_callbacks *to, const struct l2r_dataset *data);
/* Before the first epoch: data, split, labels, model, folder (NULL: none). Table rows that the reader left out are
 * listed, up to ten. */
void l2r_summary_start(const struct l2r_recipe *recipe, const char *dir);

#endif
