/* SPDX-License-Identifier: MIT
 * See members.h. */
#include "nn/members.h"

#include "batch/batches.h"
#include "data/features.h"

#include <math.h>
#include <string.h>

/* The batch as a member reads it; false: out of memory, and the tape has failed. */
static bool batch_for(struct l2r_batch *view, struct l2r_tape *t, const struct l2r_network *member,
                      const struct l2r_batch *b)
{
    struct l2r_dataset data = *b->data;
    int64_t n = member->signature.features.n;
    *view = *b;
    if (l2r_batch_share(view, &t->arena, b->data, &member->sharing, &t->error) != L2R_OK) {
        t->status = L2R_ERR_MEMORY;
        return false;
    }
    view->n_features = n;
    view->features = n > 0 ? l2r_tape_alloc(t, b->n_graphs * n, sizeof *view->features) : NULL;
    if (n > 0 && !view->features) return false;
    data.scale = &member->signature.features;
    for (int64_t i = 0; n > 0 && i < b->n_graphs; i++) l2r_feature_row(view->features + i * n, &data, b->graphs[i]);
    return true;
}

static bool all_finite(const l2r_real *row, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        if (!isfinite(row[k])) return false;
    return true;
}

/* Adds a row of outputs to the sums as what can be averaged. */
static void add_row(double *sum, const l2r_real *row, const uint8_t *known, enum l2r_task task, int64_t n)
{
    double top = -INFINITY, all = 0, bad = all_finite(row, n) ? 0 : NAN;
    for (int64_t k = 0; k < n; k++) top = fmax(top, (double)row[k]);
    for (int64_t k = 0; k < n; k++) all += exp((double)row[k] - top);
    for (int64_t k = 0; k < n; k++) {
        if (!known[k]) continue;
        sum[k] += bad;
        if (task == L2R_TASK_REGRESSION) sum[k] += (double)row[k];
        if (task == L2R_TASK_BINARY) sum[k] += 1 / (1 + exp(-(double)row[k]));
        if (task == L2R_TASK_MULTICLASS) sum[k] += exp((double)row[k] - top) / all;
    }
}

/* The mean as an output again. */
static l2r_real output_of(double mean, enum l2r_task task)
{
    if (task == L2R_TASK_REGRESSION || isnan(mean)) return (l2r_real)mean; /* fmax drops NaN */
    double p = fmin(1 - 1e-7, fmax(1e-7, mean));
    return (l2r_real)(task == L2R_TASK_BINARY ? log(p / (1 - p)) : log(p));
}

l2r_node l2r_network_answer(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b,
                            l2r_node z)
{
    l2r_node own = l2r_network_unweighted(network, t, l2r_network_output(network, t, b, z));
    if (network->n_members == 0 || !l2r_tape_ready(t, own)) return own;
    enum l2r_task task = network->signature.task;
    int64_t rows = b->n_graphs, cols = l2r_signature_outputs(&network->signature);
    double *sum = l2r_tape_alloc(t, rows * cols, sizeof *sum);
    l2r_real *mean = l2r_tape_alloc(t, rows * cols, sizeof *mean);
    int32_t *voices = l2r_tape_alloc(t, cols, sizeof *voices);
    uint8_t *known = l2r_tape_alloc(t, cols, sizeof *known);
    if (!sum || !mean || !voices || !known) return L2R_NO_NODE;
    for (int64_t i = 0; i < rows * cols; i++) sum[i] = 0;
    for (int64_t k = 0; k < cols; k++) voices[k] = 0;
    for (int32_t m = -1; m < network->n_members; m++) {
        struct l2r_batch view;
        l2r_node out = own;
        if (m >= 0) {
            const struct l2r_network *member = network->members[m].network;
            if (!batch_for(&view, t, member, b)) return L2R_NO_NODE;
            out = l2r_network_represent(member, t, &view);
            out = l2r_network_unweighted(member, t, l2r_network_output(member, t, &view, out));
        }
        if (!l2r_tape_ready(t, out)) return L2R_NO_NODE;
        for (int64_t k = 0; k < cols; k++)
            voices[k] += known[k] = l2r_network_knows(l2r_network_voice(network, m + 1), (int32_t)k);
        const l2r_real *values = l2r_value_of(t, out)->data;
        for (int64_t i = 0; i < rows; i++) add_row(sum + i * cols, values + i * cols, known, task, cols);
    }
    const l2r_real *first = l2r_value_of(t, own)->data; /* where none has learned anything */
    for (int64_t i = 0; i < rows * cols; i++) {
        int32_t n = voices[i % cols];
        mean[i] = n > 0 ? output_of(sum[i] / n, task) : first[i];
    }
    return l2r_constant(t, mean, rows, cols);
}

/* ---- who may be a member ---- */

static bool same(const void *a, const void *b, int64_t n, size_t size)
{
    return n == 0 || memcmp(a, b, (size_t)n * size) == 0;
}

/* What differs, or NULL. The batch holds the network's own columns, in its numbers of categories. */
static const char *difference(const struct l2r_signature *a, const struct l2r_signature *b)
{
    if (a->task != b->task || a->n_tasks != b->n_tasks || a->n_classes != b->n_classes ||
        !same(a->class_value, b->class_value, a->n_classes, sizeof *a->class_value))
        return "answers another question";
    if (a->n_class_names != b->n_class_names || !same(a->class_names, b->class_names, a->n_class_names, 1))
        return "has other words for the classes";
    if (!same(a->target_mean, b->target_mean, a->n_tasks, sizeof *a->target_mean) ||
        !same(a->target_sd, b->target_sd, a->n_tasks, sizeof *a->target_sd))
        return "has its targets on another scale";
    if (a->n_node_columns != b->n_node_columns || a->n_node_reals != b->n_node_reals ||
        a->n_node_values != b->n_node_values ||
        !same(a->node_vocabulary, b->node_vocabulary, a->n_node_columns, sizeof *a->node_vocabulary) ||
        !same(a->node_value, b->node_value, a->n_node_values, sizeof *a->node_value))
        return "reads other columns of nodes";
    if (a->n_edge_columns != b->n_edge_columns || a->n_edge_reals != b->n_edge_reals ||
        a->n_edge_values != b->n_edge_values ||
        !same(a->edge_vocabulary, b->edge_vocabulary, a->n_edge_columns, sizeof *a->edge_vocabulary) ||
        !same(a->edge_value, b->edge_value, a->n_edge_values, sizeof *a->edge_value))
        return "reads other columns of edges";
    return NULL;
}

enum l2r_status l2r_member_check(const struct l2r_network *network, const struct l2r_network *member, const char *where,
                                 int number, struct l2r_error *error)
{
    const char *problem = difference(&network->signature, &member->signature);
    if (member->n_members > 0) problem = "holds members of its own";
    if (!problem) return L2R_OK;
    return l2r_fail(error, L2R_ERR_FORMAT, "%s: member %d %s; train the committee again", where, number, problem);
}

enum l2r_status l2r_network_describe(const struct l2r_network *network, const struct l2r_dataset *data,
                                     const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = l2r_features_fill(data, graphs, n, error);
    for (int32_t m = 0; status == L2R_OK && m < network->n_members; m++) {
        const struct l2r_feature_scale *scale = &network->members[m].network->signature.features;
        struct l2r_dataset view = *data;
        if (scale->n == 0) continue;
        view.scale = scale;
        status = l2r_feature_scale_check(scale, data, error);
        if (status == L2R_OK) status = l2r_features_fill(&view, graphs, n, error);
    }
    return status;
}
