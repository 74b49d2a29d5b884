/* SPDX-License-Identifier: MIT
 * Methods that fit the head again on graphs held out: which graphs train and which do not, the published weights of
 * AFR, DFR and EVaLS, and that the backbone is that of plain training.
 */
#include "support/training_runs.h"

#include "methods/heads/head_fit.h"
#include "support/messages.h"

#include <math.h>
#include <string.h>

static const float labels[] = {0, 1, 1, 0, 1, 0, 0, 1};
static const float output[] = {2, 0, 0, 1, 1, 0, -1, 0, 0, 3, 4, 0, 0, 0.5F, 1, 2};
static const int32_t graphs[] = {0, 1, 2, 3, 4, 5, 6, 7};
enum { N = 8 };

static double probability(int i)
{
    return 1 / (1 + exp((double)output[2 * i + 1 - (int)labels[i]] - (double)output[2 * i + (int)labels[i]]));
}

/* The candidates of a method for eight graphs, all of which the head takes, in two environments. */
static struct l2r_head_weights weights_of(struct l2r_arena *arena, const char *name, const char *const *set_options)
{
    static int32_t environment[] = {0, 0, 0, 0, 0, 0, 1, 1};
    static l2r_real zero[6] = {0};
    static struct l2r_param weight = {.rows = 2, .cols = 3, .value = zero};
    static struct l2r_copy copy = {.head.output = {&weight, NULL}};
    const struct l2r_network network = {
        .copies = &copy, .n_copies = 1, .signature = {.task = L2R_TASK_MULTICLASS, .n_tasks = 1, .n_classes = 2}};
    const struct l2r_dataset data = {
        .task = L2R_TASK_MULTICLASS, .n_tasks = 1, .n_classes = 2, .n_graphs = N, .labels = labels};
    const struct l2r_environments environments = {.n = 2, .of_graph = environment};
    const struct l2r_training_set set = {&data, graphs, N, &environments};
    const struct l2r_method *method = l2r_method_find(name);
    struct l2r_head_weights out;
    struct l2r_error error;
    struct l2r_config *config = config_for("gin", name, set_options);
    void *state = calloc(1, method->size);
    assert_int_equal(method->init(state, config, &network, &set, &error), L2R_OK);
    assert_int_equal(method->head_weights(state, &out, arena, NULL, &network, &set, NULL, output, &error), L2R_OK);
    method->clear(state);
    free(state);
    l2r_config_free(config);
    return out;
}

static void expect(const struct l2r_head_weights *found, int k, const double *wanted)
{
    double sum = 0;
    assert_true(k < found->n);
    for (int i = 0; i < N; i++) sum += wanted[i];
    for (int i = 0; i < N; i++)
        if (!(fabs(found->item[k].w[i] - wanted[i] * N / sum) < 1e-6))
            fail_msg("weight %d of candidate %d is %g, expected %g", i, k, found->item[k].w[i], wanted[i] * N / sum);
}

static void test_weights(void **state)
{
    (void)state;
    static const char *const all[] = {"head-holdout", "0", "afr-gamma", "3", NULL}, *const none[] = {all[0], "0", NULL};
    static const char *const one[] = {"head-holdout", "0", "evals-share", "0.25", NULL};
    struct l2r_arena arena;
    double wanted[N];
    l2r_arena_init(&arena);
    struct l2r_head_weights found = weights_of(&arena, "afr", all);
    for (int i = 0; i < N; i++) wanted[i] = exp(-3 * probability(i)) / 4;
    assert_int_equal(found.n, 1);
    expect(&found, 0, wanted);
    found = weights_of(&arena, "dfr", none);
    expect(&found, 0, (const double[]){1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1.0 / 3, 1, 1});
    /* Probabilities of the label, class 0: 0.88 (0), 0.27 (3), 0.98 (5), 0.38 (6); class 1: 0.73, 0.27, 0.95, 0.73. */
    found = weights_of(&arena, "evals", one);
    assert_int_equal(found.n, 1);
    expect(&found, 0, (const double[]){0, 0, 1, 1, 1, 1, 0, 0});
    found = weights_of(&arena, "evals", none);
    assert_true(found.n == 5 && found.always);
    expect(&found, 0, (const double[]){1, 1, 1, 1, 1, 1, 1, 1});
    assert_true(fabs(found.item[0].ess - 1) < 1e-9 && fabs(found.item[4].ess - 0.5) < 1e-9);
    l2r_arena_clear(&arena);
}

