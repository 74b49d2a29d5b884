/* SPDX-License-Identifier: MIT
 * The weighted sums of factor.h. Backward walks the same lists once: along an arc of v, the way back carries u's gradient to x_v,
 * and the product of v's gradient with x_u is the gradient of the arc's own weight. */
#include "kernels/factor.h"

#include "base/threads.h"

#include <stddef.h>
#include <string.h>

enum { NODES_A_CHUNK = 64 };

struct work {
    l2r_real *y, *d_gates;
    const l2r_real *x, *d_y, *gates;
    const struct l2r_factors *f;
    l2r_real beta_x, beta_g;
    int64_t width, x_width;
    int shared;
};

/* y += a x */
L2R_INLINE void add_scaled(l2r_real *y, l2r_real a, const l2r_real *x, int64_t n)
{
    int64_t j = 0;
    for (; j + L2R_LANES <= n; j += L2R_LANES) *(l2r_vec *)(y + j) += a * *(const l2r_vec *)(x + j);
    for (; j < n; j++) y[j] += a * x[j];
}

/* Adds c g_k x_u,k to y_k for every factor k. */
L2R_INLINE void add_node(l2r_real *y, const struct work *w, int64_t u, l2r_real c, const l2r_real *gate)
{
    const l2r_real *x = w->x + u * w->x_width;
    for (int64_t k = 0; k < w->f->n; k++) {
        int64_t first = l2r_factor_column(w->width, w->f->n, k), last = l2r_factor_column(w->width, w->f->n, k + 1);
        add_scaled(y + first, c * gate[k], w->shared ? x : x + first, last - first);
    }
}

static L2R_CLONES void forward_nodes(const struct work *w, int64_t begin, int64_t end)
{
    const struct l2r_adjacency *graph = &w->f->graph;
    const l2r_real *s = graph->inverse_root_degree;
    int64_t n = w->f->n;
    for (int64_t v = begin; v < end; v++) {
        l2r_real *y = w->y + v * w->width;
        memset(y, 0, (size_t)w->width * sizeof *y);
        add_node(y, w, v, s[v] * s[v], w->gates + (graph->n_arcs + v) * n);
        for (int64_t e = graph->arc_start[v]; e < graph->arc_start[v + 1]; e++) {
            int64_t u = graph->neighbour[e];
            if (u != v) add_node(y, w, u, s[v] * s[u], w->gates + e * n);
        }
    }
}

static void forward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->f->graph.n_nodes, NODES_A_CHUNK, chunk);
    forward_nodes(w, begin, end);
}

void l2r_factor_forward(l2r_real *y, const l2r_real *x, const l2r_real *gates, const struct l2r_factors *f,
                        int64_t width, int shared)
{
    struct work w = {.y = y, .x = x, .gates = gates, .f = f, .width = width, .shared = shared};
    w.x_width = shared ? width / f->n : width;
    l2r_parallel(l2r_chunk_count(f->graph.n_nodes, NODES_A_CHUNK), forward_chunk, &w);
}

/* One arc into v (or v itself): its weights' gradient; and through `back`, the weights of the way back, x_v's. */
L2R_INLINE void back_node(const struct work *w, int64_t v, int64_t u, l2r_real c, int64_t gate, int64_t back)
{
    int64_t n = w->f->n;
    const l2r_real *x = w->x + u * w->x_width, *own = w->d_y + v * w->width, *other = w->d_y + u * w->width;
    for (int64_t k = 0; k < n; k++) {
        int64_t first = l2r_factor_column(w->width, n, k), last = l2r_factor_column(w->width, n, k + 1);
        int64_t from = w->shared ? 0 : first;
        if (w->y) add_scaled(w->y + v * w->x_width + from, c * w->gates[back * n + k], other + first, last - first);
        if (!w->d_gates) continue;
        l2r_real d = c == 0 ? 0 : c * l2r_row_dot(own + first, x + from, last - first),
                 *into = &w->d_gates[gate * n + k];
        *into = w->beta_g == 0 ? d : w->beta_g * *into + d;
    }
}

static L2R_CLONES void backward_nodes(const struct work *w, int64_t begin, int64_t end)
{
    const struct l2r_adjacency *graph = &w->f->graph;
    const l2r_real *s = graph->inverse_root_degree;
    for (int64_t v = begin; v < end; v++) {
        l2r_real *d_x = w->y ? w->y + v * w->x_width : NULL;
        for (int64_t j = 0; d_x && j < w->x_width; j++) d_x[j] = w->beta_x == 0 ? 0 : w->beta_x * d_x[j];
        back_node(w, v, v, s[v] * s[v], graph->n_arcs + v, graph->n_arcs + v);
        for (int64_t e = graph->arc_start[v]; e < graph->arc_start[v + 1]; e++) {
            int64_t u = graph->neighbour[e];
            back_node(w, v, u, u == v ? 0 : s[v] * s[u], e, w->f->reverse[e]);
        }
    }
}

static void backward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->f->graph.n_nodes, NODES_A_CHUNK, chunk);
    backward_nodes(w, begin, end);
}

void l2r_factor_backward(l2r_real *d_x, l2r_real beta_x, l2r_real *d_gates, l2r_real beta_g, const l2r_real *d_y,
                         const l2r_real *x, const l2r_real *gates, const struct l2r_factors *f, int64_t width,
                         int shared)
{
    struct work w = {.y = d_x,
                     .beta_x = beta_x,
                     .d_gates = d_gates,
                     .beta_g = beta_g,
                     .d_y = d_y,
                     .x = x,
                     .gates = gates,
                     .f = f,
                     .width = width,
                     .x_width = shared ? width / f->n : width,
                     .shared = shared};
    l2r_parallel(l2r_chunk_count(f->graph.n_nodes, NODES_A_CHUNK), backward_chunk, &w);
}
