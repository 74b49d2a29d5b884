/* SPDX-License-Identifier: MIT
 * See groups.h. */
#include "methods/groups/groups.h"

#include "base/memory.h"

#include <string.h>

/* ---- which group a graph belongs to ---- */

enum l2r_status l2r_graph_groups_make(struct l2r_graph_groups *g, const struct l2r_training_set *set, bool by_class,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_dataset *data = set->data;
    const struct l2r_environments *e = set->environments;
    int64_t keys = 1 + (by_class ? l2r_group_count(e, data) : e->n > 0 ? e->n : 1); /* the last: without a label */
    int32_t *number = l2r_alloc((size_t)keys, sizeof *number);                      /* from 1; 0: not seen yet */
    *g = (struct l2r_graph_groups){.of = l2r_alloc((size_t)data->n_graphs, sizeof *g->of),
                                   .count = l2r_alloc((size_t)keys, sizeof *g->count)};
    if (!number || !g->of || !g->count) {
        status = l2r_fail_memory(error, (size_t)(keys + data->n_graphs) * sizeof *g->count, "groups of graphs");
        goto done;
    }
    for (int64_t i = 0; i < data->n_graphs; i++) g->of[i] = -1;
    for (int64_t i = 0; i < set->n; i++) {
        int32_t graph = set->graphs[i];
        int64_t key = by_class ? l2r_group_of(e, data, graph) : l2r_environment_of(e, graph);
        if (key < 0) key = keys - 1;
        if (number[key] == 0) number[key] = ++g->n;
        g->of[graph] = number[key] - 1;
        g->count[number[key] - 1]++;
    }
done:
    l2r_free(number);
    return status;
}

void l2r_graph_groups_clear(struct l2r_graph_groups *g)
{
    l2r_free(g->of);
    l2r_free(g->count);
    *g = (struct l2r_graph_groups){0};
}

/* ---- all rows of a batch ---- */

struct l2r_whole l2r_whole_of(const struct l2r_batch *b)
{
    const struct l2r_division *d = b->division;
    if (!d) return (struct l2r_whole){b->graphs, b->n_graphs, 0, b->n_graphs, NULL};
    return (struct l2r_whole){d->graphs, d->n_graphs, l2r_division_first(d), l2r_division_count(d), d};
}

const l2r_real *l2r_whole_rows(struct l2r_tape *t, const struct l2r_whole *whole, const l2r_real *mine, int64_t cols)
{
    if (!whole->division) return mine;
    l2r_real *all = l2r_tape_alloc(t, whole->n * cols, sizeof *all);
    if (all) l2r_division_gather(whole->division, all, mine, (size_t)cols * sizeof *all);
    return all;
}

/* ---- penalties ---- */

static void penalty_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const l2r_real *slope = out->saved; /* this rank's rows */
    const struct l2r_value *x = l2r_value_of(t, out->input[0]);
    int64_t n = x->rows * x->cols;
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    for (int64_t i = 0; grad && i < n; i++) grad[i] = (beta == 0 ? 0 : grad[i]) + out->grad[0] * slope[i];
}

/* Groups and labels of the batch's rows. */
static bool find_rows(struct l2r_rows_known *rows, struct l2r_tape *t, const struct l2r_whole *whole,
                      const struct l2r_dataset *data, const struct l2r_graph_groups *groups)
{
    int32_t *group = l2r_tape_alloc(t, whole->n, sizeof *group);
    float *labels = l2r_tape_alloc(t, whole->n * data->n_tasks, sizeof *labels);
    if (!group || !labels) return false;
    for (int64_t i = 0; i < whole->n; i++) {
        group[i] = groups->of[whole->graphs[i]];
        memcpy(labels + i * data->n_tasks, data->labels + (int64_t)whole->graphs[i] * data->n_tasks,
               (size_t)data->n_tasks * sizeof *labels);
    }
    rows->group = group;
    rows->n_groups = groups->n;
    rows->labels = labels;
    return true;
}

l2r_node l2r_penalty(struct l2r_tape *t, const struct l2r_batch *batch, const struct l2r_dataset *data,
                     const struct l2r_network *network, const struct l2r_graph_groups *groups, l2r_node x,
                     double lambda, l2r_penalty_fn *penalty)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    struct l2r_whole whole = l2r_whole_of(batch);
    struct l2r_rows_known rows = {.network = network};
    int64_t cols = l2r_value_of(t, x)->cols;
    l2r_real *slope = l2r_tape_alloc(t, whole.n * cols, sizeof *slope);
    const l2r_real *all = l2r_whole_rows(t, &whole, l2r_value_of(t, x)->data, cols);
    l2r_node node = l2r_tape_push(t, "penalty", 1, 1, penalty_backward, &x, 1);
    if (node.id < 0 || !slope || !all || !find_rows(&rows, t, &whole, data, groups)) return L2R_NO_NODE;
    memset(slope, 0, (size_t)(whole.n * cols) * sizeof *slope);
    double value = lambda * penalty(slope, t, all, whole.n, cols, &rows);
    for (int64_t i = 0; i < whole.n * cols; i++) slope[i] = (l2r_real)(lambda * (double)slope[i]);
    /* The loss of a step is the sum over the ranks: one of them has the value, each the gradient of its rows. */
    l2r_value_of(t, node)->data[0] = !whole.division || l2r_comm_leads(whole.division->comm) ? (l2r_real)value : 0;
    l2r_value_of(t, node)->saved = slope + whole.first * cols;
    return node;
}
