/* SPDX-License-Identifier: MIT
 *
 * Activation and dropout on their own:  y = dropout(act(x)).
 */
#ifndef L2R_KERNELS_ACTIVATE_H
#define L2R_KERNELS_ACTIVATE_H

#include "kernels/mask.h"

void l2r_activate_forward(l2r_real *y, const l2r_real *x, enum l2r_activation act, const struct l2r_dropout *dropout,
                          int64_t n);
/* d_x = beta·d_x + d_y · mask · [x > 0]. dropout may be NULL in both. */
void l2r_activate_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const l2r_real *x,
                           enum l2r_activation act, const struct l2r_dropout *dropout, int64_t n);

#endif
