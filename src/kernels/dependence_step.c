/* SPDX-License-Identifier: MIT
 *
 * One inner step of dependence.h: products with the pair matrices, and the sums over blocks of columns.
 *
 * Columns are taken in groups of 5, the usual number of features of a variable: every vector of numbers that is loaded
 * serves as many multiply-adds as possible, and a group stays in the nearest cache between its passes. Sums run in
 * fixed vectors that are folded in order into doubles.
 */
#include "kernels/dependence.h"

#include "base/threads.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { TILE = L2R_ROW_TILE, VECTORS = TILE / L2R_LANES, GROUP = 5, SEVERAL = 4 * GROUP, QUAD = 4 };

L2R_INLINE double fold(const l2r_vec sum[VECTORS])
{
    double total[L2R_LANES] = {0};
    for (int x = 0; x < VECTORS; x++)
        for (int l = 0; l < L2R_LANES; l++) total[l] += (double)sum[x][l];
    for (int half = L2R_LANES / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) total[l] += total[l + half];
    return total[0];
}

/* ---- products with symmetric matrices ---- */

struct products {
    const l2r_real *m[2], *x[2];
    l2r_real *partial; /* [2][L2R_SYMMETRIC_CHUNKS][stride] */
    int64_t stride;
};

/* Tile rows of a chunk: equal areas of the triangle, whatever the number of threads. */
static int64_t chunk_start(int64_t n_tiles, int64_t chunk)
{
    return (int64_t)((double)n_tiles * sqrt((double)chunk / L2R_SYMMETRIC_CHUNKS) + 0.5);
}

/* Four rows left of their diagonal tile: each number serves its row's sum and its column's. */
L2R_INLINE void quad_rows(l2r_real *y, const l2r_real *m, const l2r_real *x, int64_t row, int64_t stride)
{
    int64_t before = row / TILE * TILE, end = before + TILE;
    l2r_vec sum[QUAD] = {0};
    l2r_real own[QUAD];
    for (int r = 0; r < QUAD; r++) own[r] = x[row + r];
    m += row * stride;
    for (int64_t j = 0; j < before; j += L2R_LANES) {
        l2r_vec here = *(const l2r_vec *)(x + j), column = *(const l2r_vec *)(y + j);
        for (int r = 0; r < QUAD; r++) {
            l2r_vec value = *(const l2r_vec *)(m + r * stride + j);
            sum[r] += value * here;
            column += own[r] * value;
        }
        *(l2r_vec *)(y + j) = column;
    }
    for (int64_t j = before; j < end; j += L2R_LANES)
        for (int r = 0; r < QUAD; r++) sum[r] += *(const l2r_vec *)(m + r * stride + j) * *(const l2r_vec *)(x + j);
    for (int r = 0; r < QUAD; r++) {
        l2r_vec one[VECTORS] = {sum[r]};
        y[row + r] += (l2r_real)fold(one);
    }
}

L2R_FUSED_CLONES(static, some_rows,
                 (l2r_real * y, const l2r_real *m, const l2r_real *x, int64_t begin, int64_t end, int64_t stride),
                 (y, m, x, begin, end, stride))
{
    memset(y, 0, (size_t)end * sizeof *y);
    for (int64_t row = begin; row < end; row += QUAD) quad_rows(y, m, x, row, stride);
}

static void products_chunk(void *context, int64_t chunk)
{
    const struct products *p = context;
    int64_t which = chunk / L2R_SYMMETRIC_CHUNKS, part = chunk % L2R_SYMMETRIC_CHUNKS;
    int64_t begin = chunk_start(p->stride / TILE, part) * TILE, end = chunk_start(p->stride / TILE, part + 1) * TILE;
    some_rows(p->partial + chunk * p->stride, p->m[which], p->x[which], begin, end, p->stride);
}

L2R_CLONES(static, add_numbers, (double *y, const l2r_real *x, int64_t n), (y, x, n))
{
    for (int64_t i = 0; i < n; i++) y[i] += (double)x[i];
}

static void add_partial(double *y, const l2r_real *partial, int64_t stride)
{
    memset(y, 0, (size_t)stride * sizeof *y);
    for (int64_t c = 0; c < L2R_SYMMETRIC_CHUNKS; c++)
        add_numbers(y, partial + c * stride, chunk_start(stride / TILE, c + 1) * TILE);
}

void l2r_symmetric_products(double *y, double *h, const l2r_real *a, const l2r_real *g, const l2r_real *x,
                            const l2r_real *z, l2r_real *scratch, int64_t stride)
{
    struct products p = {{a, g}, {x, z}, scratch, stride};
    l2r_parallel((g ? 2 : 1) * L2R_SYMMETRIC_CHUNKS, products_chunk, &p);
    add_partial(y, scratch, stride);
    if (g) add_partial(h, scratch + L2R_SYMMETRIC_CHUNKS * stride, stride);
}

