/* SPDX-License-Identifier: MIT
 * See parts.h. */
#include "explain/parts.h"

#include "base/memory.h"
#include "batch/batch.h"
#include "data/builder.h"
#include "data/features.h"
#include "metrics/probability.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 1 << 13 };

static bool allocate(struct l2r_parts *p)
{
    struct l2r_arena *a = &p->arena;
    const struct l2r_dataset *d = p->data;
    size_t nodes = (size_t)p->e->n_nodes, edges = (size_t)p->e->n_edges;
    p->edge_type = l2r_arena_alloc(a, edges, sizeof *p->edge_type);
    p->node = l2r_arena_alloc(a, nodes, 1);
    p->edge = l2r_arena_alloc(a, edges, 1);
    p->number = l2r_arena_alloc(a, nodes, sizeof *p->number);
    p->node_rows = l2r_arena_alloc(a, nodes * (size_t)d->nodes.n_columns, sizeof *p->node_rows);
    p->edges = l2r_arena_alloc(a, 2 * edges, sizeof *p->edges);
    p->edge_rows = l2r_arena_alloc(a, edges * (size_t)d->arcs.n_columns, sizeof *p->edge_rows);
    p->reals = l2r_arena_alloc(a, nodes * (size_t)d->n_node_reals, sizeof *p->reals);
    p->edge_reals = l2r_arena_alloc(a, edges * (size_t)d->arcs.n_reals, sizeof *p->edge_reals);
    return p->edge_type && p->node && p->edge && p->number && p->node_rows && p->edges && p->edge_rows && p->reals &&
           p->edge_reals;
}

/* The explanation lists every edge once, by its ends; its features are those of the arc between them. */
static void find_edge_types(struct l2r_parts *p)
{
    const struct l2r_dataset *d = p->data;
    int64_t first = d->node_start[p->e->graph];
    for (int64_t i = 0; i < p->e->n_edges; i++)
        for (int64_t v = first + p->e->ends[2 * i], a = d->arc_start[v]; a < d->arc_start[v + 1]; a++)
            if (d->neighbour[a] == p->e->ends[2 * i + 1]) p->edge_type[i] = d->arcs.type[a];
}

/* A prediction as one number: log-odds where there are several classes, so that effects can be added. */
static double prediction_of(const float *output, const struct l2r_parts *p)
{
    const struct l2r_signature *s = l2r_committee_signature(p->model);
    if (s->task != L2R_TASK_MULTICLASS) return (double)output[p->output];
    return l2r_class_odds(output, l2r_signature_outputs(s), p->output);
}

/* Gives each graph of a batch the features of the molecule that they are parts of; members look up features by the
 * batch's data set and the numbers of its graphs (model/committee.c). */
static bool lend_features(struct l2r_batch *batch, struct l2r_arena *arena, const struct l2r_parts *p)
{
    int64_t n = p->data->scale ? p->data->scale->n : 0;
    int32_t *whole = l2r_arena_alloc(arena, (size_t)batch->n_graphs, sizeof *whole);
    l2r_real *rows = l2r_arena_alloc(arena, (size_t)(batch->n_graphs * n), sizeof *rows);
    for (int64_t i = 0; rows && whole && i < batch->n_graphs; i++) {
        whole[i] = p->e->graph;
        if (n > 0) l2r_feature_row(rows + i * n, p->data, p->e->graph);
    }
    batch->data = p->data;
    batch->graphs = whole;
    batch->features = n > 0 ? rows : NULL;
    batch->n_features = n;
    return rows && whole;
}

