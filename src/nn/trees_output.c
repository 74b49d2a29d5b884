/* SPDX-License-Identifier: MIT
 * Boosted trees (trees.h) without XGBoost: outputs and Z for a batch, contributions for one graph, and the tensors that
 * they are kept in. */
#include "nn/trees.h"

#include "autograd/tape.h"
#include "base/memory.h"
#include "base/threads.h"
#include "batch/batch.h"

#include <math.h>
#include <string.h>

/* Column j of the features goes to place h(j) of Z, with a sign: a fixed mixture of the bits of j. */
static uint32_t mixed(uint32_t j)
{
    j = (j + 1) * 2654435761U;
    j ^= j >> 15;
    j *= 2246822519U;
    return j ^ j >> 13;
}

l2r_node l2r_trees_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    (void)model;
    int64_t width = b->n_features < L2R_TREES_WIDTH ? b->n_features : L2R_TREES_WIDTH;
    if (width == b->n_features) return l2r_constant(t, b->features, b->n_graphs, width);
    l2r_real *z = l2r_tape_alloc(t, b->n_graphs * width, sizeof *z);
    if (!z) return L2R_NO_NODE;
    memset(z, 0, (size_t)(b->n_graphs * width) * sizeof *z);
    for (int64_t i = 0; i < b->n_graphs; i++)
        for (int64_t j = 0; j < b->n_features; j++) {
            l2r_real x = b->features[i * b->n_features + j];
            uint32_t h = mixed((uint32_t)j);
            if (x != 0) z[i * width + h % L2R_TREES_WIDTH] += h >> 31 ? x : -x;
        }
    return l2r_constant(t, z, b->n_graphs, width);
}

/* ---- outputs ---- */

struct l2r_tree_shape l2r_trees_shape(const struct l2r_trees *trees)
{
    return (struct l2r_tree_shape){.n_columns = trees->data->features.n,
                                   .width = L2R_BOOSTED_WIDTH,
                                   .depth = (int64_t)trees->depth,
                                   .boosted = true};
}

const struct l2r_tree *l2r_trees_at(const struct l2r_trees *trees, int64_t round, int32_t k, int32_t c)
{
    int64_t per = trees->per_epoch, epoch = round / per, each = trees->n_outputs;
    int64_t place = ((epoch * trees->n_boosters + k) * per + round % per) * each + c;
    return (const struct l2r_tree *)trees->trees.items + place;
}

/* Rounds of which there are trees. */
static int64_t rounds_held(const struct l2r_trees *trees)
{
    return (int64_t)trees->trees.n / ((int64_t)trees->n_boosters * trees->n_outputs);
}

int32_t l2r_boosted_step(const struct l2r_tree_node *at, const l2r_real *x)
{
    float value = (float)x[at->column];
    bool missing = value == 0 || isnan(value);
    return at->left + !(missing ? at->zero_left != 0 : value < at->threshold);
}

/* Adds the value of the leaf at each row of x. Graphs go down side by side, because each step waits for memory. */
static void add_tree(float *sum, const struct l2r_tree *tree, const l2r_real *x, int64_t n, int64_t width)
{
    const struct l2r_tree_node *nodes = tree->nodes.items;
    int32_t at[L2R_TREES_BLOCK] = {0};
    for (bool any = true; any;) {
        any = false;
        for (int64_t i = 0; i < n; i++) {
            if (nodes[at[i]].column < 0) continue;
            at[i] = l2r_boosted_step(&nodes[at[i]], x + i * width);
            any = true;
        }
    }
    for (int64_t i = 0; i < n; i++)
        sum[i] += ((const float *)tree->values.items)[at[i] * L2R_BOOSTED_WIDTH + L2R_BOOSTED_VALUE];
}

