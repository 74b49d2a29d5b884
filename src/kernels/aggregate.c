/* SPDX-License-Identifier: MIT
 *
 * See aggregate.h. Three walks compute the same equation; which one runs is decided here, by the shape of the graph
 * alone:
 *
 *     forward            tiles of 32 numbers of a row stay in registers while the arcs of the node pass by; the rest
 *                        of the row follows in single vectors and single numbers
 *     backward           the same walk over the symmetric lists, each row of d_x summed by one thread
 *     backward, mapped   rows of x and y differ (struct l2r_row_map): the rows of x are few and shared by all rows of
 *                        y, so each chunk of rows of y adds into a table of its own, [rows of x, edge types, root],
 *                        and the tables are added in order. Their number follows from the sizes alone.
 */
#include "kernels/aggregate.h"

#include "base/threads.h"

#include <assert.h>
#include <string.h>

enum { NODES_A_CHUNK = 128, TABLES = 8, TILE = 4 * L2R_LANES };

static l2r_real coefficient(const struct l2r_aggregation *a, int64_t v, int64_t u)
{
    if (!a->norm) return 1;
    return u == v ? 0 : a->norm[v] * a->norm[u];
}

/* The same for arc e of row v, where rows may be mapped. */
static l2r_real arc_coefficient(const struct l2r_aggregation *a, int64_t v, int64_t e)
{
    if (!a->norm) return 1;
    return a->graph.map ? a->graph.map->arc_norm[e] : coefficient(a, v, a->graph.neighbour[e]);
}

static const l2r_real *own_row(const l2r_real *x, const struct l2r_aggregation *a, int64_t v)
{
    return x + (a->graph.map ? a->graph.map->self[v] : v) * a->dim;
}

static l2r_real self_coefficient(const struct l2r_aggregation *a, int64_t v)
{
    return a->norm ? a->norm[v] * a->norm[v] : a->self_scale;
}

/* Vector k of the tile that starts at p. */
#define AT(p, k) (*(const l2r_vec *)((p) + (k)*L2R_LANES))

/* One tile of n vectors of row v, n a constant after inlining. */
L2R_INLINE void forward_tile(l2r_real *y, const l2r_real *x, const struct l2r_aggregation *a, int64_t v, int64_t j,
                             int n)
{
    l2r_vec sum[4];
    l2r_real self = self_coefficient(a, v);
    const l2r_real *own_x = own_row(x, a, v) + j;
    for (int k = 0; k < n; k++) {
        l2r_vec own = AT(own_x, k);
        sum[k] = self * (a->root ? l2r_vec_positive(own + AT(a->root + j, k)) : own);
        if (a->bias) sum[k] += AT(a->bias + j, k);
    }
    for (int64_t e = a->graph.arc_start[v]; e < a->graph.arc_start[v + 1]; e++) {
        l2r_real c = arc_coefficient(a, v, e);
        const l2r_real *from = x + a->graph.neighbour[e] * a->dim + j;
        if (a->edge_table) {
            const l2r_real *edge = a->edge_table + (int64_t)a->graph.arc_type[e] * a->dim + j;
            for (int k = 0; k < n; k++) sum[k] += c * l2r_vec_positive(AT(from, k) + AT(edge, k));
        } else {
            for (int k = 0; k < n; k++) sum[k] += c * AT(from, k);
        }
    }
    for (int k = 0; k < n; k++) *(l2r_vec *)(y + v * a->dim + j + k * L2R_LANES) = sum[k];
}

L2R_INLINE l2r_real positive(l2r_real x)
{
    return x < 0 ? 0 : x;
}

L2R_INLINE void forward_number(l2r_real *y, const l2r_real *x, const struct l2r_aggregation *a, int64_t v, int64_t j)
{
    l2r_real own = own_row(x, a, v)[j];
    l2r_real sum = self_coefficient(a, v) * (a->root ? positive(own + a->root[j]) : own);
    if (a->bias) sum += a->bias[j];
    for (int64_t e = a->graph.arc_start[v]; e < a->graph.arc_start[v + 1]; e++) {
        l2r_real value = x[a->graph.neighbour[e] * a->dim + j];
        if (a->edge_table) value = positive(value + a->edge_table[(int64_t)a->graph.arc_type[e] * a->dim + j]);
        sum += arc_coefficient(a, v, e) * value;
    }
    y[v * a->dim + j] = sum;
}

