/* SPDX-License-Identifier: MIT
 * Public tables of SMILES against OGB's folders of the same molecules: the same graphs, features and labels node by
 * node, and the scaffold split is the official one. The tables are looked for in $L2R_DATA or beside the source tree;
 * without them the test is skipped, unless $L2R_REQUIRE_DATA is set. hiv and tox21 take a minute and are compared when
 * $L2R_LARGE_SETS is set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem/molecule.h"
#include "data/reader.h"
#include "data/splits/split.h"
#include "support/data_sets.h"

#include <math.h>

static const char *root;
static struct l2r_error error;

struct set {
    const char *name;
    int64_t graphs;
    /* Molecules in which RDKit's versions may differ: in a feature of an atom, in features of bonds alone. */
    int64_t atoms_differ, bonds_differ;
    bool large;
};

static const struct set sets[] = {{"bace", 1513, 0, 0, false},  {"bbbp", 2039, 0, 0, false},
                                  {"esol", 1128, 0, 0, false},  {"clintox", 1477, 0, 0, false},
                                  {"hiv", 41127, 282, 5, true}, {"tox21", 7831, 0, 0, true}};
enum { N_SETS = sizeof sets / sizeof *sets };

static bool same_row(const struct l2r_categories *a, int64_t i, const struct l2r_categories *b, int64_t j)
{
    const int32_t *x = a->rows + (int64_t)a->type[i] * a->n_columns, *y = b->rows + (int64_t)b->type[j] * b->n_columns;
    return memcmp(x, y, (size_t)a->n_columns * sizeof *x) == 0;
}

/* Atoms and bonds are the same in any case; are their features? */
static void compare(bool *same_atoms, bool *same_bonds, const struct l2r_dataset *a, const struct l2r_dataset *b,
                    int64_t g)
{
    int64_t n = l2r_dataset_nodes_of(a, g), v = a->node_start[g], w = b->node_start[g];
    *same_atoms = *same_bonds = true;
    assert_int_equal(n, l2r_dataset_nodes_of(b, g));
    assert_int_equal(l2r_dataset_arcs_of(a, g), l2r_dataset_arcs_of(b, g));
    for (int64_t i = 0; i < n; i++) *same_atoms = *same_atoms && same_row(&a->nodes, v + i, &b->nodes, w + i);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(a->arc_start[v + i] - a->arc_start[v], b->arc_start[w + i] - b->arc_start[w]);
    for (int64_t i = 0, p = a->arc_start[v], q = b->arc_start[w]; i < l2r_dataset_arcs_of(a, g); i++) {
        assert_int_equal(a->neighbour[p + i], b->neighbour[q + i]);
        *same_bonds = *same_bonds && same_row(&a->arcs, p + i, &b->arcs, q + i);
    }
}

static void assert_same_labels(const struct l2r_dataset *a, const struct l2r_dataset *b)
{
    assert_int_equal(a->task, b->task);
    assert_int_equal(a->n_tasks, b->n_tasks);
    for (int64_t i = 0; i < a->n_graphs * a->n_tasks; i++)
        if (a->labels[i] != b->labels[i] && !(isnan(a->labels[i]) && isnan(b->labels[i])))
            fail_msg("label %lld is %g in the table and %g in the folder", (long long)i, (double)a->labels[i],
                     (double)b->labels[i]);
}

static void assert_official_split(const struct l2r_dataset *table, const struct l2r_dataset *folder)
{
    struct l2r_config *config;
    struct l2r_split split;
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_split_declare(config, &error), L2R_OK);
    assert_int_equal(l2r_split_make(&split, table, config, &error), L2R_OK); /* auto */
    assert_string_equal(split.rule, "scaffold");
    assert_int_equal(split.start[3], folder->n_graphs);
    for (int p = L2R_PART_TRAIN; p <= L2R_PART_TEST; p++)
        for (int64_t i = 0; i < l2r_split_size(&split, p); i++)
            assert_int_equal(folder->official[l2r_split_part(&split, p)[i]], p);
    l2r_split_clear(&split);
    l2r_config_free(config);
}

static struct l2r_dataset *load(const char *path)
{
    struct l2r_dataset *data;
    if (l2r_dataset_load(&data, path, false, &error) != L2R_OK) fail_msg("%s", error.message);
    return data;
}

static void equals_the_folder(void **state)
{
    const struct set *set = *state;
    char name[64];
    int64_t atoms = 0, bonds = 0;
    snprintf(name, sizeof name, "smiles/%s.csv", set->name);
    struct l2r_dataset *table = load(path_in(root, name));
    snprintf(name, sizeof name, "ogb/%s", set->name);
    struct l2r_dataset *folder = load(path_in(root, name));
    assert_int_equal(table->n_graphs, set->graphs);
    assert_int_equal(folder->n_graphs, set->graphs);
    assert_memory_equal(table->nodes.vocabulary, l2r_atom_vocabulary, sizeof l2r_atom_vocabulary);
    assert_memory_equal(folder->nodes.vocabulary, l2r_atom_vocabulary, sizeof l2r_atom_vocabulary);
    assert_memory_equal(table->arcs.vocabulary, l2r_bond_vocabulary, sizeof l2r_bond_vocabulary);
    for (int64_t g = 0; g < set->graphs; g++) {
        bool same_atoms, same_bonds;
        compare(&same_atoms, &same_bonds, table, folder, g);
        atoms += !same_atoms;
        bonds += same_atoms && !same_bonds;
    }
    printf("%s: %lld of %lld molecules differ in a feature of an atom, %lld of bonds alone\n", set->name,
           (long long)atoms, (long long)set->graphs, (long long)bonds);
    assert_in_range(atoms, 0, set->atoms_differ);
    assert_in_range(bonds, 0, set->bonds_differ);
    assert_same_labels(table, folder);
    assert_official_split(table, folder);
    l2r_dataset_free(table);
    l2r_dataset_free(folder);
}

int main(void)
{
    struct CMUnitTest tests[N_SETS];
    size_t n = 0;
    root = getenv("L2R_DATA") ? getenv("L2R_DATA") : L2R_TEST_DIR "/../../shared/data";
    if (l2r_chem_version() == NULL) {
        printf("built without RDKit\n");
        return 77;
    }
    for (size_t i = 0; i < N_SETS; i++) {
        char name[64];
        union { /* cmocka hands the state on without changing it */
            const struct set *from;
            void *to;
        } set = {.from = &sets[i]};
        if (sets[i].large && !getenv("L2R_LARGE_SETS")) continue;
        snprintf(name, sizeof name, "smiles/%s.csv", sets[i].name);
        if (!l2r_path_is_file(path_in(root, name))) {
            printf("%s/%s is not there; set L2R_DATA to the folder of the data sets\n", root, name);
            return getenv("L2R_REQUIRE_DATA") ? 1 : 77;
        }
        tests[n++] = (struct CMUnitTest){.name = sets[i].name, .test_func = equals_the_folder, .initial_state = set.to};
    }
    return _cmocka_run_group_tests("molecule_sets", tests, n, NULL, NULL);
}
