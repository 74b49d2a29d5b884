/* SPDX-License-Identifier: MIT
 * Trees of a forest: they find the column that matters, answer the mean of their graphs, and have the same bits with
 * any number of threads; what is read back from damaged bytes is refused. */
#include "nn/forest.h"

#include "base/memory.h"
#include "base/threads.h"
#include "support/messages.h"

#include <l2r/l2r.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 200, COLUMNS = 5, TREES = 6 };

static uint8_t code[COLUMNS * ROWS];
static float edge[COLUMNS * L2R_FOREST_BINS], label[ROWS];
static int32_t n_bins[COLUMNS], row_of[ROWS];

/* Column 2 decides; the others are noise, but for the last, which is constant. */
static struct l2r_bins make_bins(void)
{
    for (int j = 0; j < COLUMNS; j++) {
        n_bins[j] = j == COLUMNS - 1 ? 1 : 8;
        for (int b = 0; b < L2R_FOREST_BINS; b++) edge[j * L2R_FOREST_BINS + b] = (float)b + 0.5F;
        for (int i = 0; i < ROWS; i++) code[j * ROWS + i] = (uint8_t)((i * (2 * j + 3) + i / 8 * j) % n_bins[j]);
    }
    for (int i = 0; i < ROWS; i++) {
        row_of[i] = i;
        label[i] = code[2 * ROWS + i] > 4 ? 3 : -1;
    }
    return (struct l2r_bins){.n_rows = ROWS, .n_columns = COLUMNS, .code = code, .edge = edge, .n_bins = n_bins};
}

static void grow(struct l2r_tree *trees, const struct l2r_bins *bins, int32_t tried, int32_t leaf)
{
    struct l2r_error error = {0};
    const struct l2r_forest_labels from = {.bins = bins,
                                           .rows = row_of,
                                           .label = label,
                                           .n = ROWS,
                                           .n_outputs = 1,
                                           .leaf = leaf,
                                           .depth = 32,
                                           .n_tried = tried,
                                           .seed = 7};
    memset(trees, 0, TREES * sizeof *trees);
    assert_int_equal(l2r_forest_grow(trees, TREES, &from, &error), L2R_OK);
}

static void clear(struct l2r_tree *trees)
{
    for (int k = 0; k < TREES; k++) {
        l2r_array_clear(&trees[k].nodes);
        l2r_array_clear(&trees[k].values);
    }
}

static float predict(const struct l2r_tree *tree, int row)
{
    const struct l2r_tree_node *nodes = tree->nodes.items;
    int32_t at = 0;
    while (nodes[at].column >= 0)
        at = nodes[at].left + ((float)code[nodes[at].column * ROWS + row] > nodes[at].threshold);
    return ((const float *)tree->values.items)[at];
}

static void finds_what_matters(void **state)
{
    (void)state;
    struct l2r_tree trees[TREES];
    struct l2r_bins bins = make_bins();
    grow(trees, &bins, COLUMNS, 1);
    for (int k = 0; k < TREES; k++) {
        const struct l2r_tree_node *root = trees[k].nodes.items;
        assert_int_equal(trees[k].nodes.n, 3); /* one split says it all */
        assert_int_equal(root->column, 2);
        assert_float_equal(root->threshold, 4.5, 0);
        for (int i = 0; i < ROWS; i++) assert_float_equal(predict(&trees[k], i), label[i], 1e-6);
    }
    clear(trees);
}

/* With one column to choose from, trees are deep and all different. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    struct l2r_tree one[TREES], four[TREES];
    struct l2r_bins bins = make_bins();
    size_t nodes = 0;
    l2r_threads_set(1);
    grow(one, &bins, 1, 1);
    l2r_threads_set(4);
    grow(four, &bins, 1, 1);
    for (int k = 0; k < TREES; k++) {
        nodes += one[k].nodes.n;
        assert_int_equal(one[k].nodes.n, four[k].nodes.n);
        assert_memory_equal(one[k].nodes.items, four[k].nodes.items, one[k].nodes.n * sizeof(struct l2r_tree_node));
        assert_memory_equal(one[k].values.items, four[k].values.items, one[k].values.n * sizeof(float));
        for (size_t i = 0; i < one[k].nodes.n; i++)
            assert_true(((const struct l2r_tree_node *)one[k].nodes.items)[i].column < COLUMNS - 1);
    }
    assert_true(nodes > 5 * TREES);
    clear(one);
    clear(four);
}

/* A leaf of at least half of the graphs leaves no room for a split of most. */
static void leaves_are_large_enough(void **state)
{
    (void)state;
    struct l2r_tree trees[TREES];
    struct l2r_bins bins = make_bins();
    grow(trees, &bins, COLUMNS, ROWS);
    for (int k = 0; k < TREES; k++) {
        float mean = *(const float *)trees[k].values.items;
        assert_int_equal(trees[k].nodes.n, 1);
        assert_true(mean > -1 && mean < 3);
    }
    clear(trees);
}

