/* SPDX-License-Identifier: MIT
 * See multi_aggregate.h. Backward: first the gradients of each node's own statistics (fold), then for each node the sum of what its
 * messages did to the statistics of its neighbours. */
#include "kernels/multi_aggregate.h"

#include "base/threads.h"
#include "kernels/tile.h"

#include <assert.h>
#include <string.h>

enum { NODES_A_CHUNK = 64, TABLES = 8 };

struct work {
    l2r_real *out, *g;
    l2r_real beta;
    const l2r_real *d_y, *x, *folded; /* folded: g, read only */
    const struct l2r_multi_aggregation *a;
    l2r_real *tables; /* [TABLES × n_types × dim] */
    int64_t nodes_a_chunk;
};

/* Block k of v's gradient with all scales: Σ_s scale_s d_y[s, k]. */
L2R_INLINE l2r_vec scaled(const l2r_real *d_y, const struct l2r_multi_aggregation *a, int blocks, int k, int64_t j,
                          int64_t count, const l2r_real *scale, int n_scales)
{
    l2r_vec sum = {0};
    for (int s = 0; s < n_scales; s++) sum += scale[s] * l2r_tile_load(d_y + (s * blocks + k) * a->dim + j, count);
    return sum;
}

/* One vector of node v: g for each aggregator, and their sum over all messages for the node's own part. */
L2R_INLINE void fold_vector(l2r_real *g, l2r_real *d_own, l2r_real beta, const l2r_real *d_y,
                            const struct l2r_multi_aggregation *a, int64_t v, int64_t j, int64_t count,
                            const l2r_real *scale, int n_scales)
{
    int blocks = __builtin_popcount(a->aggregators), k = 0;
    l2r_real inverse = 1 / (l2r_real)(a->graph.arc_start[v + 1] - a->graph.arc_start[v]);
    l2r_vec own = {0};
    d_y += v * n_scales * blocks * a->dim;
    g += v * blocks * a->dim + j;
    for (unsigned kind = L2R_MEAN; kind <= L2R_STD; kind <<= 1) {
        if (!(a->aggregators & kind)) continue;
        l2r_vec sum = scaled(d_y, a, blocks, k, j, count, scale, n_scales);
        if (kind != L2R_STD) own += sum;
        if (kind == L2R_MEAN) sum *= inverse;
        if (kind == L2R_STD) {
            l2r_vec deviation = l2r_tile_load(a->deviation + v * a->dim + j, count);
            for (int i = 0; i < count; i++) sum[i] *= inverse / deviation[i];
        }
        l2r_tile_store(g + k++ * a->dim, sum, count);
    }
    if (!d_own) return;
    d_own += v * a->dim + j;
    if (beta != 0) own += beta * l2r_tile_load(d_own, count);
    l2r_tile_store(d_own, own, count);
}

static L2R_CLONES void fold_nodes(const struct work *w, int64_t begin, int64_t end)
{
    const struct l2r_multi_aggregation *a = w->a;
    int64_t dim = a->dim;
    for (int64_t v = begin; v < end; v++) {
        l2r_real scale[3];
        if (a->graph.arc_start[v] == a->graph.arc_start[v + 1]) { /* its g is never read */
            if (w->out && w->beta == 0) memset(w->out + v * dim, 0, (size_t)dim * sizeof *w->out);
            continue;
        }
        int n = l2r_multi_aggregate_scales(scale, a, v);
        int64_t j = 0;
        for (; j + L2R_LANES <= dim; j += L2R_LANES)
            fold_vector(w->g, w->out, w->beta, w->d_y, a, v, j, L2R_LANES, scale, n);
        if (j < dim) fold_vector(w->g, w->out, w->beta, w->d_y, a, v, j, dim - j, scale, n);
    }
}

static void fold_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->a->graph.n_nodes, w->nodes_a_chunk, chunk);
    fold_nodes(w, begin, end);
}

void l2r_multi_aggregate_fold(l2r_real *g, l2r_real *d_own, l2r_real beta, const l2r_real *d_y,
                              const struct l2r_multi_aggregation *a)
{
    struct work w = {.out = d_own, .g = g, .beta = beta, .d_y = d_y, .a = a, .nodes_a_chunk = NODES_A_CHUNK};
    l2r_parallel(l2r_chunk_count(a->graph.n_nodes, NODES_A_CHUNK), fold_chunk, &w);
}

