/* SPDX-License-Identifier: MIT
 * See aggregate_mapped.h. */
#include "kernels/aggregate_mapped.h"

#include "base/threads.h"

#include <string.h>

enum { MOST_TABLES = 8, VALUES_A_CHUNK = 1 << 12 };

struct work {
    l2r_real *d_x, *d_table, *d_root;
    l2r_real beta;
    const l2r_real *d_y, *x;
    const struct l2r_aggregation *a;
    l2r_real *tables; /* [tables × table_size] */
    int64_t n_tables, rows_a_table;
};

/* Rows of a chunk's table: those of x, then the edge types, then the root. */
static int64_t table_size(const struct l2r_aggregation *a)
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

int64_t l2r_mapped_scratch(const struct l2r_aggregation *a)
{
    return table_count(a) * table_size(a);
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

static L2R_CLONES void add_rows(l2r_real *table, const struct work *w, int64_t begin, int64_t end)
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
    const struct work *w = context;
    int64_t begin, end, size = table_size(w->a);
    l2r_real *table = w->tables + chunk * size;
    l2r_chunk_range(&begin, &end, w->a->graph.n_nodes, w->rows_a_table, chunk);
    memset(table, 0, (size_t)size * sizeof *table);
    add_rows(table, w, begin, end);
}

/* Adds the tables place by place, in double and in order. */
static void sum_chunk(void *context, int64_t chunk)
{
    const struct work *w = context;
    int64_t begin, end, size = table_size(w->a), edges = w->a->graph.map->n_sources * w->a->dim;
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

void l2r_mapped_backward(l2r_real *d_x, l2r_real beta, l2r_real *d_table, l2r_real *d_root, const l2r_real *d_y,
                         const l2r_real *x, const struct l2r_aggregation *a, l2r_real *scratch)
{
    int64_t n = table_count(a), rows = l2r_chunk_count(a->graph.n_nodes, n);
    struct work w = {.d_x = d_x,
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
    l2r_parallel(l2r_chunk_count(table_size(a), VALUES_A_CHUNK), sum_chunk, &w);
}
