/* SPDX-License-Identifier: MIT
 * See activation.h. */
#include "kernels/activation.h"

#include "base/threads.h"

#include <stddef.h>

enum { VALUES_A_CHUNK = 1 << 15 };

struct work {
    l2r_real *out;
    l2r_real beta;
    const l2r_real *d_y, *x;
    struct l2r_dropout dropout;
    int relu;
    int64_t n;
};

static L2R_CLONES void forward_values(const struct work *w, int64_t begin, int64_t end)
{
    struct l2r_dropout dropout = w->dropout;
    for (int64_t i = begin; i < end; i++) {
        l2r_real value = w->relu && w->x[i] < 0 ? 0 : w->x[i];
        w->out[i] = value * l2r_mask_value(&dropout, (uint32_t)i);
    }
}

static L2R_CLONES void backward_values(const struct work *w, int64_t begin, int64_t end)
{
    struct l2r_dropout dropout = w->dropout;
    for (int64_t i = begin; i < end; i++) {
        l2r_real g = w->d_y[i] * l2r_mask_value(&dropout, (uint32_t)i);
        if (w->relu && !(w->x[i] > 0)) g = 0;
        w->out[i] = w->beta == 0 ? g : w->beta * w->out[i] + g;
    }
}

static void chunk_of(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, VALUES_A_CHUNK, chunk);
    if (w->d_y)
        backward_values(w, begin, end);
    else
        forward_values(w, begin, end);
}

static void run(struct work *w, const struct l2r_dropout *dropout)
{
    w->dropout = dropout ? *dropout : (struct l2r_dropout){.scale = 1};
    l2r_parallel(l2r_chunk_count(w->n, VALUES_A_CHUNK), chunk_of, w);
}

void l2r_activate_forward(l2r_real *y, const l2r_real *x, enum l2r_activation act, const struct l2r_dropout *dropout,
                          int64_t n)
{
    struct work w = {.out = y, .x = x, .relu = act == L2R_RELU, .n = n};
    run(&w, dropout);
}

void l2r_activate_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const l2r_real *x,
                           enum l2r_activation act, const struct l2r_dropout *dropout, int64_t n)
{
    struct work w = {.out = d_x, .beta = beta, .d_y = d_y, .x = x, .relu = act == L2R_RELU, .n = n};
    run(&w, dropout);
}
