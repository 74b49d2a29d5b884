/* SPDX-License-Identifier: MIT
 * Weights from known groups: under them label and environment are independent in the training graphs, to rounding; what
 * they need is said where it is missing; a run with them reports their effective sample size. */
#include "reweight/groups.h"
#include "base/json.h"
#include "data/splits/split.h"
#include "support/messages.h"
#include "support/training_runs.h"

#include <math.h>

static const char *const graphs = "spmotif:bias=0.9,train=300,valid=30,test=30";

static void test_independence(void **state)
{
    (void)state;
    struct l2r_config *config = config_for("gin", "l2r", NULL);
    struct l2r_dataset *data;
    struct l2r_environments e;
    struct l2r_error error;
    l2r_real w[360], root_w[360];
    int32_t train[300];
    double both[3][3] = {{0}}, of_y[3] = {0}, of_e[3] = {0}, n = 0, largest = 0;
    assert_int_equal(l2r_dataset_load(&data, graphs, false, &error), L2R_OK);
    for (int32_t i = 0; i < 300; i++) train[i] = i;
    const struct l2r_split split = {.graphs = train, .start = {0, 300, 300, 300, 300, 300}};
    assert_int_equal(l2r_environments_make(&e, config, data, &split, &error), L2R_OK);
    assert_int_equal(l2r_group_weights(w, &e, data, train, 300, 1, &error), L2R_OK);
    for (int i = 0; i < 300; i++) {
        int y = (int)data->labels[i], base = l2r_environment_of(&e, i);
        both[y][base] += (double)w[i], of_y[y] += (double)w[i], of_e[base] += (double)w[i], n += (double)w[i];
        largest = fmax(largest, (double)w[i]);
    }
    assert_true(largest > 2 && fabs(n - 300) < 1e-3);
    for (int y = 0; y < 3; y++)
        for (int base = 0; base < 3; base++) assert_true(fabs(both[y][base] - of_y[y] * of_e[base] / n) < 1e-3);
    for (int i = 300; i < 360; i++) assert_true(w[i] == 1);
    assert_int_equal(l2r_group_weights(root_w, &e, data, train, 300, 0.5, &error), L2R_OK);
    n = 0;
    for (int i = 0; i < 300; i++) {
        double ratio = (double)(root_w[i] / root_w[0]);
        assert_true(fabs(ratio * ratio - (double)(w[i] / w[0])) < 1e-4 * ratio * ratio);
        n += (double)root_w[i];
    }
    assert_true(fabs(n - 300) < 1e-3);
    l2r_environments_clear(&e);
    l2r_dataset_free(data);
    l2r_config_free(config);
}

static double ess_of(const char *control)
{
    struct l2r_config *config = config_for(
        "gin", "l2r", (const char *const[]){"data", graphs, "epochs", "2", "weights-control", control, NULL});
    struct l2r_result result = train(config, control, false, NULL);
    struct l2r_error error;
    char path[256], line[4096];
    double ess = 0;
    snprintf(path, sizeof path, "%s/%s/metrics.jsonl", root, control);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        json_t *object;
        assert_int_equal(l2r_json_parse(&object, line, strlen(line), path, &error), L2R_OK);
        ess = json_number_value(json_object_get(json_object_get(object, "reweight"), "ess"));
        json_decref(object);
    }
    fclose(file);
    l2r_result_clear(&result);
    l2r_config_free(config);
    return ess;
}

static void test_run(void **state)
{
    (void)state;
    double full = ess_of("groups"), root_of = ess_of("root-groups");
    if (!(full > 0.05 && full < 0.6 && root_of > full && root_of < 0.95)) fail_msg("%g and %g", full, root_of);
}

static void refused(const char *data, const char *sentence)
{
    struct l2r_config *config =
        config_for("gin", "l2r", (const char *const[]){"data", data, "weights-control", "groups", NULL});
    struct l2r_result result;
    struct l2r_error error;
    char dir[256];
    folder(dir, "refused");
    assert_int_equal(train_into(&result, config, dir, false, NULL, &error), L2R_ERR_ARGUMENT);
    if (!message_matches(error.message, sentence)) fail_msg("%s", error.message);
    l2r_config_free(config);
}

static void test_refused(void **state)
{
    (void)state;
    refused("molecules:graphs=40", "`weights-control=groups` needs");
    refused("proteins:graphs=40", "`weights-control=groups` needs environments of the graphs, which data set "
                                  "\"proteins\" does not have; `environments=scaffold` or size makes some");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_independence), cmocka_unit_test(test_run),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
