/* SPDX-License-Identifier: MIT
 *
 * Loops of the weighted dependence between variables: by random Fourier features (src/reweight/dependence.h has the
 * formulas) and, at the end of this header, by kernel matrices (src/reweight/hsic.h).
 *
 * R rows (graphs), K columns (random Fourier features of all variables). Columns are cut into blocks; with
 * k_b(n,m) = Σ_{k in b} u_k(n) u_k(m), a fine partition b (the "minus" blocks) lies inside a coarse one B (the "plus"
 * blocks), and the matrix that an inner step multiplies with is
 *
 *     A(n,m) = Σ_B k_B(n,m)² − Σ_b k_b(n,m)²
 *
 * It is computed directly, pair by pair in registers: per column one multiply-add, per block a square. (As matrix
 * products the squares of 5-column blocks would need 15 columns each.) Of symmetric matrices only the lower triangle is
 * stored and read, in whole tiles of L2R_ROW_TILE rows and columns: an inner step's time is that of reading memory.
 */
#ifndef L2R_KERNELS_DEPENDENCE_H
#define L2R_KERNELS_DEPENDENCE_H

#include "kernels/real.h"

#include <stdbool.h>

/* Rows are padded to a multiple of this in every array below; the padding holds zeros. */
enum { L2R_ROW_TILE = 16 };

static inline int64_t l2r_padded_rows(int64_t rows)
{
    return (rows + L2R_ROW_TILE - 1) / L2R_ROW_TILE * L2R_ROW_TILE;
}

/* ---- random Fourier features (dependence_pairs.c) ---- */

/* Columns of z [n_rows × d] with mean 0 and variance 1 as rows of out [d × stride]; place[i] is the row of column i.
 * inverse_sd [d], by place, is 0 for a constant column, whose row becomes 0. */
void l2r_standardise(l2r_real *out, l2r_real *inverse_sd, const l2r_real *z, const int32_t *place, int64_t n_rows,
                     int64_t stride, int64_t d);

/* f_i·√2·cos(ω_k z_i + φ_k), k = i·n_f + a:  u [d·n_f × stride] from z [d × stride]; rows beyond n_rows become 0, and
 * so does a variable whose factor f_i is 0. */
void l2r_fourier_forward(l2r_real *u, const l2r_real *z, const l2r_real *omega, const l2r_real *phase,
                         const l2r_real *factor, int64_t n_rows, int64_t stride, int64_t d, int64_t n_f);

/* ---- pair matrices (dependence_pairs.c) ---- */

/* Blocks of columns: minus block b is columns minus[b] .. minus[b+1]; plus block B is the minus blocks plus[B] ..
 * plus[B+1]. */
struct l2r_blocks {
    int64_t n_minus, n_plus;
    const int32_t *minus; /* [n_minus + 1] */
    const int32_t *plus;  /* [n_plus + 1] */
};

/* a [stride × stride] as above; g [stride × stride], if not NULL: Σ over all columns u_k(n) u_k(m). Lower triangles.
 * scratch: 2 · columns · stride numbers. */
void l2r_pair_matrices(l2r_real *a, l2r_real *g, const l2r_real *u, const struct l2r_blocks *blocks, l2r_real *scratch,
                       int64_t columns, int64_t stride);

/* ---- one inner step (dependence_step.c) ---- */

/* y = A x and, where g is not NULL, h = G z, for symmetric a and g [stride × stride] given by their lower triangles.
 * scratch: 2 · L2R_SYMMETRIC_CHUNKS · stride numbers. */
enum { L2R_SYMMETRIC_CHUNKS = 8 };
void l2r_symmetric_products(double *y, double *h, const l2r_real *a, const l2r_real *g, const l2r_real *x,
                            const l2r_real *z, l2r_real *scratch, int64_t stride);
/* y(n) = Σ_m M(n,m), summed in double: what is left of a product M x is then M (x − c), small where x is nearly c.
 * scratch: L2R_SYMMETRIC_CHUNKS · stride numbers. */
void l2r_symmetric_row_sums(double *y, const l2r_real *m, double *scratch, int64_t stride);

/* For one block of columns [begin, end), with
 *     t_k = Σ_n u_k(n) w_n,   c = Σ_k t_k²,   p(n) = Σ_k t_k u_k(n),   s_k = Σ_n u_k(n) v(n) p(n)
 * adds  p  to whole,  sign·p²  to square,  sign·Σ_k (c t_k / R − s_k) u_k  to linear [stride each], and  sign·Σ v p²,
 * sign·c²  to sums. A block of 5 columns adds to the first three, any other to their exact ones: float is enough where
 * few columns are added up. Without linear that term is left out. */
struct l2r_block_step {
    const l2r_real *u, *w, *v;                         /* [columns × stride], [stride], [stride] */
    l2r_real *whole, *square, *linear;                 /* [stride] */
    double *exact_whole, *exact_square, *exact_linear; /* [stride] */
    double *products;                                  /* [stride] of scratch */
    l2r_real *weighted;                                /* [stride] of scratch */
    double rows;                                       /* R */
    double sums[2];
    int64_t stride;
};
void l2r_block_terms(struct l2r_block_step *step, double sign, int64_t begin, int64_t end);

/* ---- kernel matrices instead of random features (hsic.c) ----
 *
 * Loops of the weighted HSIC (src/reweight/hsic.h has the idea), in double: centring subtracts numbers that are almost
 * equal.
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
