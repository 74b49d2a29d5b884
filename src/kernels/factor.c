/* SPDX-License-Identifier: MIT
 *
 * See factor.h. The sums walk the lists of arcs; backward walks the same lists once: along an arc of v, the reverse arc
 * carries u's gradient to x_v, and the product of v's gradient with x_u is the gradient of the arc's own weight.
 *
 * Of the gates, with d_s = d_g g (1 − g) of an arc from u to v, r_v gets the sum over the arcs that arrive at v, l_v
 * the sum over those that leave it (the reverse arcs), and the arc's type the sum over its arcs.
 */
#include "kernels/factor.h"

#include "base/threads.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- gates ---- */

enum { GATE_NODES_A_CHUNK = 256, TABLES = 8 };

struct gates {
    l2r_real *out, *tables;
    const l2r_real *scores, *bonds, *d_gates, *gates;
    const struct l2r_factors *f;
    l2r_real beta;
    int64_t n_types, nodes_a_chunk;
};

static l2r_real sigmoid(double x)
{
    return (l2r_real)(1 / (1 + exp(-x))); /* exp may overflow: 1/inf is 0 */
}

static void gates_chunk(void *context, int64_t chunk)
{
    const struct gates *w = context;
    const struct l2r_adjacency *graph = &w->f->graph;
    int64_t begin, end, n = w->f->n;
    l2r_chunk_range(&begin, &end, graph->n_nodes, w->nodes_a_chunk, chunk);
    for (int64_t v = begin; v < end; v++) {
        const l2r_real *right = w->scores + (2 * v + 1) * n, *own = w->scores + 2 * v * n;
        for (int64_t k = 0; k < n; k++)
            w->out[(graph->n_arcs + v) * n + k] = sigmoid((double)own[k] + (double)right[k]);
        for (int64_t e = graph->arc_start[v]; e < graph->arc_start[v + 1]; e++) {
            const l2r_real *left = w->scores + 2 * (int64_t)graph->neighbour[e] * n;
            const l2r_real *bond = w->bonds ? w->bonds + graph->arc_type[e] * n : NULL;
            for (int64_t k = 0; k < n; k++)
                w->out[e * n + k] = sigmoid((double)left[k] + (double)right[k] + (bond ? (double)bond[k] : 0));
        }
    }
}

void l2r_gates_forward(l2r_real *gates, const l2r_real *scores, const l2r_real *bonds, const struct l2r_factors *f)
{
    struct gates w = {.out = gates, .scores = scores, .bonds = bonds, .f = f, .nodes_a_chunk = GATE_NODES_A_CHUNK};
    l2r_parallel(l2r_chunk_count(f->graph.n_nodes, GATE_NODES_A_CHUNK), gates_chunk, &w);
}

static l2r_real slope(const struct gates *w, int64_t at)
{
    return w->d_gates[at] * w->gates[at] * (1 - w->gates[at]);
}

static void gates_back_node(const struct gates *w, l2r_real *table, int64_t v)
{
    const struct l2r_adjacency *graph = &w->f->graph;
    int64_t n = w->f->n;
    l2r_real *left = w->out + 2 * v * n, *right = left + n;
    for (int64_t k = 0; k < n; k++) {
        l2r_real own = slope(w, (graph->n_arcs + v) * n + k), arrive = own, leave = own;
        for (int64_t e = graph->arc_start[v]; e < graph->arc_start[v + 1]; e++) {
            l2r_real in = slope(w, e * n + k);
            arrive += in;
            leave += slope(w, (int64_t)w->f->reverse[e] * n + k);
            if (table) table[graph->arc_type[e] * n + k] += in;
        }
        left[k] = w->beta == 0 ? leave : w->beta * left[k] + leave;
        right[k] = w->beta == 0 ? arrive : w->beta * right[k] + arrive;
    }
}

static void gates_back_chunk(void *context, int64_t chunk)
{
    const struct gates *w = context;
    int64_t begin, end, size = w->n_types * w->f->n;
    l2r_chunk_range(&begin, &end, w->f->graph.n_nodes, w->nodes_a_chunk, chunk);
    l2r_real *table = w->tables ? w->tables + chunk * size : NULL;
    if (table) memset(table, 0, (size_t)size * sizeof *table);
    for (int64_t v = begin; v < end; v++) gates_back_node(w, table, v);
}

int64_t l2r_gates_scratch(const struct l2r_factors *f, int64_t n_types)
{
    return TABLES * n_types * f->n;
}

void l2r_gates_backward(l2r_real *d_scores, l2r_real beta, l2r_real *d_bonds, const l2r_real *d_gates,
                        const l2r_real *gates, const struct l2r_factors *f, l2r_real *scratch, int64_t n_types)
{
    struct gates w = {.out = d_scores,
                      .beta = beta,
                      .d_gates = d_gates,
                      .gates = gates,
                      .f = f,
                      .n_types = n_types,
                      .nodes_a_chunk = GATE_NODES_A_CHUNK};
    if (d_bonds) { /* as few chunks as there are partial tables, which are then added in order */
        w.tables = scratch;
        w.nodes_a_chunk = l2r_chunk_count(f->graph.n_nodes, TABLES);
        if (w.nodes_a_chunk < 1) w.nodes_a_chunk = 1;
    }
    int64_t chunks = l2r_chunk_count(f->graph.n_nodes, w.nodes_a_chunk), size = n_types * f->n;
    l2r_parallel(chunks, gates_back_chunk, &w);
    for (int64_t i = 0; d_bonds && i < size; i++) {
        double sum = 0;
        for (int64_t c = 0; c < chunks; c++) sum += (double)scratch[c * size + i];
        d_bonds[i] = (l2r_real)sum;
    }
}

/* ---- weighted sums ---- */

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

L2R_CLONES(static, forward_nodes, (const struct work *w, int64_t begin, int64_t end), (w, begin, end))
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

/* One arc into v (or v itself): the gradient of its gates and, through `back`, the gates of the opposite arc, that of
 * x_v. */
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

L2R_CLONES(static, backward_nodes, (const struct work *w, int64_t begin, int64_t end), (w, begin, end))
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
