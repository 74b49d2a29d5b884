/* SPDX-License-Identifier: MIT
 *
 * See contributions.h. The parts of a graph become small data sets of their own, each scored as one batch; a set ends
 * when it holds MOST_NODES nodes, so that memory does not grow with the number of samples. Where the head also reads
 * features of the whole molecule, every part has those of the whole: they are not what is taken away.
 */
#include "explain/contributions.h"

#include "base/memory.h"
#include "base/rng.h"
#include "batch/batch.h"
#include "data/builder.h"
#include "data/features.h"
#include "predict/score.h"

#include <math.h>
#include <string.h>

enum { MOST_NODES = 1 << 13 };

/* Answers of a network for parts of one graph. */
struct parts {
    const struct l2r_network *network;
    const struct l2r_dataset *data;
    const struct l2r_explanation *e;
    int32_t output; /* which one is explained */
    struct l2r_tape tape;
    struct l2r_arena arena;
    struct l2r_builder *builder; /* the parts that wait */
    int64_t n_waiting, nodes_waiting;
    double **to;          /* [waiting]: where their answers go */
    size_t to_capacity;   /* of these */
    int32_t *edge_type;   /* [n_edges]: row of the arc features */
    uint8_t *node, *edge; /* [n_nodes], [n_edges]: 1 for those in the part at hand */
    int32_t *number;      /* [n_nodes]: of a node within its part */
    int32_t *node_rows, *edges, *edge_rows;
    float *reals, *edge_reals;
};

static bool allocate(struct parts *p)
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
static void find_edge_types(struct parts *p)
{
    const struct l2r_dataset *d = p->data;
    int64_t first = d->node_start[p->e->graph];
    for (int64_t i = 0; i < p->e->n_edges; i++)
        for (int64_t v = first + p->e->ends[2 * i], a = d->arc_start[v]; a < d->arc_start[v + 1]; a++)
            if (d->neighbour[a] == p->e->ends[2 * i + 1]) p->edge_type[i] = d->arcs.type[a];
}

/* One number of an answer: log-odds where there are several classes, so that effects can be added. */
static double answer_of(const float *output, const struct parts *p)
{
    const struct l2r_signature *s = &p->network->signature;
    double others = 0, own = (double)output[p->output];
    if (s->task != L2R_TASK_MULTICLASS) return own;
    for (int32_t k = 0; k < l2r_signature_outputs(s); k++)
        if (k != p->output) others += exp((double)output[k] - own);
    return -log(others);
}

/* Gives each graph of a batch the features of the molecule that they are parts of. */
static bool lend_features(struct l2r_batch *batch, struct l2r_arena *arena, const struct parts *p)
{
    if (!p->data->scale) return true;
    int64_t n = p->data->scale->n;
    l2r_real *rows = l2r_arena_alloc(arena, (size_t)(batch->n_graphs * n), sizeof *rows);
    for (int64_t i = 0; rows && i < batch->n_graphs; i++) l2r_feature_row(rows + i * n, p->data, p->e->graph);
    batch->features = rows;
    batch->n_features = n;
    return rows != NULL;
}

static enum l2r_status flush(struct parts *p, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *data = NULL;
    struct l2r_arena arena;
    struct l2r_batch batch;
    int64_t n = p->n_waiting;
    int32_t outputs = l2r_signature_outputs(&p->network->signature), *graphs = NULL;
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
    L2R_TRY(l2r_score_batch(output, p->network, &p->tape, &batch, error));
    for (int64_t i = 0; i < n; i++) *p->to[i] = answer_of(output + i * outputs, p);
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

static enum l2r_status begin(struct parts *p, struct l2r_error *error)
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

static void copy_nodes(struct l2r_graph_view *view, struct parts *p)
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

static void copy_edges(struct l2r_graph_view *view, struct parts *p)
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

/* *to becomes the answer for the nodes and edges marked in p->node and p->edge, at the latest with the next flush. */
static enum l2r_status ask(double *to, struct parts *p, struct l2r_error *error)
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
    if (p->nodes_waiting > MOST_NODES) L2R_TRY(flush(p, error));
done:
    return status;
}

static void take_all(struct parts *p, bool nodes, bool edges)
{
    memset(p->node, nodes, (size_t)p->e->n_nodes);
    memset(p->edge, edges, (size_t)p->e->n_edges);
}

/* ---- occlusion ---- */

static enum l2r_status occlude(double *effect, uint8_t *taken, int64_t n, double whole, struct parts *p,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    take_all(p, true, true);
    for (int64_t i = 0; i < n; i++) {
        taken[i] = 0;
        L2R_TRY(ask(&effect[i], p, error));
        taken[i] = 1;
    }
    L2R_TRY(flush(p, error));
    for (int64_t i = 0; i < n; i++) effect[i] = whole - effect[i];
done:
    return status;
}

/* ---- Shapley values ---- */