enum l2r_status l2r_parts_flush(struct l2r_parts *p, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *data = NULL;
    struct l2r_arena arena;
    struct l2r_batch batch;
    int64_t n = p->n_waiting;
    int32_t outputs = l2r_signature_outputs(l2r_committee_signature(p->model)), *graphs = NULL;
    float *output = NULL;
    if (n == 0) return L2R_OK;
    l2r_arena_init(&arena);
    L2R_TRY(l2r_builder_finish(&data, p->builder, error));
    graphs = l2r_alloc((size_t)n, sizeof *graphs);
    output = l2r_alloc((size_t)n * (size_t)outputs, sizeof *output);
    if (!graphs || !output) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: parts of a graph");
    for (int64_t i = 0; i < n; i++) graphs[i] = (int32_t)i;
    L2R_TRY(l2r_batch_make(&batch, &arena, data, graphs, n, error));
    if (!lend_features(&batch, &arena, p)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: parts of a graph");
    L2R_TRY(l2r_committee_score_batch(output, p->model, &p->tape, &batch, error));
    for (int64_t i = 0; i < n; i++) *p->to[i] = prediction_of(output + i * outputs, p);
done:
    l2r_free(output);
    l2r_free(graphs);
    l2r_arena_clear(&arena);
    l2r_dataset_free(data);
    l2r_builder_free(p->builder);
    p->builder = NULL;
    p->n_waiting = p->nodes_waiting = 0;
    return status;
}

static enum l2r_status begin(struct l2r_parts *p, struct l2r_error *error)
{
    const struct l2r_dataset *d = p->data;
    const struct l2r_schema schema = {.name = "parts",
                                      .task = L2R_TASK_REGRESSION,
                                      .n_tasks = 1,
                                      .n_node_columns = d->nodes.n_columns,
                                      .n_edge_columns = d->arcs.n_columns,
                                      .n_node_reals = d->n_node_reals,
                                      .n_edge_reals = d->arcs.n_reals,
                                      .node_vocabulary = d->nodes.vocabulary,
                                      .edge_vocabulary = d->arcs.vocabulary};
    return l2r_builder_new(&p->builder, &schema, error);
}

static void copy_nodes(struct l2r_graph_view *view, struct l2r_parts *p)
{
    const struct l2r_dataset *d = p->data;
    int64_t first = d->node_start[p->e->graph];
    int32_t columns = d->nodes.n_columns, reals = d->n_node_reals;
    for (int64_t v = 0; v < p->e->n_nodes; v++) {
        if (!p->node[v]) continue;
        int64_t at = p->number[v] = (int32_t)view->n_nodes++;
        const int32_t *row = d->nodes.rows + (int64_t)d->nodes.type[first + v] * columns;
        memcpy(p->node_rows + at * columns, row, (size_t)columns * sizeof *row);
        if (reals > 0) memcpy(p->reals + at * reals, d->node_real + (first + v) * reals, (size_t)reals * sizeof(float));
    }
}

static void copy_edges(struct l2r_graph_view *view, struct l2r_parts *p)
{
    const struct l2r_categories *arcs = &p->data->arcs;
    int32_t columns = arcs->n_columns, reals = arcs->n_reals;
    for (int64_t i = 0; i < p->e->n_edges; i++) {
        int32_t u = p->e->ends[2 * i], v = p->e->ends[2 * i + 1];
        if (!p->edge[i] || !p->node[u] || !p->node[v]) continue;
        int64_t at = view->n_edges++;
        const int32_t *row = arcs->rows + (int64_t)p->edge_type[i] * columns;
        p->edges[2 * at] = p->number[u];
        p->edges[2 * at + 1] = p->number[v];
        memcpy(p->edge_rows + at * columns, row, (size_t)columns * sizeof *row);
        if (reals > 0)
            memcpy(p->edge_reals + at * reals, arcs->real + (int64_t)p->edge_type[i] * reals,
                   (size_t)reals * sizeof *arcs->real);
    }
}

enum l2r_status l2r_parts_add(double *to, struct l2r_parts *p, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_graph_view view = {
        .edges = p->edges, .node_rows = p->node_rows, .edge_rows = p->edge_rows, .node_real = p->reals};
    view.edge_real = p->edge_reals;
    view.part = L2R_PART_NONE;
    copy_nodes(&view, p);
    copy_edges(&view, p);
    if (!p->builder) L2R_TRY(begin(p, error));
    L2R_TRY(l2r_builder_add(p->builder, &view, error));
    if (!l2r_reserve((void **)&p->to, &p->to_capacity, (size_t)p->n_waiting + 1, sizeof *p->to))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: parts of a graph");
    p->to[p->n_waiting++] = to;
    p->nodes_waiting += view.n_nodes + 1;
    if (p->nodes_waiting > MOST_NODES) L2R_TRY(l2r_parts_flush(p, error));
done:
    return status;
}

void l2r_parts_take(struct l2r_parts *p, bool nodes, bool edges)
{
    memset(p->node, nodes, (size_t)p->e->n_nodes);
    memset(p->edge, edges, (size_t)p->e->n_edges);
}

/* The class that is explained, or the task: the first with a target. */
static int32_t explained_output(const struct l2r_explanation *e, const struct l2r_signature *s)
{
    int32_t k = 0;
    if (s->task == L2R_TASK_MULTICLASS) return (int32_t)e->target[0];
    while (k + 1 < s->n_tasks && isnan(e->target[k])) k++;
    return k;
}

enum l2r_status l2r_parts_init(struct l2r_parts *p, const struct l2r_explanation *e, const struct l2r_committee *model,
                               const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *p = (struct l2r_parts){
        .model = model, .data = data, .e = e, .output = explained_output(e, l2r_committee_signature(model))};
    l2r_tape_init(&p->tape);
    l2r_arena_init(&p->arena);
    L2R_TRY(l2r_committee_describe(model, data, &e->graph, 1, error));
    if (!allocate(p)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: parts of a graph");
    find_edge_types(p);
done:
    return status;
}

void l2r_parts_clear(struct l2r_parts *p)
{
    l2r_builder_free(p->builder);
    l2r_free((void *)p->to);
    l2r_arena_clear(&p->arena);
    l2r_tape_clear(&p->tape);
}

double l2r_parts_probability(const struct l2r_parts *p, double v)
{
    const struct l2r_signature *s = l2r_committee_signature(p->model);
    double target = s->task == L2R_TASK_MULTICLASS ? 1 : (double)p->e->target[p->output];
    if (s->task != L2R_TASK_REGRESSION) return exp(-l2r_softplus(target > 0 ? -v : v));
    double far = l2r_target_scaled(&s->target, p->output, v) - l2r_target_scaled(&s->target, p->output, target);
    return exp(-far * far);
}
