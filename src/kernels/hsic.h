/* SPDX-License-Identifier: MIT
 *
 * Loops of the weighted HSIC (src/reweight/hsic.h has the idea), in double: centring takes almost equal numbers from each other.
 *
 * For kernel matrices K_1 .. K_c [R × R], weights w and H = I − 11ᵀ/R, with M_k = H D_w K_k D_w H and S = Σ_k M_k:
 *
 *     L       = Σ_{k<l} <M_k, M_l> = ½ (‖S‖² − Σ_k ‖M_k‖²)
 *     ∂L/∂w_n = 2 Σ_m w_m Σ_k K_k(n,m) (S − M_k)(n,m)
 *
 * M_k(n,m) = w_n w_m K_k(n,m) − r_k(n) − r_k(m) + t_k needs the means r_k(n) = w_n (K_k w)_n / R and t_k = Σ_n r_k(n) / R alone, so an
 * evaluation is two sweeps over the matrices and stores none of the M_k. Entries are centred before they are squared: expanding
 * ‖M_k‖² into products with w∘w, as for random features, would square the relative error of what cancels.
 */
#ifndef L2R_KERNELS_HSIC_H
#define L2R_KERNELS_HSIC_H

#include "kernels/real.h"

/* Rows of a matrix are this far apart; the padding is never read as a number. */
static inline int64_t l2r_kernel_stride(int64_t rows)
{
    return (rows + 3) / 4 * 4;
}

/* k(n,m) = Σ_j (x_nj − x_mj)² / share for all pairs of rows; x [rows × dim]. */
void l2r_squared_distances(double *k, const l2r_real *x, double share, int64_t rows, int64_t dim);
/* k(n,m) = exp(−scale · k(n,m)). */
void l2r_rbf(double *k, double scale, int64_t rows);

struct l2r_kernel_matrices {
    int64_t count, rows;
    double *const *kernel; /* [count] matrices, [rows × l2r_kernel_stride(rows)] each, symmetric */
};
/* L; gradient [rows], if not NULL. scratch: l2r_weighted_hsic_scratch doubles. */
double l2r_weighted_hsic(double *gradient, const struct l2r_kernel_matrices *m, const double *w, double *scratch);
int64_t l2r_weighted_hsic_scratch(int64_t count, int64_t rows);

#endif
