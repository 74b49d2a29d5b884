/* SPDX-License-Identifier: MIT
 * The TU writer: the text of every file, folders that exist, and that the reader gives back what was written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "data/builder.h"
#include "data/formats/tu/tu.h"
#include "io/file.h"
#include "io/staging.h"
#include "support/folder.h"
#include "support/messages.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct l2r_error error;

static void assert_text(const char *name, const char *expected)
{
    char *found;
    size_t length;
    assert_int_equal(l2r_file_read(&found, &length, inside(name), 1 << 20, &error), L2R_OK);
    assert_string_equal(found, expected);
    l2r_free(found);
}

static int files_in(const char *path)
{
    int n = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));) n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

static struct l2r_dataset *build(const struct l2r_schema *schema, const struct l2r_graph_view *graphs, int n)
{
    struct l2r_builder *builder;
    struct l2r_dataset *data = NULL;
    assert_int_equal(l2r_builder_new(&builder, schema, &error), L2R_OK);
    for (int i = 0; i < n; i++) assert_int_equal(l2r_builder_add(builder, &graphs[i], &error), L2R_OK);
    assert_int_equal(l2r_builder_finish(&data, builder, &error), L2R_OK);
    l2r_builder_free(builder);
    return data;
}

/* A path of three nodes with a self loop in the middle, one node alone, and an edge; everything that TU can hold. */
static struct l2r_dataset *build_rich(void)
{
    static const int32_t edges[3][2] = {{0, 1}, {2, 1}, {1, 1}}, edge_rows[3] = {2, 0, 1};
    static const int32_t node_rows[3][2] = {{0, 4}, {1, 3}, {0, 0}};
    static const float reals[3] = {0.1f, -2.5e-30f, 16777215.0f};
    static const uint8_t marks[3] = {0, 1, 2};
    static const float weights[3] = {1, 0, 2.5f};
    static const float labels[3] = {-1, 7, -1};
    static const char *const places[2] = {"left", "right side"};
    static const struct l2r_schema schema = {.name = "toy/set",
                                             .task = L2R_TASK_MULTICLASS,
                                             .n_tasks = 1,
                                             .n_node_columns = 2,
                                             .n_edge_columns = 1,
                                             .n_node_reals = 1,
                                             .has_marks = true,
                                             .n_environments = 2,
                                             .environment_names = places,
                                             .n_edge_reals = 1};
    static const int64_t n_nodes[3] = {3, 1, 2}, n_edges[3] = {3, 0, 1};
    static const int parts[3] = {L2R_PART_TEST, L2R_PART_TRAIN, L2R_PART_VALID};
    struct l2r_graph_view graphs[3];
    for (int g = 0; g < 3; g++)
        graphs[g] = (struct l2r_graph_view){0,     n_nodes[g], n_edges[g], edges[0], node_rows[0], edge_rows,   reals,
                                            marks, &labels[g], parts[g],   g == 0,   reals,        &weights[g], NULL};
    return build(&schema, graphs, 3);
}

static void writes_every_table(void **state)
{
    (void)state;
    struct l2r_dataset *data = build_rich();
    assert_int_equal(l2r_tu_write(data, inside("out"), &error), L2R_OK);
    assert_text("out/toy_set_A.txt", "1, 2\n2, 1\n2, 2\n2, 3\n3, 2\n5, 6\n6, 5\n");
    assert_text("out/toy_set_edge_labels.txt", "2\n2\n1\n0\n0\n2\n2\n");
    assert_text("out/toy_set_graph_indicator.txt", "1\n1\n1\n2\n3\n3\n");
    assert_text("out/toy_set_graph_labels.txt", "-1\n7\n-1\n");
    assert_text("out/toy_set_node_labels.txt", "0, 4\n1, 3\n0, 0\n0, 4\n0, 4\n1, 3\n");
    assert_text("out/toy_set_node_marks.txt", "0\n1\n2\n0\n0\n1\n");
    assert_text("out/toy_set_environments.txt", "right side\nleft\nleft\n");
    assert_text("out/toy_set_split.txt", "test\ntrain\nvalid\n");
    assert_text("out/toy_set_node_attributes.txt",
                "0.100000001\n-2.50000001e-30\n16777215\n0.100000001\n0.100000001\n-2.50000001e-30\n");
    assert_true(l2r_path_is_file(inside("out/README.txt")));
    assert_text("out/toy_set_edge_attributes.txt",
                "0.100000001\n0.100000001\n16777215\n-2.50000001e-30\n-2.50000001e-30\n0.100000001\n0.100000001\n");
    assert_text("out/toy_set_graph_weights.txt", "1\n0\n2.5\n");
    assert_int_equal(files_in(inside("out")), 12);
    assert_int_equal(files_in(folder), 1);
    l2r_dataset_free(data);
}

