/* SPDX-License-Identifier: MIT
 * Checks of the input of a builder (builder_state.h): a schema or a graph is accepted as a whole, or refused with its
 * first invalid value. Ranges of categorical features are checked where they are numbered, because the row of a
 * repeated edge is ignored. */
#include "data/builder_state.h"

#include <math.h>

enum { MOST_COLUMNS = 1 << 20 };

static enum l2r_status check_vocabulary(const char *name, const int32_t *vocabulary, int32_t n, struct l2r_error *error)
{
    for (int32_t k = 0; vocabulary && k < n; k++)
        if (vocabulary[k] < 1)
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "%s[%d] = %d; expected the number of values of column %d, at least 1", name, (int)k,
                            (int)vocabulary[k], (int)k);
    return L2R_OK;
}

static enum l2r_status check_count(const char *name, int32_t n, int32_t least, struct l2r_error *error)
{
    if (n >= least && n <= MOST_COLUMNS) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s = %d; expected %d … %d", name, (int)n, (int)least, MOST_COLUMNS);
}

static enum l2r_status check_classes(const struct l2r_schema *s, struct l2r_error *error)
{
    if (!s->class_value) return L2R_OK;
    if (s->task != L2R_TASK_MULTICLASS)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "class_value is given for a %s task, which has no classes",
                        l2r_task_name(s->task));
    if (s->n_classes < 1 || s->n_classes > MOST_COLUMNS)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "n_classes = %d; expected 1 … %d", (int)s->n_classes, MOST_COLUMNS);
    for (int32_t k = 1; k < s->n_classes; k++)
        if (s->class_value[k] <= s->class_value[k - 1])
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "class_value[%d] = %lld does not come after %lld; expected an "
                            "ascending list",
                            (int)k, (long long)s->class_value[k], (long long)s->class_value[k - 1]);
    return L2R_OK;
}

enum l2r_status l2r_builder_check_schema(const struct l2r_schema *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if ((int)s->task < L2R_TASK_MULTICLASS || (int)s->task > L2R_TASK_REGRESSION)
        L2R_FAIL(L2R_ERR_ARGUMENT, "task = %d is no task; expected L2R_TASK_MULTICLASS, _BINARY or _REGRESSION",
                 (int)s->task);
    L2R_TRY(check_count("n_tasks", s->n_tasks, 1, error));
    L2R_TRY(check_count("n_node_columns", s->n_node_columns, 0, error));
    L2R_TRY(check_count("n_edge_columns", s->n_edge_columns, 0, error));
    L2R_TRY(check_count("n_node_reals", s->n_node_reals, 0, error));
    L2R_TRY(check_count("n_environments", s->n_environments, 0, error));
    L2R_TRY(check_count("n_edge_reals", s->n_edge_reals, 0, error));
    if (s->task == L2R_TASK_MULTICLASS && s->n_tasks != 1)
        L2R_FAIL(L2R_ERR_ARGUMENT, "n_tasks = %d; a multi-class data set has one label column", (int)s->n_tasks);
    if (s->degree_as_feature && s->n_node_columns != 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "degrees replace node features; the data set must have none");
    if ((s->node_value && !s->node_vocabulary) || (s->edge_value && !s->edge_vocabulary))
        L2R_FAIL(L2R_ERR_ARGUMENT, "node_value and edge_value name the categories of a vocabulary, which is missing");
    L2R_TRY(check_vocabulary("node_vocabulary", s->node_vocabulary, s->n_node_columns, error));
    L2R_TRY(check_vocabulary("edge_vocabulary", s->edge_vocabulary, s->n_edge_columns, error));
    L2R_TRY(check_classes(s, error));
done:
    return status;
}

/* Arrays that the schema declares. */
static enum l2r_status check_arrays(const struct l2r_builder *b, const struct l2r_graph_view *g,
                                    struct l2r_error *error)
{
    const struct l2r_schema *s = &b->schema;
    const char *missing = NULL;
    if (g->n_edges > 0 && !g->edges) missing = "edges";
    if (g->n_nodes > 0 && s->n_node_columns > 0 && !g->node_rows) missing = "node_rows";
    if (g->n_edges > 0 && s->n_edge_columns > 0 && !g->edge_rows) missing = "edge_rows";
    if (g->n_nodes > 0 && s->n_node_reals > 0 && !g->node_real) missing = "node_real";
    if (g->n_edges > 0 && s->n_edge_reals > 0 && !g->edge_real) missing = "edge_real";
    if (g->n_nodes > 0 && s->has_marks && !g->node_mark) missing = "node_mark";
    if (!missing) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s of graph %lld is NULL; the schema says that graphs have it", missing,
                    (long long)b->n_graphs);
}

