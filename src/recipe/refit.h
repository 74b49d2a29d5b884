/* SPDX-License-Identifier: MIT
 *
 * --refit: the validation graphs choose, then they train. When validation has chosen the epoch, each member is trained
 * once more from the beginning, on training and validation graphs together, for as many epochs as were chosen. Where a
 * split holds back whole scaffolds or sizes, the validation graphs are of kinds that no training graph is, and to leave
 * them out costs more than a tenth of the data. The model that validation chose is kept beside the refitted one:
 * validation scores, calibration and intervals are its own.
 */
#ifndef L2R_RECIPE_REFIT_H
#define L2R_RECIPE_REFIT_H

#include "recipe/recipe.h"

/* Before anything is trained: can it be refitted? Always without --refit. */
enum l2r_status l2r_refit_check(const struct l2r_config *config, struct l2r_error *error);
/* Will there be refits? Then recipe->joined is their split. */
enum l2r_status l2r_refit_prepare(struct l2r_recipe *recipe, struct l2r_error *error);
/* The options of the refit of a fit that has ended: as many epochs as were chosen, nothing to choose. */
enum l2r_status l2r_refit_config(struct l2r_config **config, const struct l2r_fit *fit, struct l2r_error *error);
/* Puts the validation scores of the chosen model into the refitted one's result, and more.refit = {"graphs", "before":
 * {"test": …}}. */
void l2r_refit_settle(struct l2r_result *result, const struct l2r_result *chosen, const struct l2r_recipe *recipe);

#endif
