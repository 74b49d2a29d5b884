/* SPDX-License-Identifier: MIT
 * See linear.h. */
#include "kernels/linear.h"

#include "base/threads.h"
#include "kernels/gemm.h"

#include <stddef.h>

enum { ROWS_A_CHUNK = 512, VALUES_A_CHUNK = 1 << 16 };

struct linear {
    l2r_real *y, *temp;
    const struct l2r_input *x;
    const l2r_real *w, *b;
    enum l2r_activation act;
    int64_t rows, out, block;
};

static L2R_CLONES void add_bias(l2r_real *y, const l2r_real *b, enum l2r_activation act, int64_t rows, int64_t cols)
{
    for (int64_t i = 0; i < rows; i++) {
        l2r_real *row = y + i * cols;
        if (act == L2R_RELU)
            for (int64_t j = 0; j < cols; j++) {
                l2r_real value = row[j] + b[j];
                row[j] = value < 0 ? 0 : value; /* NaN stays */
            }
        else
            for (int64_t j = 0; j < cols; j++) row[j] += b[j];
    }
}

static L2R_CLONES void relu(l2r_real *y, int64_t n)
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
        add_bias(y, p->b, p->act, end - begin, p->out);
    else if (p->act == L2R_RELU)
        relu(y, (end - begin) * p->out);
}

int64_t l2r_linear_temp(const struct l2r_input *x, int64_t rows, int64_t out)
{
    return l2r_threads_get() * l2r_input_temp(x, l2r_gemm_block(rows, out, x->cols));
}

void l2r_linear_forward(l2r_real *y, const struct l2r_input *x, const l2r_real *w, const l2r_real *b,
                        enum l2r_activation act, l2r_real *temp, int64_t rows, int64_t out)
{
    struct linear p = {y, temp, x, w, b, act, rows, out, l2r_gemm_block(rows, out, x->cols)};
    l2r_parallel(l2r_chunk_count(rows, p.block), linear_block, &p);
}

struct mask {
    l2r_real *d_y;
    const l2r_real *y;
    int64_t n;
};

static L2R_CLONES void mask_values(l2r_real *d_y, const l2r_real *y, int64_t n)
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
