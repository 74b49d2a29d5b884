/* SPDX-License-Identifier: MIT
 * Methods that train twice: what the second phase begins with and leaves alone, whose graphs it takes, weights of the
 * published form, resumption with averages and early stopping, refusals. */
#include "../../../src/methods/afr.c" /* NOLINT(bugprone-suspicious-include) */

#include "support/training_runs.h"

static void run_named(const char *name, const char *method, const char *const *set)
{
    struct l2r_config *config = config_for("gin", method, set);
    struct l2r_result result = train(config, name, false, NULL);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

/* Backbones equal bit for bit, heads not. */
static void same_backbone(const char *a, const char *b)
{
    struct tensor_differences found = compare_tensors(a, b, "best.safetensors");
    if (found.of_backbone > 0) fail_msg("%s differs between %s and %s", found.first, a, b);
    assert_true(found.of_head > 0);
}

/* Weight decay would move a backbone that is not really left alone; running statistics would follow a training pass. */
static void test_refit_leaves_the_backbone(void **state)
{
    (void)state;
    run_named("short", "erm", (const char *const[]){"epochs", "3", "optimiser", "adamw", "weight-decay", "0.1", NULL});
    static const char *const set[] = {"epochs",       "6",   "refit-epochs", "3",        "optimiser", "adamw",
                                      "weight-decay", "0.1", "lr-schedule",  "constant", NULL};
    run_named("dfr", "dfr", set);
    same_backbone("short", "dfr");
    run_named("afr", "afr",
              (const char *const[]){"epochs", "6", "refit-epochs", "3", "optimiser", "adamw", "weight-decay", "0.1",
                                    "afr-holdout", "0", NULL});
    same_backbone("short", "afr");
}

static void test_averages_and_patience(void **state)
{
    (void)state;
    static const char *const ema[] = {"epochs",     "12", "refit-epochs", "50%", "ema", "0.9",
                                      "early-stop", "3",  "batch-size",   "6",   NULL};
    static const char *const twice[] = {"epochs", "8",           "jtt-epochs", "3", "swa",
                                        "true",   "lr-schedule", "plateau",    NULL};
    pieces_are_whole("gin", "afr", ema, 1);
    pieces_are_whole("gcn", "dfr", ema, 2);
    pieces_are_whole("gin", "jtt", twice, 3);
}

/* Two classes of 2 and 3 graphs, one of them without a label: w ∝ exp(−γ p) / n_y, mean 1. */
static void test_weights(void **state)
{
    (void)state;
    static const float labels[] = {0, 1, 1, 0, 1, NAN};
    static const float output[] = {0, 0, 1, -1, -2, 2, 3, 0, 0.5F, 0.5F, 1, 2};
    static const int32_t graphs[] = {0, 1, 2, 3, 4, 5};
    const struct l2r_dataset data = {
        .task = L2R_TASK_MULTICLASS, .n_tasks = 1, .n_classes = 2, .n_graphs = 6, .labels = labels};
    const struct l2r_training_set set = {.data = &data, .graphs = graphs, .n = 6};
    l2r_real weight[6] = {0}, value[1] = {0};
    const struct l2r_network network = {.signature = {.task = L2R_TASK_MULTICLASS, .n_tasks = 1, .n_classes = 2},
                                        .params = {.value = value}};
    struct afr s = {.gamma = 3, .weight = weight, .n_graphs = 6};
    double wanted[6] = {0}, sum = 0;
    assert_int_equal(begin_phase(&s, 1, &set, &network, output, NULL), L2R_OK);
    for (int i = 0; i < 5; i++) {
        double mine = (double)output[2 * i + (int)labels[i]], other = (double)output[2 * i + 1 - (int)labels[i]];
        wanted[i] = exp(-3 / (1 + exp(other - mine))) / (labels[i] == 0 ? 2 : 3);
        sum += wanted[i];
    }
    for (int i = 0; i < 6; i++) assert_true(fabs((double)weight[i] - wanted[i] * 6 / sum) < 1e-5);
}

static void refused(const char *method, const char *const *set, const char *sentence)
{
    char dir[256];
    struct l2r_config *config = config_for("gin", method, set);
    struct l2r_result result;
    struct l2r_error error = {0};
    folder(dir, "refused");
    assert_int_equal(train_into(&result, config, dir, false, NULL, &error), L2R_ERR_ARGUMENT);
    assert_string_equal(error.message, sentence);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static void test_refusals(void **state)
{
    (void)state;
    refused("dfr", (const char *const[]){"refit-epochs", "6", NULL},
            "`refit-epochs`: 6 of 6 epochs leave none to train the network in");
    refused("jtt", (const char *const[]){"jtt-epochs", "100%", NULL},
            "`jtt-epochs`: 100% of 6 epochs leave none for the second network");
    refused("afr", (const char *const[]){"refit-epochs", "some", NULL},
            "`refit-epochs`: \"some\" is neither a number of epochs nor a share of them such as 20%");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refit_leaves_the_backbone),
                                       cmocka_unit_test(test_averages_and_patience), cmocka_unit_test(test_weights),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
