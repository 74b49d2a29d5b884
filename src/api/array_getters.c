/* SPDX-License-Identifier: MIT
 * The calls of l2r/arrays.h that fill or lend whole arrays. */
#include <l2r/arrays.h>

#include "base/misuse.h"
#include "data/gather.h"

#include <string.h>

int64_t l2r_dataset_n_arcs(const struct l2r_dataset *data)
{
    return data ? data->n_arcs : 0;
}

enum l2r_status l2r_dataset_sizes(int64_t *n_nodes, int64_t *n_edges, int64_t *n_arcs, const struct l2r_dataset *data,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(data);
    for (int64_t g = 0; g < data->n_graphs; g++) {
        if (n_nodes) n_nodes[g] = l2r_dataset_nodes_of(data, g);
        if (n_edges) n_edges[g] = l2r_graph_edges(NULL, NULL, data, g);
        if (n_arcs) n_arcs[g] = l2r_dataset_arcs_of(data, g);
    }
done:
    return status;
}

/* Arc a of node v, which is node v - first of graph g. */
typedef void arc_fn(void *to, int64_t n_arcs, int64_t a, int64_t v, int64_t u, int64_t first);

static void fill(void *to, const struct l2r_dataset *data, arc_fn *put)
{
    for (int64_t g = 0; g < data->n_graphs; g++)
        for (int64_t first = data->node_start[g], v = first; v < data->node_start[g + 1]; v++)
            for (int64_t a = data->arc_start[v]; a < data->arc_start[v + 1]; a++)
                put(to, data->n_arcs, a, v - first, data->neighbour[a], first);
}

static void put_local(void *to, int64_t n_arcs, int64_t a, int64_t v, int64_t u, int64_t first)
{
    (void)first;
    ((int64_t *)to)[a] = v;
    ((int64_t *)to)[n_arcs + a] = u;
}

static void put_global(void *to, int64_t n_arcs, int64_t a, int64_t v, int64_t u, int64_t first)
{
    put_local(to, n_arcs, a, first + v, first + u, 0);
}

static void put_pair(void *to, int64_t n_arcs, int64_t a, int64_t v, int64_t u, int64_t first)
{
    (void)n_arcs, (void)first;
    ((int32_t *)to)[2 * a] = (int32_t)v;
    ((int32_t *)to)[2 * a + 1] = (int32_t)u;
}

enum l2r_status l2r_dataset_edge_index(int64_t *edge_index, const struct l2r_dataset *data, bool global,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(edge_index);
    L2R_NEED(data);
    fill(edge_index, data, global ? put_global : put_local);
done:
    return status;
}

enum l2r_status l2r_dataset_arcs(int32_t *arcs, const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(arcs);
    L2R_NEED(data);
    fill(arcs, data, put_pair);
done:
    return status;
}

/* rows [n × columns] of a table by their types. */
static void spread(void *rows, const void *table, const int32_t *type, int64_t n, int32_t columns)
{
    size_t bytes = (size_t)columns * 4;
    for (int64_t i = 0; bytes > 0 && i < n; i++)
        memcpy((char *)rows + (size_t)i * bytes, (const char *)table + (size_t)type[i] * bytes, bytes);
}

enum l2r_status l2r_dataset_node_rows(int32_t *node_rows, const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(node_rows);
    L2R_NEED(data);
    spread(node_rows, data->nodes.rows, data->nodes.type, data->n_nodes, data->nodes.n_columns);
done:
    return status;
}

enum l2r_status l2r_dataset_edge_rows(int32_t *edge_rows, float *edge_real, const struct l2r_dataset *data,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(data);
    if (edge_rows) spread(edge_rows, data->arcs.rows, data->arcs.type, data->n_arcs, data->arcs.n_columns);
    if (edge_real) spread(edge_real, data->arcs.real, data->arcs.type, data->n_arcs, data->arcs.n_reals);
done:
    return status;
}

const int32_t *l2r_dataset_scaffolds(const struct l2r_dataset *data)
{
    return data ? data->scaffold : NULL;
}

const int32_t *l2r_dataset_molecules(const struct l2r_dataset *data)
{
    return data ? data->molecule : NULL;
}

const uint8_t *l2r_dataset_node_marks(const struct l2r_dataset *data)
{
    return data ? data->node_mark : NULL;
}

const int64_t *l2r_dataset_source_rows(const struct l2r_dataset *data)
{
    return data ? data->source_line : NULL;
}

int32_t l2r_dataset_n_environments(const struct l2r_dataset *data)
{
    int32_t most = -1;
    if (!data) return 0;
    const int32_t *place = l2r_dataset_environments(data);
    if (data->environment) return data->n_environments;
    for (int64_t g = 0; place && g < data->n_graphs; g++) most = place[g] > most ? place[g] : most;
    return most + 1;
}
