/* SPDX-License-Identifier: MIT
 * Data in which something is missing that formulas divide by, for every model with every method: graphs without edges
 * and with nothing but zeros on their nodes, features that are the same everywhere, batches of one class and of one
 * graph, targets that are all alike. Training ends, every parameter and prediction is finite, and where a graph has
 * nothing to learn from its gradient is 0, never NaN. */
#include "l2r/l2r.h"
#include "methods/method.h"
#include "model/predictor.h"
#include "nn/model.h"
#include "nn/network.h"
#include "support/messages.h"
#include "support/training_runs.h"

#include <math.h>

enum { GRAPHS = 8, NODES = 4, EDGES = 4 };

enum trouble {
    NO_EDGES,
    ZERO_FEATURES,
    NO_EDGES_ZERO,
    CONSTANT_FEATURES,
    ONE_CLASS,
    CONSTANT_TARGET,
    SINGLE_NODES,
    SELF_LOOPS,
    N_TROUBLES,
    OVERFLOW = N_TROUBLES /* of the first graph: nothing to train on */
};
static const char *const names[] = {"no edges",          "all features 0", "no edges, all features 0",
                                    "constant features", "one class",      "constant target",
                                    "single nodes",      "self loops only"};

/* Eight graphs: four to train on, two and two. */
static struct l2r_dataset *make(enum trouble trouble)
{
    static const int32_t ring[2 * EDGES] = {0, 1, 1, 2, 2, 3, 3, 0}, loops[2 * EDGES] = {0, 0, 1, 1, 2, 2, 3, 3};
    struct l2r_error error = {0};
    struct l2r_builder *builder;
    struct l2r_dataset *data;
    const struct l2r_schema schema = {.name = "trouble",
                                      .task = trouble == CONSTANT_TARGET ? L2R_TASK_REGRESSION : L2R_TASK_BINARY,
                                      .n_tasks = 1,
                                      .n_node_reals = 2,
                                      .n_environments = 2}; /* for methods that compare some */
    assert_int_equal(l2r_builder_new(&builder, &schema, &error), L2R_OK);
    for (int g = 0; g < GRAPHS; g++) {
        float real[2 * NODES], label = trouble == ONE_CLASS ? 1 : trouble == CONSTANT_TARGET ? 3.5F : (float)(g % 2);
        for (int i = 0; i < 2 * NODES; i++) real[i] = sinf((float)(g * 11 + i));
        if (trouble == CONSTANT_FEATURES)
            for (int i = 0; i < 2 * NODES; i++) real[i] = 7;
        if (trouble == OVERFLOW && g == 0)
            for (int i = 0; i < 2 * NODES; i++) real[i] = i % 3 ? 3e38F : -3e38F;
        if (trouble == ZERO_FEATURES || trouble == NO_EDGES_ZERO) memset(real, 0, sizeof real);
        bool bare = trouble == NO_EDGES || trouble == NO_EDGES_ZERO || trouble == SINGLE_NODES;
        const struct l2r_graph_view graph = {.n_nodes = trouble == SINGLE_NODES ? 1 : NODES,
                                             .n_edges = bare ? 0 : EDGES,
                                             .edges = trouble == SELF_LOOPS ? loops : ring,
                                             .node_real = real,
                                             .labels = &label,
                                             .environment = g / 2 % 2,
                                             .part = g < 4   ? L2R_PART_TRAIN
                                                     : g < 6 ? L2R_PART_VALID
                                                             : L2R_PART_TEST};
        if (l2r_builder_add(builder, &graph, &error) != L2R_OK) fail_msg("%s", error.message);
    }
    assert_int_equal(l2r_builder_finish(&data, builder, &error), L2R_OK);
    l2r_builder_free(builder);
    return data;
}

static void expect_finite_model(const char *what, const struct l2r_predictor *model)
{
    const struct l2r_params *params = &l2r_predictor_committee(model)->members[0]->params;
    for (size_t i = 0; i < params->count; i++)
        for (int64_t k = 0; k < params->items[i]->rows * params->items[i]->cols; k++)
            if (!isfinite(params->items[i]->value[k]))
                fail_msg("%s: %s holds a number that is none", what, params->items[i]->name);
}

static void expect_finite_predictions(const char *what, struct l2r_predictor *model, const struct l2r_dataset *data)
{
    struct l2r_error error = {0};
    int32_t graphs[GRAPHS];
    float output[GRAPHS];
    for (int i = 0; i < GRAPHS; i++) graphs[i] = i;
    if (l2r_predictor_represent(output, NULL, model, data, graphs, GRAPHS, &error) != L2R_OK)
        fail_msg("%s: %s", what, error.message);
    for (int i = 0; i < GRAPHS; i++)
        if (!isfinite(output[i])) fail_msg("%s: graph %d is predicted as %g", what, i, (double)output[i]);
}

/* In memory: there are some 2000 of these runs. The model is freed by the caller; NULL where the method is about
 * classes and the task is a regression. */
static struct l2r_predictor *train_on(const struct l2r_dataset *data, const char *trouble, const char *type,
                                      const char *method, const char *batch_size)
{
    const char *const set[] = {"hidden", "4", "layers", "2", "epochs", "2", "batch-size", batch_size, NULL};
    struct l2r_config *config = config_for(type, method, set);
    struct l2r_result result = {0};
    struct l2r_predictor *model = NULL;
    struct l2r_error error = {0};
    char what[128];
    snprintf(what, sizeof what, "%s, %s, %s, batches of %s", trouble, type, method, batch_size);
    const struct l2r_run run = {.config = config, .data = data};
    enum l2r_status status = l2r_run_train(&result, &model, &run, &error);
    l2r_config_free(config);
    if (status == L2R_ERR_ARGUMENT && strstr(error.message, "a regression has none")) return NULL;
    if (status != L2R_OK) fail_msg("%s: %s", what, error.message);
    assert_int_equal(result.epochs, 2);
    l2r_result_clear(&result);
    expect_finite_model(what, model);
    expect_finite_predictions(what, model, data);
    return model;
}

