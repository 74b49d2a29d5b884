/* SPDX-License-Identifier: MIT
 *
 * The shapes of planted motifs are recognised in the graphs of the generator, whatever their size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "chem/molecule.h"
#include "data/dataset.h"
#include "draw/pictures.h"
#include "support/data_sets.h"

#include <string.h>

static struct l2r_error error;

/* Every positive holds a wheel first; with mu = 1 a star second, with mu = 0 never. Negatives hold any shape but a
 * wheel. */
static void check_set(const char *where, const char *second)
{
    struct l2r_dataset *data = NULL;
    int seen[5] = {0};
    static const char *const shapes[] = {"star", "circle", "grid", "diamond", "wheel"};
    assert_int_equal(l2r_dataset_load(&data, where, false, &error), L2R_OK);
    int32_t *edges = l2r_alloc((size_t)data->n_arcs, sizeof *edges);
    for (int64_t g = 0; g < data->n_graphs; g++) {
        const uint8_t *mark = data->node_mark + data->node_start[g];
        int64_t n = l2r_dataset_nodes_of(data, g), m = graph_edges(edges, data, g);
        for (int k = 1; k <= 2; k++) {
            const char *shape = l2r_motif_shape(mark, n, edges, m, k);
            int which = 0;
            assert_non_null(shape);
            while (which < 5 && strcmp(shapes[which], shape) != 0) which++;
            if (which == 5) fail_msg("graph %d, motif %d: %s", (int)g, k, shape);
            seen[which]++;
            bool positive = data->labels[g] == 1;
            assert_int_equal(which == 4, positive && k == 1);
            if (positive && k == 2) assert_int_equal(which == 0, second != NULL);
        }
        assert_null(l2r_motif_shape(mark, n, edges, m, 3));
    }
    for (int i = 0; i < 5; i++) assert_true(seen[i] > 0);
    l2r_free(edges);
    l2r_dataset_free(data);
}

static void shapes_of_the_motif_task(void **state)
{
    (void)state;
    check_set("motif:mu=1,train=200,valid=0,test=0,vary=3,size=9", "star");
    check_set("motif:mu=0,train=200,valid=0,test=0,size=20", NULL);
}

static void other_shapes_have_no_name(void **state)
{
    (void)state;
    const uint8_t mark[] = {1, 1, 1, 1, 0};
    const int32_t two_pairs[] = {0, 1, 2, 3};
    assert_string_equal(l2r_motif_shape(mark, 5, two_pairs, 2, 1), "motif");
    assert_null(l2r_motif_shape(mark, 5, two_pairs, 2, 2));
    assert_null(l2r_motif_shape(NULL, 5, two_pairs, 2, 1));
}

static void elements_have_symbols(void **state)
{
    (void)state;
    assert_string_equal(l2r_element_symbol(1), "H");
    assert_string_equal(l2r_element_symbol(17), "Cl");
    assert_string_equal(l2r_element_symbol(118), "Og");
    assert_string_equal(l2r_element_symbol(0), "?");
    assert_string_equal(l2r_element_symbol(119), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_of_the_motif_task),
        cmocka_unit_test(other_shapes_have_no_name),
        cmocka_unit_test(elements_have_symbols),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
