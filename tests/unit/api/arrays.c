/* SPDX-License-Identifier: MIT
 * l2r/arrays.h: arrays go in, in both layouts of edges, and come out as they went in; data sets that share graphs,
 * subsets, concatenations; SMILES with all that can be said of them; tables from bytes; splits as arrays of parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/dataset.h"
#include "support/training_runs.h"

#include "support/calls.h"

#include <math.h>
#include <string.h>

/* A path, a triangle with a self loop, a single node. */
enum { GRAPHS = 3, NODES = 6, EDGES = 5, ARCS = 9 };
static const int64_t nodes[] = {2, 3, 1}, edges_of[] = {1, 4, 0};
static const int32_t edges[] = {0, 1, 0, 1, 1, 2, 2, 0, 1, 1}, rows[] = {0, 1, 2, 1, 0, 2}, bonds[] = {0, 1, 1, 2, 0};
static const int64_t local[] = {0, 0, 1, 2, 1, /**/ 1, 1, 2, 0, 1}, global[] = {0, 2, 3, 4, 3, /**/ 1, 3, 4, 2, 3};
static const float reals[] = {0.5f, 1, 2, 3, 4, 5}, lengths[] = {1, 2, 3, 4, 5}, labels[] = {5, 3, 5};
static const uint8_t parts[] = {L2R_PART_TRAIN, L2R_PART_ID_TEST, L2R_PART_TEST}, marks[] = {0, 1, 0, 0, 2, 0};
static const int32_t places[] = {1, 0, 1};
static const char *const place_names[] = {"Basel", "Kiel"}, *const task_names[] = {"toxic"};

static struct l2r_arrays arrays(void)
{
    struct l2r_arrays a = L2R_ARRAYS_INIT;
    a.name = "three";
    a.task = L2R_TASK_MULTICLASS;
    a.n_tasks = 1;
    a.n_graphs = GRAPHS;
    a.node_counts = nodes;
    a.edge_counts = edges_of;
    a.edges = edges;
    a.n_node_columns = a.n_edge_columns = a.n_node_reals = a.n_edge_reals = 1;
    a.node_rows = rows;
    a.edge_rows = bonds;
    a.node_real = reals;
    a.edge_real = lengths;
    a.labels = labels;
    a.parts = parts;
    a.node_marks = marks;
    a.n_environments = 2;
    a.environments = places;
    a.environment_names = place_names;
    a.task_names = task_names;
    return a;
}

static struct l2r_dataset *three(void)
{
    struct l2r_dataset *data;
    struct l2r_arrays a = arrays();
    OK(l2r_dataset_from_arrays(&data, &a, &error));
    return data;
}

