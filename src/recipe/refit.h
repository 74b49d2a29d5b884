/* SPDX-License-Identifier: MIT
 *
 * --refit: train once more on training and validation graphs together. When validation has chosen the epoch, each
 * member is trained again from the start, for as many epochs as were chosen. Where a split holds out whole scaffolds or
 * sizes, no training graph is like the validation graphs, so leaving them out costs more than their share of the data.
 * The model that validation chose is kept beside the refitted one: validation scores, calibration and intervals come
 * from it.
 */
#ifndef L2R_RECIPE_REFIT_H
#define L2R_RECIPE_REFIT_H

#include "recipe/recipe.h"

/* Before training: checks that --refit is possible; does nothing without it. */
enum l2r_status l2r_refit_check(const struct l2r_config *config, struct l2r_error *error);
/* Will there be refits? Then recipe->joined is their split. */
enum l2r_status l2r_refit_prepare(struct l2r_recipe *recipe, struct l2r_error *error);
/* The options of the refit of a fit that has ended: as many epochs as were chosen, nothing to choose. */
enum l2r_status l2r_refit_config(struct l2r_config **config, const struct l2r_fit *fit, struct l2r_error *error);
/* Puts the validation scores of the chosen model into the refitted one's result, and more.refit = {"graphs", "before":
 * {"test": …}}. */
enum l2r_status l2r_refit_settle(struct l2r_result *result, const struct l2r_result *chosen,
                                 const struct l2r_recipe *recipe, struct l2r_error *error);

#endif
