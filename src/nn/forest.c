/* SPDX-License-Identifier: MIT
 * A forest as a model (forest.h): building, growing the trees of an epoch, prediction, and its tensors. */
#include "nn/forest.h"

#include "autograd/tape.h"
#include "base/memory.h"
#include "base/threads.h"
#include "batch/batch.h"
#include "nn/params.h"
#include "nn/trees.h"

#include <math.h>
#include <string.h>

int64_t l2r_forest_build(void *model, const struct l2r_build *build)
{
    struct l2r_forest *forest = model;
    const struct l2r_signature *s = build->data;
    const struct l2r_config *c = build->config;
    bool classes = s->task == L2R_TASK_MULTICLASS;
    *forest = (struct l2r_forest){.data = s,
                                  .n_trees = l2r_config_int(c, "trees"),
                                  .n_epochs = l2r_config_int(c, "epochs"),
                                  .depth = (int32_t)l2r_config_int(c, "depth"),
                                  .leaf = (int32_t)l2r_config_int(c, "leaf"),
                                  .column_share = l2r_config_real(c, "column-share"),
                                  .seed = l2r_trees_seed(c),
                                  .n_groups = classes ? 1 : s->n_tasks,
                                  .n_outputs = classes ? s->n_classes : 1};
    forest->rounds = l2r_params_add_buffer(build->params, 1, 0, "rounds");
    return l2r_trees_width(build);
}

void l2r_forest_clear(void *model)
{
    struct l2r_forest *forest = model;
    l2r_trees_release(&forest->trees);
    l2r_bins_clear(&forest->bins);
}

int64_t l2r_forest_bytes(const struct l2r_config *config, const struct l2r_dataset *data)
{
    double trees = (double)l2r_config_int(config, "trees"), leaf = (double)l2r_config_int(config, "leaf"), bytes = 0;
    int32_t outputs = data->task == L2R_TASK_MULTICLASS ? data->n_classes : 1;
    for (int32_t k = 0; k < l2r_tree_groups(data); k++) {
        /* Of n graphs 0.63 n are drawn, and a tree has fewer leaves; of two classes about two for each of the rarer. */
        int64_t rare, n = l2r_tree_labels(&rare, data, k);
        double leaves = 0.63 * (double)n / leaf;
        if (data->task == L2R_TASK_BINARY) leaves = fmin(leaves, 2 * (double)rare);
        bytes += trees * l2r_tree_size(2 * leaves, outputs);
    }
    return (int64_t)fmin(bytes, 1e18);
}

/* Trees of each group that the first `epochs` epochs have. */
static int64_t trees_until(const struct l2r_forest *forest, int64_t epochs)
{
    return epochs >= forest->n_epochs ? forest->n_trees : forest->n_trees * epochs / forest->n_epochs;
}

/* ---- growing ---- */

/* A third of the columns for values; for classes the square root of their number, as most columns are uninformative. */
static int32_t columns_tried(const struct l2r_forest *forest)
{
    double n = forest->data->features.n, share = forest->column_share;
    bool values = forest->data->task == L2R_TASK_REGRESSION;
    return (int32_t)fmax(1, ceil(share > 0 ? share * n : values ? n / 3 : sqrt(n)));
}