static void whole_arrays(void **state)
{
    (void)state;
    struct l2r_dataset *data = three(), *again;
    int64_t n_nodes[GRAPHS], n_edges[GRAPHS], n_arcs[GRAPHS], index[2 * ARCS];
    int32_t arcs[2 * ARCS], node_rows[NODES], edge_rows[ARCS];
    float edge_real[ARCS];
    assert_int_equal(l2r_dataset_n_arcs(data), ARCS);
    OK(l2r_dataset_sizes(n_nodes, n_edges, n_arcs, data, &error));
    assert_memory_equal(n_nodes, nodes, sizeof n_nodes);
    assert_memory_equal(n_edges, edges_of, sizeof n_edges);
    assert_true(n_arcs[0] == 2 && n_arcs[1] == 7 && n_arcs[2] == 0);
    OK(l2r_dataset_sizes(NULL, NULL, NULL, data, &error));
    OK(l2r_dataset_arcs(arcs, data, &error));
    static const int32_t expected[2 * ARCS] = {0, 1, 1, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2, 2, 0, 2, 1};
    assert_memory_equal(arcs, expected, sizeof arcs);
    OK(l2r_dataset_edge_index(index, data, false, &error));
    for (int a = 0; a < ARCS; a++) assert_true(index[a] == arcs[2 * a] && index[ARCS + a] == arcs[2 * a + 1]);
    OK(l2r_dataset_edge_index(index, data, true, &error));
    for (int a = 0; a < ARCS; a++) assert_true(index[a] == arcs[2 * a] + (a < 2 ? 0 : 2));
    OK(l2r_dataset_node_rows(node_rows, data, &error));
    assert_memory_equal(node_rows, rows, sizeof node_rows);
    OK(l2r_dataset_edge_rows(edge_rows, edge_real, data, &error));
    for (int a = 0; a < ARCS; a++) {
        assert_int_equal(edge_rows[a], *l2r_dataset_edge_row(data, a));
        assert_true(edge_real[a] == *l2r_dataset_edge_real(data, a));
    }
    assert_memory_equal(l2r_dataset_node_marks(data), marks, sizeof marks);
    assert_int_equal(l2r_dataset_n_environments(data), 2);
    assert_string_equal(l2r_dataset_task_name(data, 0), "toxic");
    assert_true(!l2r_dataset_scaffolds(data) && !l2r_dataset_molecules(data) && !l2r_dataset_source_rows(data));
    struct l2r_arrays a = arrays(); /* what came out goes in again */
    static const int64_t arc_counts[] = {2, 7, 0};
    a.edges = arcs;
    a.edge_counts = arc_counts;
    a.edge_rows = edge_rows;
    a.edge_real = edge_real;
    OK(l2r_dataset_from_arrays(&again, &a, &error));
    assert_true(l2r_dataset_fingerprint(again) == l2r_dataset_fingerprint(data));
    l2r_dataset_free(again);
    refused(l2r_dataset_arcs(NULL, data, &error), "arcs is NULL");
    refused(l2r_dataset_edge_index(index, NULL, true, &error), "data is NULL");
    refused(l2r_dataset_node_rows(NULL, data, &error), "node_rows is NULL");
    l2r_dataset_free(data);
    assert_true(l2r_dataset_n_arcs(NULL) == 0 && l2r_dataset_n_environments(NULL) == 0);
}

static void edge_index(void **state)
{
    (void)state;
    struct l2r_dataset *data = three(), *again;
    struct l2r_arrays a = arrays();
    int64_t bad[2 * EDGES];
    for (int way = 0; way < 2; way++) {
        a.edges = NULL;
        a.edge_index = way ? global : local;
        a.edge_index_is_global = way == 1;
        OK(l2r_dataset_from_arrays(&again, &a, &error));
        assert_true(l2r_dataset_fingerprint(again) == l2r_dataset_fingerprint(data));
        l2r_dataset_free(again);
    }
    memcpy(bad, global, sizeof bad);
    bad[EDGES + 2] = 5; /* a node of the next graph */
    a.edge_index = bad;
    refused(l2r_dataset_from_arrays(&again, &a, &error), "node 5 at edge 1 of graph 1, outside 2..4");
    a.edges = edges;
    refused(l2r_dataset_from_arrays(&again, &a, &error), "expected one");
    a.edges = NULL, a.edge_index = NULL;
    refused(l2r_dataset_from_arrays(&again, &a, &error), "arrays.edges is NULL");
    l2r_dataset_free(data);
}

