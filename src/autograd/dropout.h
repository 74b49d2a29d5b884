/* SPDX-License-Identifier: MIT
 *
 * One dropout op's mask: two words of key from the tape's stream, so that the k-th dropout of step s always has the
 * same mask. A mask is a function of key and index, where the index is added to the first word: a part of a batch moves
 * that to where its rows begin.
 */
#ifndef L2R_AUTOGRAD_DROPOUT_H
#define L2R_AUTOGRAD_DROPOUT_H

#include "autograd/tape.h"
#include "kernels/activation.h"

/* For a value [rows × cols]. */
static inline struct l2r_dropout l2r_dropout_draw(struct l2r_tape *t, double drop, int64_t rows, int64_t cols)
{
    double threshold = drop * 0x1p32;
    struct l2r_dropout d = {.threshold = threshold >= 4294967295.0 ? UINT32_MAX : (uint32_t)threshold,
                            .scale = (l2r_real)(1 / (1 - drop))};
    d.key[0] = l2r_rng_u32(&t->pass.random);
    d.key[1] = l2r_rng_u32(&t->pass.random);
    if (t->pass.share.comm) d.key[0] += (uint32_t)(l2r_tape_rows(t, rows, "dropout").first * cols);
    return d;
}

#endif
