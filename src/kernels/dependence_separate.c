/* SPDX-License-Identifier: MIT
 * See dependence_separate.h. */
#include "kernels/dependence_separate.h"

#include "base/threads.h"

#include <string.h>

enum { TILE = L2R_ROW_TILE, VECTORS = TILE / L2R_LANES };

struct pairs {
    l2r_real *a;
    const l2r_real *set[2];
    const struct l2r_blocks *blocks;
    int64_t stride;
};

/* Inner products of row n with one tile of rows over columns [begin, end) of a set. */
L2R_INLINE void block_products(l2r_vec part[VECTORS], const l2r_real *u, int64_t n, int64_t first, int64_t begin,
                               int64_t end, int64_t stride)
{
    for (int x = 0; x < VECTORS; x++) part[x] = (l2r_vec){0};
    for (int64_t k = begin; k < end; k++) {
        const l2r_real *column = u + k * stride;
        for (int x = 0; x < VECTORS; x++) part[x] += column[n] * *(const l2r_vec *)(column + first + x * L2R_LANES);
    }
}

L2R_INLINE void pair_row(const struct pairs *p, int64_t n, int64_t first)
{
    const struct l2r_blocks *b = p->blocks;
    l2r_vec a[VECTORS] = {0};
    for (int64_t outer = 0; outer < b->n_plus; outer++) {
        l2r_vec whole[2][VECTORS] = {0};
        for (int64_t inner = b->plus[outer]; inner < b->plus[outer + 1]; inner++) {
            l2r_vec part[2][VECTORS];
            for (int s = 0; s < 2; s++) {
                block_products(part[s], p->set[s], n, first, b->minus[inner], b->minus[inner + 1], p->stride);
                for (int x = 0; x < VECTORS; x++) whole[s][x] += part[s][x];
            }
            for (int x = 0; x < VECTORS; x++) a[x] -= part[0][x] * part[1][x];
        }
        for (int x = 0; x < VECTORS; x++) a[x] += whole[0][x] * whole[1][x];
    }
    for (int x = 0; x < VECTORS; x++) *(l2r_vec *)(p->a + n * p->stride + first + x * L2R_LANES) = a[x];
}

/* The rows of a tile against those of the tiles up to it. */
static L2R_CLONES void tile_rows(const struct pairs *p, int64_t tile)
{
    for (int64_t other = 0; other <= tile; other++)
        for (int64_t n = tile * TILE; n < (tile + 1) * TILE; n++) pair_row(p, n, other * TILE);
}

static void tile_chunk(void *context, int64_t chunk)
{
    const struct pairs *p = context;
    tile_rows(p, p->stride / TILE - 1 - chunk); /* the longest rows first */
}

void l2r_pair_matrix_separate(l2r_real *a, const l2r_real *u, const l2r_real *other, const struct l2r_blocks *blocks,
                              int64_t stride)
{
    struct pairs p = {a, {u, other}, blocks, stride};
    l2r_parallel(stride / TILE, tile_chunk, &p);
}

/* A fixed number of running sums, folded in order. */
L2R_INLINE double dot(const l2r_real *a, const l2r_real *b, int64_t n)
{
    l2r_vec sum[VECTORS] = {0};
    double total = 0;
    for (int64_t j = 0; j < n; j += TILE)
        for (int v = 0; v < VECTORS; v++)
            sum[v] += *(const l2r_vec *)(a + j + v * L2R_LANES) * *(const l2r_vec *)(b + j + v * L2R_LANES);
    for (int v = 0; v < VECTORS; v++)
        for (int l = 0; l < L2R_LANES; l++) total += (double)sum[v][l];
    return total;
}

/* p += factor · k x for the block's columns of one set; returns xᵀ k x. */
L2R_INLINE double add_products(l2r_real *p, double factor, const l2r_real *u, const l2r_real *x, int64_t begin,
                               int64_t end, int64_t stride)
{
    double square = 0;
    for (int64_t k = begin; k < end; k++) {
        double t = dot(u + k * stride, x, stride);
        l2r_real scaled = (l2r_real)(factor * t);
        square += t * t;
        for (int64_t n = 0; n < stride; n++) p[n] += scaled * u[k * stride + n];
    }
    return square;
}

L2R_CLONES void l2r_block_terms_separate(struct l2r_block_sums *into, double sign, const l2r_real *u,
                                         const l2r_real *other, const l2r_real *w, const l2r_real *v, l2r_real *scratch,
                                         int64_t begin, int64_t end, int64_t stride)
{
    l2r_real *p = scratch, *q = p + stride, *weighted = q + stride, one = (l2r_real)sign;
    double square = 0;
    memset(p, 0, 2 * (size_t)stride * sizeof *p);
    double c = add_products(p, 1, u, w, begin, end, stride), d = add_products(q, 1, other, w, begin, end, stride);
    l2r_real half_c = (l2r_real)(0.5 * sign * c), half_d = (l2r_real)(0.5 * sign * d);
    for (int64_t n = 0; n < stride; n++) {
        weighted[n] = v[n] * q[n];
        into->square[n] += one * (p[n] * q[n]);
        into->cross[n] += half_c * q[n] + half_d * p[n];
    }
    for (int64_t n = 0; n < stride; n++) square += (double)weighted[n] * (double)p[n];
    add_products(into->linear, 0.5 * sign, u, weighted, begin, end, stride);
    for (int64_t n = 0; n < stride; n++) weighted[n] = v[n] * p[n];
    add_products(into->linear, 0.5 * sign, other, weighted, begin, end, stride);
    into->sums[0] += sign * square;
    into->sums[1] += sign * c * d;
}
