/* SPDX-License-Identifier: MIT
 *
 * See wl_colours.h. Hashes of content (key) order the arcs, so that the order is the same in every batch; exact codes
 * decide equality, so that a collision costs time but never merges two different neighbourhoods.
 */
#include "batch/wl_colours.h"

#include "base/threads.h"

#include <string.h>

enum { NODES_A_CHUNK = 512, SHORT_LIST = 16 };
/* The first eighth of the nodes, if these are enough, shows whether a step pays. It never does where nodes have more
 * than MOST_DEGREE neighbours on average: sorting an arc costs as much as adding its row. */
enum { SAMPLE = 8, SMALLEST_SAMPLE = 512, MOST_DEGREE = 16 };

/* A bijection that spreads every bit. */
static inline uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 32);
}

static uint64_t row_key(const int32_t *row, int32_t n, uint64_t start)
{
    uint64_t key = mix(start);
    for (int32_t k = 0; k < n; k++) key = mix(key + (uint32_t)row[k] + 1);
    return key;
}

static inline bool precedes(const struct l2r_wl_arc *a, const struct l2r_wl_arc *b)
{
    return a->key != b->key ? a->key < b->key : a->code < b->code;
}

static void sink(struct l2r_wl_arc *arcs, int64_t at, int64_t n)
{
    struct l2r_wl_arc moving = arcs[at];
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && precedes(&arcs[child], &arcs[child + 1])) child++;
        if (!precedes(&moving, &arcs[child])) break;
        arcs[at] = arcs[child];
    }
    arcs[at] = moving;
}

/* By insertion when short, otherwise a heap sort: O(n log n) for hubs, without memory. */
static void sort_arcs(struct l2r_wl_arc *arcs, int64_t n)
{
    if (n <= SHORT_LIST) {
        for (int64_t i = 1; i < n; i++) {
            struct l2r_wl_arc moving = arcs[i];
            int64_t j = i;
            for (; j > 0 && precedes(&moving, &arcs[j - 1]); j--) arcs[j] = arcs[j - 1];
            arcs[j] = moving;
        }
        return;
    }
    for (int64_t i = n / 2; i-- > 0;) sink(arcs, i, n);
    for (int64_t last = n - 1; last > 0; last--) {
        struct l2r_wl_arc top = arcs[0];
        arcs[0] = arcs[last];
        arcs[last] = top;
        sink(arcs, 0, last);
    }
}

/* Fills and sorts the arcs of node v, and folds their keys into its hash. Touches only what belongs to v, so nodes can
 * be hashed in parallel. A self loop is marked because GCN's norm skips it. */
static void hash_node(const struct l2r_wl_colours *c, int64_t v)
{
    const struct l2r_adjacency *g = &c->batch->graph;
    int64_t begin = g->arc_start[v], n = g->arc_start[v + 1] - begin;
    struct l2r_wl_arc *arcs = c->arcs + begin;
    uint64_t hash = mix(c->key[c->colour[v]] + (uint64_t)n); /* folded over the sorted arcs: order no longer matters */
    for (int64_t e = 0; e < n; e++) {
        int32_t u = g->neighbour[begin + e], type = c->with_arc_types ? g->arc_type[begin + e] : 0;
        uint64_t loop = u == v;
        arcs[e].key = mix(c->key[c->colour[u]] ^ (c->type_key[type] + loop));
        arcs[e].code = (uint64_t)(uint32_t)c->colour[u] << 32 | (uint64_t)(uint32_t)type << 1 | loop;
    }
    sort_arcs(arcs, n);
    for (int64_t e = 0; e < n; e++) hash = mix(hash + arcs[e].key);
    c->hash[v] = hash;
}

static void hash_chunk(void *context, int64_t chunk)
{
    const struct l2r_wl_colours *c = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, c->batch->n_nodes, NODES_A_CHUNK, chunk);
    for (int64_t v = begin; v < end; v++) hash_node(c, v);
}

static bool same_neighbourhood(const struct l2r_wl_colours *c, int64_t v, int64_t w)
{
    const int32_t *start = c->batch->graph.arc_start;
    int64_t n = start[v + 1] - start[v];
    if (c->colour[v] != c->colour[w] || n != start[w + 1] - start[w]) return false;
    const struct l2r_wl_arc *a = c->arcs + start[v], *b = c->arcs + start[w];
    for (int64_t e = 0; e < n; e++)
        if (a[e].code != b[e].code) return false;
    return true;
}

/* Rows of nodes 0 .. n-1 by their hashes and lists, numbered by first appearance: serial, so that numbers do not depend
 * on threads. A node alone in its colour is a row of its own without a search; -1 when there are more than `most`. */
static int64_t number_rows(int32_t *row, struct l2r_wl_colours *c, int64_t n, int64_t most)
{
    int64_t rows = 0;
    memset(c->slots, 0xff, (size_t)(c->mask + 1) * sizeof *c->slots);
    for (int64_t v = 0; v < n; v++) {
        int32_t found = -1;
        uint64_t at = c->hash[v] & c->mask;
        bool alone = c->count[c->colour[v]] == 1;
        while (!alone && (found = c->slots[at]) >= 0 &&
               (c->hash[c->first[found]] != c->hash[v] || !same_neighbourhood(c, v, c->first[found])))
            at = (at + 1) & c->mask;
        if (found < 0) {
            if (rows == most) return -1;
            if (!alone) c->slots[at] = (int32_t)rows;
            c->first[rows] = (int32_t)v;
            found = (int32_t)rows++;
        }
        row[v] = found;
    }
    return rows;
}

/* Are the first nodes nearly all different? Then so are the others, and the step does not pay. Small batches are tried
 * in full. */
