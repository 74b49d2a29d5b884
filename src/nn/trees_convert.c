/* SPDX-License-Identifier: MIT
 *
 * Converts XGBoost's trees (trees.h). XGBoost writes a model as JSON, in which a tree is a list for each field of its
 * nodes:
 *
 *     learner.gradient_booster.model.trees[k]     left_children, right_children (-1: a leaf), split_indices,
 *                                                 split_conditions (θ, of a leaf its value), default_left, sum_hessian
 *
 * Its nodes are in any order; here they are numbered level by level. Numbers are floats in their shortest decimals, so
 * they keep their bits.
 */
#include "base/json.h"
#include "nn/trees.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FIELDS = 6 };
static const char *const names[FIELDS] = {"left_children",    "right_children", "split_indices",
                                          "split_conditions", "default_left",   "sum_hessian"};
enum { LEFT, RIGHT, COLUMN, CONDITION, ZERO_LEFT, COVER };

/* A number of node i; older versions write true and false. */
static double number(const json_t *const *lists, int field, size_t i)
{
    const json_t *item = json_array_get(lists[field], i);
    return json_is_boolean(item) ? json_is_true(item) : json_number_value(item);
}

static bool add_node(struct l2r_tree *tree, struct l2r_array *order, const json_t *const *lists, size_t i)
{
    double left = number(lists, LEFT, i), right = number(lists, RIGHT, i);
    float condition = (float)number(lists, CONDITION, i);
    const float cover = fmaxf((float)number(lists, COVER, i), FLT_MIN);
    const int32_t children[] = {(int32_t)left, (int32_t)right};
    struct l2r_tree_node node = {.column = -1};
    float values[L2R_BOOSTED_WIDTH] = {[L2R_BOOSTED_VALUE] = condition, [L2R_BOOSTED_COVER] = cover};
    if (left >= 0) {
        node = (struct l2r_tree_node){(int32_t)number(lists, COLUMN, i), (int32_t)order->n, condition,
                                      number(lists, ZERO_LEFT, i) != 0};
        values[L2R_BOOSTED_VALUE] = 0;
        if (!l2r_array_add(order, children, 2, sizeof *children)) return false;
    }
    return l2r_array_add(&tree->nodes, &node, 1, sizeof node) &&
           l2r_array_add(&tree->values, values, L2R_BOOSTED_WIDTH, sizeof *values);
}

/* Level by level from the root. A cycle would repeat nodes, but there are only n. */
static enum l2r_status read_tree(struct l2r_tree *tree, const json_t *object, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const int32_t root = 0;
    const json_t *lists[FIELDS];
    struct l2r_array order = {0};
    size_t n = json_array_size(json_object_get(object, names[LEFT]));
    for (int f = 0; f < FIELDS; f++) {
        lists[f] = json_object_get(object, names[f]);
        if (n == 0 || json_array_size(lists[f]) != n)
            L2R_FAIL(L2R_ERR_FORMAT, "XGBoost's trees have no field \"%s\" for each node", names[f]);
    }
    if (!l2r_array_add(&order, &root, 1, sizeof root)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: trees");
    for (size_t k = 0; k < order.n; k++) {
        int32_t i = ((const int32_t *)order.items)[k];
        if (i < 0 || (size_t)i >= n || order.n > n)
            L2R_FAIL(L2R_ERR_FORMAT, "XGBoost's trees have children outside the tree");
        if (!add_node(tree, &order, lists, (size_t)i)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: trees");
    }
done:
    l2r_array_clear(&order);
    return status;
}

enum l2r_status l2r_trees_convert(struct l2r_array *trees, const char *json, size_t length, int64_t n,
                                  const struct l2r_tree_shape *shape, struct l2r_error *error)
{
    static const char *const path[] = {"learner", "gradient_booster", "model", "trees"};
    enum l2r_status status = L2R_OK;
    const struct l2r_tree none = {0};
    json_t *root = NULL;
    L2R_TRY(l2r_json_parse(&root, json, length, "XGBoost's model", error));
    const json_t *list = root;
    for (size_t i = 0; i < sizeof path / sizeof *path; i++) list = json_object_get(list, path[i]);
    if (json_array_size(list) != (size_t)n)
        L2R_FAIL(L2R_ERR_FORMAT, "XGBoost's model holds %zu trees; expected %lld", json_array_size(list), (long long)n);
    for (size_t k = 0; k < (size_t)n; k++) {
        if (!l2r_array_add(trees, &none, 1, sizeof none)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: trees");
        struct l2r_tree *tree = (struct l2r_tree *)trees->items + trees->n - 1;
        L2R_TRY(read_tree(tree, json_array_get(list, k), error));
        l2r_tree_trim(tree);
        L2R_TRY(l2r_tree_check(tree, shape, error));
    }
done:
    json_decref(root);
    return status;
}
