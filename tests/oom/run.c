/* SPDX-License-Identifier: MIT
 * Out of memory at every single allocation of a run, of loading its model and of scoring with it: each time an error
 * that says so, nothing lost, nothing leaked (the address sanitizer build watches), and success once memory is there
 * again. */
#include "store/run.h"
#include "base/memory.h"
#include "base/threads.h"
#include "model/predictor.h"
#include "support/folder.h"
#include "support/train_into.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char dir[128];
static const char *virtual_node = "true"; /* "false": equal neighbourhoods are shared */

static enum l2r_status train(struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *config = NULL;
    struct l2r_result result = {0};
    static const char *const set[] = {
        "data", "motif:train=12,valid=6,test=6", "hidden", "4", "layers", "2", "epochs", "1", "batch-size", "8", NULL};
    L2R_TRY(l2r_config_new(&config, error));
    L2R_TRY(l2r_run_declare(config, "gin", "erm", error));
    for (size_t i = 0; set[i]; i += 2) L2R_TRY(l2r_config_set(config, set[i], set[i + 1], error));
    L2R_TRY(l2r_config_set(config, "virtual-node", virtual_node, error));
    L2R_TRY(train_into(&result, config, dir, false, NULL, error));
done:
    l2r_result_clear(&result);
    l2r_config_free(config);
    return status;
}

static enum l2r_status predict(struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *model = NULL;
    struct l2r_dataset *data = NULL;
    struct l2r_evaluation *report = NULL;
    int32_t graphs[] = {0, 5, 3};
    float output[6];
    L2R_TRY(l2r_predictor_open(&model, dir, error));
    L2R_TRY(l2r_dataset_load(&data, "motif:train=12,valid=6,test=6", false, error));
    L2R_TRY(l2r_predictor_represent(output, NULL, model, data, graphs, 3, error));
    L2R_TRY(l2r_predictor_evaluate(&report, model, data, NULL, 24, NULL, error));
done:
    l2r_evaluation_free(report);
    l2r_dataset_free(data);
    l2r_predictor_free(model);
    return status;
}

/* Fails allocation 0, 1, 2, … until the work succeeds; returns how many failures that took. */
static long brutal(enum l2r_status (*work)(struct l2r_error *error), bool for_good, bool fresh_folder)
{
    for (long k = 0;; k++) {
        struct l2r_error error = {0};
        if (fresh_folder) l2r_remove_tree(dir);
        l2r_memory_fail_at(k, for_good);
        enum l2r_status status = work(&error);
        l2r_memory_fail_at(-1, false);
        if (status == L2R_OK) return k;
        if (status != L2R_ERR_MEMORY) fail_msg("allocation %ld: status %d: %s", k, (int)status, error.message);
        assert_true(strlen(error.message) > 10);
        assert_true(k < 100000);
    }
}

static void test_sharing(void **state)
{
    (void)state;
    struct l2r_error error;
    virtual_node = "false";
    assert_true(brutal(train, false, true) > 20);
    l2r_remove_tree(dir);
    assert_int_equal(train(&error), L2R_OK);
    assert_true(brutal(predict, false, false) > 20);
    virtual_node = "true";
}

static void test_train(void **state)
{
    (void)state;
    assert_true(brutal(train, true, true) > 20);
    assert_true(brutal(train, false, true) > 20);
}

static void test_predict(void **state)
{
    (void)state;
    struct l2r_error error;
    l2r_remove_tree(dir);
    assert_int_equal(train(&error), L2R_OK);
    assert_true(brutal(predict, true, false) > 20);
    assert_true(brutal(predict, false, false) > 20);
}

static int set_up(void **state)
{
    l2r_threads_set(1);
    if (make_folder(state) != 0) return 1;
    snprintf(dir, sizeof dir, "%s", inside("run"));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_train), cmocka_unit_test(test_predict),
                                       cmocka_unit_test(test_sharing)};
    return cmocka_run_group_tests(tests, set_up, remove_folder);
}
