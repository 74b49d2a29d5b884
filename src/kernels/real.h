/* SPDX-License-Identifier: MIT
 *
 * The number type of the engine, and how its loops are compiled.
 *
 * l2r_real is float; the test build compiles the same sources once more with double, so that numeric gradients
 * have digits to spare. L2R_CLONES (kernels/vector.h) compiles a function for AVX-512, AVX2 and the x86-64 baseline.
 */
#ifndef L2R_KERNELS_REAL_H
#define L2R_KERNELS_REAL_H

#include "kernels/vector.h"

#include <stdint.h>
#include <string.h>

#ifdef L2R_REAL_DOUBLE
typedef double l2r_real;
typedef int64_t l2r_lane;
#else
typedef float l2r_real;
typedef int32_t l2r_lane;
#endif

/* 32 bytes of numbers, loadable from any address; the compiler splits it where registers are narrower. */
typedef l2r_real l2r_vec __attribute__((vector_size(32), aligned(sizeof(l2r_real)), may_alias));
typedef l2r_lane l2r_mask __attribute__((vector_size(32), aligned(sizeof(l2r_real)), may_alias));
enum { L2R_LANES = 32 / sizeof(l2r_real) };

/* max(x, 0) without a branch: the comparison gives all ones or all zeros. NaN stays NaN, so that divergence shows in
 * the loss. */
L2R_INLINE l2r_vec l2r_vec_positive(l2r_vec x)
{
    return (l2r_vec)((l2r_mask)x & ~(x < (l2r_vec){0}));
}

/* y where x > 0, else 0. */
L2R_INLINE l2r_vec l2r_vec_where_positive(l2r_vec x, l2r_vec y)
{
    return (l2r_vec)((l2r_mask)y & (x > (l2r_vec){0}));
}

/* Σ a_j b_j of two short rows; rows.h has one that is exact for long ones. */
L2R_INLINE l2r_real l2r_row_dot(const l2r_real *a, const l2r_real *b, int64_t n)
{
    l2r_vec sums = {0};
    l2r_real sum = 0;
    int64_t j = 0;
    for (; j + L2R_LANES <= n; j += L2R_LANES) sums += *(const l2r_vec *)(a + j) * *(const l2r_vec *)(b + j);
    for (; j < n; j++) sum += a[j] * b[j];
    for (int k = 0; k < (int)L2R_LANES; k++) sum += sums[k];
    return sum;
}

/* One vector of a row, whole or only its first `count` numbers (the end of a row); the lanes beyond are 0. With a
 * constant count of L2R_LANES it is a plain load or store. */
L2R_INLINE l2r_vec l2r_tile_load(const l2r_real *from, int64_t count)
{
    l2r_vec v = {0};
    if (count == L2R_LANES) return *(const l2r_vec *)from;
    memcpy(&v, from, (size_t)count * sizeof *from);
    return v;
}

L2R_INLINE l2r_mask l2r_tile_load_lanes(const l2r_lane *from, int64_t count)
{
    l2r_mask v = {0};
    if (count == L2R_LANES) return *(const l2r_mask *)from;
    memcpy(&v, from, (size_t)count * sizeof *from);
    return v;
}

L2R_INLINE void l2r_tile_store(l2r_real *to, l2r_vec v, int64_t count)
{
    if (count == L2R_LANES)
        *(l2r_vec *)to = v;
    else
        memcpy(to, &v, (size_t)count * sizeof *to);
}

#endif
