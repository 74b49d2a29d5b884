/* SPDX-License-Identifier: MIT
 *
 * Weighted HSIC against PyTorch: golden/hsic.json, written by export_hsic.py, holds representations, weights, the value
 * at equal and at these weights and the gradient. hsic_f64.c builds this file once more with double representations and
 * a tolerance to match.
 */
#include "reweight/hsic.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST = 512, FEWEST_CASES = 7 };

/* The kernels are computed from representations in l2r_real. "wide kernel" has entries near 1 whose differences from 1
 * are what counts. */
static const double tolerance = sizeof(l2r_real) == 8 ? 1e-10 : 2e-5;

static int64_t integer(const json_t *test, const char *key)
{
    return json_integer_value(json_object_get(test, key));
}

static void expect_close(const char *name, double found, double wanted, double scale)
{
    if (!(fabs(found - wanted) <= tolerance * fmax(fabs(wanted), scale)))
        fail_msg("%s: %.12g, expected %.12g", name, found, wanted);
}

static void check(const json_t *test)
{
    const char *name = json_string_value(json_object_get(test, "name"));
    const json_t *values = json_object_get(test, "z"), *weights = json_object_get(test, "w"),
                 *slopes = json_object_get(test, "gradient");
    l2r_real z[MOST];
    double w[MOST], ones[MOST], gradient[MOST], largest = 0;
    int64_t rows = integer(test, "rows");
    struct l2r_hsic_options options = {.sigma = json_number_value(json_object_get(test, "sigma")),
                                       .scaled = json_is_true(json_object_get(test, "scaled"))};
    struct l2r_arena arena;
    struct l2r_hsic hsic;
    struct l2r_error error;
    assert_in_range(json_array_size(values), 1, MOST);
    assert_int_equal(json_array_size(weights), rows);
    for (size_t i = 0; i < json_array_size(values); i++) z[i] = (l2r_real)json_number_value(json_array_get(values, i));
    for (int64_t n = 0; n < rows; n++) {
        w[n] = json_number_value(json_array_get(weights, (size_t)n));
        ones[n] = 1;
        largest = fmax(largest, fabs(json_number_value(json_array_get(slopes, (size_t)n))));
    }
    l2r_arena_init(&arena);
    assert_int_equal(
        l2r_hsic_init(&hsic, &arena, z, rows, integer(test, "blocks"), integer(test, "dim"), &options, &error), L2R_OK);
    expect_close(name, l2r_hsic_value(&hsic, NULL, ones), json_number_value(json_object_get(test, "at_ones")), 0);
    expect_close(name, l2r_hsic_value(&hsic, gradient, w), json_number_value(json_object_get(test, "value")), 0);
    for (int64_t n = 0; n < rows; n++)
        expect_close(name, gradient[n], json_number_value(json_array_get(slopes, (size_t)n)), largest);
    l2r_arena_clear(&arena);
}

static void test_agrees_with_torch(void **state)
{
    (void)state;
    json_t *root = json_load_file(L2R_TEST_DIR "/golden/hsic.json", 0, NULL), *test;
    size_t i;
    assert_true(json_array_size(root) >= FEWEST_CASES);
    json_array_foreach(root, i, test) check(test);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_agrees_with_torch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
