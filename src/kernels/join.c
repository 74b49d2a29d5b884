/* SPDX-License-Identifier: MIT
 * See join.h. */
#include "kernels/join.h"

#include "base/threads.h"

enum { NUMBERS_A_CHUNK = 16384 };

struct work {
    l2r_real *y;
    int64_t y_stride, x_stride, rows, cols, rows_a_chunk;
    l2r_real beta;
    const l2r_real *x;
    int32_t *argmax_out, which;
    const int32_t *argmax;
};

static L2R_CLONES void copy_rows(const struct work *w, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++) {
        l2r_real *y = w->y + i * w->y_stride;
        const l2r_real *x = w->x + i * w->x_stride;
        if (w->beta == 0)
            for (int64_t j = 0; j < w->cols; j++) y[j] = x[j];
        else
            for (int64_t j = 0; j < w->cols; j++) y[j] = w->beta * y[j] + x[j];
    }
}

static void copy_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->rows, w->rows_a_chunk, chunk);
    copy_rows(w, begin, end);
}

void l2r_block_copy(l2r_real *y, int64_t y_stride, l2r_real beta, const l2r_real *x, int64_t x_stride, int64_t rows,
                    int64_t cols)
{
    struct work w = {.y = y, .y_stride = y_stride, .x_stride = x_stride, .rows = rows, .cols = cols, .beta = beta};
    w.x = x;
    w.rows_a_chunk = cols < NUMBERS_A_CHUNK ? NUMBERS_A_CHUNK / (cols + 1) + 1 : 1;
    l2r_parallel(l2r_chunk_count(rows, w.rows_a_chunk), copy_chunk, &w);
}

static L2R_CLONES void take(l2r_real *y, int32_t *argmax, const l2r_real *x, int32_t which, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int larger = (which == 0) | (x[i] > y[i]) | (x[i] != x[i]);
        y[i] = larger ? x[i] : y[i];
        argmax[i] = larger ? which : argmax[i];
    }
}

static void take_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->rows, NUMBERS_A_CHUNK, chunk);
    take(w->y + begin, w->argmax_out + begin, w->x + begin, w->which, end - begin);
}

void l2r_largest_take(l2r_real *y, int32_t *argmax, const l2r_real *x, int32_t which, int64_t n)
{
    struct work w = {.y = y, .argmax_out = argmax, .x = x, .which = which, .rows = n};
    l2r_parallel(l2r_chunk_count(n, NUMBERS_A_CHUNK), take_chunk, &w);
}

static L2R_CLONES void give(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const int32_t *argmax, int32_t which,
                            int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        l2r_real d = argmax[i] == which ? d_y[i] : 0;
        d_x[i] = beta == 0 ? d : beta * d_x[i] + d;
    }
}

static void give_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->rows, NUMBERS_A_CHUNK, chunk);
    give(w->y + begin, w->beta, w->x + begin, w->argmax + begin, w->which, end - begin);
}

void l2r_largest_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const int32_t *argmax, int32_t which,
                          int64_t n)
{
    struct work w = {.y = d_x, .beta = beta, .x = d_y, .argmax = argmax, .which = which, .rows = n};
    l2r_parallel(l2r_chunk_count(n, NUMBERS_A_CHUNK), give_chunk, &w);
}