/* The sums of the first `rounds` trees at n rows of x, in XGBoost's order. */
static void sum_trees(float *sum, const struct l2r_trees *trees, int64_t rounds, int32_t k, int32_t c,
                      const l2r_real *x, int64_t n, int64_t width)
{
    bool any = rounds > 0 && l2r_trees_at(trees, 0, k, c)->nodes.n > 0; /* in one round: in all */
    for (int64_t i = 0; i < n; i++) sum[i] = any ? trees->base[k * trees->n_outputs + c] : 0;
    for (int64_t r = 0; any && r < rounds; r++) add_tree(sum, l2r_trees_at(trees, r, k, c), x, n, width);
}

struct question {
    const struct l2r_trees *trees;
    const struct l2r_batch *batch;
    int64_t rounds;
    l2r_real *output; /* [graphs × boosters × outputs] */
};

static void predict_block(void *context, int64_t block)
{
    const struct question *q = context;
    int32_t boosters = q->trees->n_boosters, each = q->trees->n_outputs;
    int64_t first = block * L2R_TREES_BLOCK, rest = q->batch->n_graphs - first, width = q->batch->n_features;
    int64_t n = rest < L2R_TREES_BLOCK ? rest : L2R_TREES_BLOCK;
    float sum[L2R_TREES_BLOCK];
    for (int32_t k = 0; k < boosters; k++)
        for (int32_t c = 0; c < each; c++) {
            sum_trees(sum, q->trees, q->rounds, k, c, q->batch->features + first * width, n, width);
            for (int64_t i = 0; i < n; i++) q->output[((first + i) * boosters + k) * each + c] = (l2r_real)sum[i];
        }
}

l2r_node l2r_trees_output(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    const struct l2r_trees *trees = model;
    int64_t n = b->n_graphs, all = (int64_t)trees->n_outputs * trees->n_boosters;
    struct question q = {trees, b, 0, l2r_tape_alloc(t, n * all, sizeof(l2r_real))};
    if (!q.output) return L2R_NO_NODE;
    if (!l2r_tape_check(t, l2r_trees_rounds(&q.rounds, trees->rounds, rounds_held(trees)),
                        "the model counts %g rounds of trees; expected 0 … %lld", (double)trees->rounds->value[0],
                        (long long)rounds_held(trees)))
        return L2R_NO_NODE;
    l2r_parallel(l2r_chunk_count(n, L2R_TREES_BLOCK), predict_block, &q);
    return l2r_constant(t, q.output, n, all);
}

bool l2r_trees_can_predict(const void *model, int32_t output)
{
    const struct l2r_trees *trees = model;
    int32_t k = output / trees->n_outputs, c = output % trees->n_outputs;
    return rounds_held(trees) > 0 && l2r_trees_at(trees, 0, k, c)->nodes.n > 0;
}

/* ---- contributions ---- */

static enum l2r_status share_of(float *share, const struct l2r_trees *trees, int64_t rounds, int32_t k, int32_t c,
                                const l2r_real *x, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t columns = trees->data->features.n;
    double *sums = l2r_alloc((size_t)columns + 1, sizeof *sums);
    if (!sums) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: contributions of features");
    if (rounds > 0) sums[columns] = (double)trees->base[k * trees->n_outputs + c];
    for (int64_t r = 0; r < rounds; r++) L2R_TRY(l2r_tree_shap(sums, l2r_trees_at(trees, r, k, c), x, columns, error));
    for (int32_t j = 0; j <= columns; j++) {
        if (!isfinite(sums[j])) L2R_FAIL(L2R_ERR_DIVERGED, "the contribution of a feature is not a finite number");
        share[j] = (float)sums[j];
    }
done:
    l2r_free(sums);
    return status;
}