static void relabel(void **state)
{
    (void)state;
    static const float values[] = {0.5f, NAN, 2, 3, 4, 5}, weights[] = {1, 0, 2}, doses[] = {7, 8, 9};
    static const int8_t bounds[] = {0, 0, 1, 0, 0, -1};
    static const uint8_t other[] = {L2R_PART_TEST, L2R_PART_TRAIN, L2R_PART_VALID};
    static const int32_t towns[] = {2, 2, 0};
    static const char *const names[] = {"a", "b"};
    struct l2r_dataset *data = three(), *made, *dosed, *saved, *twice;
    struct l2r_relabelling r = L2R_RELABELLING_INIT;
    char path[300];
    r.labels = values;
    r.task = L2R_TASK_REGRESSION;
    r.n_tasks = 2;
    r.task_names = names;
    r.bounds = bounds;
    r.weights = weights;
    r.parts = other;
    r.n_environments = 3;
    r.environments = towns;
    r.name = "told";
    OK(l2r_dataset_relabel(&made, data, &r, &error));
    assert_ptr_equal(l2r_dataset_neighbours(made), l2r_dataset_neighbours(data)); /* no graph was copied */
    OK(l2r_dataset_with_columns(&dosed, made, doses, (const char *const[]){"dose"}, 1, &error));
    assert_ptr_equal(l2r_dataset_neighbours(dosed), l2r_dataset_neighbours(data));
    assert_ptr_equal(l2r_dataset_labels(dosed), l2r_dataset_labels(made));
    assert_true(l2r_dataset_task(data) == L2R_TASK_MULTICLASS && l2r_dataset_labels(data)[1] == 0);
    l2r_dataset_free(data); /* in any order */
    l2r_dataset_free(made);
    OK(l2r_dataset_check_ranges(dosed, &error));
    assert_string_equal(l2r_dataset_name(dosed), "told");
    assert_int_equal(l2r_dataset_task(dosed), L2R_TASK_REGRESSION);
    assert_true(l2r_dataset_n_tasks(dosed) == 2 && l2r_dataset_n_classes(dosed) == 0);
    assert_memory_equal(l2r_dataset_labels(dosed), values, sizeof values);
    assert_memory_equal(l2r_dataset_bounds(dosed), bounds, sizeof bounds);
    assert_memory_equal(l2r_dataset_weights(dosed), weights, sizeof weights);
    assert_memory_equal(l2r_dataset_parts(dosed), other, sizeof other);
    assert_memory_equal(l2r_dataset_environments(dosed), towns, sizeof towns);
    assert_string_equal(l2r_dataset_environment_name(dosed, 2), "2");
    assert_string_equal(l2r_dataset_task_name(dosed, 1), "b");
    assert_memory_equal(l2r_dataset_node_marks(dosed), marks, sizeof marks);
    assert_memory_equal(l2r_dataset_column_values(dosed), doses, sizeof doses);
    snprintf(path, sizeof path, "%s/shared.l2r", root);
    OK(l2r_dataset_save(dosed, path, &error)); /* in one piece */
    OK(l2r_dataset_open(&saved, path, NULL, &error));
    assert_true(l2r_dataset_fingerprint(saved) == l2r_dataset_fingerprint(dosed));
    assert_string_equal(l2r_dataset_task_name(saved, 0), "a");
    l2r_dataset_free(saved);
    struct l2r_relabelling some = L2R_RELABELLING_INIT;
    static const int8_t free_bounds[6] = {0};
    some.bounds = free_bounds; /* of the labels that there are */
    OK(l2r_dataset_relabel(&twice, dosed, &some, &error));
    l2r_dataset_free(dosed);
    assert_memory_equal(l2r_dataset_labels(twice), values, sizeof values);
    assert_memory_equal(l2r_dataset_bounds(twice), free_bounds, sizeof free_bounds);
    assert_memory_equal(l2r_dataset_weights(twice), weights, sizeof weights);
    static const float classes[] = {7, NAN, -2};
    some = (struct l2r_relabelling)L2R_RELABELLING_INIT;
    some.labels = classes;
    some.task = L2R_TASK_MULTICLASS;
    some.n_tasks = 1;
    OK(l2r_dataset_relabel(&made, twice, &some, &error));
    assert_true(l2r_dataset_n_classes(made) == 2 && l2r_dataset_class(made, 0) == -2);
    assert_true(l2r_dataset_labels(made)[0] == 1 && isnan(l2r_dataset_labels(made)[1]));
    assert_null(l2r_dataset_bounds(made));
    l2r_dataset_free(made);
    some.n_tasks = 2;
    refused(l2r_dataset_relabel(&made, twice, &some, &error), "n_tasks = 2");
    assert_null(made);
    static const uint8_t no_part[] = {0, 9, 0};
    some = (struct l2r_relabelling)L2R_RELABELLING_INIT;
    some.parts = no_part;
    refused(l2r_dataset_relabel(&made, twice, &some, &error), "graph 1 is in part 9");
    refused(l2r_dataset_relabel(&made, twice, NULL, &error), "relabelling is NULL");
    l2r_dataset_free(twice);
}