static void test_all(void **state)
{
    (void)state;
    for (int trouble = 0; trouble < N_TROUBLES; trouble++) {
        struct l2r_dataset *data = make((enum trouble)trouble);
        for (size_t m = 0; l2r_models[m]; m++)
            for (size_t k = 0; !l2r_models[m]->reads_features && l2r_methods[k]; k++) {
                if (!l2r_method_suits(l2r_methods[k], l2r_models[m])) continue;
                for (int one = 0; one < 2; one++) /* batches of one graph are of one class, too */
                    l2r_predictor_free(
                        train_on(data, names[trouble], l2r_models[m]->name, l2r_methods[k]->name, one ? "1" : "4"));
            }
        l2r_dataset_free(data);
    }
}

/* An output that is not finite is an error of the call, and no probability; the other graphs have theirs. */
static void test_overflow(void **state)
{
    (void)state;
    struct l2r_dataset *sound = make(SELF_LOOPS), *data = make(OVERFLOW);
    struct l2r_error error = {0};
    const int32_t graphs[3] = {4, 0, 5};
    float output[3];
    struct l2r_predictor *model = train_on(sound, "overflow", "gin", "erm", "4");
    assert_non_null(model);
    assert_int_equal(l2r_predictor_represent(output, NULL, model, data, graphs, 3, &error), L2R_ERR_DIVERGED);
    expect_message(error.message, "output 0 of graph 0 is ");
    assert_true(isfinite(output[0]) && !isfinite(output[1]) && isfinite(output[2]));
    output[2] = INFINITY;
    l2r_predictor_probabilities(output, model, 3);
    assert_true(output[0] > 0 && output[0] < 1 && isnan(output[1]) && isnan(output[2]));
    l2r_predictor_free(model);
    l2r_dataset_free(sound);
    l2r_dataset_free(data);
}

/* The gradient of the loss of some graphs, weighted; the network's parameters are those of seed 3. */
static void gradient(double *norm, bool *finite, const char *model, const struct l2r_dataset *data,
                     const l2r_real weights[4])
{
    struct l2r_error error = {0};
    struct l2r_config *config = config_for(model, "erm", (const char *const[]){"hidden", "4", "layers", "2", NULL});
    struct l2r_arena arena;
    struct l2r_signature signature;
    struct l2r_network network = {0};
    struct l2r_tape tape;
    struct l2r_batch batch;
    const int32_t graphs[4] = {0, 1, 2, 3};
    l2r_arena_init(&arena);
    l2r_tape_init(&tape);
    assert_int_equal(l2r_signature_make(&signature, &arena, data, graphs, 4, &error), L2R_OK);
    assert_int_equal(l2r_network_init(&network, l2r_model_find(model), config, &signature, 3, &error), L2R_OK);
    assert_int_equal(l2r_batch_make(&batch, &arena, data, graphs, 4, &error), L2R_OK);
    l2r_tape_mode_train(&tape, 3, 0);
    l2r_node z = l2r_network_represent(&network, &tape, &batch);
    l2r_node losses = l2r_network_losses(&network, &tape, &batch, l2r_network_output(&network, &tape, &batch, z));
    l2r_params_zero_grad(&network.params);
    l2r_tape_backward(&tape, l2r_weighted_mean(&tape, losses, weights));
    assert_int_equal(tape.status, L2R_OK);
    *norm = 0;
    *finite = true;
    for (int64_t i = 0; i < network.params.n_trainable; i++) {
        *norm += (double)network.params.grad[i] * (double)network.params.grad[i];
        if (!isfinite((double)network.params.grad[i])) *finite = false;
    }
    l2r_tape_clear(&tape);
    l2r_network_clear(&network);
    l2r_arena_clear(&arena);
    l2r_config_free(config);
}

static void test_gradients(void **state)
{
    (void)state;
    static const l2r_real even[4] = {1, 1, 1, 1}, one[4] = {0, 4, 0, 0}, none[4] = {0, 0, 0, 0};
    for (int trouble = 0; trouble < N_TROUBLES; trouble++) {
        struct l2r_dataset *data = make((enum trouble)trouble);
        for (size_t m = 0; l2r_models[m]; m++) {
            double norm;
            bool finite;
            if (l2r_models[m]->reads_features) continue; /* these graphs have none */
            const char *model = l2r_models[m]->name;
            gradient(&norm, &finite, model, data, even);
            if (!finite) fail_msg("%s, %s: the gradient is not finite", names[trouble], model);
            gradient(&norm, &finite, model, data, one);
            if (!finite)
                fail_msg("%s, %s: with all weight on one graph the gradient is not finite", names[trouble], model);
            gradient(&norm, &finite, model, data, none);
            if (!(norm == 0))
                fail_msg("%s, %s: graphs without weight have a gradient of %g", names[trouble], model, norm);
        }
        l2r_dataset_free(data);
    }
}

static int set_up(void **state)
{
    (void)state;
    l2r_threads_set(1);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gradients), cmocka_unit_test(test_overflow),
                                       cmocka_unit_test(test_all)};
    return cmocka_run_group_tests_name("numbers", tests, set_up, NULL);
}
