/* SPDX-License-Identifier: MIT
 * Intervals of a regression: around one model, of one width, and around an ensemble, of one width or following the
 * spread. Both cover the share of the validation graphs that they promise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/folder.h"
#include <l2r/l2r.h>

#include "support/calls.h" /* after the others, whose functions have errors of their own */

#include <math.h>

enum { GRAPHS = 60, VALID = 20 };

/* Paths of 2 to 7 nodes, whose target is about their length. */
static void write_paths(void)
{
    assert_int_equal(l2r_make_dirs(inside("P"), &error), L2R_OK);
    FILE *edges = fopen(inside("P/P_A.txt"), "w"), *nodes = fopen(inside("P/P_graph_indicator.txt"), "w");
    FILE *targets = fopen(inside("P/P_graph_attributes.txt"), "w");
    assert_true(edges && nodes && targets);
    for (int g = 0, node = 1; g < GRAPHS; g++) {
        for (int k = 0; k < 2 + g % 6; k++, node++) {
            fprintf(nodes, "%d\n", g + 1);
            if (k > 0) fprintf(edges, "%d, %d\n%d, %d\n", node - 1, node, node, node - 1);
        }
        fprintf(targets, "%.3f\n", g % 6 + sin(7.0 * g));
    }
    assert_int_equal(fclose(edges) | fclose(nodes) | fclose(targets), 0);
}

static void train(const char *out, const char *seed)
{
    struct l2r_config *config;
    struct l2r_result *result;
    struct l2r_run run = L2R_RUN_INIT;
    OK(l2r_config_for_run(&config, "gin", "erm", &error));
    OK(l2r_config_set_json(config,
                           "{\"hidden\": 8, \"layers\": 2, \"epochs\": 4, \"split\": \"random\", \"valid-fraction\": "
                           "0.3333333, \"split-seed\": 1, \"cache\": false}",
                           &error));
    OK(l2r_config_set(config, "data", inside("P"), &error));
    OK(l2r_config_set(config, "seed", seed, &error));
    run.config = config;
    run.out = out;
    OK(l2r_train(&result, NULL, &run, &error));
    l2r_result_free(result);
    l2r_config_free(config);
}

/* How many of n labels lie between low and high. */
static int count_inside(const float *low, const float *high, const float *labels, const int64_t *graphs, int64_t n)
{
    int count = 0;
    for (int64_t i = 0; i < n; i++) count += low[i] <= labels[graphs[i]] && labels[graphs[i]] <= high[i];
    return count;
}

static const int64_t *validation(struct l2r_split **split, const struct l2r_predictor *p,
                                 const struct l2r_dataset *data)
{
    int64_t n;
    OK(l2r_predictor_split(split, p, data, &error));
    const int64_t *graphs = l2r_split_graphs(&n, *split, L2R_PART_VALID);
    assert_int_equal(n, VALID);
    return graphs;
}

static void around_one_model(void **state)
{
    (void)state;
    struct l2r_dataset *data;
    struct l2r_predictor *p;
    struct l2r_split *split;
    float output[VALID], low[VALID], high[VALID];
    write_paths();
    train(inside("a"), "0");
    train(inside("b"), "1");
    OK(l2r_dataset_open(&data, inside("P"), NULL, &error));
    OK(l2r_predictor_open(&p, inside("a"), &error));
    const int64_t *graphs = validation(&split, p, data);
    OK(l2r_predictor_predict(output, p, data, graphs, VALID, &error));
    OK(l2r_predictor_intervals(low, high, output, p, VALID, 0.8, &error));
    for (int i = 0; i < VALID; i++) /* one width, the answer in the middle */
        assert_true(fabsf(high[i] - low[i] - (high[0] - low[0])) < 1e-4f &&
                    fabsf((low[i] + high[i]) / 2 - output[i]) < 1e-4f);
    assert_int_equal(count_inside(low, high, l2r_dataset_labels(data), graphs, VALID), 17); /* ⌈21 · 0.8⌉ */
    float usual = high[0] - low[0];
    OK(l2r_predictor_intervals(low, high, output, p, VALID, 0, &error)); /* 0.9, as in training */
    assert_int_equal(count_inside(low, high, l2r_dataset_labels(data), graphs, VALID), 19);
    assert_true(high[0] - low[0] >= usual);
    OK(l2r_predictor_intervals(low, high, output, p, 1, 0.99, &error)); /* more than 20 graphs can promise */
    assert_true(isinf(low[0]) && isinf(high[0]));
    refused(l2r_predictor_intervals(low, high, output, p, 1, 1, &error), "coverage = 1");
    OK(l2r_predictor_intervals(low, high, output, p, 0, 0.9, &error));
    l2r_split_free(split);
    l2r_predictor_free(p);
    l2r_dataset_free(data);
}

static void around_an_ensemble(void **state)
{
    (void)state;
    struct l2r_dataset *data;
    struct l2r_ensemble *e, *one;
    struct l2r_split *split;
    struct l2r_answers answers = L2R_ANSWERS_INIT;
    float output[VALID], spread[VALID], low[VALID], high[VALID], *const wanted[] = {low, high};
    const char *paths[] = {inside("a"), inside("b")};
    OK(l2r_dataset_open(&data, inside("P"), NULL, &error));
    OK(l2r_ensemble_open(&e, paths, 2, &error));
    OK(l2r_ensemble_open(&one, paths, 1, &error));
    const int64_t *graphs = validation(&split, l2r_ensemble_model(e, 0), data);
    answers.output = output;
    answers.low = wanted[0];
    answers.high = wanted[1];
    answers.by_spread = true;
    refused(l2r_ensemble_predict(&answers, e, data, graphs, VALID, &error), "answers.by_spread needs answers.spread");
    answers.spread = spread;
    OK(l2r_ensemble_predict(&answers, e, data, graphs, VALID, &error));
    assert_int_equal(count_inside(low, high, l2r_dataset_labels(data), graphs, VALID), 19);
    for (int i = 1; i < VALID; i++)
        assert_true((high[i] - low[i] > high[0] - low[0]) == (spread[i] > spread[0]) ||
                    fabsf(spread[i] - spread[0]) < 1e-5f);
    float before = high[0] - low[0];
    answers.coverage = 0.5; /* another coverage is scaled anew */
    OK(l2r_ensemble_predict(&answers, e, data, graphs, VALID, &error));
    assert_true(high[0] - low[0] < before);
    answers.coverage = 1;
    refused(l2r_ensemble_predict(&answers, e, data, graphs, VALID, &error), "coverage = 1");
    answers.coverage = 0;
    refused(l2r_ensemble_predict(&answers, one, data, graphs, VALID, &error), "one model has no spread");
    answers.by_spread = false;
    OK(l2r_ensemble_predict(&answers, e, data, graphs, VALID, &error));
    assert_true(fabsf(high[1] - low[1] - (high[0] - low[0])) < 1e-4f);
    answers.size = offsetof(struct l2r_answers, by_spread); /* a program of version 1.0 */
    OK(l2r_ensemble_predict(&answers, e, data, graphs, VALID, &error));
    l2r_split_free(split);
    l2r_ensemble_free(e);
    l2r_ensemble_free(one);
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(around_one_model), cmocka_unit_test(around_an_ensemble)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
