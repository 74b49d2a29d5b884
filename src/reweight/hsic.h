/* SPDX-License-Identifier: MIT
 *
 * Weighted HSIC between the blocks of a representation (StableGNN): how much K vectors per graph depend on each other.
 *
 * Row n of Z [R × K·D] holds the K blocks x_n1 .. x_nK. Each column is standardised over the rows; constant columns are
 * left out, and so is a block that has no others. With ‖·‖² the MEAN over a block's columns,
 *
 *     K_k(n,m)    = exp(−‖x_nk − x_mk‖² / (2σ²))        σ: a number, or the median of ‖x_nk − x_mk‖ over n < m
 *     HSIC_w(k,l) = tr(K_k P K_l P) / (R−1)²            P = D_w − w wᵀ/Σw
 *     L(w)        = Σ_{k<l} HSIC_w(k,l)
 *
 * This is dependence.h's statistic in sample space with an RBF kernel in place of random features; at w = 1 it is the
 * usual tr(K H L H)/(R−1)². When `scaled`, a weight multiplies its graph's (infinite) features, φ̂(x_n) = w_n φ(x_n),
 * and HSIC_w(k,l) = tr(M_k M_l) / (R−1)² with M_k = H D_w K_k D_w H.
 *
 * Without the mean over columns and the standardisation, σ = 1 would make K_k the unit matrix for any block wider than
 * a few columns.
 */
#ifndef L2R_REWEIGHT_HSIC_H
#define L2R_REWEIGHT_HSIC_H

#include "base/memory.h"
#include "base/status.h"
#include "kernels/dependence.h"
#include "reweight/weights.h"

#include <stdbool.h>

struct l2r_hsic_options {
    double sigma; /* 0: the median */
    bool scaled;  /* see above */
};

struct l2r_hsic {
    struct l2r_hsic_options options;
    struct l2r_kernel_matrices matrices; /* of the blocks that are not constant */
    double *scratch;
};

/* z [n_rows × n_blocks·dim] row by row. Everything lies in the arena. */
enum l2r_status l2r_hsic_init(struct l2r_hsic *hsic, struct l2r_arena *arena, const l2r_real *z, int64_t n_rows,
                              int64_t n_blocks, int64_t dim, const struct l2r_hsic_options *options,
                              struct l2r_error *error);
/* L(w); gradient [n_rows] = ∂L/∂w, if not NULL. w [n_rows]. */
double l2r_hsic_value(struct l2r_hsic *hsic, double *gradient, const double *w);
/* The same as an objective; `hsic` must outlive it. */
struct l2r_objective l2r_hsic_objective(struct l2r_hsic *hsic);

#endif