L2R_CLONES(static, forward_nodes,
           (l2r_real * y, const l2r_real *x, const struct l2r_aggregation *a, int64_t begin, int64_t end),
           (y, x, a, begin, end))
{
    for (int64_t v = begin; v < end; v++) {
        int64_t j = 0;
        for (; j + TILE <= a->dim; j += TILE) forward_tile(y, x, a, v, j, 4);
        for (; j + L2R_LANES <= a->dim; j += L2R_LANES) forward_tile(y, x, a, v, j, 1);
        for (; j < a->dim; j++) forward_number(y, x, a, v, j);
    }
}

struct work {
    l2r_real *out;
    l2r_real beta;
    const l2r_real *d_y, *x;
    const struct l2r_aggregation *a;
    l2r_real *tables; /* backward: [TABLES × (n_types + 1) × dim], the last row of each is for the root */
    int64_t nodes_a_chunk;
};

static void forward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->a->graph.n_nodes, w->nodes_a_chunk, chunk);
    forward_nodes(w->out, w->x, w->a, begin, end);
}

void l2r_aggregate_forward(l2r_real *y, const l2r_real *x, const struct l2r_aggregation *a)
{
    struct work w = {.out = y, .x = x, .a = a, .nodes_a_chunk = NODES_A_CHUNK};
    l2r_parallel(l2r_chunk_count(a->graph.n_nodes, NODES_A_CHUNK), forward_chunk, &w);
}

/* The gradient of one tile of row v; `table` collects the edge and root gradients of this chunk. */
L2R_INLINE void backward_tile(l2r_real *d_x, l2r_real beta, l2r_real *table, const l2r_real *d_y, const l2r_real *x,
                              const struct l2r_aggregation *a, int64_t v, int64_t j, int n)
{
    l2r_vec sum[4], own[4];
    l2r_real self = self_coefficient(a, v);
    for (int k = 0; k < n; k++) {
        l2r_vec g = self * AT(d_y + v * a->dim + j, k);
        own[k] = x ? AT(x + v * a->dim + j, k) : (l2r_vec){0};
        if (a->root) {
            g = l2r_vec_where_positive(own[k] + AT(a->root + j, k), g);
            *(l2r_vec *)(table + a->n_types * a->dim + j + k * L2R_LANES) += g;
        }
        sum[k] = g;
        if (beta != 0) sum[k] += beta * AT(d_x + v * a->dim + j, k);
    }
    for (int64_t e = a->graph.arc_start[v]; e < a->graph.arc_start[v + 1]; e++) {
        int64_t u = a->graph.neighbour[e];
        l2r_real c = coefficient(a, v, u);
        const l2r_real *from = d_y + u * a->dim + j;
        if (a->edge_table) {
            int64_t row = (int64_t)a->graph.arc_type[e] * a->dim + j;
            for (int k = 0; k < n; k++) {
                l2r_vec g = l2r_vec_where_positive(own[k] + AT(a->edge_table + row, k), c * AT(from, k));
                sum[k] += g;
                *(l2r_vec *)(table + row + k * L2R_LANES) += g;
            }
        } else {
            for (int k = 0; k < n; k++) sum[k] += c * AT(from, k);
        }
    }
    for (int k = 0; k < n; k++) *(l2r_vec *)(d_x + v * a->dim + j + k * L2R_LANES) = sum[k];
}

L2R_INLINE void backward_number(l2r_real *d_x, l2r_real beta, l2r_real *table, const l2r_real *d_y, const l2r_real *x,
                                const struct l2r_aggregation *a, int64_t v, int64_t j)
{
    l2r_real own = x ? x[v * a->dim + j] : 0;
    l2r_real sum = self_coefficient(a, v) * d_y[v * a->dim + j];
    if (a->root) {
        sum = own + a->root[j] > 0 ? sum : 0;
        table[a->n_types * a->dim + j] += sum;
    }
    if (beta != 0) sum += beta * d_x[v * a->dim + j];
    for (int64_t e = a->graph.arc_start[v]; e < a->graph.arc_start[v + 1]; e++) {
        int64_t u = a->graph.neighbour[e], row = a->edge_table ? (int64_t)a->graph.arc_type[e] * a->dim + j : 0;
        l2r_real g = coefficient(a, v, u) * d_y[u * a->dim + j];
        if (a->edge_table) {
            g = own + a->edge_table[row] > 0 ? g : 0;
            table[row] += g;
        }
        sum += g;
    }
    d_x[v * a->dim + j] = sum;
}

