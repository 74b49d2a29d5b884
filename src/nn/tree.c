/* SPDX-License-Identifier: MIT
 * See tree.h. */
#include "nn/tree.h"

#include <math.h>
#include <string.h>

static void release(struct l2r_tree *tree)
{
    l2r_array_clear(&tree->nodes);
    l2r_array_clear(&tree->values);
}

void l2r_trees_cut(struct l2r_array *trees, size_t n)
{
    struct l2r_tree *items = trees->items;
    while (trees->n > n) release(&items[--trees->n]);
}

void l2r_trees_release(struct l2r_array *trees)
{
    l2r_trees_cut(trees, 0);
    l2r_array_clear(trees);
}

void l2r_tree_trim(struct l2r_tree *tree)
{
    l2r_array_trim(&tree->nodes, sizeof(struct l2r_tree_node));
    l2r_array_trim(&tree->values, sizeof(float));
}

/* ---- estimates ---- */

double l2r_tree_size(double nodes, int32_t width)
{
    enum { BLOCKS = 2 * L2R_ALIGNMENT }; /* of the allocator, half of it unused */
    return (double)(sizeof(struct l2r_tree) + BLOCKS) +
           nodes * (double)(sizeof(struct l2r_tree_node) + (size_t)width * sizeof(float));
}

int32_t l2r_tree_groups(const struct l2r_dataset *data)
{
    return data->task == L2R_TASK_MULTICLASS ? 1 : data->n_tasks;
}

int64_t l2r_tree_labels(int64_t *rare, const struct l2r_dataset *data, int32_t k)
{
    int64_t n = 0, ones = 0;
    for (int64_t g = 0; g < data->n_graphs; g++) {
        int64_t at = g * data->n_tasks + k;
        if (isnan(data->labels[at]) || (data->bound && data->bound[at] != 0)) continue;
        n++;
        ones += data->labels[at] == 1;
    }
    if (rare) *rare = ones < n - ones ? ones : n - ones;
    return n;
}

/* ---- checks ---- */

/* What is wrong with node i, or NULL. depth [n]: of the nodes reached so far, -1: not reached. Children come after
 * their parents, so one pass in order reaches every node that can be reached. */
static const char *node_problem(int32_t *depth, const struct l2r_tree_node *nodes, size_t n, size_t i,
                                const struct l2r_tree_shape *shape)
{
    const struct l2r_tree_node *node = &nodes[i];
    if (depth[i] < 0) return "has no parent before it";
    if (node->zero_left != 0 && node->zero_left != 1) return "sends zeros neither left nor right";
    if (node->column == -1) return NULL;
    if (node->column < 0 || node->column >= shape->n_columns) return "splits by a column that the model does not have";
    if (!isfinite(node->threshold)) return "has a threshold that is not finite";
    if (node->left <= (int64_t)i || (size_t)node->left + 1 >= n) return "has children that do not come after it";
    if (depth[node->left] >= 0 || depth[node->left + 1] >= 0) return "has a child of another node";
    if (depth[i] >= shape->depth) return "lies deeper than the model's trees";
    depth[node->left] = depth[node->left + 1] = depth[i] + 1;
    return NULL;
}

enum l2r_status l2r_tree_check(const struct l2r_tree *tree, const struct l2r_tree_shape *shape, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t n = tree->nodes.n;
    const float *values = tree->values.items;
    int32_t *depth = l2r_alloc_raw(n, sizeof *depth);
    if (!depth) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: trees");
    if (tree->values.n != n * (size_t)shape->width) L2R_FAIL(L2R_ERR_FORMAT, "a tree has nodes without values");
    for (size_t i = 0; i < n; i++) depth[i] = i == 0 ? 0 : -1;
    for (size_t i = 0; i < n; i++) {
        const char *problem = node_problem(depth, tree->nodes.items, n, i, shape);
        if (problem) L2R_FAIL(L2R_ERR_FORMAT, "node %zu of a tree %s", i, problem);
    }
    for (size_t i = 0; i < tree->values.n; i++)
        if (!isfinite(values[i])) L2R_FAIL(L2R_ERR_FORMAT, "a value of a tree is not finite");
done:
    l2r_free(depth);
    return status;
}

