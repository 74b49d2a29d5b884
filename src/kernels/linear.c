/* SPDX-License-Identifier: MIT
 *
 * See linear.h. The gradients are one list of tasks for all threads, largest first:
 *
 *     slice s of the rows    partial_s = d_zᵀ x [out × in],  sums_s = Σ rows of d_z [out]
 *     block b of the rows    d_x = d_z W
 *
 * then d_w and d_b add the slices up in order. Cutting one product over all rows into blocks of rows of d_w instead
 * would read (and the library would repack) all of x for each block: with widths of 128 that is a quarter of the time.
 */
#include "kernels/linear.h"

#include "base/threads.h"
#include "kernels/gemm.h"

#include <stddef.h>

/* ---- forward ---- */

enum { ROWS_A_CHUNK = 512, VALUES_A_CHUNK = 1 << 16 };

struct linear {
    l2r_real *y, *temp;
    const struct l2r_input *x;
    const l2r_real *w, *b;
    bool relu;
    int64_t rows, out, block;
};

L2R_CLONES(static, add_bias, (l2r_real * y, const l2r_real *b, bool then_relu, int64_t rows, int64_t cols),
           (y, b, then_relu, rows, cols))
{
    for (int64_t i = 0; i < rows; i++) {
        l2r_real *row = y + i * cols;
        if (then_relu)
            for (int64_t j = 0; j < cols; j++) {
                l2r_real value = row[j] + b[j];
                row[j] = value < 0 ? 0 : value; /* NaN stays */
            }
        else
            for (int64_t j = 0; j < cols; j++) row[j] += b[j];
    }
}

L2R_CLONES(static, relu, (l2r_real * y, int64_t n), (y, n))
{
    for (int64_t i = 0; i < n; i++) y[i] = y[i] < 0 ? 0 : y[i];
}

static void linear_block(void *context, int64_t chunk)
{
    const struct linear *p = context;
    int64_t begin, end, in = p->x->cols;
    l2r_chunk_range(&begin, &end, p->rows, p->block, chunk);
    l2r_real *y = p->y + begin * p->out, *temp = p->temp + l2r_worker() * l2r_input_temp(p->x, p->block);
    struct l2r_matrix x = {l2r_input_rows(p->x, temp, begin, end), in, false}, w = {p->w, in, true};
    l2r_gemm_serial(y, p->out, 0, x, w, end - begin, p->out, in);
    if (p->b)
        add_bias(y, p->b, p->relu, end - begin, p->out);
    else if (p->relu)
        relu(y, (end - begin) * p->out);
}

int64_t l2r_linear_temp(const struct l2r_input *x, int64_t rows, int64_t out)
{
    return l2r_threads_get() * l2r_input_temp(x, l2r_gemm_block(rows, out, x->cols));
}

void l2r_linear_forward(l2r_real *y, const struct l2r_input *x, const l2r_real *w, const l2r_real *b, bool then_relu,
                        l2r_real *temp, int64_t rows, int64_t out)
{
    struct linear p = {y, temp, x, w, b, then_relu, rows, out, l2r_gemm_block(rows, out, x->cols)};
    l2r_parallel(l2r_chunk_count(rows, p.block), linear_block, &p);
}

struct mask {
    l2r_real *d_y;
    const l2r_real *y;
    int64_t n;
};

L2R_CLONES(static, mask_values, (l2r_real * d_y, const l2r_real *y, int64_t n), (d_y, y, n))
{
    for (int64_t i = 0; i < n; i++) d_y[i] = y[i] > 0 ? d_y[i] : 0;
}

static void mask_chunk(void *context, int64_t chunk)
{
    const struct mask *p = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, p->n, VALUES_A_CHUNK, chunk);
    mask_values(p->d_y + begin, p->y + begin, end - begin);
}

void l2r_relu_backward(l2r_real *d_y, const l2r_real *y, int64_t n)
{
    struct mask p = {d_y, y, n};
    l2r_parallel(l2r_chunk_count(n, VALUES_A_CHUNK), mask_chunk, &p);
}

