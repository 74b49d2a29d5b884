/* SPDX-License-Identifier: MIT
 *
 * See attention.h. With dα_uv = d_y_v · s_u (head by head) and dσ_uv = α_uv (dα_uv − Σ_w α_wv dα_wv) of a score,
 *
 *     d_a += dσ_uv LeakyReLU(z_uv),   d_z = dσ_uv a ∘ LeakyReLU'(z_uv),   d_t_v += d_z,   d_e += d_z
 *     d_s_u += d_z + α_uv d_y_v                                              in the second pass, over the senders
 */
#include "kernels/attention.h"

#include "base/threads.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { NODES_A_CHUNK = 64, TABLES = 8 };
static const l2r_real slope = (l2r_real)0.2;

struct work {
    l2r_real *y, *alpha;
    const struct l2r_attention *at;
    const struct l2r_attention_gradients *out;
    const l2r_real *d_y, *known; /* alpha of the forward pass */
    l2r_real *d_score;           /* [(n_arcs + n_nodes) × K] */
    l2r_real *tables;            /* [TABLES × (n_types + 1) × dim]: edges, then a */
    int64_t nodes_a_chunk;
};

L2R_INLINE l2r_real leaky(l2r_real x)
{
    return x > 0 ? x : slope * x;
}

static int64_t block(const struct l2r_attention *at, int64_t k)
{
    return k * at->dim / at->n_heads;
}

/* The row of e for arc number i of v's, or NULL: none, or the node itself. */
static const l2r_real *edge_of(const struct l2r_attention *at, int64_t i)
{
    return at->edges && i < at->graph.n_arcs ? at->edges + at->graph.arc_type[i] * at->dim : NULL;
}

L2R_INLINE l2r_real z_at(const l2r_real *s, const l2r_real *t, const l2r_real *e, int64_t j)
{
    return s[j] + t[j] + (e ? e[j] : 0);
}

/* Scores of the arc from u to v, one per head. */
static void score(l2r_real *out, const struct l2r_attention *at, int64_t u, int64_t v, int64_t i)
{
    const l2r_real *s = at->sender + u * at->dim, *t = at->receiver + v * at->dim, *e = edge_of(at, i);
    for (int64_t k = 0; k < at->n_heads; k++) {
        l2r_real sum = 0;
        for (int64_t j = block(at, k); j < block(at, k + 1); j++) sum += at->a[j] * leaky(z_at(s, t, e, j));
        out[k] = sum;
    }
}

/* Scores of one head become weights; the row of an arc that is left out stays 0. */
static void softmax(l2r_real *alpha, const struct l2r_attention *at, int64_t v, int64_t k)
{
    const struct l2r_adjacency *g = &at->graph;
    l2r_real *own = alpha + (g->n_arcs + v) * at->n_heads + k, most = *own;
    double sum = 0;
    for (int64_t e = g->arc_start[v]; e < g->arc_start[v + 1]; e++)
        if (g->neighbour[e] != v && alpha[e * at->n_heads + k] > most) most = alpha[e * at->n_heads + k];
    for (int64_t e = g->arc_start[v]; e < g->arc_start[v + 1]; e++) {
        l2r_real *at_arc = alpha + e * at->n_heads + k;
        *at_arc = g->neighbour[e] == v ? 0 : (l2r_real)exp((double)(*at_arc - most));
        sum += (double)*at_arc;
    }
    *own = (l2r_real)exp((double)(*own - most));
    sum += (double)*own;
    for (int64_t e = g->arc_start[v]; e < g->arc_start[v + 1]; e++)
        alpha[e * at->n_heads + k] = (l2r_real)((double)alpha[e * at->n_heads + k] / sum);
    *own = (l2r_real)((double)*own / sum);
}

/* y += α ∘ x, head by head. */
static void add_weighted(l2r_real *restrict y, const l2r_real *restrict x, const l2r_real *alpha,
                         const struct l2r_attention *at)
{
    for (int64_t k = 0; k < at->n_heads; k++)
        for (int64_t j = block(at, k); j < block(at, k + 1); j++) y[j] += alpha[k] * x[j];
}

