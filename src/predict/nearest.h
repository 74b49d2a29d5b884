/* SPDX-License-Identifier: MIT
 *
 * The mean distance to the K nearest of the rows that a domain keeps.
 */
#ifndef L2R_PREDICT_NEAREST_H
#define L2R_PREDICT_NEAREST_H

#include "predict/domain.h"

/* distance [n] of z [n × d]. own: row i of z is the domain's row i and does not count as its own neighbour. With fewer
 * rows than K all of them count; without any, the distance is 0. */
void l2r_nearest(float *distance, const struct l2r_domain *domain, const float *z, int64_t n, bool own);

#endif
