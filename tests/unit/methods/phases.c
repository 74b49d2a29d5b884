/* SPDX-License-Identifier: MIT
 * Methods that train twice: JTT's weights, resumption with averages and early stopping, refusals. */
#include "../../../src/methods/jtt.c" /* NOLINT(bugprone-suspicious-include) */

#include "support/messages.h"
#include "support/training_runs.h"

static void test_averages_and_patience(void **state)
{
    (void)state;
    static const char *const twice[] = {"epochs", "8",           "jtt-epochs", "3", "swa",
                                        "true",   "lr-schedule", "plateau",    NULL};
    static const char *const patient[] = {"epochs",     "12", "jtt-epochs", "50%", "ema", "0.9",
                                          "early-stop", "3",  "batch-size", "6",   NULL};
    pieces_are_whole("gin", "jtt", twice, 3);
    pieces_are_whole("gcn", "jtt", patient, 2);
}

/* Six graphs of three classes, two of which the network gets wrong. */
static void test_weights(void **state)
{
    (void)state;
    static const float labels[] = {0, 1, 2, 0, 1, 2};
    static const float output[] = {3, 0, 0, 0, 3, 0, 0, 0, 3, 3, 0, 0, 0, 0, 3, 3, 0, 0};
    static const int32_t graphs[] = {0, 1, 2, 3, 4, 5};
    const struct l2r_dataset data = {
        .task = L2R_TASK_MULTICLASS, .n_tasks = 1, .n_classes = 3, .n_graphs = 6, .labels = labels};
    const struct l2r_training_set set = {.data = &data, .graphs = graphs, .n = 6};
    const struct l2r_network network = {.signature = {.task = L2R_TASK_MULTICLASS, .n_tasks = 1, .n_classes = 3}};
    l2r_real weight[6];
    struct jtt s = {.upweight = 4, .weight = weight, .n_graphs = 6};
    assert_int_equal(begin_phase(&s, 1, &set, &network, output, NULL), L2R_OK);
    assert_int_equal(s.counts[1], 2);
    for (int i = 0; i < 6; i++) assert_true(fabs((double)weight[i] - (i < 4 ? 0.5 : 2)) < 1e-6);
}

static void refused(const char *method, const char *const *set, const char *sentence)
{
    char dir[256];
    struct l2r_config *config = config_for("gin", method, set);
    struct l2r_result result;
    struct l2r_error error = {0};
    folder(dir, "refused");
    assert_int_equal(train_into(&result, config, dir, false, NULL, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, sentence);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static void test_refusals(void **state)
{
    (void)state;
    refused("jtt", (const char *const[]){"jtt-epochs", "100%", NULL},
            "`jtt-epochs`: 100% of 6 epochs leave none for the second network");
    refused("jtt", (const char *const[]){"jtt-epochs", "some", NULL},
            "`jtt-epochs`: \"some\" is neither a number of epochs nor a share of them such as 20%");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_averages_and_patience), cmocka_unit_test(test_weights),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
