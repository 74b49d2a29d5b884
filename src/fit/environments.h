/* SPDX-License-Identifier: MIT
 *
 * The environments that a run trains with (data/environments.h), clusters included:
 *
 *     --environments kmeans --environments-from RUN   k-means on Z of the run's model for the training graphs; every
 *                                                     other graph goes to the nearest centre
 *
 * A model that was trained without environments clusters graphs that share the features it learned, shortcuts included
 * (Sohoni et al. 2020, George). The clusters are a function of the model, the data, the split and --seed, so a resumed
 * run has the same clusters as long as the model exists.
 */
#ifndef L2R_FIT_ENVIRONMENTS_H
#define L2R_FIT_ENVIRONMENTS_H

#include "data/environments.h"
#include "data/splits/split.h"

enum l2r_status l2r_run_environments(struct l2r_environments *environments, const struct l2r_config *config,
                                     const struct l2r_dataset *data, const struct l2r_split *split,
                                     struct l2r_error *error);

#endif
