/* SPDX-License-Identifier: MIT
 * Scores by group on outputs written by hand: classes with and without environments, missing labels, regression, and
 * more groups than are listed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/builder.h"
#include "model/group_scores.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct l2r_error error;

/* n graphs of one node; graph g has labels[g] and environment places[g]. */
static struct l2r_dataset *make(enum l2r_task task, const float *labels, const int32_t *places, int32_t n_places, int n)
{
    const struct l2r_schema schema = {
        .name = "by hand", .task = task, .n_tasks = 1, .degree_as_feature = true, .n_environments = n_places};
    struct l2r_builder *builder;
    struct l2r_dataset *data;
    assert_int_equal(l2r_builder_new(&builder, &schema, &error), L2R_OK);
    for (int g = 0; g < n; g++) {
        const struct l2r_graph_view graph = {
            .n_nodes = 1, .labels = &labels[g], .part = L2R_PART_NONE, .environment = n_places ? places[g] : 0};
        assert_int_equal(l2r_builder_add(builder, &graph, &error), L2R_OK);
    }
    assert_int_equal(l2r_builder_finish(&data, builder, &error), L2R_OK);
    l2r_builder_free(builder);
    return data;
}

static json_t *score(const struct l2r_dataset *data, const float *output, int n)
{
    int32_t graphs[512];
    float rows[512], values[512];
    struct l2r_environments environments = {.rule = "none"};
    json_t *groups = NULL;
    /* From the last to the first: rows belong to the graphs of the list, not to those of the data set. */
    for (int i = 0; i < n; i++) graphs[i] = n - 1 - i;
    for (int i = 0; i < n; i++) rows[i] = data->labels[graphs[i]], values[i] = output[graphs[i]];
    if (data->environment) assert_int_equal(l2r_environments_given(&environments, data, &error), L2R_OK);
    const struct l2r_scored scored = {
        .scores = {.task = data->task, .n_graphs = n, .n_tasks = 1, .output = values, .labels = rows}};
    if (l2r_group_scores(&groups, &scored, data, graphs, n, &environments, &error) != L2R_OK)
        fail_msg("%s", error.message);
    l2r_environments_clear(&environments);
    return groups;
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void classes_and_environments(void **state)
{
    (void)state;
    static const float labels[8] = {0, 0, 0, 1, 1, 1, NAN, 0};
    static const int32_t places[8] = {0, 0, 2, 0, 2, 2, 0, 0};
    static const float output[8] = {-1, 1, -1, 1, 1, -1, 1, -1}; /* wrong: graphs 1 and 5 */
    struct l2r_dataset *data = make(L2R_TASK_BINARY, labels, places, 3, 8);
    json_t *groups = score(data, output, 8), *list = json_object_get(groups, "groups");
    static const struct {
        int class;
        const char *place;
        int n;
        double accuracy;
    } expected[4] = {{0, "0", 3, 2.0 / 3}, {0, "2", 1, 1}, {1, "0", 1, 1}, {1, "2", 2, 0.5}};
    assert_int_equal(json_array_size(list), 4); /* nothing is in environment 1 */
    for (size_t k = 0; k < 4; k++) {
        const json_t *group = json_array_get(list, k);
        assert_int_equal(number(group, "class"), expected[k].class);
        assert_string_equal(json_string_value(json_object_get(group, "environment")), expected[k].place);
        assert_int_equal(number(group, "n"), expected[k].n);
        assert_true(fabs(number(group, "accuracy") - expected[k].accuracy) < 1e-12);
    }
    assert_true(number(groups, "worst") == 0.5);
    assert_true(fabs(number(groups, "mean") - (2.0 / 3 + 1 + 1 + 0.5) / 4) < 1e-12);
    assert_true(json_equal(json_object_get(groups, "worst_group"), json_array_get(list, 3)));
    json_decref(groups);
    l2r_dataset_free(data);
}

/* The largest error is the worst. Without environments there is one group. */
static void values_by_environment(void **state)
{
    (void)state;
    static const float labels[5] = {1, 2, 3, 4, 5}, output[5] = {1, 2, 4, 1, 8};
    static const int32_t places[5] = {0, 0, 0, 1, 1};
    struct l2r_dataset *data = make(L2R_TASK_REGRESSION, labels, places, 2, 5);
    json_t *groups = score(data, output, 5);
    assert_string_equal(json_string_value(json_object_get(groups, "score")), "rmse");
    assert_true(fabs(number(groups, "worst") - 3) < 1e-12);
    assert_true(fabs(number(groups, "mean") - (3 + sqrt(1.0 / 3)) / 2) < 1e-12);
    assert_null(json_object_get(json_object_get(groups, "worst_group"), "class"));
    json_decref(groups);
    l2r_dataset_free(data);
    data = make(L2R_TASK_REGRESSION, labels, NULL, 0, 5);
    groups = score(data, output, 5);
    assert_int_equal(number(groups, "n"), 1);
    json_decref(groups);
    l2r_dataset_free(data);
}

static void many_groups_are_not_listed(void **state)
{
    (void)state;
    float labels[400], output[400];
    int32_t places[400];
    for (int g = 0; g < 400; g++) labels[g] = 1, output[g] = g < 399 ? 1.0f : -1.0f, places[g] = g;
    struct l2r_dataset *data = make(L2R_TASK_BINARY, labels, places, 400, 400);
    json_t *groups = score(data, output, 400);
    assert_null(json_object_get(groups, "groups"));
    assert_int_equal(number(groups, "n"), 400);
    assert_true(number(groups, "worst") == 0);
    assert_true(fabs(number(groups, "mean") - 399.0 / 400) < 1e-12);
    json_decref(groups);
    for (int g = 0; g < 400; g++) labels[g] = NAN;
    l2r_dataset_free(data);
    data = make(L2R_TASK_BINARY, labels, places, 400, 400);
    assert_null(score(data, output, 400)); /* no label, no score */
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_and_environments),
        cmocka_unit_test(values_by_environment),
        cmocka_unit_test(many_groups_are_not_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