static enum l2r_status fit_group(struct l2r_forest *forest, const struct l2r_fit_data *fit, int32_t g, int64_t first,
                                 int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_tree none = {0};
    size_t before = forest->trees.n;
    int32_t *rows = l2r_alloc((size_t)fit->n_train, sizeof *rows);
    float *label = l2r_alloc((size_t)fit->n_train, sizeof *label);
    double *until = l2r_alloc((size_t)fit->n_train, sizeof *until), weight = 0;
    struct l2r_forest_labels from = {.bins = &forest->bins,
                                     .rows = rows,
                                     .label = label,
                                     .until = fit->data->weight ? until : NULL,
                                     .n_outputs = forest->n_outputs,
                                     .leaf = forest->leaf,
                                     .depth = forest->depth,
                                     .n_tried = columns_tried(forest),
                                     .seed = forest->seed,
                                     .place = (uint64_t)(g * forest->n_trees + first)};
    if (!rows || !label || !until) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the labels of the training graphs");
    for (int64_t i = 0; i < fit->n_train; i++) {
        float y = l2r_trees_label(forest->data, fit, i, g);
        if (isnan(y)) continue;
        weight += fit->data->weight ? (double)fit->data->weight[fit->train[i]] : 1;
        rows[from.n] = (int32_t)i;
        until[from.n] = weight;
        label[from.n++] = y;
    }
    for (int64_t k = 0; k < n; k++)
        if (!l2r_array_add(&forest->trees, &none, 1, sizeof none)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: trees");
    /* A task without labels has trees without nodes, which predict nothing. */
    if (weight > 0) L2R_TRY(l2r_forest_grow((struct l2r_tree *)forest->trees.items + before, n, &from, error));
done:
    l2r_free(rows);
    l2r_free(label);
    l2r_free(until);
    return status;
}

enum l2r_status l2r_forest_fit(void *model, double *loss, const struct l2r_fit_data *fit, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_forest *forest = model;
    int64_t first = trees_until(forest, fit->epoch), n = trees_until(forest, fit->epoch + 1) - first;
    if (fit->epoch == 0) L2R_TRY(l2r_trees_check_labels(forest->data, fit, "forest", error));
    l2r_trees_cut(&forest->trees, (size_t)(first * forest->n_groups)); /* of an epoch that was begun and is repeated */
    if (!forest->bins.code) L2R_TRY(l2r_bins_make(&forest->bins, fit->data, fit->train, fit->n_train, error));
    for (int32_t g = 0; g < forest->n_groups; g++) {
        if (g > 0 && fit->stop && fit->stop(fit->context))
            L2R_FAIL(L2R_ERR_INTERRUPTED, "stopped in epoch %lld after the trees of %d of %d tasks",
                     (long long)fit->epoch + 1, (int)g, (int)forest->n_groups);
        L2R_TRY(fit_group(forest, fit, g, first, n, error));
    }
    forest->rounds->value[0] = (l2r_real)(fit->epoch + 1);
    *loss = 0; /* deep trees fit their training graphs exactly */
done:
    return status;
}

/* ---- answers ---- */

static const struct l2r_tree_node *step(const struct l2r_tree_node *nodes, const struct l2r_tree_node *at,
                                        const l2r_real *x)
{
    return nodes + at->left + ((float)x[at->column] > at->threshold);
}

/* The trees of group g in the first n_epochs epochs, one after the other, from *epoch = *k = 0; NULL: that was all.
 * With more epochs than trees most have none and are skipped at once: the next that has one is the first e with (e + 1)
 * · n_trees / n_epochs above the number of trees before it. */
static const struct l2r_tree *next_tree(int64_t *epoch, int64_t *k, const struct l2r_forest *forest, int32_t g,
                                        int64_t n_epochs)
{
    while (*epoch < n_epochs) {
        int64_t first = trees_until(forest, *epoch), next = trees_until(forest, *epoch + 1), n = next - first;
        if (*k < n) return (const struct l2r_tree *)forest->trees.items + first * forest->n_groups + g * n + (*k)++;
        if (next >= forest->n_trees) return NULL;
        *epoch = ((next + 1) * forest->n_epochs + forest->n_trees - 1) / forest->n_trees - 1;
        *k = 0;
    }
    return NULL;
}

/* The number of epochs that count; the trees of all of them must exist. */
static bool epochs_that_count(int64_t *n, const struct l2r_forest *forest)
{
    return l2r_trees_rounds(n, forest->rounds, forest->n_epochs) &&
           (size_t)(trees_until(forest, *n) * forest->n_groups) <= forest->trees.n;
}

/* The leaves of a tree at the rows of x: graphs go down side by side, because each step waits for memory. */
static void find_leaves(const struct l2r_tree_node **at, const struct l2r_tree_node *nodes, const l2r_real *x,
                        int64_t n, int64_t width)
{
    for (int64_t i = 0; i < n; i++) at[i] = nodes;
    for (bool any = true; any;) {
        any = false;
        for (int64_t i = 0; i < n; i++) {
            if (at[i]->column < 0) continue;
            at[i] = step(nodes, at[i], x + i * width);
            any = true;
        }
    }
}

/* The probability of a forest becomes a logit, the output of all models: including class weights, which are removed
 * later (model/calibration.h). */
static l2r_real link(const struct l2r_forest *forest, int32_t k, double mean)
{
    const double *weight = forest->data->class_weight;
    if (forest->data->task == L2R_TASK_REGRESSION || isnan(mean)) return (l2r_real)mean; /* fmax drops NaN */
    double p = fmin(1 - 1e-4, fmax(1e-4, mean)), more = weight ? log(weight[k]) : 0;
    if (forest->data->task == L2R_TASK_MULTICLASS) return (l2r_real)(log(p) + more);
    return (l2r_real)(log(p / (1 - p)) + more);
}

struct question {
    const struct l2r_forest *forest;
    const struct l2r_batch *batch;
    int64_t n_epochs; /* that count */
    l2r_real *output; /* [graphs × groups × outputs] */
    double *mean;     /* the same */
};

/* Graphs `first` to first + n - 1, group g: the mean over the trees. */
static void predict_group(const struct question *q, int32_t g, int64_t first, int64_t n)
{
    const struct l2r_forest *forest = q->forest;
    const struct l2r_tree_node *at[L2R_TREES_BLOCK];
    const struct l2r_tree *tree;
    int32_t groups = forest->n_groups, each = forest->n_outputs;
    int64_t width = q->batch->n_features, n_trees = 0, epoch = 0, k = 0;
    double *mean = q->mean + (first * groups + g) * each; /* [graphs × groups × outputs] */
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < each; c++) mean[i * groups * each + c] = 0;
    while ((tree = next_tree(&epoch, &k, forest, g, q->n_epochs))) {
        const struct l2r_tree_node *nodes = tree->nodes.items;
        const float *leaf = tree->values.items;
        if (!nodes) continue;
        find_leaves(at, nodes, q->batch->features + first * width, n, width);
        for (int64_t i = 0; i < n; i++)
            for (int32_t c = 0; c < each; c++) mean[i * groups * each + c] += (double)leaf[(at[i] - nodes) * each + c];
        n_trees++;
    }
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < each; c++) /* without trees nothing was learned */
            q->output[((first + i) * groups + g) * each + c] =
                n_trees ? link(forest, g * each + c, mean[i * groups * each + c] / (double)n_trees) : 0;
}

