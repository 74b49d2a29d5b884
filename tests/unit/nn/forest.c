/* SPDX-License-Identifier: MIT
 * Trees of a forest: they find the column that matters, answer the mean of their graphs, and have the same bits with
 * any number of threads; what is read back from damaged bytes is refused. */
#include "nn/forest.h"

#include "base/memory.h"
#include "base/threads.h"

#include <l2r/l2r.h>
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

static void grow(struct l2r_forest_tree *trees, const struct l2r_bins *bins, int32_t tried, int32_t leaf)
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

static void clear(struct l2r_forest_tree *trees)
{
    for (int k = 0; k < TREES; k++) {
        l2r_array_clear(&trees[k].nodes);
        l2r_array_clear(&trees[k].means);
    }
}

static float ask(const struct l2r_forest_tree *tree, int row)
{
    const struct l2r_forest_node *nodes = tree->nodes.items;
    int32_t at = 0;
    while (nodes[at].column >= 0)
        at = nodes[at].left + ((float)code[nodes[at].column * ROWS + row] > nodes[at].threshold);
    return ((const float *)tree->means.items)[at];
}

static void finds_what_matters(void **state)
{
    (void)state;
    struct l2r_forest_tree trees[TREES];
    struct l2r_bins bins = make_bins();
    grow(trees, &bins, COLUMNS, 1);
    for (int k = 0; k < TREES; k++) {
        const struct l2r_forest_node *root = trees[k].nodes.items;
        assert_int_equal(trees[k].nodes.n, 3); /* one split says it all */
        assert_int_equal(root->column, 2);
        assert_float_equal(root->threshold, 4.5, 0);
        for (int i = 0; i < ROWS; i++) assert_float_equal(ask(&trees[k], i), label[i], 1e-6);
    }
    clear(trees);
}

/* With one column to choose from, trees are deep and all different. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    struct l2r_forest_tree one[TREES], four[TREES];
    struct l2r_bins bins = make_bins();
    size_t nodes = 0;
    l2r_threads_set(1);
    grow(one, &bins, 1, 1);
    l2r_threads_set(4);
    grow(four, &bins, 1, 1);
    for (int k = 0; k < TREES; k++) {
        nodes += one[k].nodes.n;
        assert_int_equal(one[k].nodes.n, four[k].nodes.n);
        assert_memory_equal(one[k].nodes.items, four[k].nodes.items, one[k].nodes.n * sizeof(struct l2r_forest_node));
        assert_memory_equal(one[k].means.items, four[k].means.items, one[k].means.n * sizeof(float));
        for (size_t i = 0; i < one[k].nodes.n; i++)
            assert_true(((const struct l2r_forest_node *)one[k].nodes.items)[i].column < COLUMNS - 1);
    }
    assert_true(nodes > 5 * TREES);
    clear(one);
    clear(four);
}

/* A leaf of at least half of the graphs leaves no room for a split of most. */
static void leaves_are_large_enough(void **state)
{
    (void)state;
    struct l2r_forest_tree trees[TREES];
    struct l2r_bins bins = make_bins();
    grow(trees, &bins, COLUMNS, ROWS);
    for (int k = 0; k < TREES; k++) {
        float mean = *(const float *)trees[k].means.items;
        assert_int_equal(trees[k].nodes.n, 1);
        assert_true(mean > -1 && mean < 3);
    }
    clear(trees);
}

static void damaged_trees_are_refused(void **state)
{
    (void)state;
    struct l2r_error error = {0};
    struct l2r_signature data = {.task = L2R_TASK_REGRESSION};
    data.features.n = 2;
    struct l2r_forest forest = {.data = &data, .n_groups = 1, .n_outputs = 1};
    struct {
        uint64_t n;
        struct l2r_forest_node nodes[3];
        float means[3];
    } file = {3, {{1, 1, 0.5F}, {-1, 0, 0}, {-1, 0, 0}}, {0, 1, 2}};
    size_t length = 8 + sizeof file.nodes + sizeof file.means;
    void *bytes = NULL;
    size_t again = 0;
    assert_int_equal(l2r_forest_load(&forest, &file, length, &error), L2R_OK);
    assert_int_equal(l2r_forest_save(&bytes, &again, &forest, &error), L2R_OK);
    assert_int_equal(again, length);
    assert_memory_equal(bytes, &file, length);
    l2r_free(bytes);
    for (size_t cut = 1; cut < length; cut++)
        assert_int_equal(l2r_forest_load(&forest, &file, cut, &error), L2R_ERR_FORMAT);
    file.nodes[0].left = 0; /* a way that never ends */
    assert_int_equal(l2r_forest_load(&forest, &file, length, &error), L2R_ERR_FORMAT);
    file.nodes[0].left = 2;
    assert_int_equal(l2r_forest_load(&forest, &file, length, &error), L2R_ERR_FORMAT);
    file.nodes[0] = (struct l2r_forest_node){2, 1, 0};
    assert_int_equal(l2r_forest_load(&forest, &file, length, &error), L2R_ERR_FORMAT);
    file.n = UINT64_MAX / 8;
    assert_int_equal(l2r_forest_load(&forest, &file, length, &error), L2R_ERR_FORMAT);
    assert_string_equal(error.message, "the trees of the model are damaged");
    l2r_forest_clear(&forest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_matters),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(leaves_are_large_enough),
        cmocka_unit_test(damaged_trees_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