enum l2r_status l2r_trees_contributions(float *share, const void *model, const struct l2r_dataset *data, int32_t graph,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_trees *trees = model;
    int64_t columns = trees->data->features.n, rounds;
    l2r_real *row = l2r_alloc((size_t)columns, sizeof *row);
    if (!row) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: contributions of features");
    if (!l2r_trees_rounds(&rounds, trees->rounds, rounds_held(trees)))
        L2R_FAIL(L2R_ERR_FORMAT, "the model counts more rounds of trees than it has");
    L2R_TRY(l2r_features_fill(data, &graph, 1, error));
    l2r_feature_row(row, data, graph);
    for (int32_t k = 0; k < trees->n_boosters; k++)
        for (int32_t c = 0; c < trees->n_outputs; c++) {
            L2R_TRY(share_of(share, trees, rounds, k, c, row, error));
            share += columns + 1;
        }
done:
    l2r_free(row);
    return status;
}

/* ---- files ---- */

enum l2r_status l2r_trees_save(struct l2r_array *tensors, struct l2r_arena *arena, const void *model,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_trees *trees = model;
    const struct l2r_tree_shape shape = l2r_trees_shape(trees);
    L2R_TRY(l2r_trees_to_tensors(tensors, arena, &trees->trees, &shape, error));
    if (!l2r_tensor_keep(tensors, arena, "trees.base", L2R_DTYPE_F32, trees->base,
                         (int64_t)trees->n_boosters * trees->n_outputs))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: trees");
done:
    return status;
}

/* Epochs are whole, and of the trees of one task either all have nodes or none has; covers are what shares are divided
 * by. */
static enum l2r_status check(const struct l2r_trees *trees, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t rounds, held = rounds_held(trees), all = (int64_t)trees->n_boosters * trees->n_outputs;
    if (trees->trees.n != (size_t)(held * all) || held % trees->per_epoch != 0)
        L2R_FAIL(L2R_ERR_FORMAT, "the model holds %zu trees; expected the same number for each task and epoch",
                 trees->trees.n);
    if (!l2r_trees_rounds(&rounds, trees->rounds, held))
        L2R_FAIL(L2R_ERR_FORMAT, "the model counts %g rounds of trees; expected 0 … %lld",
                 (double)trees->rounds->value[0], (long long)held);
    for (int64_t r = 0; r < held; r++)
        for (int32_t k = 0; k < all; k++) {
            const struct l2r_tree *tree = l2r_trees_at(trees, r, k / trees->n_outputs, k % trees->n_outputs);
            const float *values = tree->values.items;
            if ((tree->nodes.n > 0) != l2r_trees_can_predict(trees, k))
                L2R_FAIL(L2R_ERR_FORMAT, "output %d of the model has trees in some rounds and none in others", (int)k);
            for (size_t i = 0; i < tree->nodes.n; i++)
                if (!(values[i * L2R_BOOSTED_WIDTH + L2R_BOOSTED_COVER] > 0))
                    L2R_FAIL(L2R_ERR_FORMAT, "a tree has a node with a weight that is not above 0");
        }
done:
    return status;
}

enum l2r_status l2r_trees_load(void *model, const struct l2r_tensor *tensors, size_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trees *trees = model;
    const struct l2r_tree_shape shape = l2r_trees_shape(trees);
    int64_t all = (int64_t)trees->n_boosters * trees->n_outputs;
    const struct l2r_tensor *base = l2r_tensor_among(tensors, n, "trees.base", L2R_DTYPE_F32, all);
    l2r_trees_clear(trees);
    L2R_TRY(l2r_trees_from_tensors(&trees->trees, tensors, n, &shape, error));
    if (!base) L2R_FAIL(L2R_ERR_FORMAT, "the model file holds trees without their base");
    memcpy(trees->base, base->data, (size_t)all * sizeof *trees->base);
    for (int64_t k = 0; k < all; k++)
        if (!isfinite(trees->base[k])) L2R_FAIL(L2R_ERR_FORMAT, "the base of the model's trees is not finite");
    L2R_TRY(check(trees, error));
done:
    if (status != L2R_OK) l2r_trees_clear(trees);
    return status;
}
