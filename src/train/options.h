/* SPDX-License-Identifier: MIT
 *
 * The options of a run that belong to no model and no method: data, optimiser, schedule, selection.
 */
#ifndef L2R_TRAIN_OPTIONS_H
#define L2R_TRAIN_OPTIONS_H

#include "base/config.h"

extern const struct l2r_option l2r_train_options[]; /* ends with a zero row */

#endif