bool l2r_trees_rounds(int64_t *rounds, const struct l2r_param *buffer, int64_t most)
{
    double value = (double)buffer->value[0];
    *rounds = 0;
    if (!(value >= 0 && value <= (double)most) || value != floor(value)) return false;
    *rounds = (int64_t)value;
    return true;
}

/* ---- tensors ---- */

bool l2r_tensor_keep(struct l2r_array *tensors, struct l2r_arena *arena, const char *name, enum l2r_dtype dtype,
                     const void *data, int64_t count)
{
    size_t bytes = (size_t)count * l2r_dtype_size(dtype);
    void *copy = l2r_arena_alloc(arena, bytes, 1);
    const struct l2r_tensor tensor = {.name = name, .dtype = dtype, .n_dims = 1, .shape = {count}, .data = copy};
    if (copy && bytes > 0) memcpy(copy, data, bytes);
    return copy && l2r_array_add(tensors, &tensor, 1, sizeof tensor);
}

/* Room for `count` numbers in the arena, as one more tensor. */
static void *add_tensor(struct l2r_array *tensors, struct l2r_arena *arena, const char *name, enum l2r_dtype dtype,
                        int64_t count)
{
    void *data = l2r_arena_alloc(arena, (size_t)count, l2r_dtype_size(dtype));
    const struct l2r_tensor tensor = {.name = name, .dtype = dtype, .n_dims = 1, .shape = {count}, .data = data};
    return data && l2r_array_add(tensors, &tensor, 1, sizeof tensor) ? data : NULL;
}

/* The fields of all nodes, each in an array of its own. */
enum l2r_status l2r_trees_to_tensors(struct l2r_array *tensors, struct l2r_arena *arena, const struct l2r_array *trees,
                                     const struct l2r_tree_shape *shape, struct l2r_error *error)
{
    const struct l2r_tree *items = trees->items;
    int64_t n = 0, at = 0;
    for (size_t k = 0; k < trees->n; k++) n += (int64_t)items[k].nodes.n;
    int32_t *size = add_tensor(tensors, arena, "trees.size", L2R_DTYPE_I32, (int64_t)trees->n);
    int32_t *column = add_tensor(tensors, arena, "trees.column", L2R_DTYPE_I32, n);
    int32_t *left = add_tensor(tensors, arena, "trees.left", L2R_DTYPE_I32, n);
    float *threshold = add_tensor(tensors, arena, "trees.threshold", L2R_DTYPE_F32, n);
    float *value = add_tensor(tensors, arena, "trees.value", L2R_DTYPE_F32, n * shape->width);
    uint8_t *zero_left = shape->boosted ? add_tensor(tensors, arena, "trees.zero_left", L2R_DTYPE_U8, n) : NULL;
    if (!size || !column || !left || !threshold || !value || (shape->boosted && !zero_left))
        return l2r_fail(error, L2R_ERR_MEMORY, "out of memory: trees");
    for (size_t k = 0; k < trees->n; k++) {
        const struct l2r_tree_node *node = items[k].nodes.items;
        size_t values = items[k].values.n;
        size[k] = (int32_t)items[k].nodes.n;
        if (values > 0) memcpy(value + at * shape->width, items[k].values.items, values * sizeof *value);
        for (int32_t i = 0; i < size[k]; i++, at++) {
            column[at] = node[i].column;
            left[at] = node[i].left;
            threshold[at] = node[i].threshold;
            if (zero_left) zero_left[at] = node[i].zero_left != 0;
        }
    }
    return L2R_OK;
}

