/* SPDX-License-Identifier: MIT
 * Draws: trial k is the same whatever else is searched, within its range and spread over it; a grid has every
 * combination once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/config.h"
#include "fit/options.h"
#include "support/messages.h"
#include "tune/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct l2r_config *erm, *l2r;
static struct l2r_space space;
static struct l2r_error error;

static int setup(void **state)
{
    (void)state;
    if (l2r_config_new(&erm, &error) != L2R_OK || l2r_config_new(&l2r, &error) != L2R_OK) return -1;
    if (l2r_run_declare(erm, "gin", "erm", &error) != L2R_OK) return -1;
    return l2r_run_declare(l2r, "gin", "l2r", &error) == L2R_OK ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    l2r_config_free(erm);
    l2r_config_free(l2r);
    return 0;
}

static void parse(const char *text)
{
    const struct l2r_config *configs[] = {erm, l2r};
    l2r_space_clear(&space);
    if (l2r_space_parse(&space, text, configs, 2, &error) != L2R_OK) fail_msg("%s", error.message);
}

static double drawn(const char *name, uint64_t seed, int64_t trial)
{
    char value[L2R_SPACE_VALUE];
    double number;
    l2r_dimension_draw(value, l2r_space_find(&space, name), seed, trial);
    assert_true(l2r_parse_real(&number, value));
    assert_true(strlen(value) < 12); /* readable */
    return number;
}

static void draws_do_not_depend_on_the_rest(void **state)
{
    (void)state;
    char text[16][32];
    struct l2r_search search = {.space = &space, .seed = 7, .trials = 16};
    parse("lr=1e-4..1e-2:log");
    for (int k = 0; k < 16; k++) {
        assert_int_equal(l2r_search_set(erm, &search, k, &error), L2R_OK);
        snprintf(text[k], sizeof text[k], "%s", l2r_config_text(erm, "lr"));
        if (k > 0) assert_string_not_equal(text[k], text[k - 1]);
    }
    parse("dropout=0..0.5,clusters=2|4|8,lr=1e-4..1e-2:log");
    for (int k = 15; k >= 0; k--) {
        assert_int_equal(l2r_search_set(l2r, &search, k, &error), L2R_OK);
        assert_string_equal(l2r_config_text(l2r, "lr"), text[k]);
        assert_int_equal(l2r_search_set(erm, &search, k, &error), L2R_OK); /* has no --clusters */
        assert_string_equal(l2r_config_text(erm, "lr"), text[k]);
        assert_string_equal(l2r_config_text(erm, "dropout"), l2r_config_text(l2r, "dropout"));
    }
    assert_true(drawn("lr", 8, 0) != drawn("lr", 7, 0));
    assert_true(drawn("dropout", 7, 0) / 0.5 != log(drawn("lr", 7, 0) / 1e-4) / log(100)); /* streams of their own */
}

static void draws_fill_the_range(void **state)
{
    (void)state;
    enum { N = 2000 };
    int below = 0, low_half = 0, layers[6] = {0};
    parse("lr=1e-4..1e-2:log,dropout=0.1..0.6,layers=2..5,batch-size=8..512:log,weight-decay=0..1:3");
    for (int k = 0; k < N; k++) {
        double lr = drawn("lr", 1, k), dropout = drawn("dropout", 1, k), size = drawn("batch-size", 1, k);
        double decay = drawn("weight-decay", 1, k);
        assert_true(lr >= 1e-4 && lr <= 1e-2 && dropout >= 0.1 && dropout <= 0.6);
        assert_true(size >= 8 && size <= 512 && size == floor(size));
        assert_true(decay == 0 || decay == 0.5 || decay == 1);
        below += lr < 1e-3;
        low_half += dropout < 0.35;
        layers[(int)drawn("layers", 1, k)]++;
    }
    /* Five standard deviations of a fair coin and of a fair die of four. */
    assert_true(abs(below - N / 2) < 112 && abs(low_half - N / 2) < 112);
    for (int i = 2; i <= 5; i++) assert_true(abs(layers[i] - N / 4) < 97);
}

static void points_are_even(void **state)
{
    (void)state;
    static const char *const lrs[] = {"1e-4", "0.001", "1e-2"}, *const dropouts[] = {"0", "0.2", "0.4", "0.6"};
    char value[L2R_SPACE_VALUE];
    parse("lr=1e-4..1e-2:log:3,dropout=0..0.6:4,layers=2..5,hidden=16..256:log:5");
    for (int i = 0; i < 3; i++) {
        l2r_dimension_point(value, l2r_space_find(&space, "lr"), i);
        assert_string_equal(value, lrs[i]);
    }
    for (int i = 0; i < 4; i++) {
        l2r_dimension_point(value, l2r_space_find(&space, "dropout"), i);
        assert_string_equal(value, dropouts[i]);
        l2r_dimension_point(value, l2r_space_find(&space, "layers"), i);
        assert_int_equal(atoi(value), 2 + i);
    }
    for (int i = 0; i < 5; i++) {
        l2r_dimension_point(value, l2r_space_find(&space, "hidden"), i);
        assert_int_equal(atoi(value), 16 << i);
    }
}

