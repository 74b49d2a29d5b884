/* SPDX-License-Identifier: MIT
 *
 * The exact contribution of each feature to the value of a tree (TreeSHAP: Lundberg, Erion & Lee 2018, algorithm 2). An
 * unknown feature follows both branches, in proportion to the cover of the children:
 *
 *     E[f | S]    the tree's value where only the features S of x are known
 *     share_j   = Σ over S without j of |S|! (d − |S| − 1)! / d!  (E[f | S ∪ j] − E[f | S])
 *
 * The way down keeps, for each feature on the path, the share of unknown ways (zero) and of known ways (one) that go
 * along, and w, the weight of all subsets of each size. Depth d costs d²; depths are checked when a tree is read.
 */
#include "base/memory.h"
#include "nn/trees.h"

#include <math.h>
#include <string.h>

/* A feature on the path. */
struct step {
    int32_t column;
    double zero, one, weight;
};

struct walk {
    const struct l2r_tree_node *nodes;
    const float *values; /* [nodes × L2R_BOOSTED_WIDTH] */
    const l2r_real *x;
    double *share;
};

static double cover(const struct walk *w, int32_t node)
{
    return (double)w->values[node * L2R_BOOSTED_WIDTH + L2R_BOOSTED_COVER];
}

/* Step n of the path is new. */
static void extend(struct step *path, int32_t n, double zero, double one, int32_t column)
{
    path[n] = (struct step){column, zero, one, n == 0};
    for (int32_t i = n - 1; i >= 0; i--) {
        path[i + 1].weight += one * path[i].weight * (i + 1) / (n + 1);
        path[i].weight = zero * path[i].weight * (n - i) / (n + 1);
    }
}

/* Step k of the path 0 .. n is taken back. */
static void unwind(struct step *path, int32_t n, int32_t k)
{
    double zero = path[k].zero, one = path[k].one, next = path[n].weight;
    for (int32_t i = n - 1; i >= 0; i--) {
        double before = path[i].weight;
        if (one != 0) {
            path[i].weight = next * (n + 1) / ((i + 1) * one);
            next = before - path[i].weight * zero * (n - i) / (n + 1);
        } else {
            path[i].weight = before * (n + 1) / (zero * (n - i));
        }
    }
    for (int32_t i = k; i < n; i++) {
        path[i].column = path[i + 1].column;
        path[i].zero = path[i + 1].zero;
        path[i].one = path[i + 1].one;
    }
}

/* The sum of the weights that unwind would leave. */
static double unwound(const struct step *path, int32_t n, int32_t k)
{
    double zero = path[k].zero, one = path[k].one, next = path[n].weight, sum = 0;
    for (int32_t i = n - 1; i >= 0; i--)
        if (one != 0) {
            double weight = next * (n + 1) / ((i + 1) * one);
            sum += weight;
            next = path[i].weight - weight * zero * (n - i) / (n + 1);
        } else {
            sum += path[i].weight * (n + 1) / (zero * (n - i));
        }
    return sum;
}

/* Node `at` below the path 0 .. n − 1. The path is copied behind itself, so that both children begin with the same. */
static void descend(const struct walk *w, int32_t at, struct step *before, int32_t n, double zero, double one,
                    int32_t column)
{
    struct step *path = before + n;
    const struct l2r_tree_node *node = &w->nodes[at];
    if (n > 0) memcpy(path, before, (size_t)n * sizeof *path);
    extend(path, n, zero, one, column);
    if (node->column < 0) {
        double value = (double)w->values[at * L2R_BOOSTED_WIDTH + L2R_BOOSTED_VALUE];
        for (int32_t k = 1; k <= n; k++)
            w->share[path[k].column] += unwound(path, n, k) * (path[k].one - path[k].zero) * value;
        return;
    }
    int32_t hot = l2r_boosted_step(node, w->x), cold = hot == node->left ? node->left + 1 : node->left, k = 1;
    double own_zero = 1, own_one = 1;
    while (k <= n && path[k].column != node->column) k++;
    if (k <= n) { /* the column was on the path already */
        own_zero = path[k].zero;
        own_one = path[k].one;
        unwind(path, n--, k);
    }
    descend(w, hot, path, n + 1, own_zero * cover(w, hot) / cover(w, at), own_one, node->column);
    descend(w, cold, path, n + 1, own_zero * cover(w, cold) / cover(w, at), 0, node->column);
}

/* The depth of a tree whose children come after their parents, and the mean of its leaves by their covers. */
static int32_t measure(double *mean, int32_t *depth, const struct walk *w, size_t n)
{
    int32_t deepest = 0;
    *mean = 0;
    for (size_t i = 0; i < n; i++) {
        const struct l2r_tree_node *node = &w->nodes[i];
        if (depth[i] > deepest) deepest = depth[i];
        if (node->column >= 0)
            depth[node->left] = depth[node->left + 1] = depth[i] + 1;
        else
            *mean += (double)w->values[i * L2R_BOOSTED_WIDTH + L2R_BOOSTED_VALUE] * cover(w, (int32_t)i) / cover(w, 0);
    }
    return deepest;
}

enum l2r_status l2r_tree_shap(double *share, const struct l2r_tree *tree, const l2r_real *x, int32_t n_columns,
                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct walk w = {tree->nodes.items, tree->values.items, x, share};
    double mean;
    struct step *path = NULL;
    int32_t *depth = l2r_alloc(tree->nodes.n, sizeof *depth);
    if (!depth) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: contributions of features");
    if (tree->nodes.n == 0) goto done;
    size_t longest = (size_t)measure(&mean, depth, &w, tree->nodes.n) + 2;
    path = l2r_alloc(longest * (longest + 1) / 2 + longest, sizeof *path);
    if (!path) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: contributions of features");
    share[n_columns] += mean;
    descend(&w, 0, path, 0, 1, 1, -1);
done:
    l2r_free(depth);
    l2r_free(path);
    return status;
}
