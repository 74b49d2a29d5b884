/* SPDX-License-Identifier: MIT
 *
 * From a representation to its random Fourier features (dependence.h), and the pair matrices of these, tile by tile of
 * 16 × 16 pairs of rows. For each tile three squares of numbers are kept in the nearest cache while the columns pass
 * by, as many at a time as fit beside them:
 *
 *     part   k_b so far, of the block that is being summed
 *     whole  k_B so far
 *     a      Σ over finished blocks
 *
 *                 16 rows "right" (vectors)
 *               ┌──────────────┐
 *     4 rows    │ registers    │      long blocks:  4 × 16 sums of one block in registers
 *     "left"    └──────────────┘      short blocks: 2 × 16 pairs with all three in registers, so that a block of 5
 *                                     columns costs 5 multiply-adds, a square and a sum for each vector of pairs and
 *                                     touches no memory
 */
#include "kernels/dependence.h"

#include "base/threads.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- random Fourier features ---- */

enum { COLUMNS = 8 }; /* columns that are read side by side: half a cache line of floats */

struct columns {
    l2r_real *out, *inverse_sd;
    const l2r_real *z;
    const int32_t *place;
    int64_t n_rows, stride, d;
};

/* Columns first .. first + n of z: one after the other in the sums' order, side by side in memory. */
L2R_CLONES(static, moments, (double *mean, double *sd, const l2r_real *z, int64_t n_rows, int64_t d, int64_t n),
           (mean, sd, z, n_rows, d, n))
{
    double sum[COLUMNS] = {0}, square[COLUMNS] = {0};
    for (int64_t r = 0; r < n_rows; r++)
        for (int64_t j = 0; j < n; j++) sum[j] += (double)z[r * d + j];
    for (int64_t j = 0; j < n; j++) mean[j] = sum[j] / (double)n_rows;
    for (int64_t r = 0; r < n_rows; r++)
        for (int64_t j = 0; j < n; j++) {
            double x = (double)z[r * d + j] - mean[j];
            square[j] += x * x;
        }
    for (int64_t j = 0; j < n; j++) sd[j] = sqrt(square[j] / (double)n_rows);
}

static void standardise_chunk(void *context, int64_t chunk)
{
    const struct columns *p = context;
    double mean[COLUMNS] = {0}, sd[COLUMNS] = {0};
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, p->d, COLUMNS, chunk);
    moments(mean, sd, p->z + begin, p->n_rows, p->d, end - begin);
    for (int64_t i = begin; i < end; i++) {
        l2r_real *out = p->out + p->place[i] * p->stride;
        bool constant = !(sd[i - begin] > 1e-7 * (1 + fabs(mean[i - begin])));
        double scale = constant ? 0 : 1 / sd[i - begin], shift = mean[i - begin];
        p->inverse_sd[p->place[i]] = (l2r_real)scale;
        for (int64_t r = 0; r < p->n_rows; r++)
            out[r] = constant ? 0 : (l2r_real)(((double)p->z[r * p->d + i] - shift) * scale);
        memset(out + p->n_rows, 0, (size_t)(p->stride - p->n_rows) * sizeof *out);
    }
}

void l2r_standardise(l2r_real *out, l2r_real *inverse_sd, const l2r_real *z, const int32_t *place, int64_t n_rows,
                     int64_t stride, int64_t d)
{
    struct columns p = {out, inverse_sd, z, place, n_rows, stride, d};
    l2r_parallel(l2r_chunk_count(d, COLUMNS), standardise_chunk, &p);
}

/* ---- random Fourier features ---- */

#ifdef L2R_REAL_DOUBLE
L2R_INLINE l2r_real cosine(l2r_real x)
{
    return cos(x);
}
#else
/* cos x = 1 − 2 sin²(x'/2) with x' = x minus whole turns: plain arithmetic, so that the compiler makes vectors of it.
 * Adding and taking away 1.5·2²³ rounds to the nearest integer. Absolute error below 3e-7 for |x| up to some
 * thousands. */
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
    const l2r_real *z, *omega, *phase, *factor;
    int64_t n_rows, stride, n_f;
};

L2R_CLONES(static, fourier_column,
           (l2r_real * u, const l2r_real *z, l2r_real omega, l2r_real phase, l2r_real size, int64_t n),
           (u, z, omega, phase, size, n))
{
    for (int64_t i = 0; i < n; i++) u[i] = size * cosine(omega * z[i] + phase);
}