static void subset(void **state)
{
    (void)state;
    static const int64_t last[] = {2, 1}, twice[] = {1, 1}, none[] = {3};
    struct l2r_dataset *data = three(), *two, *all;
    OK(l2r_dataset_subset(&two, data, last, 2, &error));
    OK(l2r_dataset_check_ranges(two, &error));
    OK(l2r_dataset_check_symmetry(two, &error));
    assert_true(l2r_dataset_n_graphs(two) == 2 && l2r_dataset_n_nodes(two) == 4 && l2r_dataset_n_arcs(two) == 7);
    assert_true(l2r_dataset_n_classes(two) == 2 && l2r_dataset_labels(two)[0] == 1 && l2r_dataset_labels(two)[1] == 0);
    assert_true(l2r_dataset_parts(two)[1] == L2R_PART_ID_TEST && l2r_dataset_environments(two)[0] == 1);
    assert_string_equal(l2r_dataset_environment_name(two, 1), "Kiel");
    assert_string_equal(l2r_dataset_task_name(two, 0), "toxic");
    assert_true(*l2r_dataset_node_row(two, 0) == 2 && l2r_dataset_node_real(two)[3] == 4);
    assert_true(l2r_dataset_node_marks(two)[3] == 2 && l2r_dataset_node_vocabulary(two, 0) == 3);
    for (int64_t a = 0; a < 7; a++) {
        assert_int_equal(*l2r_dataset_edge_row(two, a), *l2r_dataset_edge_row(data, a + 2));
        assert_true(*l2r_dataset_edge_real(two, a) == *l2r_dataset_edge_real(data, a + 2));
        assert_int_equal(l2r_dataset_neighbours(two)[a], l2r_dataset_neighbours(data)[a + 2]);
    }
    refused(l2r_dataset_subset(&all, data, twice, 2, &error), "graphs[1] = 1");
    refused(l2r_dataset_subset(&all, data, none, 1, &error), "graphs[0] = 3; expected 0 … 2");
    refused(l2r_dataset_subset(&all, data, last, 0, &error), "n = 0");
    refused(l2r_dataset_subset(&all, data, NULL, 1, &error), "graphs is NULL");
    const struct l2r_dataset *const both[] = {two, data};
    OK(l2r_dataset_concatenate(&all, both, 2, &error));
    OK(l2r_dataset_check_ranges(all, &error));
    assert_true(l2r_dataset_n_graphs(all) == 5 && l2r_dataset_n_arcs(all) == 16);
    assert_memory_equal(l2r_dataset_node_marks(all) + 4, marks, sizeof marks);
    assert_string_equal(l2r_dataset_notes(all), "");
    l2r_dataset_free(all);
    l2r_dataset_free(two);
    l2r_dataset_free(data);
}

static void concatenate(void **state)
{
    (void)state;
    static const char *const towns[] = {"Kiel", "Graz"};
    static const int32_t wide[] = {0, 1, 8, 1, 0, 2};
    struct l2r_dataset *data = three(), *other, *all;
    struct l2r_arrays a = arrays();
    a.environment_names = towns;
    a.node_rows = wide;
    a.node_marks = NULL;
    OK(l2r_dataset_from_arrays(&other, &a, &error));
    const struct l2r_dataset *both[] = {data, other};
    OK(l2r_dataset_concatenate(&all, both, 2, &error));
    assert_int_equal(l2r_dataset_n_environments(all), 3);
    const int32_t *place = l2r_dataset_environments(all);
    for (int g = 0; g < 6; g++)
        assert_string_equal(l2r_dataset_environment_name(all, place[g]), (g < 3 ? place_names : towns)[places[g % 3]]);
    assert_true(l2r_dataset_node_vocabulary(all, 0) == 9 && !l2r_dataset_node_marks(all));
    assert_non_null(strstr(l2r_dataset_notes(all), "node marks are left out"));
    l2r_dataset_free(all);
    l2r_dataset_free(other);
    static const float more[] = {5, 3, 4};
    a.labels = more;
    OK(l2r_dataset_from_arrays(&other, &a, &error));
    both[1] = other;
    refused(l2r_dataset_concatenate(&all, both, 2, &error), "data[1] (\"three\") has other classes");
    l2r_dataset_free(other);
    both[1] = NULL;
    refused(l2r_dataset_concatenate(&all, both, 2, &error), "data[1] is NULL");
    refused(l2r_dataset_concatenate(&all, both, 0, &error), "n = 0");
    l2r_dataset_free(data);
}