static void draw_order(int32_t *order, int64_t n, uint64_t seed, int32_t graph, int64_t sample, bool edges)
{
    struct l2r_rng rng =
        l2r_rng_at(seed, L2R_RANDOM_EXPLAIN, (uint64_t)graph << 32 | (uint64_t)edges << 31 | (uint64_t)(sample / 2));
    for (int64_t i = 0; i < n; i++) order[i] = (int32_t)i;
    l2r_rng_shuffle(&rng, order, (size_t)n);
    for (int64_t i = 0, j = n - 1; sample % 2 && i < j; i++, j--) {
        int32_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

/* One order: the players enter one after the other. values [n + 1]: the answers on the way, the first and the last of
 * which are known. */
static enum l2r_status enter(double *values, const int32_t *order, uint8_t *taken, int64_t n, struct parts *p,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    memset(taken, 0, (size_t)n);
    for (int64_t i = 0; i + 1 < n; i++) {
        taken[order[i]] = 1;
        L2R_TRY(ask(&values[i + 1], p, error));
    }
    L2R_TRY(flush(p, error));
done:
    return status;
}

static enum l2r_status share_out(double *effect, uint8_t *taken, int64_t n, double nothing, double whole,
                                 struct parts *p, const struct l2r_explain_settings *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t *order = l2r_alloc((size_t)n, sizeof *order);
    double *values = l2r_alloc((size_t)n + 1, sizeof *values);
    if (!order || !values) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: parts of a graph");
    take_all(p, true, true);
    for (int64_t sample = 0; sample < s->samples; sample++) {
        draw_order(order, n, s->seed, p->e->graph, sample, taken == p->edge);
        values[0] = nothing;
        values[n] = whole;
        L2R_TRY(enter(values, order, taken, n, p, error));
        for (int64_t i = 0; i < n; i++) effect[order[i]] += (values[i + 1] - values[i]) / (double)s->samples;
    }
done:
    l2r_free(order);
    l2r_free(values);
    return status;
}

/* ---- all of it ---- */

/* The size of an effect as a share of the largest. */
static void weigh(float *importance, float *effect, const double *found, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(found[i]));
    for (int64_t i = 0; i < n; i++) {
        effect[i] = (float)found[i];
        importance[i] = most > 0 ? (float)(fabs(found[i]) / most) : 0;
    }
}

static enum l2r_status find(struct l2r_explanation *e, struct parts *p, const struct l2r_explain_settings *s,
                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double whole = 0, nothing = 0, loose = 0; /* loose: the nodes without edges */
    double *nodes = l2r_arena_zeroed(&p->arena, (size_t)e->n_nodes, sizeof *nodes);
    double *edges = l2r_arena_zeroed(&p->arena, (size_t)e->n_edges, sizeof *edges);
    if (!nodes || !edges) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: parts of a graph");
    take_all(p, true, true);
    L2R_TRY(ask(&whole, p, error));
    take_all(p, true, false);
    L2R_TRY(ask(&loose, p, error));
    take_all(p, false, false);
    L2R_TRY(ask(&nothing, p, error));
    L2R_TRY(flush(p, error));
    if (s->explainer == L2R_EXPLAINER_OCCLUSION) {
        L2R_TRY(occlude(nodes, p->node, e->n_nodes, whole, p, error));
        L2R_TRY(occlude(edges, p->edge, e->n_edges, whole, p, error));
    } else {
        L2R_TRY(share_out(nodes, p->node, e->n_nodes, nothing, whole, p, s, error));
        L2R_TRY(share_out(edges, p->edge, e->n_edges, loose, whole, p, s, error));
    }
    weigh(e->node, e->node_effect, nodes, e->n_nodes);
    weigh(e->edge, e->edge_effect, edges, e->n_edges);
    for (int64_t k = 0; k < e->n_columns; k++) e->column[k] = NAN; /* nothing is said of columns */
    e->value = whole;
    e->baseline = nothing;
done:
    return status;
}

static enum l2r_status begin_parts(struct parts *p, const struct l2r_explanation *e, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    l2r_tape_init(&p->tape);
    l2r_arena_init(&p->arena);
    L2R_TRY(l2r_features_fill(p->data, &e->graph, 1, error));
    if (!allocate(p)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: parts of a graph");
    find_edge_types(p);
done:
    return status;
}

static void end_parts(struct parts *p)
{
    l2r_builder_free(p->builder);
    l2r_free((void *)p->to);
    l2r_arena_clear(&p->arena);
    l2r_tape_clear(&p->tape);
}

/* The class that is explained, or the task: the first with a target. */
static int32_t explained_output(const struct l2r_explanation *e, const struct l2r_signature *s)
{
    int32_t k = 0;
    if (s->task == L2R_TASK_MULTICLASS) return (int32_t)e->target[0];
    while (k + 1 < s->n_tasks && isnan(e->target[k])) k++;
    return k;
}

/* Of a committee the first member is explained: the others may read features that a part of a molecule lacks. */
static struct l2r_network first_member(const struct l2r_network *network)
{
    struct l2r_network first = *network;
    first.n_members = 0;
    return first;
}

enum l2r_status l2r_contributions_find(struct l2r_explanation *e, const struct l2r_network *network,
                                       const struct l2r_dataset *data, const struct l2r_explain_settings *settings,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_network first = first_member(network);
    struct parts p = {.network = &first, .data = data, .e = e, .output = explained_output(e, &network->signature)};
    L2R_TRY(begin_parts(&p, e, error));
    L2R_TRY(find(e, &p, settings, error));
done:
    end_parts(&p);
    return status;
}

enum l2r_status l2r_contributions_of_parts(double *effect, const struct l2r_explanation *e,
                                           const struct l2r_network *network, const struct l2r_dataset *data,
                                           const int32_t *part, int32_t n_parts, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double whole = 0;
    const struct l2r_network first = first_member(network);
    struct parts p = {.network = &first, .data = data, .e = e, .output = explained_output(e, &network->signature)};
    L2R_TRY(begin_parts(&p, e, error));
    take_all(&p, true, true);
    L2R_TRY(ask(&whole, &p, error));
    for (int32_t i = 0; i < n_parts; i++) {
        for (int64_t v = 0; v < e->n_nodes; v++) p.node[v] = part[v] != i;
        L2R_TRY(ask(&effect[i], &p, error));
    }
    L2R_TRY(flush(&p, error));
    for (int32_t i = 0; i < n_parts; i++) effect[i] = whole - effect[i];
done:
    end_parts(&p);
    return status;
}