const struct l2r_tensor *l2r_tensor_among(const struct l2r_tensor *tensors, size_t n, const char *name,
                                          enum l2r_dtype dtype, int64_t count)
{
    for (size_t i = 0; i < n; i++) {
        const struct l2r_tensor *t = &tensors[i];
        if (strcmp(t->name, name) != 0) continue;
        return t->dtype == dtype && t->n_dims == 1 && (count < 0 || t->shape[0] == count) ? t : NULL;
    }
    return NULL;
}

struct source {
    const int32_t *column, *left;
    const float *threshold, *value;
    const uint8_t *zero_left; /* NULL: not boosted */
};

/* n nodes from number `from` on as one more tree. */
static enum l2r_status take_tree(struct l2r_array *trees, const struct source *s, int64_t from, int32_t n,
                                 const struct l2r_tree_shape *shape, struct l2r_error *error)
{
    const struct l2r_tree none = {0};
    if (!l2r_array_add(trees, &none, 1, sizeof none)) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory: trees");
    if (n == 0) return L2R_OK;
    struct l2r_tree *tree = (struct l2r_tree *)trees->items + trees->n - 1;
    bool kept =
        l2r_array_add(&tree->values, s->value + from * shape->width, (size_t)n * (size_t)shape->width, sizeof(float));
    for (int64_t i = from; kept && i < from + n; i++) {
        const struct l2r_tree_node node = {s->column[i], s->left[i], s->threshold[i],
                                           s->zero_left ? s->zero_left[i] : 0};
        kept = l2r_array_add(&tree->nodes, &node, 1, sizeof node);
    }
    l2r_tree_trim(tree);
    return kept ? l2r_tree_check(tree, shape, error) : l2r_fail(error, L2R_ERR_MEMORY, "out of memory: trees");
}

enum l2r_status l2r_trees_from_tensors(struct l2r_array *trees, const struct l2r_tensor *tensors, size_t n,
                                       const struct l2r_tree_shape *shape, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_tensor *size = l2r_tensor_among(tensors, n, "trees.size", L2R_DTYPE_I32, -1),
                            *column = l2r_tensor_among(tensors, n, "trees.column", L2R_DTYPE_I32, -1);
    if (!size || !column)
        L2R_FAIL(L2R_ERR_FORMAT, "the model file holds no trees that this version reads; train the model again");
    int64_t nodes = column->shape[0], at = 0;
    const struct l2r_tensor *left = l2r_tensor_among(tensors, n, "trees.left", L2R_DTYPE_I32, nodes),
                            *threshold = l2r_tensor_among(tensors, n, "trees.threshold", L2R_DTYPE_F32, nodes),
                            *zero_left = l2r_tensor_among(tensors, n, "trees.zero_left", L2R_DTYPE_U8, nodes),
                            *value = l2r_tensor_among(tensors, n, "trees.value", L2R_DTYPE_F32, -1);
    /* Compared by division: nodes × width may overflow. */
    if (!left || !threshold || !value || (shape->boosted && !zero_left) || value->shape[0] % shape->width != 0 ||
        value->shape[0] / shape->width != nodes)
        L2R_FAIL(L2R_ERR_FORMAT, "the trees of the model file lack a part, or its parts do not fit each other");
    const struct source s = {column->data, left->data, threshold->data, value->data,
                             shape->boosted ? zero_left->data : NULL};
    for (int64_t k = 0; k < size->shape[0]; k++) {
        int32_t own = ((const int32_t *)size->data)[k];
        if (own < 0 || own > nodes - at)
            L2R_FAIL(L2R_ERR_FORMAT, "tree %lld has %d nodes; %lld are left", (long long)k, (int)own,
                     (long long)(nodes - at));
        L2R_TRY(take_tree(trees, &s, at, own, shape, error));
        at += own;
    }
    if (at != nodes) L2R_FAIL(L2R_ERR_FORMAT, "%lld nodes belong to no tree", (long long)(nodes - at));
done:
    return status;
}
