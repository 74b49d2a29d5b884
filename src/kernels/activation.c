/* SPDX-License-Identifier: MIT
 * See activation.h. ReLU and none are one loop with dropout; any other activation is called on runs of RUN numbers. */
#include "kernels/activation.h"

#include "base/threads.h"

#include <stddef.h>

enum { VALUES_A_CHUNK = 1 << 15, RUN = 512 };

struct work {
    l2r_real *out;
    l2r_real beta;
    const l2r_real *d_y, *x;
    struct l2r_dropout dropout;
    const struct l2r_activation *act;
    int64_t n;
};

/* What a value is multiplied with. Without dropout nothing is hashed. */
L2R_INLINE l2r_real mask_of(const struct l2r_dropout *dropout, int64_t i)
{
    return dropout->threshold == 0 ? dropout->scale : l2r_mask_value(dropout, (uint32_t)i);
}

L2R_CLONES(static, forward_values, (const struct work *w, int64_t begin, int64_t end), (w, begin, end))
{
    bool relu = l2r_is_relu(w->act);
    const l2r_real *x = w->x;
    l2r_real *out = w->out;
    struct l2r_dropout dropout = w->dropout;
    for (int64_t i = begin; i < end; i++) {
        l2r_real value = relu && x[i] < 0 ? 0 : x[i];
        out[i] = value * mask_of(&dropout, i);
    }
}

/* The slope of a ReLU is selected without a branch, which would be unpredictable. */
L2R_CLONES(static, backward_values, (const struct work *w, int64_t begin, int64_t end), (w, begin, end))
{
    bool relu = l2r_is_relu(w->act);
    const l2r_real *d_y = w->d_y, *x = w->x;
    l2r_real *out = w->out, beta = w->beta;
    struct l2r_dropout dropout = w->dropout;
    for (int64_t i = begin; i < end; i++) {
        l2r_real g = d_y[i] * mask_of(&dropout, i);
        g = relu && !(x[i] > 0) ? 0 : g;
        out[i] = beta == 0 ? g : beta * out[i] + g;
    }
}

static void call_forward(const struct work *w, int64_t begin, int64_t end)
{
    w->act->forward(w->out + begin, w->x + begin, end - begin);
    for (int64_t i = begin; i < end; i++) w->out[i] *= mask_of(&w->dropout, i);
}

static void call_backward(const struct work *w, int64_t begin, int64_t end)
{
    for (int64_t i0 = begin; i0 < end; i0 += RUN) {
        int64_t n = end - i0 < RUN ? end - i0 : RUN;
        l2r_real g[RUN], *out = w->out + i0;
        for (int64_t k = 0; k < n; k++) g[k] = w->d_y[i0 + k] * mask_of(&w->dropout, i0 + k);
        w->act->backward(g, w->x + i0, n);
        for (int64_t k = 0; k < n; k++) out[k] = w->beta == 0 ? g[k] : w->beta * out[k] + g[k];
    }
}

static void chunk_of(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->n, VALUES_A_CHUNK, chunk);
    bool called = l2r_is_called(w->act);
    if (w->d_y)
        (called ? call_backward : backward_values)(w, begin, end);
    else
        (called ? call_forward : forward_values)(w, begin, end);
}

static void run(struct work *w, const struct l2r_dropout *dropout)
{
    w->dropout = dropout ? *dropout : (struct l2r_dropout){.scale = 1};
    l2r_parallel(l2r_chunk_count(w->n, VALUES_A_CHUNK), chunk_of, w);
}

void l2r_activate_forward(l2r_real *y, const l2r_real *x, const struct l2r_activation *act,
                          const struct l2r_dropout *dropout, int64_t n)
{
    struct work w = {.out = y, .x = x, .act = act, .n = n};
    run(&w, dropout);
}

void l2r_activate_backward(l2r_real *d_x, l2r_real beta, const l2r_real *d_y, const l2r_real *x,
                           const struct l2r_activation *act, const struct l2r_dropout *dropout, int64_t n)
{
    struct work w = {.out = d_x, .beta = beta, .d_y = d_y, .x = x, .act = act, .n = n};
    run(&w, dropout);
}