static bool hopeless(int32_t *row, struct l2r_wl_colours *c)
{
    int64_t n = c->batch->n_nodes / SAMPLE;
    if (c->batch->graph.n_arcs > MOST_DEGREE * c->batch->n_nodes) return true;
    if (n < SMALLEST_SAMPLE) return false;
    for (int64_t v = 0; v < n; v++) hash_node(c, v);
    return number_rows(row, c, n, n - n / 8) < 0;
}

int64_t l2r_wl_colours_step(int32_t *row, bool *sorted, struct l2r_wl_colours *c, int64_t most)
{
    int64_t n = c->batch->n_nodes;
    *sorted = !hopeless(row, c);
    if (!*sorted) return -1;
    l2r_parallel(l2r_chunk_count(n, NODES_A_CHUNK), hash_chunk, c);
    return number_rows(row, c, n, most);
}

static bool count_nodes(struct l2r_wl_colours *c, struct l2r_arena *arena)
{
    int32_t *count = l2r_arena_zeroed(arena, (size_t)c->n, sizeof *count);
    for (int64_t v = 0; count && v < c->batch->n_nodes; v++) count[c->colour[v]]++;
    c->count = count;
    return count != NULL;
}

bool l2r_wl_colours_advance(struct l2r_wl_colours *c, struct l2r_arena *arena, const int32_t *row, int64_t rows)
{
    l2r_real *norm = c->norm ? l2r_arena_alloc(arena, (size_t)rows, sizeof *norm) : NULL;
    if (c->norm && !norm) return false;
    for (int64_t i = 0; i < rows; i++) {
        c->key[i] = c->hash[c->first[i]];
        if (norm) norm[i] = c->batch->graph.inverse_root_degree[c->first[i]];
    }
    c->n = rows;
    c->colour = row;
    c->source = NULL;
    c->norm = norm;
    return count_nodes(c, arena);
}

/* A colour for each pair of type and degree. */
static int64_t colour_by_degree(int32_t *colour, int32_t *source, l2r_real *norm, struct l2r_wl_colours *c)
{
    const struct l2r_batch *b = c->batch;
    const struct l2r_adjacency *g = &b->graph;
    int64_t n = 0;
    memset(c->slots, 0xff, (size_t)(c->mask + 1) * sizeof *c->slots);
    for (int64_t v = 0; v < b->n_nodes; v++) {
        uint64_t others = 0;
        for (int64_t e = g->arc_start[v]; e < g->arc_start[v + 1]; e++) others += g->neighbour[e] != v;
        uint64_t code = (uint64_t)(uint32_t)b->nodes.type[v] << 32 | others, at = mix(code) & c->mask;
        int32_t found;
        while ((found = c->slots[at]) >= 0 && c->hash[found] != code) at = (at + 1) & c->mask;
        if (found < 0) {
            c->slots[at] = found = (int32_t)n++;
            c->hash[found] = code;
            source[found] = b->nodes.type[v];
            norm[found] = g->inverse_root_degree[v];
        }
        colour[v] = found;
    }
    return n;
}

/* Keys from the features' values, which do not depend on the batch as types do. */
static void start_keys(struct l2r_wl_colours *c, int32_t columns, int32_t arc_columns)
{
    const struct l2r_batch *b = c->batch;
    for (int64_t i = 0; i < c->n; i++) {
        int64_t type = c->source ? c->source[i] : i;
        c->key[i] = row_key(b->nodes.rows + type * columns, columns, c->source ? c->hash[i] & UINT32_MAX : 0);
    }
    for (int64_t i = 0; i < b->arcs.n; i++) {
        c->type_key[i] = row_key(b->arcs.rows + i * arc_columns, arc_columns, UINT32_MAX);
        for (int32_t k = 0; k < b->arcs.n_reals; k++) {
            float real = (float)b->arcs.real[i * b->arcs.n_reals + k];
            int32_t bits;
            memcpy(&bits, &real, sizeof bits);
            c->type_key[i] = row_key(&bits, 1, c->type_key[i]);
        }
    }
}

bool l2r_wl_colours_start(struct l2r_wl_colours *c, struct l2r_arena *arena, const struct l2r_batch *batch,
                          int32_t columns, int32_t arc_columns, bool arcs, bool degrees)
{
    size_t nodes = (size_t)batch->n_nodes, slots = 64;
    while (slots < 2 * nodes) slots *= 2;
    *c = (struct l2r_wl_colours){.batch = batch,
                                 .with_arc_types = arcs,
                                 .n = batch->nodes.n,
                                 .colour = batch->nodes.type,
                                 .key = l2r_arena_alloc(arena, nodes, sizeof *c->key),
                                 .type_key = l2r_arena_alloc(arena, (size_t)batch->arcs.n, sizeof *c->type_key),
                                 .arcs = l2r_arena_alloc(arena, (size_t)batch->graph.n_arcs, sizeof *c->arcs),
                                 .hash = l2r_arena_alloc(arena, nodes, sizeof *c->hash),
                                 .first = l2r_arena_alloc(arena, nodes, sizeof *c->first),
                                 .slots = l2r_arena_alloc(arena, slots, sizeof *c->slots),
                                 .mask = slots - 1};
    if (!c->key || !c->type_key || !c->arcs || !c->hash || !c->first || !c->slots) return false;
    if (degrees) {
        int32_t *colour = l2r_arena_alloc(arena, nodes, sizeof *colour);
        int32_t *source = l2r_arena_alloc(arena, nodes, sizeof *source);
        l2r_real *norm = l2r_arena_alloc(arena, nodes, sizeof *norm);
        if (!colour || !source || !norm) return false;
        c->n = colour_by_degree(colour, source, norm, c);
        c->colour = colour;
        c->source = source;
        c->norm = norm;
    }
    start_keys(c, columns, arc_columns);
    return count_nodes(c, arena);
}