static void split_parts(void **state)
{
    (void)state;
    static const uint8_t given[] = {L2R_PART_NONE, L2R_PART_ID_VALID, L2R_PART_TRAIN}, none[] = {1, 2, 5},
                         bad[] = {0, 6};
    uint8_t found[GRAPHS];
    int64_t n;
    struct l2r_dataset *data = three();
    struct l2r_split *split, *official;
    OK(l2r_split_from_parts(&split, data, given, &error));
    assert_int_equal(l2r_split_n_graphs(split), GRAPHS);
    assert_int_equal(l2r_split_graphs(&n, split, L2R_PART_ID_VALID)[0], 1);
    OK(l2r_split_to_parts(found, split, &error));
    assert_memory_equal(found, given, sizeof given);
    OK(l2r_split_new(&official, data, NULL, &error));
    OK(l2r_split_to_parts(found, official, &error));
    assert_memory_equal(found, parts, sizeof parts);
    l2r_split_free(official);
    l2r_split_free(split);
    refused(l2r_split_from_parts(&split, data, none, &error), "no graph that trains");
    refused(l2r_split_from_parts(&split, data, bad, &error), "parts[1] = 6");
    refused(l2r_split_from_parts(&split, data, NULL, &error), "parts is NULL");
    refused(l2r_split_to_parts(found, NULL, &error), "split is NULL");
    assert_int_equal(l2r_split_n_graphs(NULL), 0);
    l2r_dataset_free(data);
}

static void molecules(void **state)
{
    (void)state;
    static const char *const texts[] = {"CCO", "C(C", "c1ccccc1O", "OCC"}, *const names[] = {"ethanol", "-", NULL,
                                                                                             "it"};
    static const float y[] = {1, 2, 3, 4}, weights[] = {1, 2, 3, 0}, doses[] = {1, 2, NAN, 4};
    static const int8_t bounds[] = {0, 1, -1, 0};
    static const uint8_t given[] = {0, 0, 2, 3};
    static const int32_t towns[] = {1, 0, 0, 1};
    static const char *const dose[] = {"dose"}, *const task[] = {"a name of more than twenty-four letters"};
    struct l2r_dataset *data, *two, *all;
    struct l2r_smiles m = L2R_SMILES_INIT;
    if (!l2r_has("rdkit")) skip();
    m.name = "some";
    m.n_rows = 4;
    m.smiles = texts;
    m.names = names;
    m.task = L2R_TASK_REGRESSION;
    m.n_tasks = 1;
    m.labels = y;
    m.task_names = task;
    m.bounds = bounds;
    m.weights = weights;
    m.parts = given;
    m.n_environments = 2;
    m.environments = towns;
    m.environment_names = place_names;
    m.n_columns = 1;
    m.columns = doses;
    m.column_names = dose;
    OK(l2r_dataset_from_smiles(&data, &m, NULL, &error));
    assert_int_equal(l2r_dataset_n_graphs(data), 3);
    assert_true(l2r_dataset_source_rows(data)[1] == 2 && l2r_dataset_labels(data)[1] == 3);
    assert_true(l2r_dataset_bounds(data)[1] == -1 && l2r_dataset_weights(data)[2] == 0);
    assert_true(l2r_dataset_parts(data)[2] == 3 && l2r_dataset_environments(data)[1] == 0);
    assert_string_equal(l2r_dataset_environment_name(data, 1), "Kiel");
    assert_true(isnan(l2r_dataset_column_values(data)[1]) && l2r_dataset_column_values(data)[2] == 4);
    assert_string_equal(l2r_dataset_row_name(data, 0), "ethanol");
    assert_null(l2r_dataset_row_name(data, 1));
    assert_string_equal(l2r_dataset_task_name(data, 0), task[0]);
    assert_true(l2r_dataset_molecules(data)[2] == 0 && l2r_dataset_scaffolds(data)[1] == 1);
    static const int64_t back[] = {2, 1};
    OK(l2r_dataset_subset(&two, data, back, 2, &error));
    assert_string_equal(l2r_dataset_smiles(two, 0), "OCC");
    assert_string_equal(l2r_dataset_row_name(two, 0), "it");
    assert_true(l2r_dataset_molecules(two)[0] == 0 && l2r_dataset_molecules(two)[1] == 1);
    assert_true(l2r_dataset_source_row(two, 1) == 2 && l2r_dataset_column_values(two)[0] == 4);
    const struct l2r_dataset *const both[] = {two, data};
    OK(l2r_dataset_concatenate(&all, both, 2, &error));
    assert_true(l2r_dataset_n_graphs(all) == 5 && l2r_dataset_weights(all)[0] == 0);
    static const int32_t same[] = {0, 1, 0, 1, 0}; /* ethanol, phenol, and the same again */
    assert_memory_equal(l2r_dataset_molecules(all), same, sizeof same);
    assert_memory_equal(l2r_dataset_scaffolds(all), same, sizeof same);
    assert_string_equal(l2r_dataset_notes(all), "");
    assert_string_equal(l2r_dataset_smiles(all, 3), "c1ccccc1O");
    l2r_dataset_free(all);
    l2r_dataset_free(two);
    l2r_dataset_free(data);
    m.columns = NULL;
    refused(l2r_dataset_from_smiles(&data, &m, NULL, &error), "molecules.columns is NULL");
    m.columns = doses;
    m.environments = NULL;
    refused(l2r_dataset_from_smiles(&data, &m, NULL, &error), "molecules.environments is NULL");
    m.environments = towns;
    m.n_environments = 1;
    refused(l2r_dataset_from_smiles(&data, &m, NULL, &error), "graph 0 is in environment 1");
}

