/* SPDX-License-Identifier: MIT
 *
 * Every registered model under every registered method: a whole run of two epochs (two batches of sixteen graphs,
 * validation, checkpoints, final scores) ends with numbers, its best model is read back and predicts, and a method
 * other than plain training leaves another model behind than plain training does.
 */
#include "support/training_runs.h"

#include "methods/method.h"
#include "model/predictor.h"
#include "nn/model.h"

#include <math.h>

static void note_epoch(void *context, const struct l2r_progress *progress)
{
    double *loss = context;
    *loss = progress->loss;
}

static void train_one(const char *model, const char *method, const char *name)
{
    static const char *const set[] = {"data",
                                      "motif:train=32,valid=12,test=12",
                                      "hidden",
                                      "8",
                                      "layers",
                                      "2",
                                      "epochs",
                                      "2",
                                      "checkpoint-seconds",
                                      "0",
                                      NULL};
    char dir[256];
    double loss = NAN;
    struct l2r_callbacks watch = {.context = &loss, .epoch = note_epoch};
    struct l2r_result result;
    struct l2r_error error = {0};
    struct l2r_config *config = config_for(model, method, set);
    folder(dir, name);
    if (train_into(&result, config, dir, false, &watch, &error) != L2R_OK) fail_msg("%s: %s", name, error.message);
    if (!isfinite(loss) || !isfinite(result.valid) || !isfinite(result.test))
        fail_msg("%s: loss %g, valid %g, test %g", name, loss, result.valid, result.test);
    assert_int_equal(result.epochs, 2);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static void predict_one(const char *name, const struct l2r_dataset *data)
{
    char dir[256];
    float output[2 * 64];
    int32_t graphs[64];
    struct l2r_predictor *predictor;
    struct l2r_error error = {0};
    assert_true(data->n_graphs <= 64);
    for (int32_t i = 0; i < data->n_graphs; i++) graphs[i] = i;
    folder(dir, name);
    if (l2r_predictor_open(&predictor, dir, &error) != L2R_OK) fail_msg("%s: %s", name, error.message);
    assert_true(l2r_predictor_n_outputs(predictor) <= 2);
    if (l2r_predictor_represent(output, NULL, predictor, data, graphs, data->n_graphs, &error) != L2R_OK)
        fail_msg("%s: %s", name, error.message);
    for (int64_t i = 0; i < data->n_graphs * l2r_predictor_n_outputs(predictor); i++)
        if (!isfinite(output[i])) fail_msg("%s: prediction %lld is %g", name, (long long)i, (double)output[i]);
    l2r_predictor_free(predictor);
}

static bool same_models(const char *a, const char *b)
{
    struct tensor_differences found = compare_tensors(a, b, "best.safetensors");
    return found.of_head + found.of_backbone == 0;
}

static void all_combinations(void **state)
{
    (void)state;
    struct l2r_dataset *data;
    struct l2r_error error;
    size_t models = 0, methods = 0;
    assert_int_equal(l2r_dataset_load(&data, "motif:train=32,valid=12,test=12", false, &error), L2R_OK);
    for (; l2r_models[models]; models++) {
        char plain[64], name[64];
        if (l2r_models[models]->reads_features) continue; /* these graphs have none */
        snprintf(plain, sizeof plain, "%s-erm", l2r_models[models]->name);
        train_one(l2r_models[models]->name, "erm", plain);
        predict_one(plain, data);
        for (methods = 0; l2r_methods[methods]; methods++) {
            if (strcmp(l2r_methods[methods]->name, "erm") == 0) continue;
            if (!l2r_method_suits(l2r_methods[methods], l2r_models[models])) continue;
            snprintf(name, sizeof name, "%s-%s", l2r_models[models]->name, l2r_methods[methods]->name);
            train_one(l2r_models[models]->name, l2r_methods[methods]->name, name);
            predict_one(name, data);
            if (same_models(name, plain)) fail_msg("%s leaves the same model as plain training", name);
        }
    }
    assert_true(models >= 2 && methods >= 2);
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {{"two epochs of all combinations", all_combinations, NULL, NULL, NULL}};
    return cmocka_run_group_tests_name("models and methods", tests, run_set_up, run_tear_down);
}