struct row_sums {
    const l2r_real *m;
    double *partial; /* [L2R_SYMMETRIC_CHUNKS][stride] */
    int64_t stride;
};

/* As quad_rows for x = 1, in double. */
L2R_CLONES(static, sum_rows, (double *y, const l2r_real *m, int64_t begin, int64_t end, int64_t stride),
           (y, m, begin, end, stride))
{
    memset(y, 0, (size_t)end * sizeof *y);
    for (int64_t row = begin; row < end; row++) {
        const l2r_real *values = m + row * stride;
        int64_t before = row / TILE * TILE;
        double sum[TILE] = {0};
        for (int64_t j = 0; j < before; j += TILE)
            for (int l = 0; l < TILE; l++) {
                sum[l] += (double)values[j + l];
                y[j + l] += (double)values[j + l];
            }
        for (int l = 0; l < TILE; l++) y[row] += sum[l] + (double)values[before + l];
    }
}

static void row_sums_chunk(void *context, int64_t chunk)
{
    const struct row_sums *p = context;
    int64_t begin = chunk_start(p->stride / TILE, chunk) * TILE, end = chunk_start(p->stride / TILE, chunk + 1) * TILE;
    sum_rows(p->partial + chunk * p->stride, p->m, begin, end, p->stride);
}

void l2r_symmetric_row_sums(double *y, const l2r_real *m, double *scratch, int64_t stride)
{
    struct row_sums p = {m, scratch, stride};
    l2r_parallel(L2R_SYMMETRIC_CHUNKS, row_sums_chunk, &p);
    memset(y, 0, (size_t)stride * sizeof *y);
    for (int64_t c = 0; c < L2R_SYMMETRIC_CHUNKS; c++)
        for (int64_t i = 0; i < chunk_start(stride / TILE, c + 1) * TILE; i++) y[i] += scratch[c * stride + i];
}

/* ---- blocks of columns ---- */

/* t_k = Σ_n u_k(n) x(n) for n columns. */
L2R_INLINE void dots(double *t, const l2r_real *u, const l2r_real *x, int64_t n, int64_t stride)
{
    l2r_vec sum[GROUP][VECTORS] = {0};
    for (int64_t j = 0; j < stride; j += TILE)
        for (int s = 0; s < VECTORS; s++) {
            l2r_vec here = *(const l2r_vec *)(x + j + s * L2R_LANES);
            for (int64_t k = 0; k < n; k++) sum[k][s] += *(const l2r_vec *)(u + k * stride + j + s * L2R_LANES) * here;
        }
    for (int64_t k = 0; k < n; k++) t[k] = fold(sum[k]);
}

/* y(n) += Σ_k e_k u_k(n). */
L2R_INLINE void combine(l2r_real *y, const double *e, const l2r_real *u, int64_t n, int64_t stride)
{
    l2r_real factor[GROUP];
    for (int64_t k = 0; k < n; k++) factor[k] = (l2r_real)e[k];
    for (int64_t j = 0; j < stride; j += L2R_LANES) {
        l2r_vec sum = *(const l2r_vec *)(y + j);
        for (int64_t k = 0; k < n; k++) sum += factor[k] * *(const l2r_vec *)(u + k * stride + j);
        *(l2r_vec *)(y + j) = sum;
    }
}

/* A block that is one group: p and s in one pass, p never leaves the registers. */
L2R_INLINE void through_group(double *s, struct l2r_block_step *p, const double *t, l2r_real sign, const l2r_real *u,
                              int64_t n)
{
    l2r_vec sum[GROUP][VECTORS] = {0};
    l2r_real factor[GROUP];
    for (int64_t k = 0; k < n; k++) factor[k] = (l2r_real)t[k];
    for (int64_t j = 0; j < p->stride; j += L2R_LANES) {
        l2r_vec column[GROUP], here = {0};
        for (int64_t k = 0; k < n; k++) {
            column[k] = *(const l2r_vec *)(u + k * p->stride + j);
            here += factor[k] * column[k];
        }
        *(l2r_vec *)(p->whole + j) += here;
        *(l2r_vec *)(p->square + j) += sign * (here * here);
        here *= *(const l2r_vec *)(p->v + j);
        for (int64_t k = 0; k < n; k++) sum[k][0] += column[k] * here;
    }
    for (int64_t k = 0; k < n; k++) s[k] = fold(sum[k]);
}

/* Coefficients of u_k in the block's linear term. */
L2R_INLINE void finish(double *e, struct l2r_block_step *p, double sign, const double *t, const double *s, int64_t n)
{
    double c = 0, along = 0;
    for (int64_t k = 0; k < n; k++) c += t[k] * t[k], along += t[k] * s[k];
    for (int64_t k = 0; k < n; k++) e[k] = sign * (c * t[k] / p->rows - s[k]);
    p->sums[0] += sign * along;
    p->sums[1] += sign * c * c;
}