/* y += α ∘ (x − self): as weights sum to 1, this is the weighted sum, and exact where all rows are equal. */
static void add_apart(l2r_real *restrict y, const l2r_real *restrict x, const l2r_real *restrict self,
                      const l2r_real *alpha, const struct l2r_attention *at)
{
    for (int64_t k = 0; k < at->n_heads; k++)
        for (int64_t j = block(at, k); j < block(at, k + 1); j++) y[j] += alpha[k] * (x[j] - self[j]);
}

static void forward_node(const struct work *w, int64_t v)
{
    const struct l2r_attention *at = w->at;
    const struct l2r_adjacency *g = &at->graph;
    int64_t own = g->n_arcs + v;
    l2r_real *y = w->y + v * at->dim;
    for (int64_t e = g->arc_start[v]; e < g->arc_start[v + 1]; e++)
        score(w->alpha + e * at->n_heads, at, g->neighbour[e], v, e);
    score(w->alpha + own * at->n_heads, at, v, v, own);
    for (int64_t k = 0; k < at->n_heads; k++) softmax(w->alpha, at, v, k);
    const l2r_real *self = at->sender + v * at->dim;
    memcpy(y, self, (size_t)at->dim * sizeof *y);
    for (int64_t e = g->arc_start[v]; e < g->arc_start[v + 1]; e++)
        add_apart(y, at->sender + g->neighbour[e] * at->dim, self, w->alpha + e * at->n_heads, at);
}

static void forward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->at->graph.n_nodes, NODES_A_CHUNK, chunk);
    for (int64_t v = begin; v < end; v++) forward_node(w, v);
}

void l2r_attention_forward(l2r_real *y, l2r_real *alpha, const struct l2r_attention *at)
{
    struct work w = {.y = y, .alpha = alpha, .at = at};
    l2r_parallel(l2r_chunk_count(at->graph.n_nodes, NODES_A_CHUNK), forward_chunk, &w);
}

/* ---- backward ---- */

static int64_t table_size(const struct l2r_attention *at)
{
    return (at->n_types + 1) * at->dim;
}

int64_t l2r_attention_scratch(const struct l2r_attention *at)
{
    return TABLES * table_size(at) + (at->graph.n_arcs + at->graph.n_nodes) * at->n_heads;
}

/* dα of arc number i, from u, into d_score; returns nothing for an arc that is left out, whose α is 0. */
static void weight_gradient(const struct work *w, int64_t u, int64_t v, int64_t i)
{
    const struct l2r_attention *at = w->at;
    const l2r_real *s = at->sender + u * at->dim, *d = w->d_y + v * at->dim;
    for (int64_t k = 0; k < at->n_heads; k++)
        w->d_score[i * at->n_heads + k] =
            l2r_row_dot(d + block(at, k), s + block(at, k), block(at, k + 1) - block(at, k));
}

/* d_z and its contributions to a, e and t_v. */
static void score_gradient(const struct work *w, l2r_real *table, l2r_real *d_receiver, int64_t u, int64_t v, int64_t i)
{
    const struct l2r_attention *at = w->at;
    const l2r_real *s = at->sender + u * at->dim, *t = at->receiver + v * at->dim, *e = edge_of(at, i);
    l2r_real *d_a = table + at->n_types * at->dim, *d_e = e ? table + (e - at->edges) : NULL;
    for (int64_t k = 0; k < at->n_heads; k++) {
        l2r_real g = w->d_score[i * at->n_heads + k];
        for (int64_t j = block(at, k); j < block(at, k + 1); j++) {
            l2r_real z = z_at(s, t, e, j), d_z = g * at->a[j] * (z > 0 ? 1 : slope);
            d_a[j] += g * leaky(z);
            if (d_receiver) d_receiver[j] += d_z;
            if (d_e) d_e[j] += d_z;
        }
    }
}

