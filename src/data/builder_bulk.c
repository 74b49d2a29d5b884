/* SPDX-License-Identifier: MIT
 *
 * See l2r_builder_add_bulk in builder.h. An edge gives two arcs at most, so the place of a chunk's arcs is known before
 * the other chunks are done: twice the number of edges before it. A chunk with repeated edges or self loops needs less,
 * and the chunks after it move up. All this happens in the block that the data set will have (builder_pack.c), so that
 * the largest arrays are never copied:
 *
 *     places   |-- chunk 0 --|-- chunk 1 --|-- chunk 2 --|
 *     arcs     |aaaaaaaaaaaa |bbbbbbbbbbbbb|ccccccccccccc|   ->   |aaaaaaaaaaaabbbbbbbbbbbbbccccccccccccc|
 *
 * Types of edges are numbered in the order of the arcs, once all arcs are in place: adding graph by graph numbers them
 * so, and both ways must give the same bits. The order of the rows in a file may differ. */
#include "data/builder_state.h"

#include "base/memory.h"
#include "base/threads.h"

#include <string.h>

enum { GRAPHS = 256 }; /* a chunk */

struct chunk {
    int64_t first_edge; /* edges before it */
    int64_t n_arcs, n_self_loops;
    bool out_of_memory;
};

struct bulk {
    const struct l2r_bulk *in;
    struct chunk *chunks;
    int64_t n_chunks, n_edges;
    const int64_t *node_start;
    int64_t *arc_start;
    int32_t *neighbour, *arc_type;
};

/* An array of n elements that lies in the block. */
static void *place(struct l2r_array *array, const void *at, size_t n)
{
    l2r_array_clear(array);
    memcpy(&array->items, &at, sizeof at); /* a data set's arrays are read-only for all but its builder */
    array->n = array->capacity = n;
    return array->items;
}

/* Where each chunk begins. */
static bool count(struct bulk *w, struct l2r_builder *b)
{
    const struct l2r_bulk *in = w->in;
    w->n_chunks = l2r_chunk_count(in->n_graphs, GRAPHS);
    w->chunks = l2r_alloc((size_t)w->n_chunks, sizeof *w->chunks);
    if (!w->chunks) return false;
    for (int64_t g = 0; g < in->n_graphs; g++) {
        if (g % GRAPHS == 0) w->chunks[g / GRAPHS].first_edge = w->n_edges;
        b->n_nodes += in->n_nodes[g];
        w->n_edges += in->n_edges[g];
    }
    b->n_graphs = in->n_graphs;
    return true;
}

/* Takes the block for the most that the data set can need (two arcs an edge, no row of an edge given up), and places
 * the arrays at its front as if that came true. */
static bool take_block(struct bulk *w, struct l2r_builder *b)
{
    const struct l2r_bulk *in = w->in;
    struct l2r_dataset plan = {0};
    struct l2r_shape shape = l2r_builder_shape(b);
    size_t nodes = (size_t)b->n_nodes, arcs = 2 * (size_t)w->n_edges;
    shape.n_arcs = (int64_t)arcs;
    shape.has_official = true;
    shape.node_types = in->node_type ? in->node_rows->n : (int32_t)(nodes < INT32_MAX ? nodes : INT32_MAX);
    shape.arc_types = in->edge_type ? in->edge_rows->n : 0;
    shape.node_types += shape.node_types == 0; /* tables are never empty */
    shape.arc_types += shape.arc_types == 0;
    if (!l2r_block_size(&b->block_room, &shape)) return false;
    b->block = l2r_alloc_raw(b->block_room, 1);
    if (!b->block) return false;
    l2r_large_pages(b->block, b->block_room);
    l2r_block_bind(&plan, &shape, b->block);
    int64_t *start = place(&b->node_start, plan.node_start, (size_t)in->n_graphs + 1);
    start[0] = 0;
    for (int64_t g = 0; g < in->n_graphs; g++) start[g + 1] = start[g] + in->n_nodes[g];
    w->node_start = start;
    w->arc_start = place(&b->arc_start, plan.arc_start, nodes + 1);
    w->arc_start[0] = 0;
    w->neighbour = place(&b->neighbour, plan.neighbour, arcs);
    w->arc_type = in->edge_type ? place(&b->arc_type, plan.arcs.type, arcs) : NULL;
    return true;
}

static void copy_arcs(const struct bulk *w, const struct l2r_arc_lists *lists, int64_t node, int64_t edge, int64_t arc)
{
    if (lists->n_arcs > 0) memcpy(w->neighbour + arc, lists->neighbour, (size_t)lists->n_arcs * sizeof *w->neighbour);
    for (int64_t v = 0; v < lists->n_nodes; v++) w->arc_start[node + v + 1] = arc + lists->start[v + 1];
    if (!w->arc_type) return;
    for (int64_t a = 0; a < lists->n_arcs; a++) w->arc_type[arc + a] = w->in->edge_type[edge + lists->edge[a]];
}

/* Chunks share no memory that is written: each has its own range of nodes, edges and arcs. */
static void build_chunk(void *context, int64_t c)
{
    struct bulk *w = context;
    struct chunk *chunk = &w->chunks[c];
    struct l2r_arc_lists lists = {0};
    int64_t begin, end, edge = chunk->first_edge, arc = 2 * edge;
    l2r_chunk_range(&begin, &end, w->in->n_graphs, GRAPHS, c);
    for (int64_t g = begin; g < end && !chunk->out_of_memory; g++) {
        int64_t n_edges = w->in->n_edges[g];
        const int32_t *edges = n_edges > 0 ? w->in->edges + 2 * edge : NULL;
        if (!l2r_arc_lists_build(&lists, w->in->n_nodes[g], edges, n_edges, w->arc_type != NULL)) {
            chunk->out_of_memory = true;
            break;
        }
        copy_arcs(w, &lists, w->node_start[g], edge, arc);
        arc += lists.n_arcs;
        edge += n_edges;
        chunk->n_self_loops += lists.n_self_loops;
    }
    chunk->n_arcs = arc - 2 * chunk->first_edge;
    l2r_arc_lists_clear(&lists);
}

