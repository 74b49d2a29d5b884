/* SPDX-License-Identifier: MIT
 *
 * See arc_levels.h. The search is that of wl_colours.h on another graph, whose vertices are the arcs of the batch and,
 * after them, its nodes:
 *
 *     v→w    has the arcs u→v, u ≠ w, for neighbours          types: pairs (type of v, type of the arc)
 *     v      has the arcs u→v                                 types: those of the nodes, after the pairs
 *
 * Vertices get their rows in the order of first appearance, so the rows of arcs come first. Of each level but the last
 * those are used, of the last the rows of nodes.
 */
#include "batch/arc_levels.h"

#include "batch/wl_colours.h"

#include <string.h>

/* With longer lists on average, or more pairs of types, every list gets a sum of its own. */
enum { MOST_ITEMS = 8, MOST_PAIRS = 1 << 20 };

struct line_graph {
    struct l2r_batch batch; /* the graph of arcs and nodes */
    int64_t n_arcs, n_nodes;
    int32_t columns; /* of batch.nodes.rows */
};

/* Entries of all lists of arcs: Σ_v d_v (d_v − 1). */
static int64_t count_items(const struct l2r_adjacency *g)
{
    int64_t n = 0;
    for (int64_t v = 0; v < g->n_nodes; v++) {
        int64_t degree = g->arc_start[v + 1] - g->arc_start[v];
        n += degree * (degree - 1);
    }
    return n;
}

static void fill_lists(int32_t *start, int32_t *item, const struct l2r_adjacency *g)
{
    int64_t n = 0;
    for (int64_t w = 0; w < g->n_nodes; w++)
        for (int64_t a = g->arc_start[w]; a < g->arc_start[w + 1]; a++) {
            int64_t v = g->neighbour[a];
            start[a] = (int32_t)n;
            for (int64_t e = g->arc_start[v]; e < g->arc_start[v + 1]; e++)
                if (g->neighbour[e] != w) item[n++] = (int32_t)e;
        }
    for (int64_t v = 0; v < g->n_nodes; v++) {
        start[g->n_arcs + v] = (int32_t)n;
        for (int64_t e = g->arc_start[v]; e < g->arc_start[v + 1]; e++) item[n++] = (int32_t)e;
    }
    start[g->n_arcs + g->n_nodes] = (int32_t)n;
}

/* Types of the vertices, and what each is made of: a pair's features side by side; a node's, and −1 for an arc's. */
static bool fill_types(struct line_graph *line, struct l2r_arc_levels *levels, struct l2r_arena *arena,
                       const struct l2r_batch *b, const struct l2r_dataset *data, bool with_arc_types)
{
    const struct l2r_adjacency *g = &b->graph;
    int64_t kinds = with_arc_types ? b->arcs.n : 1, pairs = b->nodes.n * kinds,
            most = pairs < g->n_arcs ? pairs : g->n_arcs;
    int32_t nodes = data->nodes.n_columns, arcs = with_arc_types ? data->arcs.n_columns : 0, columns = nodes + arcs + 1;
    int32_t *number = l2r_arena_alloc(arena, (size_t)pairs, sizeof *number);
    int32_t *type = l2r_arena_alloc(arena, (size_t)(g->n_arcs + g->n_nodes), sizeof *type);
    int32_t *from = l2r_arena_alloc(arena, (size_t)most, sizeof *from),
            *by = l2r_arena_alloc(arena, (size_t)most, sizeof *by);
    int32_t *rows = l2r_arena_zeroed(arena, (size_t)((most + b->nodes.n) * columns), sizeof *rows), *row = rows;
    if (!number || !type || !from || !by || !rows) return false;
    memset(number, 0xff, (size_t)pairs * sizeof *number);
    for (int64_t a = 0; a < g->n_arcs; a++) {
        int32_t t = b->nodes.type[g->neighbour[a]], kind = with_arc_types ? g->arc_type[a] : 0;
        int32_t *known = &number[t * kinds + kind];
        if (*known < 0) {
            memcpy(row, b->nodes.rows + (int64_t)t * nodes, (size_t)nodes * sizeof *row);
            if (arcs) memcpy(row + nodes, b->arcs.rows + (int64_t)kind * arcs, (size_t)arcs * sizeof *row);
            row += columns;
            from[levels->n_pairs] = t;
            by[levels->n_pairs] = kind;
            *known = (int32_t)levels->n_pairs++;
        }
        type[a] = *known;
    }
    for (int64_t t = 0; t < b->nodes.n; t++, row += columns) {
        memcpy(row, b->nodes.rows + t * nodes, (size_t)nodes * sizeof *row);
        row[columns - 1] = 1; /* a node, not an arc */
    }
    for (int64_t v = 0; v < g->n_nodes; v++) type[g->n_arcs + v] = (int32_t)levels->n_pairs + b->nodes.type[v];
    levels->node_type = from;
    levels->arc_type = by;
    line->columns = columns;
    line->batch.nodes = (struct l2r_batch_types){.n = levels->n_pairs + b->nodes.n, .rows = rows, .type = type};
    return true;
}

