/* SPDX-License-Identifier: MIT
 *
 * See batch.h. A batch is sized first and then filled graph by graph, in the order given: kernels add over arcs in this
 * order, so it decides the last bits of every sum. Nothing is kept between two batches.
 */
#include "batch/batch.h"

#include "data/features.h"

#include <math.h>
#include <string.h>

/* Renumbers types in order of first appearance and collects their rows. */
static bool compact(struct l2r_batch_types *out, struct l2r_arena *arena, const struct l2r_categories *all,
                    int32_t *type, int64_t n)
{
    int32_t *number = l2r_arena_alloc(arena, (size_t)all->n_types, sizeof *number);
    int64_t most = n < all->n_types ? n : all->n_types;
    int32_t *rows = l2r_arena_alloc(arena, (size_t)(most * all->n_columns), sizeof *rows);
    l2r_real *real = all->n_reals ? l2r_arena_alloc(arena, (size_t)(most * all->n_reals), sizeof *real) : NULL;
    if (!number || !rows || (all->n_reals && !real)) return false;
    memset(number, 0xff, (size_t)all->n_types * sizeof *number);
    *out = (struct l2r_batch_types){.rows = rows, .type = type, .n_reals = all->n_reals, .real = real};
    for (int64_t i = 0; i < n; i++) {
        int32_t old = type[i];
        if (number[old] < 0) {
            memcpy(rows + out->n * all->n_columns, all->rows + (int64_t)old * all->n_columns,
                   (size_t)all->n_columns * sizeof *rows);
            for (int32_t k = 0; k < all->n_reals; k++)
                real[out->n * all->n_reals + k] = (l2r_real)all->real[(int64_t)old * all->n_reals + k];
            number[old] = (int32_t)out->n++;
        }
        type[i] = number[old];
    }
    return true;
}

/* Copies one graph's nodes and arcs after those already there. In the data set a neighbour is numbered within its
 * graph, in the batch within the batch. */
static void append_graph(int32_t *arc_start, int32_t *neighbour, int32_t *node_type, int32_t *arc_type, l2r_real *norm,
                         const struct l2r_dataset *data, int64_t graph, int32_t first_node, int32_t first_arc)
{
    int64_t begin = data->node_start[graph], end = data->node_start[graph + 1], arcs = data->arc_start[begin];
    for (int64_t v = begin; v < end; v++) {
        int64_t row = first_node + (v - begin), others = 0;
        arc_start[row] = first_arc + (int32_t)(data->arc_start[v] - arcs);
        node_type[row] = data->nodes.type[v];
        for (int64_t e = data->arc_start[v]; e < data->arc_start[v + 1]; e++) {
            neighbour[first_arc + (e - arcs)] = first_node + data->neighbour[e];
            arc_type[first_arc + (e - arcs)] = data->arcs.type[e];
            others += data->neighbour[e] != v - begin;
        }
        norm[row] =
            (l2r_real)(1 / sqrt((double)(others + 1))); /* GCN adds a self loop; one that is there counts once */
    }
}

static void copy_features(l2r_real *node_real, float *labels, const struct l2r_dataset *data, const int32_t *graphs,
                          int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t begin = data->node_start[graphs[i]] * data->n_node_reals;
        int64_t end = data->node_start[graphs[i] + 1] * data->n_node_reals;
        for (int64_t k = begin; k < end; k++) *node_real++ = (l2r_real)data->node_real[k];
        memcpy(labels + i * data->n_tasks, data->labels + (int64_t)graphs[i] * data->n_tasks,
               (size_t)data->n_tasks * sizeof *labels);
    }
}

