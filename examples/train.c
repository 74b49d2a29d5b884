/* SPDX-License-Identifier: MIT
 *
 * Trains a model in memory, writes nothing, and predicts with it.
 *
 *     cc train.c $(pkg-config --cflags --libs l2r) -o train && ./train motif
 */
#include <l2r/l2r.h>

#include <stdio.h>

static void on_epoch(void *context, const struct l2r_progress *progress)
{
    (void)context;
    printf("epoch %lld: loss %.3f, %s %.3f\n", (long long)progress->epoch, progress->loss, progress->metric,
           progress->valid);
}

int main(int argc, char **argv)
{
    struct l2r_error error = L2R_ERROR_INIT;
    struct l2r_config *config = NULL;
    struct l2r_dataset *data = NULL;
    struct l2r_result *result = NULL;
    struct l2r_predictor *model = NULL;
    struct l2r_callbacks callbacks = L2R_CALLBACKS_INIT;
    struct l2r_evaluation *scores = NULL;
    struct l2r_run run = L2R_RUN_INIT;
    callbacks.epoch = on_epoch;
    run.callbacks = &callbacks;
    if (argc != 2) return fprintf(stderr, "usage: train DATA\n"), 2;
    int failed = l2r_config_for_run(&config, "gin", "l2r", &error) ||
                 l2r_config_set_json(config, "{\"epochs\": 3, \"hidden\": 16, \"layers\": 2}", &error) ||
                 l2r_dataset_open(&data, argv[1], NULL, &error);
    run.config = config;
    run.data = data;
    if (!failed) failed = l2r_train(&result, &model, &run, &error);
    int64_t n_test;
    const int64_t *test = l2r_split_graphs(&n_test, l2r_result_split(result), L2R_PART_TEST);
    if (!failed) failed = l2r_predictor_evaluate(&scores, model, data, test, n_test, NULL, &error);
    if (!failed) printf("test %s %.3f\n", l2r_result_metric(result), l2r_result_score(result, L2R_PART_TEST, NULL));
    for (int32_t i = 0; i < l2r_evaluation_n_metrics(scores); i++) {
        const char *metric = l2r_evaluation_metric(scores, i);
        printf("%s %.3f\n", metric, l2r_evaluation_value(scores, metric, -1));
    }
    if (failed) fprintf(stderr, "train: %s\n", error.message);
    l2r_evaluation_free(scores);
    l2r_predictor_free(model);
    l2r_result_free(result);
    l2r_dataset_free(data);
    l2r_config_free(config);
    return failed ? 1 : 0;
}
