/* SPDX-License-Identifier: MIT
 * The weights of factor.h and their gradient. With d_s = d_g g (1 − g) of an arc from u to v, r_v gets the sum over the arcs that
 * arrive at v, l_v over those that leave it (the ways back), and the arc's type the sum over its arcs. */
#include "kernels/factor.h"

#include "base/threads.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { NODES_A_CHUNK = 256, TABLES = 8 };

void l2r_reverse_arcs(int32_t *reverse, const struct l2r_adjacency *graph, int32_t *cursor)
{
    for (int64_t v = 0; v < graph->n_nodes; v++) cursor[v] = graph->arc_start[v];
    /* v rises, and so do the neighbours in each list: the next unused arc of u is the one that names v. */
    for (int64_t v = 0; v < graph->n_nodes; v++)
        for (int64_t e = graph->arc_start[v]; e < graph->arc_start[v + 1]; e++) {
            reverse[e] = cursor[graph->neighbour[e]]++;
            assert(graph->neighbour[reverse[e]] == v);
        }
}

struct work {
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

static void forward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
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
    struct work w = {.out = gates, .scores = scores, .bonds = bonds, .f = f, .nodes_a_chunk = NODES_A_CHUNK};
    l2r_parallel(l2r_chunk_count(f->graph.n_nodes, NODES_A_CHUNK), forward_chunk, &w);
}

static l2r_real slope(const struct work *w, int64_t at)
{
    return w->d_gates[at] * w->gates[at] * (1 - w->gates[at]);
}

static void backward_node(const struct work *w, l2r_real *table, int64_t v)
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

static void backward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end, size = w->n_types * w->f->n;
    l2r_chunk_range(&begin, &end, w->f->graph.n_nodes, w->nodes_a_chunk, chunk);
    l2r_real *table = w->tables ? w->tables + chunk * size : NULL;
    if (table) memset(table, 0, (size_t)size * sizeof *table);
    for (int64_t v = begin; v < end; v++) backward_node(w, table, v);
}

int64_t l2r_gates_scratch(const struct l2r_factors *f, int64_t n_types)
{
    return TABLES * n_types * f->n;
}

void l2r_gates_backward(l2r_real *d_scores, l2r_real beta, l2r_real *d_bonds, const l2r_real *d_gates,
                        const l2r_real *gates, const struct l2r_factors *f, l2r_real *scratch, int64_t n_types)
{
    struct work w = {.out = d_scores,
                     .beta = beta,
                     .d_gates = d_gates,
                     .gates = gates,
                     .f = f,
                     .n_types = n_types,
                     .nodes_a_chunk = NODES_A_CHUNK};
    if (d_bonds) { /* as few chunks as there are partial tables, which are then added in order */
        w.tables = scratch;
        w.nodes_a_chunk = l2r_chunk_count(f->graph.n_nodes, TABLES);
        if (w.nodes_a_chunk < 1) w.nodes_a_chunk = 1;
    }
    int64_t chunks = l2r_chunk_count(f->graph.n_nodes, w.nodes_a_chunk), size = n_types * f->n;
    l2r_parallel(chunks, backward_chunk, &w);
    for (int64_t i = 0; d_bonds && i < size; i++) {
        double sum = 0;
        for (int64_t c = 0; c < chunks; c++) sum += (double)scratch[c * size + i];
        d_bonds[i] = (l2r_real)sum;
    }
}