static enum l2r_status check_labels(const struct l2r_builder *b, const struct l2r_graph_view *g,
                                    struct l2r_error *error)
{
    for (int32_t k = 0; g->labels && k < b->schema.n_tasks; k++) {
        float y = g->labels[k];
        bool good = !isinf(y);
        if (b->schema.task == L2R_TASK_BINARY) good = isnan(y) || y == 0 || y == 1;
        if (b->schema.task == L2R_TASK_MULTICLASS)
            good = isnan(y) || (y == rintf(y) && fabsf(y) <= 16777216 &&
                                (!b->schema.class_value || (y >= 0 && y < (float)b->schema.n_classes)));
        if (!good)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "label %d of graph %lld is %g, which is not a %s label", (int)k,
                            (long long)b->n_graphs, (double)y, l2r_task_name(b->schema.task));
    }
    for (int32_t k = 0; g->bound && k < b->schema.n_tasks; k++)
        if (g->bound[k] < -1 || g->bound[k] > 1 || (g->bound[k] != 0 && b->schema.task != L2R_TASK_REGRESSION))
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "bound[%d] of graph %lld is %d; expected -1, 0 or 1, and 0 unless the task is a regression",
                            (int)k, (long long)b->n_graphs, (int)g->bound[k]);
    if (g->weight && (!(*g->weight >= 0) || isinf(*g->weight)))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "the weight of graph %lld is %g; expected a finite number, 0 or more",
                        (long long)b->n_graphs, (double)*g->weight);
    return L2R_OK;
}

/* reals [n × columns] of nodes or edges. */
static enum l2r_status check_reals(const struct l2r_builder *b, const char *what, const float *reals, int64_t n,
                                   int64_t columns, struct l2r_error *error)
{
    for (int64_t i = 0; i < n * columns; i++)
        if (!isfinite(reals[i]))
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "%s_real[%lld] of graph %lld is %g (%s %lld, column %lld); expected a finite number", what,
                            (long long)i, (long long)b->n_graphs, (double)reals[i], what, (long long)(i / columns),
                            (long long)(i % columns));
    return L2R_OK;
}

enum l2r_status l2r_builder_check_graph(const struct l2r_builder *b, const struct l2r_graph_view *g,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (b->finished) L2R_FAIL(L2R_ERR_ARGUMENT, "the data set of this builder is finished; make a new builder");
    if (b->block) L2R_FAIL(L2R_ERR_ARGUMENT, "all graphs of this data set were added in bulk; no more can be added");
    long long number = (long long)b->n_graphs;
    if (number >= INT32_MAX - 1) L2R_FAIL(L2R_ERR_ARGUMENT, "a data set holds at most %d graphs", INT32_MAX - 1);
    if (g->n_nodes < 0 || g->n_nodes >= INT32_MAX || g->n_edges < 0 || g->n_edges >= INT32_MAX)
        L2R_FAIL(L2R_ERR_ARGUMENT, "graph %lld has %lld nodes and %lld edges; each must be 0..%d", number,
                 (long long)g->n_nodes, (long long)g->n_edges, INT32_MAX - 1);
    L2R_TRY(check_arrays(b, g, error));
    for (int64_t i = 0; i < 2 * g->n_edges; i++)
        if (g->edges[i] < 0 || g->edges[i] >= g->n_nodes)
            L2R_FAIL(L2R_ERR_ARGUMENT, "edge %lld of graph %lld names node %d, outside 0..%lld", (long long)(i / 2),
                     number, (int)g->edges[i], (long long)g->n_nodes - 1);
    if (g->part < L2R_PART_TRAIN || g->part > L2R_PART_NONE)
        L2R_FAIL(L2R_ERR_ARGUMENT, "graph %lld is in part %d, which does not exist", number, g->part);
    if (b->n_environments > 0 && (g->environment < 0 || g->environment >= b->n_environments))
        L2R_FAIL(L2R_ERR_ARGUMENT, "graph %lld is in environment %d, outside 0..%d", number, (int)g->environment,
                 (int)b->n_environments - 1);
    L2R_TRY(check_labels(b, g, error));
    L2R_TRY(check_reals(b, "node", g->node_real, g->n_nodes, b->schema.n_node_reals, error));
    L2R_TRY(check_reals(b, "edge", g->edge_real, g->n_edges, b->schema.n_edge_reals, error));
done:
    return status;
}