/* d loss / d m_uv for one vector: g points at v's first block, `at` is v's place in the arrays [n_nodes × dim]. */
L2R_INLINE l2r_vec message_gradient(const l2r_real *g, const struct l2r_multi_aggregation *a, int64_t at, l2r_lane u,
                                    l2r_vec m, int64_t count)
{
    l2r_vec sum = {0};
    if (a->aggregators & L2R_MEAN) {
        sum = l2r_tile_load(g, count);
        g += a->dim;
    }
    if (a->aggregators & L2R_MAX) {
        l2r_mask here = l2r_tile_load_lanes(a->arg_max + at, count) == u;
        sum += (l2r_vec)(here & (l2r_mask)l2r_tile_load(g, count));
        g += a->dim;
    }
    if (a->aggregators & L2R_MIN) {
        l2r_mask here = l2r_tile_load_lanes(a->arg_min + at, count) == u;
        sum += (l2r_vec)(here & (l2r_mask)l2r_tile_load(g, count));
        g += a->dim;
    }
    if (a->aggregators & L2R_STD) sum += l2r_tile_load(g, count) * (m - l2r_tile_load(a->mean + at, count));
    return sum;
}

/* One vector of d_x_u; `table` collects the edges' gradients of this chunk. */
L2R_INLINE void backward_vector(const struct work *w, l2r_real *table, int64_t u, int64_t j, int64_t count)
{
    const struct l2r_multi_aggregation *a = w->a;
    int64_t dim = a->dim, blocks = __builtin_popcount(a->aggregators);
    l2r_vec sum = {0}, x = l2r_tile_load(w->x + u * dim + j, count);
    if (w->beta != 0) sum = w->beta * l2r_tile_load(w->out + u * dim + j, count);
    for (int64_t e = a->graph.arc_start[u]; e < a->graph.arc_start[u + 1]; e++) {
        int64_t v = a->graph.neighbour[e], row = table ? (int64_t)a->graph.arc_type[e] * dim + j : 0;
        l2r_vec m = x;
        if (table) m += l2r_tile_load(a->edge_table + row, count);
        l2r_vec d = message_gradient(w->folded + v * blocks * dim + j, a, v * dim + j, (l2r_lane)u, m, count);
        sum += d;
        if (table) l2r_tile_store(table + row, l2r_tile_load(table + row, count) + d, count);
    }
    l2r_tile_store(w->out + u * dim + j, sum, count);
}

static L2R_CLONES void backward_nodes(const struct work *w, l2r_real *table, int64_t begin, int64_t end)
{
    int64_t dim = w->a->dim;
    for (int64_t u = begin; u < end; u++) {
        int64_t j = 0;
        for (; j + L2R_LANES <= dim; j += L2R_LANES) backward_vector(w, table, u, j, L2R_LANES);
        if (j < dim) backward_vector(w, table, u, j, dim - j);
    }
}

static int64_t table_size(const struct l2r_multi_aggregation *a)
{
    return a->n_types * a->dim;
}

static void backward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->a->graph.n_nodes, w->nodes_a_chunk, chunk);
    l2r_real *table = w->tables ? w->tables + chunk * table_size(w->a) : NULL;
    if (table) memset(table, 0, (size_t)table_size(w->a) * sizeof *table);
    backward_nodes(w, table, begin, end);
}

int64_t l2r_multi_aggregate_scratch(const struct l2r_multi_aggregation *a)
{
    return a->edge_table ? TABLES * table_size(a) : 0;
}

void l2r_multi_aggregate_backward(l2r_real *d_x, l2r_real beta, l2r_real *d_table, const l2r_real *g, const l2r_real *x,
                                  const struct l2r_multi_aggregation *a, l2r_real *scratch)
{
    struct work w = {.out = d_x, .folded = g, .beta = beta, .x = x, .a = a, .nodes_a_chunk = NODES_A_CHUNK};
    assert(!d_table == !a->edge_table);
    if (a->edge_table) { /* as few chunks as there are partial tables; these are then added in order */
        w.tables = scratch;
        w.nodes_a_chunk = l2r_chunk_count(a->graph.n_nodes, TABLES);
        if (w.nodes_a_chunk < 1) w.nodes_a_chunk = 1;
    }
    int64_t chunks = l2r_chunk_count(a->graph.n_nodes, w.nodes_a_chunk);
    l2r_parallel(chunks, backward_chunk, &w);
    for (int64_t i = 0; d_table && i < table_size(a); i++) {
        double sum = 0;
        for (int64_t c = 0; c < chunks; c++) sum += (double)scratch[c * table_size(a) + i];
        d_table[i] = (l2r_real)sum;
    }
}
