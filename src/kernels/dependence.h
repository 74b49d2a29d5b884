/* SPDX-License-Identifier: MIT
 *
 * Loops of the weighted dependence between variables (src/reweight/decorrelation.h has the formulas).
 *
 * R rows (graphs), K columns (random Fourier features of all variables). Columns are cut into blocks; with
 * k_b(n,m) = Σ_{k in b} u_k(n) u_k(m), a fine partition b (the "minus" blocks) lies inside a coarse one B (the "plus"
 * blocks), and the matrix that an inner step multiplies with is
 *
 *     A(n,m) = Σ_B k_B(n,m)² − Σ_b k_b(n,m)²
 *
 * It is computed directly, pair by pair in registers: per column one multiply-add, per block a square. (As matrix products
 * the squares of 5-column blocks would need 15 columns each.)
 */
#ifndef L2R_KERNELS_DEPENDENCE_H
#define L2R_KERNELS_DEPENDENCE_H

#include "kernels/real.h"

/* Rows are padded to a multiple of this in every array below; the padding holds zeros. */
enum { L2R_ROW_TILE = 16 };

static inline int64_t l2r_padded_rows(int64_t rows)
{
    return (rows + L2R_ROW_TILE - 1) / L2R_ROW_TILE * L2R_ROW_TILE;
}

/* √2·cos(ω_k z_i + φ_k), k = i·n_f + a:  u [d·n_f × stride] from z [d × stride]; rows beyond n_rows become 0. A variable whose
 * `alive` is 0 gives zeros. */
void l2r_fourier_forward(l2r_real *u, const l2r_real *z, const l2r_real *omega, const l2r_real *phase,
                         const uint8_t *alive, int64_t n_rows, int64_t stride, int64_t d, int64_t n_f);

/* Blocks of columns: minus block b is columns minus[b] .. minus[b+1]; plus block B is the minus blocks plus[B] .. plus[B+1]. */
struct l2r_blocks {
    int64_t n_minus, n_plus;
    const int32_t *minus; /* [n_minus + 1] */
    const int32_t *plus;  /* [n_plus + 1] */
};

/* a [stride × stride] as above; g [stride × stride], if not NULL: Σ over all columns u_k(n) u_k(m).
 * scratch: 2 · columns · stride numbers. */
void l2r_pair_matrices(l2r_real *a, l2r_real *g, const l2r_real *u, const struct l2r_blocks *blocks, l2r_real *scratch,
                       int64_t columns, int64_t stride);

/* y = M x for a symmetric M [stride × stride]. */
void l2r_symmetric_times(l2r_real *y, const l2r_real *m, const l2r_real *x, int64_t stride);

/* For one block of columns [begin, end), with t_k = Σ_n u_k(n) w_n:
 *     p(n) = Σ_k t_k u_k(n),   s_k = Σ_n u_k(n) v(n) p(n),   q(n) = Σ_k s_k u_k(n)
 * adds sign·p², sign·q, sign·(wᵀp)·p to square, linear, cross [stride], and sign·Σ v p², sign·(wᵀp)² to sums[0], sums[1].
 * scratch: 2 · stride numbers. */
struct l2r_block_sums {
    l2r_real *square, *linear, *cross; /* [stride] */
    double sums[2];
};
void l2r_block_terms(struct l2r_block_sums *into, double sign, const l2r_real *u, const l2r_real *w, const l2r_real *v,
                     l2r_real *scratch, int64_t begin, int64_t end, int64_t stride);

#endif