/* The weights and bounds of the graphs, where the data has them; false: out of memory. */
static bool take_weights(struct l2r_batch *batch, struct l2r_arena *arena, const struct l2r_dataset *data)
{
    size_t n = (size_t)batch->n_graphs, tasks = (size_t)data->n_tasks;
    float *weight = data->weight ? l2r_arena_alloc(arena, n, sizeof *weight) : NULL;
    int8_t *bound = data->bound ? l2r_arena_alloc(arena, n * tasks, 1) : NULL;
    if ((data->weight && !weight) || (data->bound && !bound)) return false;
    for (size_t i = 0; i < n; i++) {
        if (weight) weight[i] = data->weight[batch->graphs[i]];
        if (bound) memcpy(bound + i * tasks, data->bound + (size_t)batch->graphs[i] * tasks, tasks);
    }
    batch->weight = weight;
    batch->bound = bound;
    return true;
}

/* NULL: out of memory. */
static l2r_real *scaled_features(struct l2r_arena *arena, const struct l2r_dataset *data, const int32_t *graphs,
                                 int64_t n, int64_t width)
{
    l2r_real *rows = l2r_arena_alloc(arena, (size_t)(n * width), sizeof *rows);
    for (int64_t i = 0; rows && i < n; i++) l2r_feature_row(rows + i * width, data, graphs[i]);
    return rows;
}

enum l2r_status l2r_batch_make(struct l2r_batch *batch, struct l2r_arena *arena, const struct l2r_dataset *data,
                               const int32_t *graphs, int64_t n_graphs, struct l2r_error *error)
{
    int64_t nodes = 0, arcs = 0;
    for (int64_t i = 0; i < n_graphs; i++) {
        nodes += l2r_dataset_nodes_of(data, graphs[i]);
        arcs += l2r_dataset_arcs_of(data, graphs[i]);
    }
    if (nodes >= INT32_MAX || arcs >= INT32_MAX)
        return l2r_fail(
            error, L2R_ERR_ARGUMENT,
            "a batch of %lld graphs has %lld nodes and %lld arcs, more than 2^31; use a smaller `batch-size`",
            (long long)n_graphs, (long long)nodes, (long long)arcs);
    int32_t *node_start = l2r_arena_alloc(arena, (size_t)n_graphs + 1, sizeof *node_start);
    int32_t *arc_start = l2r_arena_alloc(arena, (size_t)nodes + 1, sizeof *arc_start);
    int32_t *neighbour = l2r_arena_alloc(arena, (size_t)arcs, sizeof *neighbour);
    int32_t *node_type = l2r_arena_alloc(arena, (size_t)nodes, sizeof *node_type);
    int32_t *arc_type = l2r_arena_alloc(arena, (size_t)arcs, sizeof *arc_type);
    l2r_real *norm = l2r_arena_alloc(arena, (size_t)nodes, sizeof *norm);
    l2r_real *node_real = l2r_arena_alloc(arena, (size_t)(nodes * data->n_node_reals), sizeof *node_real);
    float *labels = l2r_arena_alloc(arena, (size_t)(n_graphs * data->n_tasks), sizeof *labels);
    int32_t *numbers = l2r_arena_alloc(arena, (size_t)n_graphs, sizeof *numbers);
    if (!node_start || !arc_start || !neighbour || !node_type || !arc_type || !norm || !node_real || !labels ||
        !numbers)
        return l2r_fail_memory(error, (size_t)(nodes + arcs) * 16, "a batch");
    memcpy(numbers, graphs, (size_t)n_graphs * sizeof *numbers);
    node_start[0] = 0;
    int32_t first_arc = 0;
    for (int64_t i = 0; i < n_graphs; i++) {
        append_graph(arc_start, neighbour, node_type, arc_type, norm, data, graphs[i], node_start[i], first_arc);
        node_start[i + 1] = node_start[i] + (int32_t)l2r_dataset_nodes_of(data, graphs[i]);
        first_arc += (int32_t)l2r_dataset_arcs_of(data, graphs[i]);
    }
    arc_start[nodes] = (int32_t)arcs;
    copy_features(node_real, labels, data, graphs, n_graphs);
    *batch = (struct l2r_batch){.n_graphs = n_graphs,
                                .n_nodes = nodes,
                                .graph = {nodes, arcs, arc_start, neighbour, arc_type, norm, NULL},
                                .node_start = node_start,
                                .node_real = node_real,
                                .labels = labels,
                                .graphs = numbers,
                                .data = data,
                                .n_features = data->scale ? data->scale->n : 0};
    if (batch->n_features > 0 && !(batch->features = scaled_features(arena, data, graphs, n_graphs, batch->n_features)))
        return l2r_fail_memory(error, (size_t)(n_graphs * batch->n_features) * sizeof(l2r_real), "a batch");
    if (!compact(&batch->nodes, arena, &data->nodes, node_type, nodes) ||
        !compact(&batch->arcs, arena, &data->arcs, arc_type, arcs) || !take_weights(batch, arena, data))
        return l2r_fail_memory(error, (size_t)data->nodes.n_types * 4, "a batch");
    return L2R_OK;
}

