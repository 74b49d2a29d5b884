/* SPDX-License-Identifier: MIT
 * See dependence.h. */
#include "kernels/dependence.h"

#include "base/threads.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { TILE = L2R_ROW_TILE, VECTORS = TILE / L2R_LANES };

/* ---- random Fourier features ---- */

#ifdef L2R_REAL_DOUBLE
L2R_INLINE l2r_real cosine(l2r_real x)
{
    return cos(x);
}
#else
/* cos x = 1 − 2 sin²(x'/2) with x' = x minus whole turns: plain arithmetic, so that the compiler makes vectors of it.
 * Adding and taking away 1.5·2²³ rounds to the nearest integer. Absolute error below 3e-7 for |x| up to some thousands. */
L2R_INLINE l2r_real cosine(l2r_real x)
{
    l2r_real turns = x * 0.15915494309189535f + 12582912.0f;
    turns -= 12582912.0f;
    l2r_real half = 0.5f * ((x - turns * 6.28125f) - turns * 1.9353071795864769e-3f);
    l2r_real square = half * half;
    l2r_real series = -2.3889859e-08f;
    series = series * square + 2.7525562e-06f;
    series = series * square - 1.9840874e-04f;
    series = series * square + 8.3333310e-03f;
    series = series * square - 1.6666667e-01f;
    l2r_real sine = half + half * square * series;
    return 1.0f - 2.0f * sine * sine;
}
#endif

struct fourier {
    l2r_real *u;
    const l2r_real *z, *omega, *phase;
    const uint8_t *alive;
    int64_t n_rows, stride, n_f;
};

static L2R_CLONES void fourier_column(l2r_real *u, const l2r_real *z, l2r_real omega, l2r_real phase, int64_t n)
{
    for (int64_t i = 0; i < n; i++) u[i] = (l2r_real)1.41421356237309505 * cosine(omega * z[i] + phase);
}

static void fourier_variable(void *context, int64_t i)
{
    const struct fourier *f = context;
    for (int64_t k = i * f->n_f; k < (i + 1) * f->n_f; k++) {
        l2r_real *u = f->u + k * f->stride;
        int64_t n = f->alive[i] ? f->n_rows : 0;
        fourier_column(u, f->z + i * f->stride, f->omega[k], f->phase[k], n);
        memset(u + n, 0, (size_t)(f->stride - n) * sizeof *u);
    }
}

void l2r_fourier_forward(l2r_real *u, const l2r_real *z, const l2r_real *omega, const l2r_real *phase,
                         const uint8_t *alive, int64_t n_rows, int64_t stride, int64_t d, int64_t n_f)
{
    struct fourier f = {u, z, omega, phase, alive, n_rows, stride, n_f};
    l2r_parallel(d, fourier_variable, &f);
}

/* ---- the pair matrices ---- */

struct pairs {
    l2r_real *a, *g;
    const l2r_real *tiles; /* [tile][column][TILE rows]: what the columns of the result read */
    const l2r_real *twins; /* [row pair][column][2 rows]: what its rows read */
    const struct l2r_blocks *blocks;
    int64_t columns, stride;
};

/* Rows 2·pair and 2·pair+1 against one tile of rows. All sums of a pair of vectors stay in registers. */
L2R_INLINE void pair_tile(const struct pairs *p, int64_t pair, int64_t tile)
{
    const l2r_real *left = p->twins + pair * p->columns * 2, *right = p->tiles + tile * p->columns * TILE;
    const struct l2r_blocks *b = p->blocks;
    l2r_vec a[2][VECTORS] = {0}, g[2][VECTORS] = {0};
    for (int64_t outer = 0; outer < b->n_plus; outer++) {
        l2r_vec whole[2][VECTORS] = {0};
        for (int64_t inner = b->plus[outer]; inner < b->plus[outer + 1]; inner++) {
            l2r_vec part[2][VECTORS] = {0};
            for (int64_t k = b->minus[inner]; k < b->minus[inner + 1]; k++)
                for (int x = 0; x < VECTORS; x++) {
                    l2r_vec column = *(const l2r_vec *)(right + k * TILE + x * L2R_LANES);
                    part[0][x] += left[2 * k] * column;
                    part[1][x] += left[2 * k + 1] * column;
                }
            for (int x = 0; x < VECTORS; x++)
                for (int r = 0; r < 2; r++) {
                    a[r][x] -= part[r][x] * part[r][x];
                    whole[r][x] += part[r][x];
                }
        }
        for (int x = 0; x < VECTORS; x++)
            for (int r = 0; r < 2; r++) {
                a[r][x] += whole[r][x] * whole[r][x];
                g[r][x] += whole[r][x];
            }
    }
    for (int r = 0; r < 2; r++)
        for (int x = 0; x < VECTORS; x++) {
            int64_t at = (2 * pair + r) * p->stride + tile * TILE + x * L2R_LANES;
            *(l2r_vec *)(p->a + at) = a[r][x];
            if (p->g) *(l2r_vec *)(p->g + at) = g[r][x];
        }
}

L2R_INLINE void pair_rows(const struct pairs *p, int64_t tile)
{
    for (int64_t pair = tile * TILE / 2; pair < (tile + 1) * TILE / 2; pair++)
        for (int64_t other = 0; other <= tile; other++) pair_tile(p, pair, other);
}