static void leaves_out_what_is_not_there(void **state)
{
    (void)state;
    static const struct l2r_schema schema = {.name = "bare", .task = L2R_TASK_BINARY, .n_tasks = 1};
    static const float labels[2] = {1, 0};
    static const int32_t edge[2] = {0, 1};
    const struct l2r_graph_view graphs[2] = {
        {.n_nodes = 2, .n_edges = 1, .edges = edge, .labels = &labels[0], .part = L2R_PART_NONE},
        {.n_nodes = 1, .labels = &labels[1], .part = L2R_PART_NONE}};
    struct l2r_dataset *data = build(&schema, graphs, 2);
    assert_int_equal(l2r_tu_write(data, inside("out"), &error), L2R_OK);
    assert_text("out/bare_graph_labels.txt", "1\n0\n");
    assert_int_equal(files_in(inside("out")), 4); /* _A, _graph_indicator, _graph_labels, README */
    l2r_dataset_free(data);
}

static void writes_many_tasks_as_attributes(void **state)
{
    (void)state;
    static const struct l2r_schema schema = {.name = "tasks", .task = L2R_TASK_BINARY, .n_tasks = 3};
    const float labels[2][3] = {{1, -NAN, 0}, {NAN, 0, 1}};
    const struct l2r_graph_view graphs[2] = {{.n_nodes = 1, .labels = labels[0], .part = L2R_PART_NONE},
                                             {.n_nodes = 1, .labels = labels[1], .part = L2R_PART_NONE}};
    struct l2r_dataset *data = build(&schema, graphs, 2);
    assert_int_equal(l2r_tu_write(data, inside("out"), &error), L2R_OK);
    assert_text("out/tasks_graph_attributes.txt", "1, nan, 0\nnan, 0, 1\n");
    assert_false(l2r_path_is_file(inside("out/tasks_graph_labels.txt")));
    l2r_dataset_free(data);
}

static void refuses_a_folder_in_use(void **state)
{
    (void)state;
    struct l2r_dataset *data = build_rich();
    assert_int_equal(l2r_make_dirs(inside("used/sub"), &error), L2R_OK);
    assert_int_equal(l2r_tu_write(data, inside("used"), &error), L2R_ERR_IO);
    expect_message(error.message, "/used: exists and is not an empty folder");
    assert_int_equal(l2r_file_write(inside("file"), "x", 1, &error), L2R_OK);
    assert_int_equal(l2r_tu_write(data, inside("file"), &error), L2R_ERR_IO);
    assert_int_equal(l2r_tu_write(data, inside("file/below"), &error), L2R_ERR_IO);
    assert_int_equal(files_in(folder), 2); /* nothing new, no temporary */
    l2r_dataset_free(data);
}

#define ASSERT_ARRAY(a, b, field, n) assert_memory_equal((a)->field, (b)->field, (size_t)(n) * sizeof *(a)->field)

/* What the source called the category in column k of row i. */
static int64_t source_value(const struct l2r_categories *table, int64_t i, int32_t column)
{
    int32_t category = table->rows[table->type[i] * table->n_columns + column];
    if (table->n_values == 0) return category;
    int64_t offset = 0;
    for (int32_t k = 0; k < column; k++) offset += table->vocabulary[k];
    return table->value[offset + category];
}

static void assert_same_rows(const struct l2r_categories *a, const struct l2r_categories *b, int64_t n)
{
    assert_int_equal(a->n_columns, b->n_columns);
    assert_int_equal(a->n_types, b->n_types);
    for (int64_t i = 0; i < n; i++)
        for (int32_t k = 0; k < a->n_columns; k++) assert_int_equal(source_value(a, i, k), source_value(b, i, k));
}