/* ---- Division among ranks ---- */

void l2r_cut_evenly(int64_t *start, int64_t parts, const int64_t *cost, int64_t n)
{
    double total = 0, before = 0; /* exact: costs are whole numbers far below 2^53 */
    int64_t i = 0;
    for (int64_t k = 0; k < n; k++) total += (double)cost[k];
    for (int64_t p = 0; p <= parts; p++) {
        double limit = total * (double)p / (double)parts;
        while (i < n && p > 0 && (p == parts || before + (double)cost[i] / 2 < limit)) before += (double)cost[i++];
        start[p] = i;
    }
}

struct l2r_division *l2r_division_make(struct l2r_arena *arena, struct l2r_comm *comm, const struct l2r_dataset *data,
                                       const int32_t *graphs, int64_t n_graphs, struct l2r_error *error)
{
    struct l2r_division *d = l2r_arena_zeroed(arena, 1, sizeof *d);
    size_t n = (size_t)n_graphs, size = (size_t)comm->size + 1;
    int32_t *copy = l2r_arena_alloc(arena, n, sizeof *copy);
    int64_t *cost = l2r_arena_alloc(arena, n, sizeof *cost), *start = l2r_arena_alloc(arena, 2 * size, sizeof *start);
    if (!d || !copy || !cost || !start) {
        l2r_fail_memory(error, n * sizeof *cost, "the division of a batch");
        return NULL;
    }
    memcpy(copy, graphs, n * sizeof *copy);
    *d = (struct l2r_division){
        .comm = comm, .graphs = copy, .n_graphs = n_graphs, .start = start, .bytes = start + size};
    for (int64_t i = 0; i < n_graphs; i++)
        cost[i] = 1 + l2r_dataset_nodes_of(data, graphs[i]) + l2r_dataset_arcs_of(data, graphs[i]);
    l2r_cut_evenly(start, comm->size, cost, n_graphs);
    for (int64_t i = 0; i < n_graphs; i++) {
        int64_t nodes = l2r_dataset_nodes_of(data, graphs[i]), arcs = l2r_dataset_arcs_of(data, graphs[i]);
        if (i < start[comm->rank]) d->first_node += nodes, d->first_arc += arcs;
        d->n_nodes += nodes;
        d->n_arcs += arcs;
    }
    return d;
}

void l2r_division_gather(const struct l2r_division *d, void *all, const void *mine, size_t row_bytes)
{
    /* The gather works in place: copies this rank's rows into `all` first, unless the caller has put them there. */
    for (int r = 0; r <= d->comm->size; r++) d->bytes[r] = d->start[r] * (int64_t)row_bytes;
    char *own = (char *)all + d->bytes[d->comm->rank];
    if (l2r_division_count(d) > 0 && own != mine) memcpy(own, mine, (size_t)l2r_division_count(d) * row_bytes);
    l2r_comm_gather(d->comm, all, d->bytes);
}
