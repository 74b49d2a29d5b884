/* SPDX-License-Identifier: MIT
 * See multi_aggregate.h. Forward. A row is worked through in tiles of two vectors whose running statistics stay in registers
 * while the arcs of the node pass by; what is left of a row is loaded into a vector that is filled up with zeros. */
#include "kernels/multi_aggregate.h"

#include "base/threads.h"
#include "kernels/tile.h"

#include <math.h>
#include <string.h>

enum { NODES_A_CHUNK = 64 };

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

static L2R_CLONES void forward_nodes(l2r_real *y, const l2r_real *x, const struct l2r_multi_aggregation *a,
                                     int64_t begin, int64_t end)
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