static void predict_block(void *context, int64_t block)
{
    const struct question *q = context;
    int64_t first = block * L2R_TREES_BLOCK, rest = q->batch->n_graphs - first;
    for (int32_t g = 0; g < q->forest->n_groups; g++)
        predict_group(q, g, first, rest < L2R_TREES_BLOCK ? rest : L2R_TREES_BLOCK);
}

l2r_node l2r_forest_output(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    const struct l2r_forest *forest = model;
    int64_t n = b->n_graphs, all = (int64_t)forest->n_groups * forest->n_outputs;
    struct question q = {forest, b, 0, l2r_tape_alloc(t, n * all, sizeof(l2r_real)),
                         l2r_tape_alloc(t, n * all, sizeof(double))};
    if (!q.output || !q.mean) return L2R_NO_NODE;
    if (!l2r_tape_check(t, epochs_that_count(&q.n_epochs, forest),
                        "the model counts %g epochs of trees; expected as many as it holds",
                        (double)forest->rounds->value[0]))
        return L2R_NO_NODE;
    l2r_parallel(l2r_chunk_count(n, L2R_TREES_BLOCK), predict_block, &q);
    return l2r_constant(t, q.output, n, all);
}

enum l2r_status l2r_forest_contributions(float *share, const void *model, const struct l2r_dataset *data, int32_t graph,
                                         struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_forest *forest = model;
    const struct l2r_tree *tree;
    int64_t n_epochs;
    int32_t columns = forest->data->features.n, each = forest->n_outputs;
    size_t cells = (size_t)forest->n_groups * (size_t)each * ((size_t)columns + 1);
    l2r_real *x = l2r_alloc((size_t)columns, sizeof *x);
    if (!x) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: contributions of features");
    if (!epochs_that_count(&n_epochs, forest))
        L2R_FAIL(L2R_ERR_FORMAT, "the model counts more epochs of trees than it has");
    L2R_TRY(l2r_features_fill(data, &graph, 1, error));
    l2r_feature_row(x, data, graph);
    memset(share, 0, cells * sizeof *share);
    for (int32_t g = 0; g < forest->n_groups; g++) {
        int64_t epoch = 0, k = 0, n = trees_until(forest, n_epochs);
        while ((tree = next_tree(&epoch, &k, forest, g, n_epochs))) {
            const struct l2r_tree_node *nodes = tree->nodes.items, *at = nodes, *to;
            const float *means = tree->values.items;
            for (int32_t c = 0; nodes && c < each; c++)
                share[((int64_t)g * each + c) * (columns + 1) + columns] += means[c] / (float)n;
            for (; nodes && at->column >= 0; at = to) {
                to = step(nodes, at, x);
                for (int32_t c = 0; c < each; c++)
                    share[((int64_t)g * each + c) * (columns + 1) + at->column] +=
                        (means[(to - nodes) * each + c] - means[(at - nodes) * each + c]) / (float)n;
            }
        }
    }
done:
    l2r_free(x);
    return status;
}

