/* SPDX-License-Identifier: MIT
 *
 * Is this data set what dataset.h promises? Used on blocks that come from outside (the cache) and by `l2r data info`.
 */
#ifndef L2R_DATA_CHECK_H
#define L2R_DATA_CHECK_H

#include "data/dataset.h"

/* Every index leads into its array, every label and part is one that exists, neighbours ascend. Linear time. */
enum l2r_status l2r_dataset_check_ranges(const struct l2r_dataset *data, struct l2r_error *error);
/* Each arc has its opposite with the same type. Needs the ranges to be right. Linear time. */
enum l2r_status l2r_dataset_check_symmetry(const struct l2r_dataset *data, struct l2r_error *error);

#endif
