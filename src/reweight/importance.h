/* SPDX-License-Identifier: MIT
 *
 * How much the prediction uses each variable of Z, for `pair-weights=head`. With J_n [K × d] the Jacobian of the
 * outputs of graph n in its row of Z, the outputs of classes centred over the K of them (adding the same to all changes
 * no probability),
 *
 *     a_i = sd(Z_i) · mean_n ‖(J_n)_·i‖          with a linear head: |β_i| sd(Z_i), β_i its column i
 *
 * scaled to mean square 1. A variable's Fourier features are multiplied by a_i, so that a pair counts with (a_i a_j)²
 * in the dependence: variables that the head combines are the ones to become independent.
 */
#ifndef L2R_REWEIGHT_IMPORTANCE_H
#define L2R_REWEIGHT_IMPORTANCE_H

#include "nn/network.h"

struct l2r_importance {
    bool wanted;
    struct l2r_tape tape;   /* of the passes through the head */
    struct l2r_arena arena; /* of one call, the result included */
};

void l2r_importance_init(struct l2r_importance *im, bool wanted);
void l2r_importance_clear(struct l2r_importance *im);

/* *a [d], valid until the next call, from z [n × d]; NULL where none is wanted, or no variable is used. One pass
 * through the head, without dropout, per output. */
enum l2r_status l2r_importance_find(const l2r_real **out, struct l2r_importance *im, const struct l2r_network *network,
                                    const l2r_real *z, int64_t n, struct l2r_error *error);

#endif