static void fourier_variable(void *context, int64_t i)
{
    const struct fourier *f = context;
    for (int64_t k = i * f->n_f; k < (i + 1) * f->n_f; k++) {
        l2r_real *u = f->u + k * f->stride;
        l2r_real size = f->factor[i] * (l2r_real)1.41421356237309505;
        int64_t n = f->factor[i] != 0 ? f->n_rows : 0;
        fourier_column(u, f->z + i * f->stride, f->omega[k], f->phase[k], size, n);
        memset(u + n, 0, (size_t)(f->stride - n) * sizeof *u);
    }
}

void l2r_fourier_forward(l2r_real *u, const l2r_real *z, const l2r_real *omega, const l2r_real *phase,
                         const l2r_real *factor, int64_t n_rows, int64_t stride, int64_t d, int64_t n_f)
{
    struct fourier f = {u, z, omega, phase, factor, n_rows, stride, n_f};
    l2r_parallel(d, fourier_variable, &f);
}

/* ---- pair matrices ---- */

enum {
    TILE = L2R_ROW_TILE,
    VECTORS = TILE / L2R_LANES,
    QUAD = 4,
    COLUMNS_AT_A_TIME = 160, /* of two tiles: 20 kB of floats */
    LONG = 16                /* columns from which on a block is worth registers of its own */
};

struct pairs {
    l2r_real *a, *g;
    const l2r_real *tiles; /* [tile][column][TILE rows]: what the columns of the result read */
    const l2r_real *quads; /* [row quad][column][QUAD rows]: what its rows read */
    const struct l2r_blocks *blocks;
    int64_t columns, stride;
};

struct tile {
    l2r_real part[TILE][TILE], whole[TILE][TILE], a[TILE][TILE], g[TILE][TILE];
};

/* Two rows of a quad against a tile: minus blocks first .. last. A width above 0 is that of every block. */
L2R_INLINE void short_blocks(struct tile *t, int64_t row, const l2r_real *left, const l2r_real *right,
                             const int32_t *minus, int64_t first, int64_t last, int64_t width)
{
    l2r_vec a[2][VECTORS], whole[2][VECTORS];
    memcpy(a, t->a[row], sizeof a);
    memcpy(whole, t->whole[row], sizeof whole);
    int64_t k = minus[first];
    for (int64_t b = first; b < last; b++) {
        l2r_vec part[2][VECTORS] = {0};
        int64_t n = width > 0 ? width : minus[b + 1] - minus[b];
        for (int64_t i = 0; i < n; i++, k++)
            for (int x = 0; x < VECTORS; x++) {
                l2r_vec column = *(const l2r_vec *)(right + k * TILE + x * L2R_LANES);
                part[0][x] += left[QUAD * k] * column;
                part[1][x] += left[QUAD * k + 1] * column;
            }
        for (int x = 0; x < VECTORS; x++)
            for (int r = 0; r < 2; r++) {
                a[r][x] -= part[r][x] * part[r][x];
                whole[r][x] += part[r][x];
            }
    }
    memcpy(t->a[row], a, sizeof a);
    memcpy(t->whole[row], whole, sizeof whole);
}

/* A quad of rows against a tile: columns first .. last of one block. */
L2R_INLINE void long_block(struct tile *t, int64_t row, const l2r_real *left, const l2r_real *right, int64_t first,
                           int64_t last)
{
    l2r_vec part[QUAD][VECTORS];
    memcpy(part, t->part[row], sizeof part);
    for (int64_t k = first; k < last; k++)
        for (int x = 0; x < VECTORS; x++) {
            l2r_vec column = *(const l2r_vec *)(right + k * TILE + x * L2R_LANES);
            for (int r = 0; r < QUAD; r++) part[r][x] += left[QUAD * k + r] * column;
        }
    memcpy(t->part[row], part, sizeof part);
}

L2R_INLINE void end_minus_block(struct tile *t)
{
    for (int r = 0; r < TILE; r++)
        for (int c = 0; c < TILE; c++) {
            t->a[r][c] -= t->part[r][c] * t->part[r][c];
            t->whole[r][c] += t->part[r][c];
            t->part[r][c] = 0;
        }
}

L2R_INLINE void end_plus_block(struct tile *t)
{
    for (int r = 0; r < TILE; r++)
        for (int c = 0; c < TILE; c++) {
            t->a[r][c] += t->whole[r][c] * t->whole[r][c];
            t->g[r][c] += t->whole[r][c];
            t->whole[r][c] = 0;
        }
}