L2R_CLONES(static, backward_nodes,
           (l2r_real * d_x, l2r_real beta, l2r_real *table, const l2r_real *d_y, const l2r_real *x,
            const struct l2r_aggregation *a, int64_t begin, int64_t end),
           (d_x, beta, table, d_y, x, a, begin, end))
{
    assert(table || (!a->edge_table && !a->root));
    for (int64_t v = begin; v < end; v++) {
        int64_t j = 0;
        for (; j + TILE <= a->dim; j += TILE) backward_tile(d_x, beta, table, d_y, x, a, v, j, 4);
        for (; j + L2R_LANES <= a->dim; j += L2R_LANES) backward_tile(d_x, beta, table, d_y, x, a, v, j, 1);
        for (; j < a->dim; j++) backward_number(d_x, beta, table, d_y, x, a, v, j);
    }
}

static int64_t table_size(const struct l2r_aggregation *a)
{
    return (a->n_types + 1) * a->dim;
}

static void backward_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, w->a->graph.n_nodes, w->nodes_a_chunk, chunk);
    l2r_real *table = w->tables ? w->tables + chunk * table_size(w->a) : NULL;
    if (table) memset(table, 0, (size_t)table_size(w->a) * sizeof *table);
    backward_nodes(w->out, w->beta, table, w->d_y, w->x, w->a, begin, end);
}

/* ---- backward where rows are mapped ----
 *     d_x_self(v) += self part,   d_x_u += s_v s_u · φ'(x_u + e_uv) · d_y_v     for every arc of every row v of y */

enum { MOST_TABLES = 8, VALUES_A_CHUNK = 1 << 12 };

struct mapped {
    l2r_real *d_x, *d_table, *d_root;
    l2r_real beta;
    const l2r_real *d_y, *x;
    const struct l2r_aggregation *a;
    l2r_real *tables; /* [tables × mapped_table_size] */
    int64_t n_tables, rows_a_table;
};

/* Rows of a chunk's table: those of x, then the edge types, then the root. */
static int64_t mapped_table_size(const struct l2r_aggregation *a)
{
    return (a->graph.map->n_sources + a->n_types + 1) * a->dim;
}

/* A table is worth clearing and adding if a few times as many rows are added into it. */
static int64_t table_count(const struct l2r_aggregation *a)
{
    int64_t added = a->graph.n_nodes + a->graph.n_arcs, rows = a->graph.map->n_sources + a->n_types + 1;
    int64_t n = added / (4 * rows);
    return n < 1 ? 1 : n > MOST_TABLES ? MOST_TABLES : n;
}

static int64_t mapped_scratch(const struct l2r_aggregation *a)
{
    return table_count(a) * mapped_table_size(a);
}

/* to += c·g; where `at` (x, plus an offset) is not positive nothing passes, and what passes is added to `other` too. */
L2R_INLINE void add_row(l2r_real *restrict to, const l2r_real *restrict g, l2r_real c, int64_t dim)
{
    for (int64_t j = 0; j < dim; j++) to[j] += c * g[j];
}

L2R_INLINE void add_row_where(l2r_real *restrict to, l2r_real *restrict other, const l2r_real *restrict g, l2r_real c,
                              const l2r_real *restrict x, const l2r_real *restrict offset, int64_t dim)
{
    for (int64_t j = 0; j < dim; j++) {
        l2r_real passed = x[j] + offset[j] > 0 ? c * g[j] : 0;
        to[j] += passed;
        other[j] += passed;
    }
}

L2R_CLONES(static, add_rows, (l2r_real * table, const struct mapped *w, int64_t begin, int64_t end),
           (table, w, begin, end))
{
    const struct l2r_aggregation *a = w->a;
    const struct l2r_row_map *map = a->graph.map;
    int64_t dim = a->dim;
    l2r_real *edges = table + map->n_sources * dim, *root = edges + a->n_types * dim;
    for (int64_t v = begin; v < end; v++) {
        const l2r_real *g = w->d_y + v * dim;
        l2r_real self = a->norm ? a->norm[v] * a->norm[v] : a->self_scale;
        int64_t own = map->self[v] * dim;
        if (a->root)
            add_row_where(table + own, root, g, self, w->x + own, a->root, dim);
        else
            add_row(table + own, g, self, dim);
        for (int64_t e = a->graph.arc_start[v]; e < a->graph.arc_start[v + 1]; e++) {
            int64_t from = a->graph.neighbour[e] * dim;
            l2r_real c = a->norm ? map->arc_norm[e] : 1;
            if (a->edge_table) {
                int64_t type = a->graph.arc_type[e] * dim;
                add_row_where(table + from, edges + type, g, c, w->x + from, a->edge_table + type, dim);
            } else {
                add_row(table + from, g, c, dim);
            }
        }
    }
}

