/* SPDX-License-Identifier: MIT
 *
 * See levels.h; wl_colours.h has the refinement. A level is built from the colours of the depth before it: row i has
 * the arcs of the first node of its colour, any other node of that colour would give the same ones in the same order.
 * Sums over a row's neighbours therefore have the same bits for all nodes that the row stands for.
 */
#include "batch/levels.h"

#include "batch/wl_colours.h"

/* A level with more rows than this share of the nodes, in eighths, does not pay. */
enum { MOST_EIGHTHS = 7 };

struct arrays {
    int32_t *arc_start, *neighbour, *type, *self;
    l2r_real *norm, *arc_norm;
};

/* The arcs of row i as node v sees them: in the order of their content, or in the batch's where the step was not
 * taken. */
static void fill_arcs(const struct arrays *to, const struct l2r_wl_colours *c, int64_t i, int64_t v, bool sorted)
{
    const struct l2r_adjacency *g = &c->batch->graph;
    for (int64_t e = to->arc_start[i], from = g->arc_start[v]; e < to->arc_start[i + 1]; e++, from++) {
        uint64_t code = sorted ? c->arcs[from].code : 0;
        int32_t colour = sorted ? l2r_wl_colour(code) : c->colour[g->neighbour[from]];
        bool loop = sorted ? l2r_wl_loop(code) : g->neighbour[from] == v;
        to->type[e] = sorted ? l2r_wl_type(code) : c->with_arc_types ? g->arc_type[from] : 0;
        to->neighbour[e] = c->source ? c->source[colour] : colour;
        if (to->arc_norm) to->arc_norm[e] = loop ? 0 : to->norm[i] * c->norm[colour];
    }
}

/* A level of `rows` rows made of the colours: row i as node first[i] sees it, or node i itself when first is NULL. */
static bool fill_level(struct l2r_level *level, struct l2r_arena *arena, const struct l2r_wl_colours *c,
                       const int32_t *first, int64_t rows, int64_t n_sources, bool sorted)
{
    const struct l2r_adjacency *g = &c->batch->graph;
    struct arrays to = {.arc_start = l2r_arena_alloc(arena, (size_t)rows + 1, sizeof *to.arc_start),
                        .self = l2r_arena_alloc(arena, (size_t)rows, sizeof *to.self)};
    if (!to.arc_start || !to.self) return false;
    to.arc_start[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        int64_t v = first ? first[i] : i;
        to.arc_start[i + 1] = to.arc_start[i] + (g->arc_start[v + 1] - g->arc_start[v]);
        to.self[i] = c->source ? c->source[c->colour[v]] : c->colour[v];
    }
    int64_t n_arcs = to.arc_start[rows];
    to.neighbour = l2r_arena_alloc(arena, (size_t)n_arcs, sizeof *to.neighbour);
    to.type = l2r_arena_alloc(arena, (size_t)n_arcs, sizeof *to.type);
    if (!to.neighbour || !to.type) return false;
    if (c->norm) {
        to.arc_norm = l2r_arena_alloc(arena, (size_t)n_arcs, sizeof *to.arc_norm);
        to.norm = l2r_arena_alloc(arena, (size_t)rows, sizeof *to.norm);
        if (!to.arc_norm || !to.norm) return false;
    }
    for (int64_t i = 0; i < rows; i++) {
        int64_t v = first ? first[i] : i;
        if (to.norm) to.norm[i] = g->inverse_root_degree[v];
        fill_arcs(&to, c, i, v, sorted);
    }
    level->map = (struct l2r_row_map){n_sources, to.self, to.arc_norm};
    level->graph = (struct l2r_adjacency){rows, n_arcs, to.arc_start, to.neighbour, to.type, to.norm, &level->map};
    return true;
}

static bool fill_counts(struct l2r_level *level, struct l2r_arena *arena, const struct l2r_wl_colours *c)
{
    l2r_real *count = l2r_arena_alloc(arena, (size_t)c->n, sizeof *count);
    if (!count) return false;
    for (int64_t i = 0; i < c->n; i++) count[i] = (l2r_real)c->count[i];
    level->counts = (struct l2r_row_counts){count, c->batch->n_nodes};
    return true;
}

/* One more level; *last: its rows are the nodes. */
static bool next_level(struct l2r_level *level, bool *last, struct l2r_arena *arena, struct l2r_wl_colours *c,
                       int64_t n_sources, int64_t most)
{
    bool sorted;
    int32_t *row = l2r_arena_alloc(arena, (size_t)c->batch->n_nodes, sizeof *row);
    if (!row) return false;
    *level = (struct l2r_level){.row = NULL};
    int64_t rows = l2r_wl_colours_step(row, &sorted, c, most);
    *last = rows < 0;
    if (*last) return fill_level(level, arena, c, NULL, c->batch->n_nodes, n_sources, sorted);
    level->row = row;
    return fill_level(level, arena, c, c->first, rows, n_sources, true) &&
           l2r_wl_colours_advance(c, arena, row, rows) && fill_counts(level, arena, c);
}

enum l2r_status l2r_levels_make(struct l2r_levels *levels, struct l2r_arena *arena, const struct l2r_batch *batch,
                                const struct l2r_dataset *data, const struct l2r_sharing *sharing,
                                struct l2r_error *error)
{
    struct l2r_wl_colours c;
    int64_t nodes = batch->n_nodes, most = nodes * MOST_EIGHTHS / 8, n_sources = batch->nodes.n;
    bool last = false, enough = true;
    *levels = (struct l2r_levels){0};
    if (sharing->depth == 0 || batch->nodes.n > most) return L2R_OK;
    levels->level = l2r_arena_alloc(arena, (size_t)sharing->depth, sizeof *levels->level);
    enough = levels->level && l2r_wl_colours_start(&c, arena, batch, data->nodes.n_columns, data->arcs.n_columns,
                                                   sharing->arcs, sharing->degrees);
    while (enough && levels->n < sharing->depth && !last) {
        enough = next_level(&levels->level[levels->n++], &last, arena, &c, n_sources, most);
        n_sources = c.n;
    }
    if (!enough)
        return l2r_fail_memory(error, (size_t)(nodes + batch->graph.n_arcs) * 16,
                               "the equal neighbourhoods of a batch");
    return L2R_OK;
}