static void bytes(void **state)
{
    (void)state;
    static const char table[] = "smiles,name,y\nCCO,ethanol,1\nC(C,-,0\nCCN,amine,0\nCCCl,x,1\n";
    static const char sdf[] = "ethane\n\n\n  2  1  0  0  0  0            999 V2000\n"
                              "    0.0000    0.0000    0.0000 C   0  0\n    1.0000    0.0000    0.0000 C   0  0\n"
                              "  1  2  1  0\nM  END\n> <y>\n1\n\n$$$$\n";
    struct l2r_dataset *data;
    if (!l2r_has("rdkit")) skip();
    OK(l2r_dataset_from_bytes(&data, "my.csv", table, sizeof table - 1, NULL, &error));
    assert_true(l2r_dataset_n_graphs(data) == 3 && l2r_dataset_labels(data)[1] == 0);
    assert_string_equal(l2r_dataset_name(data), "my");
    assert_string_equal(l2r_dataset_row_name(data, 1), "amine");
    l2r_dataset_free(data);
    OK(l2r_dataset_from_bytes(&data, "my.sdf", sdf, sizeof sdf - 1, NULL, &error));
    assert_int_equal(l2r_dataset_n_graphs(data), 1);
    l2r_dataset_free(data);
    assert_int_equal(l2r_dataset_from_bytes(&data, "my.xlsx", table, 9, NULL, &error), L2R_ERR_FORMAT);
    assert_int_equal(l2r_dataset_from_bytes(&data, "my.exe", table, 9, NULL, &error), L2R_ERR_FORMAT);
    assert_int_equal(l2r_dataset_from_bytes(&data, "my.csv", table, 0, NULL, &error), L2R_ERR_FORMAT);
    assert_null(data);
    refused(l2r_dataset_from_bytes(&data, NULL, table, 9, NULL, &error), "name is NULL");
    refused(l2r_dataset_from_bytes(&data, "my.csv", NULL, 9, NULL, &error), "bytes is NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_arrays), cmocka_unit_test(edge_index),
                                       cmocka_unit_test(relabel),      cmocka_unit_test(subset),
                                       cmocka_unit_test(concatenate),  cmocka_unit_test(split_parts),
                                       cmocka_unit_test(molecules),    cmocka_unit_test(bytes)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