static void assert_same_data(const struct l2r_dataset *a, const struct l2r_dataset *b)
{
    assert_int_equal(a->task, b->task);
    assert_int_equal(a->n_classes, b->n_classes);
    assert_int_equal(a->n_graphs, b->n_graphs);
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->n_arcs, b->n_arcs);
    assert_int_equal(a->n_self_loops, b->n_self_loops);
    assert_int_equal(a->n_node_reals, b->n_node_reals);
    ASSERT_ARRAY(a, b, node_start, a->n_graphs + 1);
    ASSERT_ARRAY(a, b, arc_start, a->n_nodes + 1);
    ASSERT_ARRAY(a, b, neighbour, a->n_arcs);
    ASSERT_ARRAY(a, b, labels, a->n_graphs);
    ASSERT_ARRAY(a, b, class_value, a->n_classes);
    if (a->n_node_reals) ASSERT_ARRAY(a, b, node_real, a->n_nodes * a->n_node_reals);
    assert_non_null(b->node_mark);
    assert_non_null(b->official);
    ASSERT_ARRAY(a, b, node_mark, a->n_nodes);
    ASSERT_ARRAY(a, b, official, a->n_graphs);
    assert_int_equal(b->n_environments, 2);
    for (int64_t g = 0; g < a->n_graphs; g++)
        assert_string_equal(l2r_dataset_environment_name(b, b->environment[g]),
                            l2r_dataset_environment_name(a, a->environment[g]));
    assert_same_rows(&a->nodes, &b->nodes, a->n_nodes);
    assert_same_rows(&a->arcs, &b->arcs, a->n_arcs);
}

static void reader_gives_the_same_back(void **state)
{
    (void)state;
    struct l2r_dataset *rich = build_rich(), *motif = NULL, *back = NULL;
    assert_int_equal(l2r_tu_write(rich, inside("rich"), &error), L2R_OK);
    if (l2r_dataset_load(&back, inside("rich"), false, &error) != L2R_OK) fail_msg("%s", error.message);
    assert_string_equal(back->name, "toy_set");
    assert_same_data(rich, back);
    assert_int_equal(l2r_tu_write(back, inside("again"), &error), L2R_OK); /* numbers of the source, not categories */
    assert_text("again/toy_set_node_labels.txt", "0, 4\n1, 3\n0, 0\n0, 4\n0, 4\n1, 3\n");
    assert_text("again/toy_set_edge_labels.txt", "2\n2\n1\n0\n0\n2\n2\n");
    l2r_dataset_free(back);
    assert_int_equal(l2r_dataset_load(&motif, "motif:train=50,valid=20,test=20,vary=2,features=0", false, &error),
                     L2R_OK);
    assert_int_equal(l2r_tu_write(motif, inside("motif"), &error), L2R_OK);
    if (l2r_dataset_load(&back, inside("motif"), false, &error) != L2R_OK) fail_msg("%s", error.message);
    assert_string_equal(back->name, "motif");
    assert_int_equal(back->nodes.n_columns, 1); /* a constant column is a column */
    assert_int_equal(back->nodes.vocabulary[0], 1);
    assert_same_data(motif, back);
    l2r_dataset_free(back);
    l2r_dataset_free(motif);
    assert_int_equal(l2r_dataset_load(&motif, "motif:train=5,valid=2,test=2,features=3", false, &error), L2R_OK);
    assert_int_equal(l2r_tu_write(motif, inside("numbers"), &error), L2R_OK);
    if (l2r_dataset_load(&back, inside("numbers"), false, &error) != L2R_OK) fail_msg("%s", error.message);
    assert_int_equal(back->n_node_reals, 3);
    assert_same_data(motif, back);
    l2r_dataset_free(back);
    l2r_dataset_free(motif);
    l2r_dataset_free(rich);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(writes_every_table),
        IN_FOLDER(leaves_out_what_is_not_there),
        IN_FOLDER(writes_many_tasks_as_attributes),
        IN_FOLDER(refuses_a_folder_in_use),
        IN_FOLDER(reader_gives_the_same_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
