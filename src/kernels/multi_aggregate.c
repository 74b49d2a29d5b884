/* SPDX-License-Identifier: MIT
 *
 * See multi_aggregate.h. A row is worked through in tiles of two vectors whose running statistics stay in registers
 * while the arcs of the node pass by; what is left of a row is loaded into a vector that is filled up with zeros.
 *
 * Backward first folds the gradients of each node's own statistics, then sums for each node the gradients of its
 * messages.
 */
#include "kernels/multi_aggregate.h"

#include "base/threads.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- forward ---- */

enum { NODES_A_CHUNK = 64, TABLES = 8 };

static int count_bits(unsigned set)
{
    return __builtin_popcount(set);
}

int64_t l2r_multi_aggregate_width(const struct l2r_multi_aggregation *a)
{
    return a->dim * count_bits(a->aggregators) * count_bits(a->scalers);
}

L2R_INLINE l2r_vec choose(l2r_mask where, l2r_vec yes, l2r_vec no)
{
    return (l2r_vec)((where & (l2r_mask)yes) | (~where & (l2r_mask)no));
}

L2R_INLINE l2r_vec square_root(l2r_vec x)
{
    for (int i = 0; i < L2R_LANES; i++) x[i] = (l2r_real)sqrt((double)x[i]);
    return x;
}

L2R_INLINE l2r_mask not_a_number(l2r_vec x)
{
    l2r_vec same = x;
    return (l2r_mask)(x != same);
}

/* The running statistics of one vector of a node's messages. */
struct statistics {
    l2r_vec first, sum, square, largest, smallest; /* sum and square are of the differences to the first */
    l2r_mask arg_max, arg_min;
};

/* A message that is not a number becomes the largest and the smallest, and stays so: divergence must show. */
L2R_INLINE void take(struct statistics *s, l2r_vec m, l2r_lane u, unsigned aggregators)
{
    l2r_vec apart = m - s->first;
    s->sum += apart;
    if (aggregators & L2R_STD) s->square += apart * apart;
    if (aggregators & L2R_MAX) {
        l2r_mask more = (m > s->largest) | not_a_number(m);
        s->largest = choose(more, m, s->largest);
        s->arg_max = (more & u) | (~more & s->arg_max);
    }
    if (aggregators & L2R_MIN) {
        l2r_mask less = (m < s->smallest) | not_a_number(m);
        s->smallest = choose(less, m, s->smallest);
        s->arg_min = (less & u) | (~less & s->arg_min);
    }
}

/* Writes one vector of v's statistics under every scale, and keeps what backward needs. */
L2R_INLINE void put(l2r_real *y, const struct statistics *s, const struct l2r_multi_aggregation *a, int64_t v,
                    int64_t j, int64_t count, const l2r_real *scale, int n_scales)
{
    int64_t at = v * a->dim + j, blocks = count_bits(a->aggregators), n = 0;
    l2r_real inverse = 1 / (l2r_real)(a->graph.arc_start[v + 1] - a->graph.arc_start[v]);
    l2r_vec own = a->own ? l2r_tile_load(a->own + at, count) : (l2r_vec){0}, mean = s->sum * inverse, result[4];
    l2r_vec deviation = {0};
    if (a->aggregators & L2R_MEAN) result[n++] = s->first + mean + own;
    if (a->aggregators & L2R_MAX) result[n++] = s->largest + own;
    if (a->aggregators & L2R_MIN) result[n++] = s->smallest + own;
    if (a->aggregators & L2R_STD) {
        deviation = square_root(l2r_vec_positive(s->square * inverse - mean * mean) + (l2r_real)1e-5);
        result[n++] = deviation;
    }
    for (int k = 0; k < n_scales; k++)
        for (int64_t i = 0; i < n; i++)
            l2r_tile_store(y + (v * n_scales + k) * blocks * a->dim + i * a->dim + j, scale[k] * result[i], count);
    if (a->mean) {
        l2r_tile_store(a->mean + at, s->first + mean, count);
        l2r_tile_store(a->deviation + at, deviation, count);
    }
    if (a->arg_max) memcpy(a->arg_max + at, &s->arg_max, (size_t)count * sizeof(l2r_lane));
    if (a->arg_min) memcpy(a->arg_min + at, &s->arg_min, (size_t)count * sizeof(l2r_lane));
}

/* One vector of the message along arc e. */
L2R_INLINE l2r_vec message(const l2r_real *x, const struct l2r_multi_aggregation *a, int64_t e, int64_t j,
                           int64_t count)
{
    l2r_vec m = l2r_tile_load(x + (int64_t)a->graph.neighbour[e] * a->dim + j, count);
    if (a->edge_table) m += l2r_tile_load(a->edge_table + (int64_t)a->graph.arc_type[e] * a->dim + j, count);
    return m;
}

