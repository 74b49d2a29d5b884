/* SPDX-License-Identifier: MIT
 * examples/adding/size_balance.c in the registry: its weights are those of its formula, strength 0 is ERM bit for bit,
 * and a stopped run continues with what it had counted. */
#include "../../../examples/adding/size_balance.c"

#include "fit/trainer.h"
#include "store/run.h"
#include "support/folder.h"
#include "support/train_into.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct l2r_method l2r_method_erm;
/* What the build would write if the example lay in src/methods; it takes the place of the one in the library. */
const struct l2r_method *const l2r_methods[] = {&l2r_method_erm, &l2r_method_size_balance, NULL};

/* Graphs of 8 to 20 nodes, more below 16 than above: octaves 3 and 4. */
static struct l2r_config *config_with(const char *method, const char *strength)
{
    static const char *const base[] = {
        "data", "motif:size=7,vary=3,train=64,valid=16,test=16", "hidden", "8", "layers", "2", "epochs", "3", NULL};
    struct l2r_config *config;
    struct l2r_error error;
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_run_declare(config, "gin", method, &error), L2R_OK);
    for (size_t i = 0; base[i]; i += 2) assert_int_equal(l2r_config_set(config, base[i], base[i + 1], &error), L2R_OK);
    if (strength) assert_int_equal(l2r_config_set(config, "strength", strength, &error), L2R_OK);
    return config;
}

static void train(const char *name, const char *method, const char *strength, bool resume,
                  const struct l2r_callbacks *watch, enum l2r_status expected, double *loss)
{
    struct l2r_config *config = config_with(method, strength);
    struct l2r_result result;
    struct l2r_error error = {0};
    enum l2r_status status = train_into(&result, config, inside(name), resume, watch, &error);
    if (status != expected) fail_msg("%s", error.message);
    if (status == L2R_OK) *loss = json_number_value(json_object_get(json_object_get(result.more, "test"), "loss"));
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static double last_ess(const char *name)
{
    char path[256], line[1024] = "", next[1024];
    snprintf(path, sizeof path, "%s/%s/metrics.jsonl", folder, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(next, sizeof next, file)) memcpy(line, next, sizeof line);
    fclose(file);
    json_t *object = json_loads(line, 0, NULL);
    double ess = json_number_value(json_object_get(object, "ess"));
    json_decref(object);
    return ess;
}

static void test_strength_0_is_erm(void **state)
{
    (void)state;
    double erm, zero, one;
    train("erm", "erm", NULL, false, NULL, L2R_OK, &erm);
    train("zero", "size_balance", "0", false, NULL, L2R_OK, &zero);
    train("one", "size_balance", "1", false, NULL, L2R_OK, &one);
    assert_true(zero == erm);
    assert_true(one != erm);
    assert_true(last_ess("zero") > 0.999999);
    assert_true(last_ess("one") < 0.999 && last_ess("one") > 0.3);
}

static bool stop_after(void *context)
{
    return --*(int *)context < 0;
}

static void test_resumes(void **state)
{
    (void)state;
    int batches = 3; /* two batches an epoch: stops in the middle of the second */
    double whole, pieces;
    struct l2r_callbacks watch = {.context = &batches, .stop = stop_after};
    train("whole", "size_balance", "2", false, NULL, L2R_OK, &whole);
    train("pieces", "size_balance", "2", false, &watch, L2R_ERR_INTERRUPTED, &pieces);
    train("pieces", "size_balance", "2", true, NULL, L2R_OK, &pieces);
    assert_true(whole == pieces);
    assert_true(last_ess("whole") == last_ess("pieces"));
}

/* Octaves with 1 and 3 training graphs: weights 4/(2·1) and 4/(2·3). */
static void test_formula(void **state)
{
    (void)state;
    struct l2r_config *config = config_with("size_balance", "1");
    struct l2r_dataset data = {.n_graphs = 4, .node_start = (const int64_t[]){0, 4, 21, 37, 60}};
    struct size_balance s = {0};
    const struct l2r_training_set set = {.data = &data, .graphs = (const int32_t[]){0, 1, 2, 3}, .n = 4};
    assert_int_equal(init(&s, config, NULL, &set, NULL), L2R_OK);
    assert_true(fabs((double)s.weight_of[2] - 2) < 1e-6);
    assert_true(fabs((double)s.weight_of[4] - 4.0 / 6) < 1e-6);
    assert_true(s.weight_of[3] == 0);
    l2r_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formula), cmocka_unit_test(test_strength_0_is_erm),
                                       cmocka_unit_test(test_resumes)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
