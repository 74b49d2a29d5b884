/* SPDX-License-Identifier: MIT
 *
 * Sorted neighbour lists from edges (builder_state.h). Three ways with the same result; the first that fits is taken.
 *
 * Listed both ways, in order (TU tables: sorted by the second node, then by the first, each edge as u,v and as v,u):
 * the table is the lists already; one walk confirms that each arc has its opposite.
 *
 * Small degrees (molecules): each edge is sorted into the two lists by insertion.
 *
 * Anything: two linear passes sort everything, no comparison sort is needed:
 *   scatter    edge {u,v} puts v into u's list and u into v's, in input order;
 *   transpose  walk u = 0, 1, … and put u into the list of each v found at u: lists come out ascending, copies of
 *              the same arc lie side by side and all but the first are dropped.
 * Both lists of a pair meet the same input edges in the same order, so u→v and v→u keep the same first edge. */
#include "data/builder_state.h"

#include "base/memory.h"

#include <string.h>

enum { SMALL_DEGREE = 16 }; /* insertion moves half of a list at worst */

static bool make_room(void **block, size_t count, size_t size)
{
    l2r_free(*block); /* old content is never needed: nothing to copy */
    *block = l2r_alloc_raw(count, size);
    return *block != NULL;
}

static bool reserve(struct l2r_arc_lists *a, size_t nodes, size_t arcs, bool with_edge)
{
    if (nodes + 1 > a->node_capacity) {
        size_t room = (nodes + 1) * 2;
        a->node_capacity = 0;
        if (!make_room((void **)&a->start, room, sizeof *a->start)) return false;
        if (!make_room((void **)&a->cursor, room, sizeof *a->cursor)) return false;
        a->node_capacity = room;
    }
    if (arcs > a->arc_capacity) {
        size_t room = arcs + arcs / 4;
        a->arc_capacity = 0;
        if (!make_room((void **)&a->neighbour, room, sizeof *a->neighbour)) return false;
        if (!make_room((void **)&a->scattered, room, sizeof *a->scattered)) return false;
        a->arc_capacity = room;
    }
    if (with_edge && arcs > a->edge_capacity) {
        size_t room = arcs + arcs / 4;
        a->edge_capacity = 0;
        if (!make_room((void **)&a->edge, room, sizeof *a->edge)) return false;
        if (!make_room((void **)&a->scattered_edge, room, sizeof *a->scattered_edge)) return false;
        a->edge_capacity = room;
    }
    return true;
}

/* Are the edges sorted by (second, first) without repetition? Counts the arcs into start on the way. */
static bool count_sorted(struct l2r_arc_lists *a, int64_t n_nodes, const int32_t *edges, int64_t n_edges)
{
    int64_t before = -1, v = 0;
    for (int64_t e = 0; e < n_edges; e++) {
        int64_t key = (int64_t)edges[2 * e + 1] << 32 | edges[2 * e];
        if (key <= before) return false;
        before = key;
        for (; v <= edges[2 * e + 1]; v++) a->start[v] = e;
    }
    for (; v <= n_nodes; v++) a->start[v] = n_edges;
    return true;
}

/* Sorted edges are the lists, if walking v upwards each arc v→u meets the next entry of u's list. */
static bool take_sorted(struct l2r_arc_lists *a, int64_t n_nodes, const int32_t *edges, int64_t n_edges, bool with_edge)
{
    if (!count_sorted(a, n_nodes, edges, n_edges)) return false;
    memcpy(a->cursor, a->start, (size_t)n_nodes * sizeof *a->cursor);
    a->n_self_loops = 0;
    for (int64_t e = 0; e < n_edges; e++) {
        int32_t u = edges[2 * e], v = edges[2 * e + 1];
        int64_t opposite = a->cursor[u]++;
        if (opposite >= a->start[u + 1] || edges[2 * opposite] != v) return false;
        a->neighbour[e] = u;
        if (with_edge) a->edge[e] = (int32_t)(e < opposite ? e : opposite);
        a->n_self_loops += u == v;
    }
    a->n_arcs = n_edges;
    return true;
}

/* False when an edge occurs twice; the work done so far is discarded. */
static bool insert(struct l2r_arc_lists *a, int32_t node, int32_t other, int32_t edge, bool with_edge)
{
    int64_t at = a->cursor[node]++;
    for (; at > a->start[node] && a->neighbour[at - 1] >= other; at--) {
        if (a->neighbour[at - 1] == other) return false;
        a->neighbour[at] = a->neighbour[at - 1];
        if (with_edge) a->edge[at] = a->edge[at - 1];
    }
    a->neighbour[at] = other;
    if (with_edge) a->edge[at] = edge;
    return true;
}