static void table_chunk(void *context, int64_t chunk)
{
    const struct mapped *w = context;
    int64_t begin, end, size = mapped_table_size(w->a);
    l2r_real *table = w->tables + chunk * size;
    l2r_chunk_range(&begin, &end, w->a->graph.n_nodes, w->rows_a_table, chunk);
    memset(table, 0, (size_t)size * sizeof *table);
    add_rows(table, w, begin, end);
}

/* Adds the tables place by place, in double and in order. */
static void sum_chunk(void *context, int64_t chunk)
{
    const struct mapped *w = context;
    int64_t begin, end, size = mapped_table_size(w->a), edges = w->a->graph.map->n_sources * w->a->dim;
    int64_t root = edges + w->a->n_types * w->a->dim;
    l2r_chunk_range(&begin, &end, size, VALUES_A_CHUNK, chunk);
    for (int64_t i = begin; i < end; i++) {
        double sum = 0;
        for (int64_t k = 0; k < w->n_tables; k++) sum += (double)w->tables[k * size + i];
        if (i < edges)
            w->d_x[i] = (w->beta == 0 ? 0 : w->beta * w->d_x[i]) + (l2r_real)sum;
        else if (i < root && w->d_table)
            w->d_table[i - edges] = (l2r_real)sum;
        else if (i >= root && w->d_root)
            w->d_root[i - root] = (l2r_real)sum;
    }
}

static void mapped_backward(l2r_real *d_x, l2r_real beta, l2r_real *d_table, l2r_real *d_root, const l2r_real *d_y,
                            const l2r_real *x, const struct l2r_aggregation *a, l2r_real *scratch)
{
    int64_t n = table_count(a), rows = l2r_chunk_count(a->graph.n_nodes, n);
    struct mapped w = {.d_x = d_x,
                       .d_table = d_table,
                       .d_root = d_root,
                       .beta = beta,
                       .d_y = d_y,
                       .x = x,
                       .a = a,
                       .tables = scratch,
                       .rows_a_table = rows < 1 ? 1 : rows};
    w.n_tables = l2r_chunk_count(a->graph.n_nodes, w.rows_a_table);
    l2r_parallel(w.n_tables, table_chunk, &w);
    l2r_parallel(l2r_chunk_count(mapped_table_size(a), VALUES_A_CHUNK), sum_chunk, &w);
}

/* ---- the choice ---- */

int64_t l2r_aggregate_scratch(const struct l2r_aggregation *a)
{
    if (a->graph.map) return mapped_scratch(a);
    return a->edge_table || a->root ? TABLES * table_size(a) : 0;
}

void l2r_aggregate_backward(l2r_real *d_x, l2r_real beta, l2r_real *d_table, l2r_real *d_root, const l2r_real *d_y,
                            const l2r_real *x, const struct l2r_aggregation *a, l2r_real *scratch)
{
    if (a->graph.map) {
        mapped_backward(d_x, beta, d_table, d_root, d_y, x, a, scratch);
        return;
    }
    struct work w = {.out = d_x, .beta = beta, .d_y = d_y, .x = x, .a = a, .nodes_a_chunk = NODES_A_CHUNK};
    if (a->edge_table || a->root) {
        /* As few chunks as there are partial tables; the tables are then added in order. */
        w.tables = scratch;
        w.nodes_a_chunk = l2r_chunk_count(a->graph.n_nodes, TABLES);
        if (w.nodes_a_chunk < 1) w.nodes_a_chunk = 1;
    }
    int64_t chunks = l2r_chunk_count(a->graph.n_nodes, w.nodes_a_chunk), edges = a->n_types * a->dim;
    l2r_parallel(chunks, backward_chunk, &w);
    for (int64_t i = 0; w.tables && i < table_size(a); i++) {
        l2r_real *into = i < edges ? d_table : d_root;
        if (!into) continue;
        double sum = 0;
        for (int64_t c = 0; c < chunks; c++) sum += (double)scratch[c * table_size(a) + i];
        into[i < edges ? i : i - edges] = (l2r_real)sum;
    }
}