L2R_INLINE void one_group(struct l2r_block_step *p, double sign, const l2r_real *u, int64_t n)
{
    double t[GROUP], s[GROUP], e[GROUP];
    dots(t, u, p->w, n, p->stride);
    through_group(s, p, t, (l2r_real)sign, u, n);
    finish(e, p, sign, t, s, n);
    if (p->linear) combine(p->linear, e, u, n, p->stride);
}

/* ---- longer blocks: their sums are of many columns, and taken in double ---- */

/* t_k for up to SEVERAL columns. */
L2R_INLINE void several_dots(double *t, const l2r_real *u, const l2r_real *x, int64_t n, int64_t stride)
{
    int64_t k = 0;
    for (; k + GROUP <= n; k += GROUP) dots(t + k, u + k * stride, x, GROUP, stride);
    for (; k < n; k++) dots(t + k, u + k * stride, x, 1, stride);
}

/* y(n) += Σ_k e_k u_k(n) for up to SEVERAL columns. */
L2R_INLINE void several_combined(double *y, const double *e, const l2r_real *u, int64_t n, int64_t stride)
{
    l2r_real factor[SEVERAL] = {0};
    for (int64_t k = 0; k < n; k++) factor[k] = (l2r_real)e[k];
    for (int64_t j = 0; j < stride; j += TILE) {
        l2r_vec sum[VECTORS] = {0};
        int64_t k = 0;
        for (; k + GROUP <= n; k += GROUP) {
            l2r_vec part[VECTORS] = {0};
            for (int i = 0; i < GROUP; i++)
                for (int x = 0; x < VECTORS; x++)
                    part[x] += factor[k + i] * *(const l2r_vec *)(u + (k + i) * stride + j + x * L2R_LANES);
            for (int x = 0; x < VECTORS; x++) sum[x] += part[x];
        }
        for (; k < n; k++)
            for (int x = 0; x < VECTORS; x++)
                sum[x] += factor[k] * *(const l2r_vec *)(u + k * stride + j + x * L2R_LANES);
        for (int x = 0; x < VECTORS; x++)
            for (int l = 0; l < L2R_LANES; l++) y[j + x * L2R_LANES + l] += (double)sum[x][l];
    }
}

/* p of the block is known: its squares, its part in the whole, v∘p for what follows, and the part c p / R of the linear
 * term. Returns Σ v p². */
L2R_INLINE double take_products(struct l2r_block_step *p, double sign, double c)
{
    double sum[L2R_LANES] = {0}, total = 0, scale = sign * c / p->rows;
    const double *here = p->products;
    for (int64_t j = 0; j < p->stride; j += L2R_LANES)
        for (int l = 0; l < L2R_LANES; l++) {
            double value = here[j + l], weighted = (double)p->v[j + l] * value;
            p->weighted[j + l] = (l2r_real)weighted;
            p->exact_whole[j + l] += value;
            p->exact_square[j + l] += sign * value * value;
            p->exact_linear[j + l] += scale * value;
            sum[l] += weighted * value;
        }
    for (int l = 0; l < L2R_LANES; l++) total += sum[l];
    return total;
}

L2R_INLINE void many_groups(struct l2r_block_step *p, double sign, int64_t begin, int64_t end)
{
    double t[SEVERAL], c = 0;
    memset(p->products, 0, (size_t)p->stride * sizeof *p->products);
    for (int64_t k = begin; k < end; k += SEVERAL) {
        int64_t n = end - k < SEVERAL ? end - k : SEVERAL;
        several_dots(t, p->u + k * p->stride, p->w, n, p->stride);
        several_combined(p->products, t, p->u + k * p->stride, n, p->stride);
        for (int64_t i = 0; i < n; i++) c += t[i] * t[i];
    }
    p->sums[0] += sign * take_products(p, sign, c);
    p->sums[1] += sign * c * c;
    for (int64_t k = begin; p->linear && k < end; k += SEVERAL) {
        int64_t n = end - k < SEVERAL ? end - k : SEVERAL;
        several_dots(t, p->u + k * p->stride, p->weighted, n, p->stride);
        for (int64_t i = 0; i < n; i++) t[i] *= -sign;
        several_combined(p->exact_linear, t, p->u + k * p->stride, n, p->stride);
    }
}

L2R_FUSED_CLONES(extern, l2r_block_terms, (struct l2r_block_step * p, double sign, int64_t begin, int64_t end),
                 (p, sign, begin, end))
{
    if (end - begin == GROUP)
        one_group(p, sign, p->u + begin * p->stride, GROUP);
    else
        many_groups(p, sign, begin, end);
}