/* Two of eight graphs are held out: they do not train, and they alone have a weight. */
static void test_held_out(void **state)
{
    (void)state;
    bool held[N] = {[2] = true, [5] = true};
    l2r_real weight[N];
    struct l2r_head_fit r = {.on = true, .held = held, .n_held = 2, .weight = weight, .n_graphs = N};
    int32_t order[] = {5, 0, 7, 2, 1, 3, 4, 6};
    assert_int_equal(l2r_head_fit_order(&r, order, N, 0), N - 2);
    assert_memory_equal(order, ((const int32_t[]){0, 7, 1, 3, 4, 6}), (N - 2) * sizeof *order);
    for (int i = 0; i < N; i++) assert_true(l2r_head_fit_takes(&r, i) == held[i]);
    struct l2r_arena arena;
    struct l2r_head_weights out = {0};
    const struct l2r_training_set set = {.graphs = graphs, .n = N};
    l2r_arena_init(&arena);
    double *w = l2r_head_fit_offer(&out, &arena, &set, NULL);
    w[2] = 1, w[5] = 3;
    l2r_head_fit_finish(&out, &r, &set);
    assert_true(fabs(w[2] - 2) < 1e-12 && fabs(w[5] - 6) < 1e-12 && w[0] == 0);
    assert_true(fabs(out.item[0].ess - 0.8) < 1e-12); /* of the two: 4²/(2 · 10) */
    l2r_arena_clear(&arena);
}

/* With all graphs for both, the backbone is that of plain training, bit for bit; the head is not. */
static void test_backbone_stays(void **state)
{
    (void)state;
    static const char *const methods[] = {"afr", "dfr", "evals"};
    static const char *const set[] = {"head-holdout", "0", NULL};
    struct l2r_config *plain = config_for("gin", "erm", NULL);
    struct l2r_result result = train(plain, "plain", false, NULL);
    l2r_result_clear(&result);
    l2r_config_free(plain);
    for (int k = 0; k < 3; k++) {
        struct l2r_config *config = config_for("gin", methods[k], set);
        result = train(config, methods[k], false, NULL);
        struct tensor_differences found = compare_tensors("plain", methods[k], "best.safetensors");
        if (found.of_backbone > 0) fail_msg("%s: %s is not that of plain training", methods[k], found.first);
        assert_true(found.of_head > 0);
        l2r_result_clear(&result);
        l2r_config_free(config);
    }
}

static void refused(const char *method, const char *const *set, const char *part)
{
    char dir[256];
    struct l2r_config *config = config_for("gin", method, set);
    struct l2r_result result;
    struct l2r_error error = {0};
    folder(dir, "refused");
    assert_int_equal(train_into(&result, config, dir, false, NULL, &error), L2R_ERR_ARGUMENT);
    if (!message_matches(error.message, part)) fail_msg("%s: %s", part, error.message);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static void test_refusals(void **state)
{
    (void)state;
    refused("dfr", (const char *const[]){"environments", "none", NULL}, "dfr");
    refused("afr", (const char *const[]){"data", "motif:train=5,valid=5,test=5", "head-holdout", "0.9", NULL},
            "`head-holdout=0.9` of 5 training graphs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_weights), cmocka_unit_test(test_held_out),
                                       cmocka_unit_test(test_backbone_stays), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
