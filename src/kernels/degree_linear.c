/* SPDX-License-Identifier: MIT
 * See the end of multi_aggregate.h. Rows of a group are taken in blocks, so that scratch stays small whatever the
 * batch: one group's weight [out × in], a block of input and output, and for backward also the gradients of the block's
 * input and of the group's weight. */
#include "kernels/multi_aggregate.h"

#include "base/threads.h"
#include "kernels/gemm.h"
#include "kernels/rows.h"

#include <string.h>

enum { ROWS_A_CHUNK = 16, ROWS_A_BLOCK = 1024 };

struct work {
    l2r_real *y;
    const l2r_real *x, *scale;
    const int32_t *index;
    l2r_real beta;
    int64_t n, n_in, n_scales;
};

static void run(struct work *w, l2r_chunk_fn *fn)
{
    l2r_parallel(l2r_chunk_count(w->n, ROWS_A_CHUNK), fn, w);
}

L2R_CLONES(static, mix_rows, (const struct work *w, int64_t begin, int64_t end), (w, begin, end))
{
    for (int64_t i = begin; i < end; i++) {
        l2r_real *restrict y = w->y + i * w->n_in;
        const l2r_real *x = w->x + i * w->n_scales * w->n_in;
        for (int64_t j = 0; j < w->n_in; j++) y[j] = w->scale[0] * x[j];
        for (int64_t s = 1; s < w->n_scales; s++)
            for (int64_t j = 0; j < w->n_in; j++) y[j] += w->scale[s] * x[s * w->n_in + j];
    }
}

/* One group's weight: V(d) = Σ_s scale_s V_s. */
static void mix_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, ROWS_A_CHUNK, chunk);
    mix_rows(w, begin, end);
}

L2R_CLONES(static, share_rows, (const struct work *w, int64_t begin, int64_t end), (w, begin, end))
{
    for (int64_t i = begin; i < end; i++)
        for (int64_t s = 0; s < w->n_scales; s++) {
            l2r_real *restrict y = w->y + (i * w->n_scales + s) * w->n_in;
            const l2r_real *x = w->x + i * w->n_in;
            if (w->beta == 0)
                for (int64_t j = 0; j < w->n_in; j++) y[j] = w->scale[s] * x[j];
            else
                for (int64_t j = 0; j < w->n_in; j++) y[j] = w->beta * y[j] + w->scale[s] * x[j];
        }
}

/* The other way round: d_V_s = beta·d_V_s + scale_s d_V(d). */
static void share_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, ROWS_A_CHUNK, chunk);
    share_rows(w, begin, end);
}

/* y[index[i]] = beta·y + x[i]; every row of y is met once. */
static void place_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, ROWS_A_CHUNK, chunk);
    for (int64_t i = begin; i < end; i++) {
        l2r_real *y = w->y + (int64_t)w->index[i] * w->n_in;
        const l2r_real *x = w->x + i * w->n_in;
        if (w->beta == 0)
            memcpy(y, x, (size_t)w->n_in * sizeof *y);
        else
            for (int64_t j = 0; j < w->n_in; j++) y[j] = w->beta * y[j] + x[j];
    }
}

static int64_t block_rows(int64_t n_rows)
{
    return n_rows < ROWS_A_BLOCK ? n_rows : ROWS_A_BLOCK;
}

int64_t l2r_degree_linear_scratch(int64_t n_rows, int64_t n_in, int64_t n_out, bool backward)
{
    int64_t forward = n_in * n_out + block_rows(n_rows) * (n_in + n_out);
    return backward ? forward + n_in * n_out + block_rows(n_rows) * n_in : forward;
}

/* Rows of degree 0: they are first in the order. */
static void clear_isolated(l2r_real *y, const struct l2r_degree_groups *groups, int64_t cols)
{
    for (int64_t i = 0; i < groups->start[0]; i++)
        memset(y + (int64_t)groups->order[i] * cols, 0, (size_t)cols * sizeof *y);
}

