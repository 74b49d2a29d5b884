/* SPDX-License-Identifier: MIT
 *
 * Is what one rank has loaded the same as what another has? A hash of the sizes, of everything small, and of samples of what is large, so that
 * a mapped file of many gigabytes is not read for it.
 */
#ifndef L2R_DATA_FINGERPRINT_H
#define L2R_DATA_FINGERPRINT_H

#include "data/dataset.h"

uint64_t l2r_dataset_fingerprint(const struct l2r_dataset *data);

#endif