/* ---- files ---- */

static struct l2r_tree_shape shape_of(const struct l2r_forest *forest)
{
    return (struct l2r_tree_shape){
        .n_columns = forest->data->features.n, .width = forest->n_outputs, .depth = forest->depth};
}

enum l2r_status l2r_forest_save(struct l2r_array *tensors, struct l2r_arena *arena, const void *model,
                                struct l2r_error *error)
{
    const struct l2r_forest *forest = model;
    const struct l2r_tree_shape shape = shape_of(forest);
    return l2r_trees_to_tensors(tensors, arena, &forest->trees, &shape, error);
}

enum l2r_status l2r_forest_load(void *model, const struct l2r_tensor *tensors, size_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_forest *forest = model;
    const struct l2r_tree_shape shape = shape_of(forest);
    int64_t n_epochs;
    l2r_trees_release(&forest->trees);
    L2R_TRY(l2r_trees_from_tensors(&forest->trees, tensors, n, &shape, error));
    if (forest->trees.n > (size_t)(forest->n_trees * forest->n_groups))
        L2R_FAIL(L2R_ERR_FORMAT, "the model holds %zu trees; expected at most %lld", forest->trees.n,
                 (long long)(forest->n_trees * forest->n_groups));
    if (!epochs_that_count(&n_epochs, forest))
        L2R_FAIL(L2R_ERR_FORMAT, "the model counts %g epochs of trees; expected as many as it holds",
                 (double)forest->rounds->value[0]);
done:
    if (status != L2R_OK) l2r_trees_release(&forest->trees);
    return status;
}

bool l2r_forest_can_predict(const void *model, int32_t output)
{
    const struct l2r_forest *forest = model;
    const struct l2r_tree *tree;
    int64_t n_epochs, epoch = 0, k = 0;
    if (!epochs_that_count(&n_epochs, forest)) return false;
    while ((tree = next_tree(&epoch, &k, forest, output / forest->n_outputs, n_epochs)))
        if (tree->nodes.n > 0) return true;
    return false;
}
