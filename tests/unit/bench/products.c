/* SPDX-License-Identifier: MIT
 * Flops counted from shapes, against sums by hand; and the products alone take time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/passes.h"
#include "fit/trainer.h"
#include "nn/network.h"
#include "store/run.h"

#include <string.h>

static struct l2r_error error;

/* The products of a workload whose options are changed: pairs of option and value, NULL at the end. */
static struct l2r_products products_of(const char *workload, const char *const *set, bool training)
{
    struct l2r_config *config;
    struct l2r_workload_data load;
    struct l2r_trainer trainer;
    struct l2r_products products;
    const struct l2r_workload *w = l2r_workload_find(workload);
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_workload_configure(config, w, "erm", &error), L2R_OK);
    for (; set && set[0]; set += 2) assert_int_equal(l2r_config_set(config, set[0], set[1], &error), L2R_OK);
    assert_int_equal(l2r_workload_load(&load, w, NULL, 4, false, &error), L2R_OK);
    assert_int_equal(l2r_trainer_init(&trainer, config, &load.data, &load.split, &error), L2R_OK);
    l2r_products_of(&products, &trainer.network.params, training);
    l2r_trainer_clear(&trainer);
    l2r_workload_data_clear(&load);
    l2r_config_free(config);
    return products;
}

static void counts_gcn(void **state)
{
    (void)state;
    struct l2r_products p = products_of("gcn-3x128", NULL, true);
    /* three layers 128 → 128 on every node, a head 128 → 1 on every graph; forward and two gradients, 2 flops a term */
    assert_true(l2r_products_flops(&p, 1000, 10) == 6.0 * (3 * 128.0 * 128 * 1000 + 128.0 * 10));
    p.training = false;
    assert_true(l2r_products_flops(&p, 1000, 10) == 2.0 * (3 * 128.0 * 128 * 1000 + 128.0 * 10));
}

static void counts_gin_with_bonds(void **state)
{
    (void)state;
    struct l2r_products p = products_of("gin-5x300", NULL, false); /* bond embeddings and eps are no products */
    assert_true(l2r_products_flops(&p, 7, 3) == 2.0 * (5 * 2 * 300.0 * 600 * 7 + 300.0 * 3));
    assert_int_equal(p.n_shapes, 3);
}

static void counts_two_classes_and_a_virtual_node(void **state)
{
    (void)state;
    const char *const set[] = {"hidden", "8", "layers", "2", "virtual-node", "true", NULL};
    struct l2r_products p = products_of("dd-gcn-3x128", set, false);
    /* two layers a node; the virtual node's MLP 8 → 16 → 8 after the first, and the head 8 → 2, a graph */
    assert_true(l2r_products_flops(&p, 100, 1) == 2.0 * (2 * 64.0 * 100 + 2 * 128.0 + 16));
}

static void the_products_alone_take_time(void **state)
{
    (void)state;
    double rate = -1;
    struct l2r_products p = products_of("gcn-3x128", (const char *const[]){"hidden", "16", NULL}, true);
    assert_int_equal(l2r_products_peak(&rate, &p, 50, 2, &error), L2R_OK);
    assert_true(rate > 1e5 && rate < 1e14);
    struct l2r_products none = {.training = true};
    assert_int_equal(l2r_products_peak(&rate, &none, 50, 2, &error), L2R_OK);
    assert_true(rate == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_gcn), cmocka_unit_test(counts_gin_with_bonds),
                                       cmocka_unit_test(counts_two_classes_and_a_virtual_node),
                                       cmocka_unit_test(the_products_alone_take_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