/* In order: a chunk moves into room that the chunks before it have already left. */
static void close_gaps(const struct bulk *w, struct l2r_builder *b)
{
    for (int64_t c = 0; c < w->n_chunks; c++) {
        const struct chunk *chunk = &w->chunks[c];
        int64_t from = 2 * chunk->first_edge, gap = from - b->n_arcs, begin, end;
        size_t n = (size_t)chunk->n_arcs;
        l2r_chunk_range(&begin, &end, w->in->n_graphs, GRAPHS, c);
        if (gap > 0) {
            memmove(w->neighbour + b->n_arcs, w->neighbour + from, n * sizeof *w->neighbour);
            if (w->arc_type) memmove(w->arc_type + b->n_arcs, w->arc_type + from, n * sizeof *w->arc_type);
            for (int64_t v = w->node_start[begin]; v < w->node_start[end]; v++) w->arc_start[v + 1] -= gap;
        }
        b->n_arcs += chunk->n_arcs;
        b->n_self_loops += chunk->n_self_loops;
    }
    b->neighbour.n = (size_t)b->n_arcs;
    if (w->arc_type) b->arc_type.n = (size_t)b->n_arcs;
}

static enum l2r_status number_edges(struct l2r_builder *b, const struct bulk *w, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_distinct *rows = w->in->edge_rows;
    int32_t *number = l2r_alloc_raw((size_t)rows->n, sizeof *number);
    if (!number) return l2r_fail_memory(error, (size_t)rows->n * sizeof *number, "a data set");
    for (int32_t i = 0; i < rows->n; i++) number[i] = -1;
    for (int64_t a = 0; a < b->n_arcs; a++) {
        int32_t type = w->arc_type[a];
        if (number[type] < 0)
            L2R_TRY(l2r_builder_number(&b->edge, &number[type], rows->rows + (size_t)type * (size_t)rows->width, 1,
                                       type, "edge", error));
        w->arc_type[a] = number[type];
    }
done:
    l2r_free(number);
    return status;
}

/* The rows are numbered already; they only determine the size of an open vocabulary. */
static enum l2r_status take_nodes(struct l2r_builder *b, const struct l2r_bulk *in, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t number;
    size_t n = (size_t)b->n_nodes;
    l2r_distinct_clear(&b->node.rows);
    for (int32_t i = 0; i < in->node_rows->n; i++)
        L2R_TRY(l2r_builder_number(&b->node, &number, in->node_rows->rows + (size_t)i * (size_t)b->node.n_columns, 1, i,
                                   "node", error));
    b->node_type = (struct l2r_array){.items = *in->node_type, .n = n, .capacity = n};
    *in->node_type = NULL;
done:
    return status;
}

/* Without node features the degree is the feature; it is known only when repeated edges have been dropped. */
static enum l2r_status number_degrees(struct l2r_builder *b, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const int64_t *start = b->arc_start.items;
    int32_t *type = l2r_alloc_raw((size_t)b->n_nodes, sizeof *type);
    b->node_type = (struct l2r_array){.items = type, .n = (size_t)b->n_nodes, .capacity = (size_t)b->n_nodes};
    if (!type) return l2r_fail_memory(error, (size_t)b->n_nodes * sizeof *type, "a data set");
    for (int64_t v = 0; v < b->n_nodes; v++) {
        int32_t degree = (int32_t)(start[v + 1] - start[v]);
        L2R_TRY(l2r_builder_number(&b->node, &type[v], &degree, 1, v, "node", error));
    }
done:
    return status;
}

enum l2r_status l2r_builder_add_bulk(struct l2r_builder *b, const struct l2r_bulk *in, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct bulk w = {.in = in};
    size_t tasks = (size_t)b->schema.n_tasks, graphs = (size_t)in->n_graphs;
    if (b->n_graphs > 0 || (b->schema.task == L2R_TASK_MULTICLASS && !b->schema.class_value))
        L2R_FAIL(L2R_ERR_ARGUMENT, "graphs can be added in bulk only to a new data set with known classes");
    if (!count(&w, b)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a data set");
    if (in->origin) L2R_TRY(l2r_builder_set_origin(b, in->origin, error)); /* before the block is planned */
    if (!take_block(&w, b)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a data set");
    l2r_parallel(w.n_chunks, build_chunk, &w);
    for (int64_t c = 0; c < w.n_chunks; c++)
        if (w.chunks[c].out_of_memory) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a data set");
    close_gaps(&w, b);
    if (w.arc_type) L2R_TRY(number_edges(b, &w, error));
    L2R_TRY(in->node_type ? take_nodes(b, in, error) : number_degrees(b, error));
    for (size_t g = 0; g < graphs; g++) {
        if (!l2r_builder_add_labels(b, in->labels + g * tasks)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a data set");
        b->has_official |= in->part[g] != L2R_PART_NONE;
    }
    if (!l2r_array_add(&b->official, in->part, graphs, 1)) /* no weights, no bounds */
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a data set");
done:
    l2r_free(w.chunks);
    return status;
}