/* The minus blocks [first, last) of one plus block, all of them short. */
L2R_INLINE void sum_short(struct tile *t, const struct pairs *p, const l2r_real *left, const l2r_real *right,
                          int64_t first, int64_t last, int64_t width)
{
    const int32_t *minus = p->blocks->minus;
    for (int64_t begin = first, end; begin < last; begin = end) {
        end = begin + 1;
        while (end < last && minus[end + 1] - minus[begin] <= COLUMNS_AT_A_TIME) end++;
        for (int64_t row = 0; row < TILE; row += 2)
            short_blocks(t, row, left + row / QUAD * QUAD * p->columns + row % QUAD, right, minus, begin, end, width);
    }
}

L2R_INLINE void sum_long(struct tile *t, const struct pairs *p, const l2r_real *left, const l2r_real *right,
                         int64_t first, int64_t last)
{
    for (int64_t begin = first, end; begin < last; begin = end) {
        end = begin + COLUMNS_AT_A_TIME < last ? begin + COLUMNS_AT_A_TIME : last;
        for (int64_t row = 0; row < TILE; row += QUAD) long_block(t, row, left + row * p->columns, right, begin, end);
    }
    end_minus_block(t);
}

/* How wide all minus blocks are if they are equally wide and that width has its own loop; 0: they differ; -1: they are
 * long. */
static int64_t width_of(const struct l2r_blocks *b, int64_t columns)
{
    if (columns >= LONG * b->n_minus) return -1;
    for (int64_t i = 0; i < b->n_minus; i++)
        if (b->minus[i + 1] - b->minus[i] != 5) return 0;
    return 5;
}

L2R_INLINE void fill_tile(const struct pairs *p, int64_t row, int64_t column, int64_t width)
{
    const l2r_real *left = p->quads + row * TILE * p->columns, *right = p->tiles + column * TILE * p->columns;
    const struct l2r_blocks *b = p->blocks;
    struct tile t;
    memset(&t, 0, sizeof t);
    for (int64_t outer = 0; outer < b->n_plus; outer++) {
        int64_t first = b->plus[outer], last = b->plus[outer + 1];
        if (width == 5) /* a constant: unrolled */
            sum_short(&t, p, left, right, first, last, 5);
        else if (width == 0)
            sum_short(&t, p, left, right, first, last, 0);
        else
            for (int64_t i = first; i < last; i++) sum_long(&t, p, left, right, b->minus[i], b->minus[i + 1]);
        end_plus_block(&t);
    }
    for (int64_t r = 0; r < TILE; r++) {
        int64_t at = (row * TILE + r) * p->stride + column * TILE;
        memcpy(p->a + at, t.a[r], sizeof t.a[r]);
        if (p->g) memcpy(p->g + at, t.g[r], sizeof t.g[r]);
    }
}

L2R_FUSED_CLONES(static, fill_tiles, (const struct pairs *p, int64_t row, int64_t width), (p, row, width))
{
    for (int64_t column = 0; column <= row; column++) fill_tile(p, row, column, width);
}

static void pair_chunk(void *context, int64_t chunk)
{
    const struct pairs *p = context;
    fill_tiles(p, p->stride / TILE - 1 - chunk, width_of(p->blocks, p->columns)); /* the longest rows first */
}

struct repack {
    l2r_real *tiles, *quads;
    const l2r_real *u;
    int64_t columns, stride;
};

static void repack_chunk(void *context, int64_t tile)
{
    const struct repack *p = context;
    l2r_real *tiles = p->tiles + tile * TILE * p->columns, *quads = p->quads + tile * TILE * p->columns;
    for (int64_t k = 0; k < p->columns; k++) {
        const l2r_real *from = p->u + k * p->stride + tile * TILE;
        memcpy(tiles + k * TILE, from, TILE * sizeof *from);
        for (int64_t q = 0; q < TILE / QUAD; q++)
            memcpy(quads + (q * p->columns + k) * QUAD, from + q * QUAD, QUAD * sizeof *from);
    }
}

void l2r_pair_matrices(l2r_real *a, l2r_real *g, const l2r_real *u, const struct l2r_blocks *blocks, l2r_real *scratch,
                       int64_t columns, int64_t stride)
{
    int64_t n_tiles = stride / TILE;
    struct repack repack = {scratch, scratch + columns * stride, u, columns, stride};
    l2r_parallel(n_tiles, repack_chunk, &repack);
    struct pairs pairs = {a, g, repack.tiles, repack.quads, blocks, columns, stride};
    l2r_parallel(n_tiles, pair_chunk, &pairs);
}