static void mix(l2r_real *weight, const l2r_real *v, const struct l2r_degree_groups *groups, int64_t g, int64_t n_in,
                int64_t n_out)
{
    const l2r_real *scale = groups->scale + g * groups->n_scales;
    struct work w = {.y = weight, .x = v, .scale = scale, .n = n_out, .n_in = n_in, .n_scales = groups->n_scales};
    run(&w, mix_chunk);
}

static void place(l2r_real *y, l2r_real beta, const l2r_real *x, const int32_t *index, int64_t n, int64_t cols)
{
    struct work w = {.y = y, .x = x, .index = index, .beta = beta, .n = n, .n_in = cols};
    run(&w, place_chunk);
}

void l2r_degree_linear_forward(l2r_real *y, const l2r_real *x, const l2r_real *v,
                               const struct l2r_degree_groups *groups, l2r_real *scratch, int64_t n_in, int64_t n_out)
{
    l2r_real *weight = scratch, *in = weight + n_in * n_out, *out = in + block_rows(groups->n_rows) * n_in;
    clear_isolated(y, groups, n_out);
    for (int64_t g = 0; g < groups->n_groups; g++) {
        mix(weight, v, groups, g, n_in, n_out);
        for (int64_t first = groups->start[g]; first < groups->start[g + 1]; first += ROWS_A_BLOCK) {
            int64_t n = block_rows(groups->start[g + 1] - first);
            l2r_rows_gather(in, x, groups->order + first, n, n_in);
            l2r_gemm(out, n_out, 0, (struct l2r_matrix){in, n_in, false}, (struct l2r_matrix){weight, n_in, true}, n,
                     n_out, n_in);
            place(y, 0, out, groups->order + first, n, n_out);
        }
    }
}

void l2r_degree_linear_backward(l2r_real *d_x, l2r_real beta_x, l2r_real *d_v, l2r_real beta_v, const l2r_real *d_y,
                                const l2r_real *x, const l2r_real *v, const struct l2r_degree_groups *groups,
                                l2r_real *scratch, int64_t n_in, int64_t n_out)
{
    int64_t block = block_rows(groups->n_rows);
    l2r_real *weight = scratch, *in = weight + n_in * n_out, *d_out = in + block * n_in, *d_in = d_out + block * n_out,
             *d_weight = d_in + block * n_in;
    if (d_x && beta_x == 0) clear_isolated(d_x, groups, n_in);
    if (d_v && groups->n_groups == 0 && beta_v == 0)
        memset(d_v, 0, (size_t)(groups->n_scales * n_in * n_out) * sizeof *d_v);
    for (int64_t g = 0; g < groups->n_groups; g++) {
        if (d_x) mix(weight, v, groups, g, n_in, n_out);
        for (int64_t first = groups->start[g]; first < groups->start[g + 1]; first += ROWS_A_BLOCK) {
            int64_t n = block_rows(groups->start[g + 1] - first);
            const int32_t *rows = groups->order + first;
            struct l2r_matrix d_rows = {d_out, n_out, false}, d_columns = {d_out, n_out, true};
            l2r_rows_gather(d_out, d_y, rows, n, n_out);
            if (d_x) {
                l2r_gemm(d_in, n_in, 0, d_rows, (struct l2r_matrix){weight, n_in, false}, n, n_in, n_out);
                place(d_x, beta_x, d_in, rows, n, n_in);
            }
            if (!d_v) continue;
            l2r_rows_gather(in, x, rows, n, n_in);
            l2r_gemm(d_weight, n_in, first == groups->start[g] ? 0 : 1, d_columns, (struct l2r_matrix){in, n_in, false},
                     n_out, n_in, n);
        }
        struct work w = {.y = d_v, .x = d_weight, .beta = g == 0 ? beta_v : 1, .n = n_out, .n_in = n_in};
        w.scale = groups->scale + g * groups->n_scales, w.n_scales = groups->n_scales;
        if (d_v) run(&w, share_chunk);
    }
}