static bool build_graph(struct line_graph *line, struct l2r_arena *arena, const struct l2r_batch *b, int64_t n_items)
{
    const struct l2r_adjacency *g = &b->graph;
    int64_t vertices = g->n_arcs + g->n_nodes, items = n_items + g->n_arcs;
    int32_t *start = l2r_arena_alloc(arena, (size_t)vertices + 1, sizeof *start);
    int32_t *item = l2r_arena_alloc(arena, (size_t)items, sizeof *item);
    if (!start || !item) return false;
    fill_lists(start, item, g);
    line->n_arcs = g->n_arcs;
    line->n_nodes = g->n_nodes;
    line->batch.n_nodes = vertices;
    line->batch.graph =
        (struct l2r_adjacency){.n_nodes = vertices, .n_arcs = start[vertices], .arc_start = start, .neighbour = item};
    line->batch.arcs = (struct l2r_batch_types){.n = 1};
    return true;
}

/* The reversed lists. */
static bool turn(struct l2r_lists *lists, struct l2r_arena *arena)
{
    int64_t n = lists->start[lists->n_rows];
    int32_t *start = l2r_arena_zeroed(arena, (size_t)lists->n_sources + 2, sizeof *start);
    int32_t *item = l2r_arena_alloc(arena, (size_t)n, sizeof *item);
    if (!start || !item) return false;
    for (int64_t e = 0; e < n; e++) start[lists->item[e] + 2]++;
    for (int64_t i = 1; i < lists->n_sources; i++) start[i + 1] += start[i];
    for (int64_t i = 0; i < lists->n_rows; i++) /* moves each start to its end, the next start */
        for (int64_t e = lists->start[i]; e < lists->start[i + 1]; e++) item[start[lists->item[e] + 1]++] = (int32_t)i;
    lists->back_start = start;
    lists->back_item = item;
    return true;
}

/* Rows first .. end of the step just taken, as lists of rows of the level before. */
static bool fill_level(struct l2r_arc_level *level, struct l2r_arena *arena, const struct l2r_wl_colours *c,
                       int64_t first, int64_t end, int64_t n_sources, int32_t type_offset)
{
    const int32_t *from = c->batch->graph.arc_start;
    int64_t rows = end - first, n = 0;
    int32_t *start = l2r_arena_alloc(arena, (size_t)rows + 1, sizeof *start);
    int32_t *origin = l2r_arena_alloc(arena, (size_t)rows, sizeof *origin);
    for (int64_t i = first; i < end; i++) n += from[c->first[i] + 1] - from[c->first[i]];
    int32_t *item = l2r_arena_alloc(arena, (size_t)n, sizeof *item);
    if (!start || !origin || !item) return false;
    n = 0;
    for (int64_t i = 0; i < rows; i++) {
        int32_t vertex = c->first[first + i];
        start[i] = (int32_t)n;
        origin[i] = c->batch->nodes.type[vertex] - type_offset;
        for (int64_t e = from[vertex]; e < from[vertex + 1]; e++) item[n++] = l2r_wl_colour(c->arcs[e].code);
    }
    start[rows] = (int32_t)n;
    *level = (struct l2r_arc_level){.lists = {.n_rows = rows, .n_sources = n_sources, .start = start, .item = item},
                                    .origin = origin};
    return turn(&level->lists, arena);
}