static void grid_has_all_combinations(void **state)
{
    (void)state;
    int64_t n_erm, n_l2r;
    char seen[24][64];
    struct l2r_search search = {.space = &space, .kind = L2R_SEARCH_GRID};
    parse("hidden=8|16,clusters=2|4|8,layers=2..5");
    assert_int_equal(l2r_search_size(&n_erm, &search, erm, &error), L2R_OK);
    assert_int_equal(l2r_search_size(&n_l2r, &search, l2r, &error), L2R_OK);
    assert_int_equal(n_erm, 8);
    assert_int_equal(n_l2r, 24);
    for (int k = 0; k < 24; k++) {
        assert_int_equal(l2r_search_set(l2r, &search, k, &error), L2R_OK);
        snprintf(seen[k], sizeof seen[k], "%s %s %s", l2r_config_text(l2r, "hidden"), l2r_config_text(l2r, "clusters"),
                 l2r_config_text(l2r, "layers"));
        for (int j = 0; j < k; j++) assert_string_not_equal(seen[k], seen[j]);
    }
    assert_string_equal(seen[0], "8 2 2");
    assert_string_equal(seen[1], "8 2 3");
    assert_string_equal(seen[23], "16 8 5");
}

/* Few combinations: every one once, however many trials are asked for; an option that a config lacks adds none. */
static void trials_differ(void **state)
{
    (void)state;
    int64_t n, draws[40];
    char seen[40][64];
    struct l2r_search search = {.space = &space, .kind = L2R_SEARCH_RANDOM, .trials = 40};
    parse("hidden=8|16,clusters=2|4|8,layers=2..5");
    assert_int_equal(l2r_search_size(&n, &search, erm, &error), L2R_OK);
    assert_int_equal(n, 8);
    search.trials = 20; /* of 24: some draws repeat others for certain */
    assert_int_equal(l2r_search_size(&n, &search, l2r, &error), L2R_OK);
    assert_int_equal(n, 20);
    assert_int_equal(l2r_search_plan(draws, &search, l2r, n, &error), L2R_OK);
    assert_in_range(draws[19], 20, 1000);
    for (int k = 0; k < 20; k++) {
        assert_true(k == 0 || draws[k] > draws[k - 1]);
        assert_int_equal(l2r_search_set(l2r, &search, draws[k], &error), L2R_OK);
        snprintf(seen[k], sizeof seen[k], "%s %s %s", l2r_config_text(l2r, "hidden"), l2r_config_text(l2r, "clusters"),
                 l2r_config_text(l2r, "layers"));
        for (int j = 0; j < k; j++) assert_string_not_equal(seen[k], seen[j]);
    }
    parse("clusters=2|4"); /* nothing to search for erm */
    assert_int_equal(l2r_search_size(&n, &search, erm, &error), L2R_OK);
    assert_int_equal(n, 1);
    assert_int_equal(l2r_search_plan(draws, &search, erm, n, &error), L2R_OK);
    assert_int_equal(draws[0], 0);
    l2r_space_clear(&space);
}

static void grid_must_end(void **state)
{
    (void)state;
    int64_t n;
    struct l2r_search search = {.space = &space, .kind = L2R_SEARCH_GRID, .trials = 5};
    parse("lr=1e-4..1e-2:log");
    assert_int_equal(l2r_search_size(&n, &search, erm, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "--space: a grid needs to know how many values of --lr to try; write "
                                  "lr=1e-4..1e-2:log:5 for five");
    parse("hidden=8|16,layers=2|3|4");
    assert_int_equal(l2r_search_size(&n, &search, erm, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "--space: the grid has 6 combinations, more than --trials 5; name fewer values, "
                                  "or try some of them with --search random");
    search.trials = 0;
    parse("hidden=1..100,layers=1..100,batch-size=1..100");
    assert_int_equal(l2r_search_size(&n, &search, erm, &error), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "more than 100000 combinations"));
    l2r_space_clear(&space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_do_not_depend_on_the_rest),
        cmocka_unit_test(draws_fill_the_range),
        cmocka_unit_test(points_are_even),
        cmocka_unit_test(grid_has_all_combinations),
        cmocka_unit_test(trials_differ),
        cmocka_unit_test(grid_must_end),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
