/* SPDX-License-Identifier: MIT
 * The generators for measurements: sizes meet what their head comments promise, structure is that of molecules and of
 * proteins. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/dataset.h"

#include <string.h>

static struct l2r_error error;

static struct l2r_dataset *make(const char *where)
{
    struct l2r_dataset *data = NULL;
    assert_int_equal(l2r_dataset_load(&data, where, false, &error), L2R_OK);
    return data;
}

static int64_t degree(const struct l2r_dataset *data, int64_t node)
{
    return data->arc_start[node + 1] - data->arc_start[node];
}

static double mean_nodes(const struct l2r_dataset *data)
{
    return (double)data->n_nodes / (double)data->n_graphs;
}

static double mean_arcs(const struct l2r_dataset *data)
{
    return (double)data->n_arcs / (double)data->n_graphs;
}

/* Nodes that a walk from the first one reaches. */
static int64_t reached(const struct l2r_dataset *data, int64_t graph)
{
    static int64_t queue[4096];
    static uint8_t seen[4096];
    int64_t first = data->node_start[graph], head = 0, tail = 1;
    memset(seen, 0, sizeof seen);
    queue[0] = 0;
    seen[0] = 1;
    for (; head < tail; head++)
        for (int64_t a = data->arc_start[first + queue[head]]; a < data->arc_start[first + queue[head] + 1]; a++)
            if (!seen[data->neighbour[a]]) {
                seen[data->neighbour[a]] = 1;
                queue[tail++] = data->neighbour[a];
            }
    return tail;
}

static void molecules_have_the_promised_sizes(void **state)
{
    (void)state;
    struct l2r_dataset *data = make("molecules:graphs=3000");
    assert_int_equal(data->n_graphs, 3000);
    assert_true(mean_nodes(data) > 24.5 && mean_nodes(data) < 26);
    assert_true(mean_arcs(data) > 53 && mean_arcs(data) < 56);
    assert_in_range(data->nodes.n_types, 25, 60); /* a few dozen kinds of atoms */
    assert_in_range(data->arcs.n_types, 3, 6);
    for (int64_t v = 0; v < data->n_nodes; v++) assert_in_range(degree(data, v), 1, 4);
    for (int64_t g = 0; g < data->n_graphs; g++) assert_int_equal(reached(data, g), l2r_dataset_nodes_of(data, g));
    assert_int_equal(l2r_dataset_check_ranges(data, &error), L2R_OK);
    l2r_dataset_free(data);
}

/* Column 2 counts neighbours with hydrogens, column 4 hydrogens alone: the difference are the neighbours in the graph.
 * No atom has more bonds than its element allows. */
static void atoms_keep_their_valence(void **state)
{
    (void)state;
    struct l2r_dataset *data = make("molecules:graphs=500,seed=3");
    for (int64_t v = 0; v < data->n_nodes; v++) {
        const int32_t *row = data->nodes.rows + (int64_t)data->nodes.type[v] * data->nodes.n_columns;
        assert_int_equal(row[2] - row[4], degree(data, v));
        double orders = row[4];
        for (int64_t a = data->arc_start[v]; a < data->arc_start[v + 1]; a++) {
            const int32_t *bond = data->arcs.rows + (int64_t)data->arcs.type[a] * data->arcs.n_columns;
            assert_true(bond[0] == 0 || bond[0] == 1 || bond[0] == 3);
            orders += bond[0] == 3 ? 1.5 : bond[0] + 1;
            if (bond[0] == 3) assert_int_equal(row[7], 1); /* aromatic bonds end at aromatic atoms */
        }
        int32_t element = row[0] + 1;
        double most = element == 6 ? 4.5 : element == 7 ? 3 : element == 8 || element == 16 ? 3 : 1;
        assert_true(orders <= most);
    }
    l2r_dataset_free(data);
}

static void proteins_have_the_promised_sizes(void **state)
{
    (void)state;
    struct l2r_dataset *data = make("proteins:graphs=600");
    int64_t isolated = 0;
    assert_true(mean_nodes(data) > 262 && mean_nodes(data) < 296); /* sd 190 over 600 graphs: 2 sigma */
    double arcs_a_node = (double)data->n_arcs / (double)data->n_nodes;
    assert_true(arcs_a_node > 5.0 && arcs_a_node < 5.06);
    assert_int_equal(data->nodes.vocabulary[0], 89);
    assert_in_range(data->nodes.n_types, 40, 89);
    for (int64_t v = 0; v < data->n_nodes; v++) isolated += degree(data, v) == 0;
    assert_true(isolated < data->n_nodes / 100);
    assert_int_equal(l2r_dataset_check_ranges(data, &error), L2R_OK);
    l2r_dataset_free(data);
}

/* Neighbours of a node are close to each other far more often than strangers are: space, not chance. */
static void proteins_lie_in_space(void **state)
{
    (void)state;
    struct l2r_dataset *data = make("proteins:graphs=5");
    int64_t closed = 0, open = 0;
    for (int64_t g = 0; g < data->n_graphs; g++)
        for (int64_t first = data->node_start[g], v = first; v < data->node_start[g + 1]; v++)
            for (int64_t a = data->arc_start[v]; a < data->arc_start[v + 1]; a++)
                for (int64_t b = a + 1; b < data->arc_start[v + 1]; b++) {
                    int64_t u = first + data->neighbour[a], hit = 0;
                    for (int64_t c = data->arc_start[u]; c < data->arc_start[u + 1]; c++)
                        hit += data->neighbour[c] == data->neighbour[b];
                    closed += hit;
                    open += !hit;
                }
    assert_true(closed * 12 > closed + open); /* by chance: 5 of 279 */
    l2r_dataset_free(data);
}

static void larger_sets_start_with_smaller_ones(void **state)
{
    (void)state;
    const char *const pairs[][2] = {{"molecules:graphs=20,seed=5", "molecules:graphs=30,seed=5"},
                                    {"proteins:graphs=4,seed=5", "proteins:graphs=6,seed=5"}};
    for (int i = 0; i < 2; i++) {
        struct l2r_dataset *small = make(pairs[i][0]), *large = make(pairs[i][1]);
        assert_memory_equal(small->node_start, large->node_start, (size_t)(small->n_graphs + 1) * sizeof(int64_t));
        assert_memory_equal(small->neighbour, large->neighbour, (size_t)small->n_arcs * sizeof(int32_t));
        assert_memory_equal(small->labels, large->labels, (size_t)small->n_graphs * sizeof(float));
        l2r_dataset_free(small);
        l2r_dataset_free(large);
    }
    struct l2r_dataset *one = make("molecules:graphs=20,seed=5"), *other = make("molecules:graphs=20,seed=6");
    assert_true(one->n_arcs != other->n_arcs || memcmp(one->neighbour, other->neighbour, (size_t)one->n_arcs) != 0);
    l2r_dataset_free(one);
    l2r_dataset_free(other);
}

static void refuses_nothing_to_make(void **state)
{
    (void)state;
    struct l2r_dataset *data = NULL;
    assert_int_equal(l2r_dataset_load(&data, "proteins:graphs=0", false, &error), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "graphs`: 0 is outside"));
    assert_null(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(molecules_have_the_promised_sizes),   cmocka_unit_test(atoms_keep_their_valence),
        cmocka_unit_test(proteins_have_the_promised_sizes),    cmocka_unit_test(proteins_lie_in_space),
        cmocka_unit_test(larger_sets_start_with_smaller_ones), cmocka_unit_test(refuses_nothing_to_make),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
