/* SPDX-License-Identifier: MIT
 * See norm.h. Rows stream by while the sums of a few hundred columns stay in the first-level cache. */
#include "kernels/norm.h"

#include "base/threads.h"

#include <stddef.h>
#include <string.h>

enum { ROWS_A_CHUNK = 256, ROWS_A_FLOAT_SUM = 32, TILE = 512 };

struct moments {
    const l2r_real *x, *count; /* count: [rows], or NULL: one each */
    double *partial;           /* [chunks × 2 × cols] */
    int64_t rows, cols;
};

int64_t l2r_moments_scratch(int64_t rows, int64_t cols)
{
    return (l2r_chunk_count(rows, ROWS_A_CHUNK) + 1) * 2 * cols;
}

/* first += times · (x − origin), second += times · (x − origin)². */
L2R_INLINE void add_row(l2r_real *restrict first, l2r_real *restrict second, const l2r_real *restrict x,
                        const l2r_real *restrict origin, int64_t n, l2r_real times)
{
    for (int64_t j = 0; j < n; j++) {
        l2r_real d = x[j] - origin[j];
        first[j] += times * d;
        second[j] += times * (d * d);
    }
}

static L2R_CLONES void moments_rows(double *sum, const struct moments *m, int64_t begin, int64_t end)
{
    const l2r_real *origin = m->x;
    int64_t cols = m->cols;
    for (int64_t j0 = 0; j0 < cols; j0 += TILE) {
        int64_t width = cols - j0 < TILE ? cols - j0 : TILE;
        for (int64_t j = 0; j < width; j++) sum[j0 + j] = sum[cols + j0 + j] = 0;
        for (int64_t i0 = begin; i0 < end; i0 += ROWS_A_FLOAT_SUM) {
            l2r_real first[TILE] = {0}, second[TILE] = {0};
            for (int64_t i = i0; i < end && i < i0 + ROWS_A_FLOAT_SUM; i++) {
                const l2r_real *x = m->x + i * cols + j0;
                if (m->count)
                    add_row(first, second, x, origin + j0, width, m->count[i]);
                else
                    add_row(first, second, x, origin + j0, width, 1);
            }
            for (int64_t j = 0; j < width; j++) {
                sum[j0 + j] += (double)first[j];
                sum[cols + j0 + j] += (double)second[j];
            }
        }
    }
}

static void moments_chunk(void *context, int64_t chunk)
{
    const struct moments *m = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, m->rows, ROWS_A_CHUNK, chunk);
    moments_rows(m->partial + chunk * 2 * m->cols, m, begin, end);
}

/* Σ (x − first row) and its squares, [2 × cols]. */
static void sums_about_first(double *sums, const l2r_real *x, const struct l2r_row_counts *counts, double *scratch,
                             int64_t rows, int64_t cols)
{
    struct moments m = {x, counts ? counts->count : NULL, scratch, rows, cols};
    int64_t chunks = l2r_chunk_count(rows, ROWS_A_CHUNK);
    l2r_parallel(chunks, moments_chunk, &m);
    for (int64_t j = 0; j < 2 * cols; j++) {
        sums[j] = 0;
        for (int64_t c = 0; c < chunks; c++) sums[j] += scratch[2 * c * cols + j];
    }
}

void l2r_moments_of(l2r_real *mean, l2r_real *variance, const double *sums, const l2r_real *origin, int64_t n,
                    int64_t cols)
{
    for (int64_t j = 0; j < cols; j++) {
        double shift = sums[j] / (double)n, square = sums[cols + j] / (double)n - shift * shift;
        mean[j] = (l2r_real)((double)origin[j] + shift);
        variance[j] = (l2r_real)(square > 0 ? square : 0);
    }
}

void l2r_moments(l2r_real *mean, l2r_real *variance, const l2r_real *x, const struct l2r_row_counts *counts,
                 double *scratch, int64_t rows, int64_t cols)
{
    double *sums = scratch + l2r_moments_scratch(rows, cols) - 2 * cols;
    sums_about_first(sums, x, counts, scratch, rows, cols);
    l2r_moments_of(mean, variance, sums, x, counts ? counts->total : rows, cols);
}

void l2r_moment_sums(double *sums, const l2r_real *origin, const l2r_real *x, const struct l2r_row_counts *counts,
                     double *scratch, int64_t rows, int64_t cols)
{
    double n = counts ? (double)counts->total : (double)rows;
    memset(sums, 0, 2 * (size_t)cols * sizeof *sums);
    if (rows == 0) return;
    sums_about_first(sums, x, counts, scratch, rows, cols);
    for (int64_t j = 0; j < cols; j++) {
        double moved = (double)x[j] - (double)origin[j], first = sums[j];
        sums[j] = first + n * moved;
        sums[cols + j] += moved * (2 * first + n * moved);
    }
}

L2R_CLONES void l2r_affine_rows(l2r_real *y, const struct l2r_affine *a, int64_t begin, int64_t end)
{
    int64_t cols = a->cols;
    for (int64_t i = begin; i < end; i++) {
        const l2r_real *restrict x = a->x + i * cols, *restrict scale = a->scale, *restrict shift = a->shift;
        l2r_real *restrict out = y + (i - begin) * cols;
        if (a->act == L2R_RELU)
            for (int64_t j = 0; j < cols; j++) {
                l2r_real value = x[j] * scale[j] + shift[j];
                out[j] = value < 0 ? 0 : value; /* NaN stays */
            }
        else
            for (int64_t j = 0; j < cols; j++) out[j] = x[j] * scale[j] + shift[j];
        if (!a->dropout) continue;
        struct l2r_dropout dropout = *a->dropout;
        uint32_t first = (uint32_t)(i * cols);
        for (int64_t j = 0; j < cols; j++) out[j] *= l2r_mask_value(&dropout, first + (uint32_t)j);
    }
}

struct forward {
    l2r_real *y;
    const struct l2r_affine *a;
    int64_t rows;
};

static void affine_chunk(void *context, int64_t chunk)
{
    const struct forward *f = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, f->rows, ROWS_A_CHUNK, chunk);
    l2r_affine_rows(f->y + begin * f->a->cols, f->a, begin, end);
}

void l2r_affine_forward(l2r_real *y, const struct l2r_affine *a, int64_t rows)
{
    struct forward f = {y, a, rows};
    l2r_parallel(l2r_chunk_count(rows, ROWS_A_CHUNK), affine_chunk, &f);
}

const l2r_real *l2r_input_rows(const struct l2r_input *input, l2r_real *temp, int64_t begin, int64_t end)
{
    if (input->data) return input->data + begin * input->cols;
    l2r_affine_rows(temp, input->affine, begin, end);
    return temp;
}

int64_t l2r_input_temp(const struct l2r_input *input, int64_t rows)
{
    return input->data ? 0 : rows * input->cols;
}
