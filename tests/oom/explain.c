/* SPDX-License-Identifier: MIT
 * Out of memory at every single allocation of an explanation: an error that says so, nothing lost, nothing leaked, and
 * success once memory is there again. GCN with bond features, TopKPool and FactorGCN go through every operation that
 * masks have. */
#include "explain/explainer.h"

#include "base/memory.h"
#include "base/threads.h"
#include "support/model_trial.h"

/* A network as a model of one member. */
#define ALONE(network) ((struct l2r_committee){.members = (const struct l2r_network *const[]){network}, .n = 1})

static struct l2r_dataset *data;
static struct trial trial;

static enum l2r_status explain(struct l2r_error *error)
{
    static const struct l2r_explain_settings settings = {
        .steps = 2, .restarts = 2, .learning_rate = 0.1, .edge_size = 0.005, .edge_entropy = 1, .task = -1, .motif = 1};
    struct l2r_explanation found[2];
    const int32_t graphs[] = {3, 0};
    enum l2r_status status = l2r_explain_committee(found, &ALONE(&trial.network), data, graphs, 2, &settings, error);
    if (status != L2R_OK) assert_null(found[0].edge);
    l2r_explanations_clear(found, 2);
    return status;
}

static void brutal(bool for_good)
{
    for (long k = 0;; k++) {
        struct l2r_error error = {0};
        l2r_memory_fail_at(k, for_good);
        enum l2r_status status = explain(&error);
        bool failed = l2r_memory_fail_at(-1, false) > k;
        if (status == L2R_OK && !failed) {
            assert_true(k > 20);
            return;
        }
        if (status == L2R_OK && !for_good) continue; /* a gradient's memory that is not used again is no failure */
        if (status != L2R_ERR_MEMORY)
            fail_msg("%s: allocation %ld: status %d: %s", where, k, (int)status, error.message);
        assert_true(k < 100000);
    }
}

static void test_explain(void **state)
{
    (void)state;
    static const char *const models[] = {"gcn", "topkpool", "factorgcn", "sgc"};
    struct test_graph graphs[ODD_GRAPHS];
    l2r_threads_set(1);
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (int kind = 0; kind < GRAPH_KINDS; kind++) {
            struct l2r_rng rng = l2r_rng_at(4, L2R_RANDOM_TEST, (uint64_t)kind);
            snprintf(where, sizeof where, "%s, %s data", models[m], graph_schemas[kind].name);
            draw_odd_graphs(graphs, (enum graph_kind)kind, &rng);
            data = data_set_of(graphs, ODD_GRAPHS, (enum graph_kind)kind);
            trial = trial_open(l2r_model_find(models[m]), &variants[0], data, "5", "0");
            brutal(true);
            brutal(false);
            trial_close(&trial);
            l2r_dataset_free(data);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_explain)};
    return cmocka_run_group_tests_name("explanations without memory", tests, NULL, NULL);
}