static bool insert_all(struct l2r_arc_lists *a, int64_t n_nodes, const int32_t *edges, int64_t n_edges, bool with_edge)
{
    memcpy(a->cursor, a->start, (size_t)n_nodes * sizeof *a->cursor);
    a->n_self_loops = 0;
    for (int64_t e = 0; e < n_edges; e++) {
        int32_t u = edges[2 * e], v = edges[2 * e + 1];
        if (!insert(a, u, v, (int32_t)e, with_edge)) return false;
        if (u != v && !insert(a, v, u, (int32_t)e, with_edge)) return false;
        a->n_self_loops += u == v;
    }
    a->n_arcs = a->start[n_nodes];
    return true;
}

/* The largest degree is returned. */
static int64_t count_arcs(struct l2r_arc_lists *a, int64_t n_nodes, const int32_t *edges, int64_t n_edges)
{
    memset(a->start, 0, (size_t)(n_nodes + 1) * sizeof *a->start);
    for (int64_t e = 0; e < n_edges; e++) {
        int32_t u = edges[2 * e], v = edges[2 * e + 1];
        a->start[u + 1]++;
        a->start[v + 1] += u != v;
    }
    int64_t most = 0;
    for (int64_t v = 0; v < n_nodes; v++) {
        if (a->start[v + 1] > most) most = a->start[v + 1];
        a->start[v + 1] += a->start[v];
    }
    return most;
}

static void scatter(struct l2r_arc_lists *a, int64_t n_nodes, const int32_t *edges, int64_t n_edges, bool with_edge)
{
    memcpy(a->cursor, a->start, (size_t)n_nodes * sizeof *a->cursor);
    for (int64_t e = 0; e < n_edges; e++) {
        int32_t u = edges[2 * e], v = edges[2 * e + 1];
        int64_t at = a->cursor[u]++;
        a->scattered[at] = v;
        if (with_edge) a->scattered_edge[at] = (int32_t)e;
        if (u == v) continue;
        at = a->cursor[v]++;
        a->scattered[at] = u;
        if (with_edge) a->scattered_edge[at] = (int32_t)e;
    }
}

static void transpose(struct l2r_arc_lists *a, int64_t n_nodes, bool with_edge)
{
    memcpy(a->cursor, a->start, (size_t)n_nodes * sizeof *a->cursor);
    for (int64_t u = 0; u < n_nodes; u++) {
        for (int64_t i = a->start[u]; i < a->start[u + 1]; i++) {
            int32_t v = a->scattered[i];
            int64_t at = a->cursor[v];
            if (at > a->start[v] && a->neighbour[at - 1] == (int32_t)u) continue;
            a->neighbour[at] = (int32_t)u;
            if (with_edge) a->edge[at] = a->scattered_edge[i];
            a->cursor[v]++;
        }
    }
}

/* Closes the gaps that dropped copies left. */
static void compact(struct l2r_arc_lists *a, int64_t n_nodes, bool with_edge)
{
    int64_t to = 0;
    a->n_self_loops = 0;
    for (int64_t v = 0; v < n_nodes; v++) {
        int64_t from = a->start[v], end = a->cursor[v];
        a->start[v] = to;
        for (; from < end; from++, to++) {
            a->n_self_loops += a->neighbour[from] == (int32_t)v;
            a->neighbour[to] = a->neighbour[from];
            if (with_edge) a->edge[to] = a->edge[from];
        }
    }
    a->start[n_nodes] = to;
    a->n_arcs = to;
}

bool l2r_arc_lists_build(struct l2r_arc_lists *adjacency, int64_t n_nodes, const int32_t *edges, int64_t n_edges,
                         bool with_edge)
{
    if (!reserve(adjacency, (size_t)n_nodes, 2 * (size_t)n_edges, with_edge)) return false;
    adjacency->n_nodes = n_nodes;
    if (take_sorted(adjacency, n_nodes, edges, n_edges, with_edge)) return true;
    bool small = count_arcs(adjacency, n_nodes, edges, n_edges) <= SMALL_DEGREE;
    if (small && insert_all(adjacency, n_nodes, edges, n_edges, with_edge)) return true;
    scatter(adjacency, n_nodes, edges, n_edges, with_edge);
    transpose(adjacency, n_nodes, with_edge);
    compact(adjacency, n_nodes, with_edge);
    return true;
}

void l2r_arc_lists_clear(struct l2r_arc_lists *adjacency)
{
    l2r_free(adjacency->start);
    l2r_free(adjacency->cursor);
    l2r_free(adjacency->neighbour);
    l2r_free(adjacency->scattered);
    l2r_free(adjacency->edge);
    l2r_free(adjacency->scattered_edge);
    *adjacency = (struct l2r_arc_lists){0};
}