/* Which row of the last level each node is, and how many nodes are. */
static bool fill_nodes(struct l2r_arc_levels *levels, struct l2r_arena *arena, const int32_t *row, int64_t n_nodes,
                       int64_t first)
{
    int64_t rows = levels->level[levels->n - 1].lists.n_rows;
    int32_t *of_node = l2r_arena_alloc(arena, (size_t)n_nodes, sizeof *of_node);
    l2r_real *count = l2r_arena_zeroed(arena, (size_t)rows, sizeof *count);
    if (!of_node || !count) return false;
    for (int64_t v = 0; v < n_nodes; v++) count[of_node[v] = row[v] - (int32_t)first] += 1;
    levels->row = of_node;
    levels->counts = (struct l2r_row_counts){count, n_nodes};
    return true;
}

/* All levels; *worth: false where one found hardly two alike. */
static bool find_levels(struct l2r_arc_levels *levels, bool *worth, struct l2r_arena *arena,
                        const struct line_graph *line, int64_t depth)
{
    struct l2r_wl_colours c;
    int64_t vertices = line->batch.n_nodes, n_sources = levels->n_pairs;
    levels->level = l2r_arena_alloc(arena, (size_t)depth, sizeof *levels->level);
    if (!levels->level || !l2r_wl_colours_start(&c, arena, &line->batch, line->columns, 0, false, false)) return false;
    while (levels->n < depth) {
        bool sorted, last = levels->n + 1 == depth;
        int32_t *row = l2r_arena_alloc(arena, (size_t)vertices, sizeof *row);
        if (!row) return false;
        int64_t rows = l2r_wl_colours_step(row, &sorted, &c, vertices), arc_rows = 0;
        if (!(*worth = rows >= 0)) return true;
        for (int64_t a = 0; a < line->n_arcs; a++)
            if (row[a] >= arc_rows) arc_rows = row[a] + 1;
        struct l2r_arc_level *level = &levels->level[levels->n++];
        if (last)
            return fill_level(level, arena, &c, arc_rows, rows, n_sources, (int32_t)levels->n_pairs) &&
                   fill_nodes(levels, arena, row + line->n_arcs, line->n_nodes, arc_rows);
        if (!fill_level(level, arena, &c, 0, arc_rows, n_sources, 0) || !l2r_wl_colours_advance(&c, arena, row, rows))
            return false;
        n_sources = arc_rows;
    }
    return true;
}

enum l2r_status l2r_arc_levels_make(const struct l2r_arc_levels **levels, struct l2r_arena *arena,
                                    const struct l2r_batch *batch, const struct l2r_dataset *data,
                                    const struct l2r_sharing *sharing, struct l2r_error *error)
{
    struct line_graph line = {0};
    int64_t items = count_items(&batch->graph), arcs = batch->graph.n_arcs;
    bool worth = true;
    *levels = NULL;
    if (sharing->depth == 0 || arcs == 0 || items > MOST_ITEMS * arcs || batch->nodes.n * batch->arcs.n > MOST_PAIRS)
        return L2R_OK;
    struct l2r_arc_levels *made = l2r_arena_zeroed(arena, 1, sizeof *made);
    if (!made || !build_graph(&line, arena, batch, items) ||
        !fill_types(&line, made, arena, batch, data, sharing->arcs) ||
        !find_levels(made, &worth, arena, &line, sharing->depth))
        return l2r_fail_memory(error, (size_t)(items + arcs) * 16, "the equal neighbourhoods of a batch");
    if (worth) *levels = made;
    return L2R_OK;
}
