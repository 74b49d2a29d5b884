/* SPDX-License-Identifier: MIT
 * Runs become groups: what counts as a seed, names, mean and sd, baselines, paired differences. */
#include "report/groups.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A list of runs without folders. */
struct bench {
    struct l2r_run_files runs[8];
    struct l2r_run_list list;
    struct l2r_run_groups groups;
};

static void add(struct bench *b, json_t *config, double test)
{
    struct l2r_run_files *run = &b->runs[b->list.n++];
    assert_non_null(config);
    *run = (struct l2r_run_files){.config = config, .epochs = json_array()};
    if (!isnan(test))
        run->result =
            json_pack("{s:s, s:f, s:i, s:f}", "metric", "accuracy", "test", test, "best_epoch", 1, "seconds", 4.0);
    b->list.runs = b->runs;
}

static json_t *config(const char *data, const char *method, int seed, double lr)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:f}", "data", data, "model", "gin", "method", method, "seed", seed, "lr",
                     lr);
}

static void make(struct bench *b)
{
    struct l2r_error error = {0};
    assert_int_equal(l2r_run_groups_make(&b->groups, &b->list, &error), L2R_OK);
}

static void clear(struct bench *b)
{
    l2r_run_groups_clear(&b->groups);
    for (size_t i = 0; i < b->list.n; i++) {
        json_decref(b->runs[i].config);
        json_decref(b->runs[i].epochs);
        json_decref(b->runs[i].result);
    }
}

static void test_seeds_form_a_group(void **state)
{
    (void)state;
    struct bench b = {0};
    add(&b, config("motif:seed=0,mu=0.9", "erm", 0, 0.1), 0.5);
    add(&b, config("motif:seed=1,mu=0.9", "erm", 1, 0.1), 0.7);
    add(&b, config("motif:mu=0.9", "erm", 2, 0.1), (double)NAN);
    make(&b);
    assert_int_equal(b.groups.n, 1);
    const struct l2r_run_group *group = b.groups.items;
    assert_int_equal(group->n, 3);
    assert_int_equal(group->n_finished, 2);
    assert_string_equal(group->name, "gin · erm");
    assert_string_equal(json_string_value(json_object_get(group->config, "data")), "motif:mu=0.9");
    assert_true(fabs(group->mean[2] - 0.6) < 1e-12);
    assert_true(fabs(group->sd[2] - sqrt(0.02)) < 1e-12);
    assert_true(isnan(group->mean[0]) && isnan(group->ess));
    assert_true(group->baseline == L2R_NO_GROUP && group->gain.n == 0);
    clear(&b);
}

/* "noseed=3" and a folder that is called so are not a generator's seed. */
static void test_data_is_distinguished(void **state)
{
    (void)state;
    struct bench b = {0};
    add(&b, config("data,seed=1", "erm", 0, 0.1), 0.5);
    add(&b, config("data,seed=2", "erm", 0, 0.1), 0.5);
    add(&b, config("motif:noseed=1", "erm", 0, 0.1), 0.5);
    add(&b, config("motif:noseed=2", "erm", 0, 0.1), 0.5);
    make(&b);
    assert_int_equal(b.groups.n, 4);
    assert_string_equal(b.groups.items[1].name, "on data,seed=2");
    assert_true(b.groups.items[1].baseline == L2R_NO_GROUP);
    clear(&b);
}

static void test_paired_difference(void **state)
{
    (void)state;
    struct bench b = {0};
    add(&b, config("m", "l2r", 1, 0.1), 0.80);
    add(&b, config("m", "l2r", 0, 0.1), 0.75);
    add(&b, config("m", "erm", 0, 0.1), 0.70);
    add(&b, config("m", "erm", 1, 0.1), 0.72);
    add(&b, config("m", "erm", 7, 0.1), 0.10);
    add(&b, config("m", "l2r", 1, 0.2), 0.60);
    make(&b);
    assert_int_equal(b.groups.n, 3);
    const struct l2r_run_group *g = b.groups.items;
    assert_string_equal(g[0].name, "gin · l2r · lr 0.1");
    assert_int_equal(g[0].baseline, 1);
    assert_int_equal(g[0].gain.n, 2);
    double mean = (0.05 + 0.08) / 2, sd = 0.03 / sqrt(2);
    assert_true(fabs(g[0].gain.mean - mean) < 1e-12);
    assert_true(fabs(g[0].gain.high - mean - 12.706204736174694 * sd / sqrt(2)) < 1e-9);
    assert_true(g[1].baseline == L2R_NO_GROUP && g[1].gain.n == 0);
    assert_int_equal(g[2].baseline, 1);
    assert_true(g[2].gain.n == 1 && isnan(g[2].gain.low) && fabs(g[2].gain.mean + 0.12) < 1e-12);
    clear(&b);
}