static void receiver_node(const struct work *w, l2r_real *table, int64_t v)
{
    const struct l2r_attention *at = w->at;
    const struct l2r_adjacency *g = &at->graph;
    int64_t own = g->n_arcs + v;
    l2r_real *d = w->out->d_receiver ? w->out->d_receiver + v * at->dim : NULL, beta = w->out->beta_receiver;
    for (int64_t e = g->arc_start[v]; e < g->arc_start[v + 1]; e++) weight_gradient(w, g->neighbour[e], v, e);
    weight_gradient(w, v, v, own);
    for (int64_t k = 0; k < at->n_heads; k++) {
        const l2r_real *alpha = w->known + k;
        l2r_real *d_score = w->d_score + k, self = d_score[own * at->n_heads],
                 mean = 0; /* relative to the node's own */
        for (int64_t e = g->arc_start[v]; e < g->arc_start[v + 1]; e++)
            mean += alpha[e * at->n_heads] * (d_score[e * at->n_heads] - self);
        for (int64_t e = g->arc_start[v]; e < g->arc_start[v + 1]; e++)
            d_score[e * at->n_heads] = alpha[e * at->n_heads] * (d_score[e * at->n_heads] - self - mean);
        d_score[own * at->n_heads] = alpha[own * at->n_heads] * -mean;
    }
    for (int64_t j = 0; d && j < at->dim; j++) d[j] = beta == 0 ? 0 : beta * d[j];
    score_gradient(w, table, d, v, v, own);
    for (int64_t e = g->arc_start[v]; e < g->arc_start[v + 1]; e++)
        if (g->neighbour[e] != v) score_gradient(w, table, d, g->neighbour[e], v, e);
}

/* The gradient of v as the sender of arc number i to u. */
static void add_arc(l2r_real *d, const struct work *w, int64_t u, int64_t v, int64_t i)
{
    const struct l2r_attention *at = w->at;
    const l2r_real *s = at->sender + v * at->dim, *t = at->receiver + u * at->dim, *e = edge_of(at, i);
    for (int64_t k = 0; k < at->n_heads; k++) {
        l2r_real g = w->d_score[i * at->n_heads + k];
        for (int64_t j = block(at, k); j < block(at, k + 1); j++)
            d[j] += g * at->a[j] * (z_at(s, t, e, j) > 0 ? 1 : slope);
    }
    add_weighted(d, w->d_y + u * at->dim, w->known + i * at->n_heads, at);
}

static void sender_node(const struct work *w, int64_t v)
{
    const struct l2r_attention *at = w->at;
    const struct l2r_adjacency *g = &at->graph;
    l2r_real *d = w->out->d_sender + v * at->dim, beta = w->out->beta_sender;
    for (int64_t j = 0; j < at->dim; j++) d[j] = beta == 0 ? 0 : beta * d[j];
    add_arc(d, w, v, v, g->n_arcs + v);
    for (int64_t e = g->arc_start[v]; e < g->arc_start[v + 1]; e++)
        if (g->neighbour[e] != v) add_arc(d, w, g->neighbour[e], v, at->reverse[e]);
}

static void receiver_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end, size = table_size(w->at);
    l2r_real *table = w->tables + chunk * size;
    l2r_chunk_range(&begin, &end, w->at->graph.n_nodes, w->nodes_a_chunk, chunk);
    memset(table, 0, (size_t)size * sizeof *table);
    for (int64_t v = begin; v < end; v++) receiver_node(w, table, v);
}

static void sender_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->at->graph.n_nodes, NODES_A_CHUNK, chunk);
    for (int64_t v = begin; v < end; v++) sender_node(w, v);
}

void l2r_attention_backward(const struct l2r_attention_gradients *out, const l2r_real *d_y, const l2r_real *alpha,
                            const struct l2r_attention *at, l2r_real *scratch)
{
    int64_t n = at->graph.n_nodes, size = table_size(at), edges = at->n_types * at->dim;
    struct work w = {.at = at,
                     .out = out,
                     .d_y = d_y,
                     .known = alpha,
                     .d_score = scratch + TABLES * size,
                     .tables = scratch,
                     .nodes_a_chunk = l2r_chunk_count(n, TABLES)};
    if (w.nodes_a_chunk < 1) w.nodes_a_chunk = 1;
    int64_t chunks = l2r_chunk_count(n, w.nodes_a_chunk);
    l2r_parallel(chunks, receiver_chunk, &w);
    if (out->d_sender) l2r_parallel(l2r_chunk_count(n, NODES_A_CHUNK), sender_chunk, &w);
    for (int64_t i = 0; i < size; i++) {
        l2r_real *into = i < edges ? out->d_edges : out->d_a;
        double sum = 0;
        for (int64_t c = 0; c < chunks; c++) sum += (double)scratch[c * size + i];
        if (into) into[i < edges ? i : i - edges] += (l2r_real)sum;
    }
}