/* Fused multiply-adds double the speed of this loop, so it is the one place that allows them. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(L2R_NO_CLONES)
#define FUSED_VARIANT
__attribute__((target("avx2,fma"), optimize("fp-contract=fast"))) static void pair_rows_fused(const struct pairs *p,
                                                                                              int64_t tile)
{
    pair_rows(p, tile);
}
#endif

static L2R_CLONES void pair_rows_plain(const struct pairs *p, int64_t tile)
{
    pair_rows(p, tile);
}

static void pair_chunk(void *context, int64_t chunk)
{
    const struct pairs *p = context;
    int64_t tile = p->stride / TILE - 1 - chunk; /* the longest rows first */
#ifdef FUSED_VARIANT
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        pair_rows_fused(p, tile);
        return;
    }
#endif
    pair_rows_plain(p, tile);
}

struct mirror {
    l2r_real *m;
    int64_t stride;
};

/* Copies the blocks left of the diagonal to their place above it. */
static void mirror_chunk(void *context, int64_t tile)
{
    const struct mirror *p = context;
    for (int64_t other = 0; other < tile; other++)
        for (int64_t i = other * TILE; i < (other + 1) * TILE; i++)
            for (int64_t j = tile * TILE; j < (tile + 1) * TILE; j++) p->m[i * p->stride + j] = p->m[j * p->stride + i];
}

struct repack {
    l2r_real *tiles, *twins;
    const l2r_real *u;
    int64_t columns, stride;
};

static void repack_chunk(void *context, int64_t tile)
{
    const struct repack *p = context;
    for (int64_t k = 0; k < p->columns; k++) {
        const l2r_real *from = p->u + k * p->stride + tile * TILE;
        memcpy(p->tiles + (tile * p->columns + k) * TILE, from, TILE * sizeof *from);
        for (int64_t i = 0; i < TILE; i++) {
            int64_t pair = (tile * TILE + i) / 2;
            p->twins[(pair * p->columns + k) * 2 + (i & 1)] = from[i];
        }
    }
}

void l2r_pair_matrices(l2r_real *a, l2r_real *g, const l2r_real *u, const struct l2r_blocks *blocks, l2r_real *scratch,
                       int64_t columns, int64_t stride)
{
    int64_t n_tiles = stride / TILE;
    struct repack repack = {scratch, scratch + columns * stride, u, columns, stride};
    l2r_parallel(n_tiles, repack_chunk, &repack);
    struct pairs pairs = {a, g, repack.tiles, repack.twins, blocks, columns, stride};
    l2r_parallel(n_tiles, pair_chunk, &pairs);
    l2r_parallel(n_tiles, mirror_chunk, &(struct mirror){a, stride});
    if (g) l2r_parallel(n_tiles, mirror_chunk, &(struct mirror){g, stride});
}

/* ---- one inner step ---- */

struct product {
    l2r_real *y;
    const l2r_real *m, *x;
    int64_t stride;
};

/* A row's product in a fixed number of running sums, folded in order. */
static L2R_CLONES void times_rows(l2r_real *y, const l2r_real *m, const l2r_real *x, int64_t rows, int64_t stride)
{
    for (int64_t i = 0; i < rows; i++) {
        const l2r_real *row = m + i * stride;
        l2r_vec sum[VECTORS] = {0};
        double total = 0;
        for (int64_t j = 0; j < stride; j += TILE)
            for (int v = 0; v < VECTORS; v++)
                sum[v] += *(const l2r_vec *)(row + j + v * L2R_LANES) * *(const l2r_vec *)(x + j + v * L2R_LANES);
        for (int v = 0; v < VECTORS; v++)
            for (int l = 0; l < L2R_LANES; l++) total += (double)sum[v][l];
        y[i] = (l2r_real)total;
    }
}

static void times_chunk(void *context, int64_t chunk)
{
    const struct product *p = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, p->stride, 8 * TILE, chunk);
    times_rows(p->y + begin, p->m + begin * p->stride, p->x, end - begin, p->stride);
}

void l2r_symmetric_times(l2r_real *y, const l2r_real *m, const l2r_real *x, int64_t stride)
{
    struct product p = {y, m, x, stride};
    l2r_parallel(l2r_chunk_count(stride, 8 * TILE), times_chunk, &p);
}

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

L2R_CLONES void l2r_block_terms(struct l2r_block_sums *into, double sign, const l2r_real *u, const l2r_real *w,
                                const l2r_real *v, l2r_real *scratch, int64_t begin, int64_t end, int64_t stride)
{
    l2r_real *p = scratch, *weighted = scratch + stride, one = (l2r_real)sign;
    double cross = 0, square = 0;
    memset(p, 0, (size_t)stride * sizeof *p);
    for (int64_t k = begin; k < end; k++) {
        double t = dot(u + k * stride, w, stride);
        l2r_real factor = (l2r_real)t;
        cross += t * t; /* wᵀp = Σ_k t_k² */
        for (int64_t n = 0; n < stride; n++) p[n] += factor * u[k * stride + n];
    }
    l2r_real scale = (l2r_real)(sign * cross);
    for (int64_t n = 0; n < stride; n++) {
        weighted[n] = v[n] * p[n];
        into->square[n] += one * (p[n] * p[n]);
        into->cross[n] += scale * p[n];
    }
    for (int64_t n = 0; n < stride; n++) square += (double)weighted[n] * (double)p[n];
    for (int64_t k = begin; k < end; k++) {
        l2r_real factor = (l2r_real)(sign * dot(u + k * stride, weighted, stride));
        for (int64_t n = 0; n < stride; n++) into->linear[n] += factor * u[k * stride + n];
    }
    into->sums[0] += sign * square;
    into->sums[1] += sign * cross * cross;
}
