/* SPDX-License-Identifier: MIT
 * What trees answer (trees.h): outputs and Z for a batch, contributions for one graph. */
#include "nn/trees.h"

#include "autograd/tape.h"
#include "base/memory.h"
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

/* XGBoost reads floats; the double-precision twin has others. */
static const float *as_floats(struct l2r_tape *t, const struct l2r_batch *b)
{
#ifdef L2R_REAL_DOUBLE
    int64_t n = b->n_graphs * b->n_features;
    float *copy = l2r_tape_alloc(t, n, sizeof *copy);
    for (int64_t i = 0; copy && i < n; i++) copy[i] = (float)b->features[i];
    return copy;
#else
    (void)t;
    return b->features;
#endif
}

l2r_node l2r_trees_output(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    const struct l2r_trees *trees = model;
    int64_t n = b->n_graphs, each = trees->n_outputs, all = each * trees->n_boosters;
    int64_t rounds = (int64_t)trees->rounds->value[0];
    l2r_real *output = l2r_tape_alloc(t, n * all, sizeof *output);
    float *one = l2r_tape_alloc(t, n * each, sizeof *one);
    const float *rows = as_floats(t, b);
    if (!output || !one || !rows) return L2R_NO_NODE;
    memset(output, 0, (size_t)(n * all) * sizeof *output);
    for (int32_t k = 0; n > 0 && rounds > 0 && k < trees->n_boosters; k++) {
        struct l2r_error error = {0};
        if (!trees->boosters[k]) continue;
        (void)l2r_booster_predict(one, trees->boosters[k], rows, n, b->n_features, each, rounds, &error);
        if (!l2r_tape_check(t, error.status == L2R_OK, "%s", error.message)) return L2R_NO_NODE;
        for (int64_t i = 0; i < n * each; i++) output[i / each * all + k * each + i % each] = (l2r_real)one[i];
    }
    return l2r_constant(t, output, n, all);
}

enum l2r_status l2r_trees_contributions(float *share, const void *model, const struct l2r_dataset *data, int32_t graph,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_trees *trees = model;
    int64_t columns = trees->data->features.n, each = trees->n_outputs, rounds = (int64_t)trees->rounds->value[0];
    l2r_real *row = l2r_alloc((size_t)columns, sizeof *row);
    float *floats = l2r_alloc((size_t)columns, sizeof *floats);
    if (!row || !floats) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: contributions of features");
    L2R_TRY(l2r_features_fill(data, &graph, 1, error));
    l2r_feature_row(row, data, graph);
    for (int64_t j = 0; j < columns; j++) floats[j] = (float)row[j];
    for (int32_t k = 0; k < trees->n_boosters; k++) {
        float *to = share + k * each * (columns + 1);
        for (int64_t i = 0; i < each * (columns + 1); i++) to[i] = 0;
        if (trees->boosters[k] && rounds > 0)
            L2R_TRY(l2r_booster_contributions(to, trees->boosters[k], floats, 1, columns, each, rounds, error));
    }
done:
    l2r_free(row);
    l2r_free(floats);
    return status;
}
