/* SPDX-License-Identifier: MIT
 *
 * Loops of the weighted HSIC (src/reweight/hsic.h has the idea), in double: centring takes almost equal numbers from
 * each other.
 *
 * For kernel matrices K_1 .. K_c [R × R] and weights w, centred kernels M_k and S = Σ_k M_k:
 *
 *     L = ½ Σ_nm g_n g_m ( S(n,m)² − Σ_k M_k(n,m)² ),   M_k(n,m) = f_n f_m K_k(n,m) − r_k(n) − r_k(m) + t_k
 *
 *     weighted   f = 1, g = w, s = Σw    ∂L/∂w_n = Σ_m w_m Σ_k M_k(n,m) (S − M_k)(n,m)
 *     scaled     f = w, g = 1, s = R     ∂L/∂w_n = 2 Σ_m w_m Σ_k K_k(n,m) (S − M_k)(n,m)
 *
 * The means r_k(n) = f_n (K_k w)_n / s and t_k = Σ_n g_n r_k(n) / s are all that centring needs, so an evaluation is
 * two sweeps over the matrices and stores none of the M_k. Entries are centred before they are squared: expanding the
 * squares into products with w, as for random features, would square the relative error of what cancels.
 */
#ifndef L2R_KERNELS_HSIC_H
#define L2R_KERNELS_HSIC_H

#include "kernels/real.h"

#include <stdbool.h>

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
    bool scaled;
    double *const *kernel; /* [count] matrices, [rows × l2r_kernel_stride(rows)] each, symmetric */
};
/* L; gradient [rows], if not NULL. scratch: l2r_weighted_hsic_scratch doubles. */
double l2r_weighted_hsic(double *gradient, const struct l2r_kernel_matrices *m, const double *w, double *scratch);
int64_t l2r_weighted_hsic_scratch(int64_t count, int64_t rows);

#endif
