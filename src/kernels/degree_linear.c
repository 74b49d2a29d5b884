/* SPDX-License-Identifier: MIT
 * See degree_linear.h. scratch holds, behind each other: one group's weight [out × in], rows in the groups' order [rows × out], and for
 * backward the gradient of one group's weight [out × in] and of the sorted input [rows × in]. */
#include "kernels/degree_linear.h"

#include "base/threads.h"
#include "kernels/gemm.h"
#include "kernels/rows.h"

#include <string.h>

enum { ROWS_A_CHUNK = 16 };

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

static L2R_CLONES void mix_rows(const struct work *w, int64_t begin, int64_t end)
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

static L2R_CLONES void share_rows(const struct work *w, int64_t begin, int64_t end)
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

int64_t l2r_degree_linear_scratch(int64_t n_rows, int64_t n_in, int64_t n_out, bool backward)
{
    int64_t forward = n_in * n_out + n_rows * n_out;
    return backward ? forward + n_in * n_out + n_rows * n_in : forward;
}

void l2r_degree_linear_forward(l2r_real *y, l2r_real *sorted, const l2r_real *x, const l2r_real *v,
                               const struct l2r_degree_groups *groups, l2r_real *scratch, int64_t n_in, int64_t n_out)
{
    l2r_real *weight = scratch, *rows = scratch + n_in * n_out;
    l2r_rows_gather(sorted, x, groups->order, groups->n_rows, n_in);
    memset(rows, 0, (size_t)(groups->start[0] * n_out) * sizeof *rows);
    for (int64_t g = 0; g < groups->n_groups; g++) {
        int64_t first = groups->start[g], n = groups->start[g + 1] - first;
        struct work w = {.y = weight, .x = v, .scale = groups->scale + g * groups->n_scales, .n = n_out, .n_in = n_in};
        w.n_scales = groups->n_scales;
        run(&w, mix_chunk);
        l2r_gemm(rows + first * n_out, n_out, 0, (struct l2r_matrix){sorted + first * n_in, n_in, false},
                 (struct l2r_matrix){weight, n_in, true}, n, n_out, n_in);
    }
    struct work w = {.y = y, .x = rows, .index = groups->order, .n = groups->n_rows, .n_in = n_out};
    run(&w, place_chunk);
}

void l2r_degree_linear_backward(l2r_real *d_x, l2r_real beta_x, l2r_real *d_v, l2r_real beta_v, const l2r_real *d_y,
                                const l2r_real *sorted, const l2r_real *v, const struct l2r_degree_groups *groups,
                                l2r_real *scratch, int64_t n_in, int64_t n_out)
{
    l2r_real *weight = scratch, *rows = scratch + n_in * n_out, *d_weight = rows + groups->n_rows * n_out,
             *d_sorted = d_weight + n_in * n_out;
    l2r_rows_gather(rows, d_y, groups->order, groups->n_rows, n_out);
    memset(d_sorted, 0, (size_t)(groups->start[0] * n_in) * sizeof *d_sorted);
    for (int64_t g = 0; g < groups->n_groups; g++) {
        int64_t first = groups->start[g], n = groups->start[g + 1] - first;
        struct work w = {.scale = groups->scale + g * groups->n_scales, .n = n_out, .n_in = n_in};
        w.n_scales = groups->n_scales;
        if (d_x) {
            w.y = weight, w.x = v;
            run(&w, mix_chunk);
            l2r_gemm(d_sorted + first * n_in, n_in, 0, (struct l2r_matrix){rows + first * n_out, n_out, false},
                     (struct l2r_matrix){weight, n_in, false}, n, n_in, n_out);
        }
        if (!d_v) continue;
        l2r_gemm(d_weight, n_in, 0, (struct l2r_matrix){rows + first * n_out, n_out, true},
                 (struct l2r_matrix){sorted + first * n_in, n_in, false}, n_out, n_in, n);
        w.y = d_v, w.x = d_weight, w.beta = g == 0 ? beta_v : 1;
        run(&w, share_chunk);
    }
    if (d_v && groups->n_groups == 0 && beta_v == 0)
        memset(d_v, 0, (size_t)(groups->n_scales * n_in * n_out) * sizeof *d_v);
    if (!d_x) return;
    struct work w = {
        .y = d_x, .x = d_sorted, .index = groups->order, .beta = beta_x, .n = groups->n_rows, .n_in = n_in};
    run(&w, place_chunk);
}
