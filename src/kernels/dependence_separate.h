/* SPDX-License-Identifier: MIT
 *
 * The loops of dependence.h for two sets of features: u serves one side of a pair of variables, other the other side. With
 * k_b and k'_b the inner products over the columns of a block in either set,
 *
 *     A(n,m) = Σ_B k_B(n,m) k'_B(n,m) − Σ_b k_b(n,m) k'_b(n,m)
 *
 * and p = k_b w, p' = k'_b w, c = wᵀp, c' = wᵀp', every square of dependence.h becomes a product of the two sets.
 * For other = u the results are those of dependence.h.
 */
#ifndef L2R_KERNELS_DEPENDENCE_SEPARATE_H
#define L2R_KERNELS_DEPENDENCE_SEPARATE_H

#include "kernels/dependence.h"

/* a [stride × stride] as above, its lower triangle; u and other [columns × stride]. */
void l2r_pair_matrix_separate(l2r_real *a, const l2r_real *u, const l2r_real *other, const struct l2r_blocks *blocks,
                              int64_t stride);

struct l2r_block_sums {
    l2r_real *square, *linear, *cross; /* [stride] */
    double sums[2];
};
/* For one block of columns [begin, end) adds  sign·p∘p',  sign·½(k(v∘p') + k'(v∘p)),  sign·½(c p' + c' p)  to square, linear,
 * cross, and  sign·Σ v p p',  sign·c c'  to sums[0], sums[1]. scratch: 3 · stride numbers. */
void l2r_block_terms_separate(struct l2r_block_sums *into, double sign, const l2r_real *u, const l2r_real *other,
                              const l2r_real *w, const l2r_real *v, l2r_real *scratch, int64_t begin, int64_t end,
                              int64_t stride);

#endif