struct sums {
    const l2r_real *d_y;
    double *partial; /* [chunks × cols] */
    int64_t rows, cols;
};

static void sums_chunk(void *context, int64_t chunk)
{
    const struct sums *p = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, p->rows, ROWS_A_CHUNK, chunk);
    l2r_sum_rows(p->partial + chunk * p->cols, p->d_y + begin * p->cols, end - begin, p->cols);
}

int64_t l2r_column_sums_scratch(int64_t rows, int64_t cols)
{
    return l2r_chunk_count(rows, ROWS_A_CHUNK) * cols;
}

void l2r_column_sums(l2r_real *d_b, l2r_real beta, const l2r_real *d_y, double *scratch, int64_t rows, int64_t cols)
{
    struct sums p = {d_y, scratch, rows, cols};
    int64_t chunks = l2r_chunk_count(rows, ROWS_A_CHUNK);
    l2r_parallel(chunks, sums_chunk, &p);
    for (int64_t j = 0; j < cols; j++) {
        double sum = 0;
        for (int64_t c = 0; c < chunks; c++) sum += scratch[c * cols + j];
        d_b[j] = (l2r_real)sum + (beta == 0 ? 0 : beta * d_b[j]);
    }
}

/* ---- backward ---- */

enum { ROWS_A_SLICE = 384, MOST_SLICES = 16, WEIGHTS_A_CHUNK = 1 << 12, ROWS_A_FLOAT_SUM = 32 };

struct gradient_work {
    const struct l2r_linear_gradient *g;
    l2r_real *partial; /* [slices × out × in] */
    double *sums;      /* [slices × out] */
    l2r_real *temp;    /* rows of x, for each thread */
    int64_t slices, rows_a_slice, block;
};

static int64_t slices_of(int64_t rows)
{
    int64_t slices = 1;
    while (slices < MOST_SLICES && rows / (2 * slices) >= ROWS_A_SLICE) slices *= 2;
    return slices;
}

/* A few rows are added in l2r_real (the compiler vectorises that), then folded into a double. */
L2R_CLONES(extern, l2r_sum_rows, (double *sum, const l2r_real *y, int64_t rows, int64_t cols), (sum, y, rows, cols))
{
    enum { TILE = 64 };
    for (int64_t j0 = 0; j0 < cols; j0 += TILE) {
        int64_t width = cols - j0 < TILE ? cols - j0 : TILE;
        for (int64_t j = 0; j < width; j++) sum[j0 + j] = 0;
        for (int64_t i0 = 0; i0 < rows; i0 += ROWS_A_FLOAT_SUM) {
            int64_t i1 = i0 + ROWS_A_FLOAT_SUM < rows ? i0 + ROWS_A_FLOAT_SUM : rows;
            l2r_real block[TILE] = {0};
            for (int64_t i = i0; i < i1; i++)
                for (int64_t j = 0; j < width; j++) block[j] += y[i * cols + j0 + j];
            for (int64_t j = 0; j < width; j++) sum[j0 + j] += (double)block[j];
        }
    }
}

static void weight_slice(const struct gradient_work *w, int64_t slice)
{
    const struct l2r_linear_gradient *g = w->g;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, g->rows, w->rows_a_slice, slice);
    const l2r_real *d_z = g->d_z + begin * g->out;
    if (g->d_w) {
        int64_t in = g->x.cols;
        l2r_real *temp = w->temp + l2r_worker() * l2r_input_temp(&g->x, w->rows_a_slice);
        struct l2r_matrix left = {d_z, g->out, true}, right = {l2r_input_rows(&g->x, temp, begin, end), in, false};
        if (w->slices == 1)
            l2r_gemm_serial(g->d_w, in, g->beta_w, left, right, g->out, in, end - begin);
        else
            l2r_gemm_serial(w->partial + slice * g->out * in, in, 0, left, right, g->out, in, end - begin);
    }
    if (g->d_b) l2r_sum_rows(w->sums + slice * g->out, d_z, end - begin, g->out);
}

