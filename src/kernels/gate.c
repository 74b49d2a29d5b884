/* SPDX-License-Identifier: MIT
 * The gate of top_k.h: rows that stay, scaled by tanh of their scores. */
#include "kernels/top_k.h"

#include "base/threads.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { ROWS_A_CHUNK = 256 };

struct work {
    l2r_real *y, *gate_out, *d_score;
    const l2r_real *x, *score, *gate, *d_y;
    const int32_t *row; /* forward: keep, backward: place */
    l2r_real beta_x, beta_s;
    int64_t n, dim;
};

static L2R_CLONES void scale_row(l2r_real *restrict y, l2r_real beta, l2r_real scale, const l2r_real *restrict x,
                                 int64_t n)
{
    if (beta == 0)
        for (int64_t j = 0; j < n; j++) y[j] = scale * x[j];
    else
        for (int64_t j = 0; j < n; j++) y[j] = beta * y[j] + scale * x[j];
}

static L2R_CLONES l2r_real dot_row(const l2r_real *a, const l2r_real *b, int64_t n)
{
    return l2r_row_dot(a, b, n);
}

static void forward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, ROWS_A_CHUNK, chunk);
    for (int64_t i = begin; i < end; i++) {
        w->gate_out[i] = (l2r_real)tanh((double)w->score[w->row[i]]);
        scale_row(w->y + i * w->dim, 0, w->gate_out[i], w->x + w->row[i] * w->dim, w->dim);
    }
}

void l2r_gate_forward(l2r_real *y, l2r_real *gate, const l2r_real *x, const l2r_real *score, const int32_t *keep,
                      int64_t n_kept, int64_t dim)
{
    struct work w = {.y = y, .gate_out = gate, .x = x, .score = score, .row = keep, .n = n_kept, .dim = dim};
    l2r_parallel(l2r_chunk_count(n_kept, ROWS_A_CHUNK), forward_chunk, &w);
}

static void backward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, ROWS_A_CHUNK, chunk);
    for (int64_t k = begin; k < end; k++) {
        int64_t i = w->row[k];
        if (w->y && i >= 0)
            scale_row(w->y + k * w->dim, w->beta_x, w->gate[i], w->d_y + i * w->dim, w->dim);
        else if (w->y && w->beta_x == 0)
            memset(w->y + k * w->dim, 0, (size_t)w->dim * sizeof *w->y);
        if (!w->d_score) continue;
        l2r_real own = 0;
        if (i >= 0) own = (1 - w->gate[i] * w->gate[i]) * dot_row(w->d_y + i * w->dim, w->x + k * w->dim, w->dim);
        w->d_score[k] = w->beta_s == 0 ? own : w->beta_s * w->d_score[k] + own;
    }
}

void l2r_gate_backward(l2r_real *d_x, l2r_real beta_x, l2r_real *d_score, l2r_real beta_s, const l2r_real *d_y,
                       const l2r_real *x, const l2r_real *gate, const int32_t *place, int64_t n_rows, int64_t dim)
{
    struct work w = {.y = d_x,
                     .beta_x = beta_x,
                     .d_score = d_score,
                     .beta_s = beta_s,
                     .d_y = d_y,
                     .x = x,
                     .gate = gate,
                     .row = place,
                     .n = n_rows,
                     .dim = dim};
    l2r_parallel(l2r_chunk_count(n_rows, ROWS_A_CHUNK), backward_chunk, &w);
}
