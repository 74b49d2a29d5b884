/* SPDX-License-Identifier: MIT
 *
 * Activation and dropout:  y = dropout(act(x)), number by number.
 *
 * A dropout mask is a pure function of (key, index): nothing is stored, the backward pass computes it again. The
 * function is a keyed 32-bit integer hash, two rounds of xor-shift and multiply with the key stirred in between (round
 * constants from the public search for low-bias 32-bit permutations, "lowbias32"). It needs no state and no 64-bit
 * product, so the compiler turns it into plain vector code: about one cycle a number. An element is kept when its hash
 * is at least drop · 2³².
 */
#ifndef L2R_KERNELS_ACTIVATION_H
#define L2R_KERNELS_ACTIVATION_H

#include "kernels/real.h"

#include <stdbool.h>

/* One activation: src/nn/activations/NAME.c defines l2r_activation_NAME, and nothing else is needed to add one. Kernels
 * call its two functions on short runs of numbers. ReLU alone has its own loops, fused with the operations around
 * it. */
struct l2r_activation {
    const char *name;     /* as typed: "relu" */
    const char *equation; /* "max(x, 0)" */
    /* y = act(x); y may be x. NaN must stay NaN, so that divergence shows in the loss. */
    void (*forward)(l2r_real *y, const l2r_real *x, int64_t n);
    /* d = d ∘ act'(x). */
    void (*backward)(l2r_real *d, const l2r_real *x, int64_t n);
    bool relu; /* max(x, 0) itself, and slope 0 at 0: the fused loops may take its place */
};
extern const struct l2r_activation l2r_activation_relu;

/* The two standard activations: none, and ReLU. */
#define L2R_LINEAR ((const struct l2r_activation *)0)
#define L2R_RELU (&l2r_activation_relu)

L2R_INLINE bool l2r_is_relu(const struct l2r_activation *act)
{
    return act && act->relu;
}

/* Neither none nor ReLU: one that has to be called. */
L2R_INLINE bool l2r_is_called(const struct l2r_activation *act)
{
    return act && !act->relu;
}

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

void l2r_activate_forward(l2r_real *y, const l2r_real *x, const struct l2r_activation *act,
                          const struct l2r_dropout *dropout, int64_t n);
/* d_x = beta·d_x + d_y · mask · act'(x). dropout may be NULL in both. */
void l2r_activate_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const l2r_real *x,
                           const struct l2r_activation *act, const struct l2r_dropout *dropout, int64_t n);

#endif