static void input_block(const struct gradient_work *w, int64_t block)
{
    const struct l2r_linear_gradient *g = w->g;
    int64_t begin, end, in = g->x.cols;
    l2r_chunk_range(&begin, &end, g->rows, w->block, block);
    struct l2r_matrix left = {g->d_z + begin * g->out, g->out, false}, right = {g->w, in, false};
    l2r_gemm_serial(g->d_x + begin * in, in, g->beta_x, left, right, end - begin, in, g->out);
}

static void task(void *context, int64_t chunk)
{
    const struct gradient_work *w = context;
    if (chunk < w->slices)
        weight_slice(w, chunk);
    else
        input_block(w, chunk - w->slices);
}

/* ---- adding the slices ---- */

struct addition {
    l2r_real *out;
    l2r_real beta;
    const l2r_real *partial;
    int64_t slices, n;
};

L2R_CLONES(static, add_range, (const struct addition *p, int64_t begin, int64_t end), (p, begin, end))
{
    const l2r_real *partial = p->partial;
    int64_t i = begin;
    for (; i + L2R_LANES <= end; i += L2R_LANES) {
        l2r_vec sum = {0}, *out = (l2r_vec *)(p->out + i);
        for (int64_t s = 0; s < p->slices; s++) sum += *(const l2r_vec *)(partial + s * p->n + i);
        if (p->beta != 0) sum += p->beta * *out;
        *out = sum;
    }
    for (; i < end; i++) {
        l2r_real sum = 0;
        for (int64_t s = 0; s < p->slices; s++) sum += partial[s * p->n + i];
        p->out[i] = p->beta == 0 ? sum : sum + p->beta * p->out[i];
    }
}

static void add_chunk(void *context, int64_t chunk)
{
    const struct addition *p = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, p->n, WEIGHTS_A_CHUNK, chunk);
    add_range(p, begin, end);
}

void l2r_add_slices(l2r_real *out, l2r_real beta, const l2r_real *partial, int64_t slices, int64_t n)
{
    struct addition p = {out, beta, partial, slices, n};
    l2r_parallel(l2r_chunk_count(n, WEIGHTS_A_CHUNK), add_chunk, &p);
}

static void finish_bias(const struct gradient_work *w)
{
    const struct l2r_linear_gradient *g = w->g;
    for (int64_t j = 0; j < g->out; j++) {
        double sum = 0;
        for (int64_t s = 0; s < w->slices; s++) sum += w->sums[s * g->out + j];
        g->d_b[j] = (l2r_real)sum + (g->beta_b == 0 ? 0 : g->beta_b * g->d_b[j]);
    }
}

/* Rows of x in a slice. */
static int64_t slice_rows(int64_t rows)
{
    int64_t slices = slices_of(rows);
    return rows > 0 ? (rows + slices - 1) / slices : 1;
}

int64_t l2r_linear_backward_scratch(const struct l2r_linear_gradient *g)
{
    int64_t slices = slices_of(g->rows), partial = g->d_w && slices > 1 ? slices * g->out * g->x.cols : 0;
    int64_t temp = g->d_w ? l2r_threads_get() * l2r_input_temp(&g->x, slice_rows(g->rows)) : 0;
    return slices * g->out * (int64_t)sizeof(double) + (partial + temp) * (int64_t)sizeof(l2r_real);
}

void l2r_linear_backward(const struct l2r_linear_gradient *g, void *scratch)
{
    int64_t slices = slices_of(g->rows), weights = g->out * g->x.cols;
    struct gradient_work w = {.g = g, .sums = scratch, .slices = slices, .rows_a_slice = slice_rows(g->rows)};
    void *numbers = w.sums + slices * g->out;
    w.partial = numbers;
    w.temp = w.partial + (g->d_w && slices > 1 ? slices * weights : 0);
    w.block = l2r_gemm_block(g->rows, g->x.cols, g->out);
    l2r_parallel(slices + (g->d_x ? l2r_chunk_count(g->rows, w.block) : 0), task, &w);
    if (g->d_w && slices > 1) l2r_add_slices(g->d_w, g->beta_w, w.partial, slices, weights);
    if (g->d_b) finish_bias(&w);
}