/* Of two erm groups the one with the same options is the baseline; methods without erm have the first group. */
static void test_nearest_baseline(void **state)
{
    (void)state;
    struct bench b = {0};
    add(&b, config("m", "erm", 0, 0.1), 0.7);
    add(&b, config("m", "erm", 0, 0.2), 0.6);
    add(&b, config("m", "l2r", 0, 0.2), 0.8);
    add(&b, config("other", "oodgnn", 0, 0.2), 0.5);
    add(&b, config("other", "l2r", 0, 0.2), 0.4);
    make(&b);
    const size_t expected[] = {L2R_NO_GROUP, 0, 1, L2R_NO_GROUP, 3};
    assert_int_equal(b.groups.n, 5);
    for (int k = 0; k < 5; k++) assert_true(b.groups.items[k].baseline == expected[k]);
    clear(&b);
}

static json_t *folded(const char *data, int folds, int fold, const char *split)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:s}", "data", data, "model", "gin", "method", "erm", "seed", 0,
                     "folds", folds, "fold", fold, "split", split);
}

/* Names have no long common beginning, and say "3 folds"; what was split otherwise is not compared. */
static void test_short_names(void **state)
{
    (void)state;
    struct bench b = {0};
    char count[64];
    add(&b, folded("/very/long/path/of/the/project/one.csv", 0, 0, "auto"), 0.7);
    add(&b, folded("/very/long/path/of/the/project/two.csv", 3, 0, "auto"), 0.6);
    add(&b, folded("/very/long/path/of/the/project/two.csv", 3, 1, "auto"), 0.5);
    add(&b, folded("/very/long/path/of/the/project/two.csv", 0, 0, "random"), 0.5);
    add(&b, folded("/very/long/path/of/the/project/a name in many letters: ä ä ä ä ä ä ä.csv", 0, 0, "auto"), 0.5);
    make(&b);
    const struct l2r_run_group *g = b.groups.items;
    assert_int_equal(b.groups.n, 4);
    assert_string_equal(g[0].name, "on one.csv · split auto");
    assert_string_equal(g[1].name, "on two.csv · 3 folds · split auto");
    assert_string_equal(g[2].name, "on two.csv · split random");
    assert_string_equal(g[3].name, "on a name in many letters: ä ä ä ä … · split auto");
    assert_true(g[1].n == 2 && g[2].baseline == L2R_NO_GROUP && !l2r_run_groups_compare(&g[1], &g[2]));
    assert_string_equal(l2r_run_group_count(count, &g[1]), "2 folds");
    assert_string_equal(l2r_run_group_count(count, &g[0]), "1 run");
    clear(&b);
}

/* A committee is called by its members. */
static void test_committees(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"1", "gin"},
                                           {"3", "3 × gin"},
                                           {"gin,mlp:layers=1:dropout=0.3,boost", "gin+mlp+boost"},
                                           {"gin,mlp:layers=1,mlp,boost", "gin+2 mlp+boost"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[64];
        json_t *run = json_pack("{s:s, s:s}", "model", "gin", "members", cases[i][0]);
        assert_string_equal(l2r_run_model(name, run), cases[i][1]);
        json_decref(run);
    }
}

/* A list of any length is cut, as a file may hold one. */
static void test_long_committees(void **state)
{
    (void)state;
    enum { FEW = 19, MANY = 100000 };
    char name[64], *list = calloc(4 * (FEW + MANY) + 1, 1);
    assert_non_null(list);
    for (int i = 0; i < FEW; i++) memcpy(list + 4 * i, i % 2 ? "gcn," : "gin,", 4);
    for (int i = FEW; i < FEW + MANY; i++) memcpy(list + 4 * i, "mlp,", 4);
    for (int cut = 0; cut < 8; cut++) { /* the count begins at each place near the end */
        json_t *run = json_pack("{s:s, s:s}", "model", "gin", "members", list + 4 * cut);
        assert_true(strlen(l2r_run_model(name, run)) < sizeof name);
        json_decref(run);
    }
    free(list);
}

static void test_ess_of_the_kept_epoch(void **state)
{
    (void)state;
    struct bench b = {0};
    add(&b, config("m", "l2r", 0, 0.1), 0.8);
    assert_true(isnan(l2r_run_ess(&b.runs[0])));
    json_array_append_new(b.runs[0].epochs, json_pack("{s:{s:f}}", "reweight", "ess", 0.25));
    json_array_append_new(b.runs[0].epochs, json_pack("{s:{s:f}}", "reweight", "ess", 0.5));
    assert_true(l2r_run_ess(&b.runs[0]) == 0.25);
    json_decref(b.runs[0].result);
    b.runs[0].result = NULL;
    assert_true(l2r_run_ess(&b.runs[0]) == 0.5);
    clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seeds_form_a_group), cmocka_unit_test(test_data_is_distinguished),
        cmocka_unit_test(test_paired_difference),  cmocka_unit_test(test_nearest_baseline),
        cmocka_unit_test(test_short_names),        cmocka_unit_test(test_committees),
        cmocka_unit_test(test_long_committees),    cmocka_unit_test(test_ess_of_the_kept_epoch)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