/* A forest of one tree with three nodes, as a file has it. */
struct file {
    int32_t size[1], column[3], left[3];
    float threshold[3], value[3];
};
static const struct file sound = {{3}, {1, -1, -1}, {1, 0, 0}, {0.5F, 0, 0}, {0, 1, 2}};

static enum l2r_status load(struct l2r_forest *forest, const struct file *file, float rounds, struct l2r_error *error)
{
    static l2r_real value;
    static const struct l2r_param buffer = {.rows = 1, .cols = 1, .value = &value};
    const struct l2r_tensor tensors[] = {{"trees.size", L2R_DTYPE_I32, 1, {1}, file->size},
                                         {"trees.column", L2R_DTYPE_I32, 1, {3}, file->column},
                                         {"trees.left", L2R_DTYPE_I32, 1, {3}, file->left},
                                         {"trees.threshold", L2R_DTYPE_F32, 1, {3}, file->threshold},
                                         {"trees.value", L2R_DTYPE_F32, 1, {3}, file->value}};
    value = (l2r_real)rounds;
    forest->rounds = &buffer;
    *error = (struct l2r_error){0};
    return l2r_forest_load(forest, tensors, sizeof tensors / sizeof *tensors, error);
}

static void refused(struct l2r_forest *forest, const struct file *file, float rounds, const char *words)
{
    struct l2r_error error;
    assert_int_equal(load(forest, file, rounds, &error), L2R_ERR_FORMAT);
    if (!message_matches(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    assert_int_equal(forest->trees.n, 0);
}

static struct l2r_forest forest_of(const struct l2r_signature *data)
{
    return (struct l2r_forest){.data = data, .n_trees = 1, .n_epochs = 1, .depth = 2, .n_groups = 1, .n_outputs = 1};
}

static void trees_are_kept(void **state)
{
    (void)state;
    struct l2r_error error;
    struct l2r_signature data = {.task = L2R_TASK_REGRESSION, .n_tasks = 1};
    data.features.n = 2;
    struct l2r_forest forest = forest_of(&data);
    struct l2r_arena arena;
    struct l2r_array tensors = {0};
    l2r_arena_init(&arena);
    assert_int_equal(load(&forest, &sound, 1, &error), L2R_OK);
    assert_true(l2r_forest_can_predict(&forest, 0));
    assert_int_equal(l2r_forest_save(&tensors, &arena, &forest, &error), L2R_OK);
    const struct l2r_tensor *value = l2r_tensor_among(tensors.items, tensors.n, "trees.value", L2R_DTYPE_F32, 3),
                            *left = l2r_tensor_among(tensors.items, tensors.n, "trees.left", L2R_DTYPE_I32, 3);
    assert_true(value && left);
    assert_memory_equal(value->data, sound.value, sizeof sound.value);
    assert_memory_equal(left->data, sound.left, sizeof sound.left);
    l2r_array_clear(&tensors);
    l2r_arena_clear(&arena);
    l2r_forest_clear(&forest);
}

static void damaged_trees_are_refused(void **state)
{
    (void)state;
    struct l2r_error error = {0};
    struct l2r_signature data = {.task = L2R_TASK_REGRESSION, .n_tasks = 1};
    data.features.n = 2;
    struct l2r_forest forest = forest_of(&data);
    struct file file = sound;
    file.left[0] = 0; /* a way that never ends */
    refused(&forest, &file, 1, "children");
    file.left[0] = 2;
    refused(&forest, &file, 1, "children");
    file.left[0] = -1;
    refused(&forest, &file, 1, "children");
    file = sound;
    file.column[0] = 2;
    refused(&forest, &file, 1, "column");
    file.column[0] = -2;
    refused(&forest, &file, 1, "column");
    file.column[0] = -1; /* the others have no parent */
    refused(&forest, &file, 1, "parent");
    file = sound;
    file.threshold[0] = NAN;
    refused(&forest, &file, 1, "threshold");
    file = sound;
    file.value[1] = INFINITY;
    refused(&forest, &file, 1, "value");
    for (int32_t n = -1; n <= 4; n++) {
        file = sound;
        file.size[0] = n;
        if (n != 3) assert_int_equal(load(&forest, &file, 1, &error), L2R_ERR_FORMAT);
    }
    forest.depth = 0;
    refused(&forest, &sound, 1, "deeper");
    assert_int_equal(l2r_forest_load(&forest, NULL, 0, &error), L2R_ERR_FORMAT);
    l2r_forest_clear(&forest);
}

/* The number of epochs that count is a float of the file. */
static void rounds_are_checked(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -1, 0.5F, 2, 9e18F};
    struct l2r_signature data = {.task = L2R_TASK_BINARY, .n_tasks = 1};
    data.features.n = 2;
    struct l2r_forest forest = forest_of(&data);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refused(&forest, &sound, bad[i], "epochs of trees");
    l2r_forest_clear(&forest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_matters),        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(leaves_are_large_enough),   cmocka_unit_test(trees_are_kept),
        cmocka_unit_test(damaged_trees_are_refused), cmocka_unit_test(rounds_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
