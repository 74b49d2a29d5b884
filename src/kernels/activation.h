/* SPDX-License-Identifier: MIT
 *
 * Activation and dropout:  y = dropout(act(x)), number by number.
 *
 * A dropout mask is a pure function of (key, index): nothing is stored, the backward pass computes it again. The function is a
 * keyed 32-bit integer hash, two rounds of xor-shift and multiply with the key stirred in between (round constants from the public
 * search for low-bias 32-bit permutations, "lowbias32"). It needs no state and no 64-bit product, so the compiler turns it into
 * plain vector code: about one cycle a number. An element is kept when its hash is at least drop · 2³².
 */
#ifndef L2R_KERNELS_ACTIVATION_H
#define L2R_KERNELS_ACTIVATION_H

#include "kernels/real.h"

enum l2r_activation { L2R_LINEAR, L2R_RELU };

struct l2r_dropout {
    uint32_t key[2];
    uint32_t threshold; /* drop probability · 2³²; 0: everything is kept */
    l2r_real scale;     /* 1 / (1 - drop probability) */
};

L2R_INLINE uint32_t l2r_mask_round(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    x ^= x >> 16;
    return x;
}

/* scale or 0. */
L2R_INLINE l2r_real l2r_mask_value(const struct l2r_dropout *d, uint32_t index)
{
    uint32_t hash = l2r_mask_round(l2r_mask_round(index + d->key[0]) ^ d->key[1]);
    return hash >= d->threshold ? d->scale : 0;
}

void l2r_activate_forward(l2r_real *y, const l2r_real *x, enum l2r_activation act, const struct l2r_dropout *dropout,
                          int64_t n);
/* d_x = beta·d_x + d_y · mask · [x > 0]. dropout may be NULL in both. */
void l2r_activate_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const l2r_real *x,
                           enum l2r_activation act, const struct l2r_dropout *dropout, int64_t n);

#endif