/* n vectors of row v from column j on, n a constant after inlining; `count` numbers of the last one are in the row. */
L2R_INLINE void forward_tile(l2r_real *y, const l2r_real *x, const struct l2r_multi_aggregation *a, int64_t v,
                             int64_t j, int n, int64_t count, const l2r_real *scale, int n_scales)
{
    struct statistics s[2];
    int64_t begin = a->graph.arc_start[v], end = a->graph.arc_start[v + 1];
    for (int k = 0; k < n; k++) {
        l2r_vec m = message(x, a, begin, j + k * L2R_LANES, count);
        l2r_mask u = (l2r_mask){0} + (l2r_lane)a->graph.neighbour[begin];
        s[k] = (struct statistics){m, {0}, {0}, m, m, u, u};
    }
    for (int64_t e = begin + 1; e < end; e++)
        for (int k = 0; k < n; k++)
            take(&s[k], message(x, a, e, j + k * L2R_LANES, count), a->graph.neighbour[e], a->aggregators);
    for (int k = 0; k < n; k++) put(y, &s[k], a, v, j + k * L2R_LANES, count, scale, n_scales);
}

int l2r_multi_aggregate_scales(l2r_real scale[3], const struct l2r_multi_aggregation *a, int64_t v)
{
    double logarithm = log1p((double)(a->graph.arc_start[v + 1] - a->graph.arc_start[v]));
    int n = 0;
    if (a->scalers & L2R_IDENTITY) scale[n++] = 1;
    if (a->scalers & L2R_AMPLIFICATION) scale[n++] = (l2r_real)(logarithm / a->delta);
    if (a->scalers & L2R_ATTENUATION) scale[n++] = (l2r_real)(a->delta / logarithm);
    return n;
}

L2R_CLONES(static, forward_nodes,
           (l2r_real * y, const l2r_real *x, const struct l2r_multi_aggregation *a, int64_t begin, int64_t end),
           (y, x, a, begin, end))
{
    int64_t width = l2r_multi_aggregate_width(a), dim = a->dim;
    for (int64_t v = begin; v < end; v++) {
        l2r_real scale[3];
        if (a->graph.arc_start[v] == a->graph.arc_start[v + 1]) {
            memset(y + v * width, 0, (size_t)width * sizeof *y);
            continue;
        }
        int n_scales = l2r_multi_aggregate_scales(scale, a, v);
        int64_t j = 0;
        for (; j + 2 * L2R_LANES <= dim; j += 2 * L2R_LANES) forward_tile(y, x, a, v, j, 2, L2R_LANES, scale, n_scales);
        for (; j + L2R_LANES <= dim; j += L2R_LANES) forward_tile(y, x, a, v, j, 1, L2R_LANES, scale, n_scales);
        if (j < dim) forward_tile(y, x, a, v, j, 1, dim - j, scale, n_scales);
    }
}

struct work {
    l2r_real *y;
    const l2r_real *x;
    const struct l2r_multi_aggregation *a;
};

static void forward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->a->graph.n_nodes, NODES_A_CHUNK, chunk);
    forward_nodes(w->y, w->x, w->a, begin, end);
}

void l2r_multi_aggregate_forward(l2r_real *y, const l2r_real *x, const struct l2r_multi_aggregation *a)
{
    struct work w = {y, x, a};
    l2r_parallel(l2r_chunk_count(a->graph.n_nodes, NODES_A_CHUNK), forward_chunk, &w);
}

/* ---- backward ---- */

struct backward {
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

L2R_CLONES(static, fold_nodes, (const struct backward *w, int64_t begin, int64_t end), (w, begin, end))
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
    const struct backward *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->a->graph.n_nodes, w->nodes_a_chunk, chunk);
    fold_nodes(w, begin, end);
}

void l2r_multi_aggregate_fold(l2r_real *g, l2r_real *d_own, l2r_real beta, const l2r_real *d_y,
                              const struct l2r_multi_aggregation *a)
{
    struct backward w = {.out = d_own, .g = g, .beta = beta, .d_y = d_y, .a = a, .nodes_a_chunk = NODES_A_CHUNK};
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
L2R_INLINE void backward_vector(const struct backward *w, l2r_real *table, int64_t u, int64_t j, int64_t count)
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

L2R_CLONES(static, backward_nodes, (const struct backward *w, l2r_real *table, int64_t begin, int64_t end),
           (w, table, begin, end))
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
    const struct backward *w = context;
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
    struct backward w = {.out = d_x, .folded = g, .beta = beta, .x = x, .a = a, .nodes_a_chunk = NODES_A_CHUNK};
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
