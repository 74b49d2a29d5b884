/* SPDX-License-Identifier: MIT
 *
 * A training loop with weights of one's own: graphs of the class that has the larger loss weigh more, batch by batch
 * (the idea of group DRO). The best epoch is kept, and the loop is saved and resumed in the middle.
 *
 *     cc own_weights.c $(pkg-config --cflags --libs l2r) -lm -o own_weights && ./own_weights motif
 */
#include <l2r/l2r.h>

#include <math.h>
#include <stdio.h>

enum { CLASSES = 2, MOST = 1024, EPOCHS = 4 };

static double share[CLASSES] = {0.5, 0.5}; /* of the sum of weights */

/* Moves weight to the classes with large losses; w [n] has mean 1. */
static void weigh(float *w, const struct l2r_forward *f, const float *labels)
{
    double loss[CLASSES] = {0, 0}, sum = 0;
    int64_t count[CLASSES] = {0, 0};
    for (int64_t i = 0; i < f->n; i++) {
        int k = (int)labels[f->graphs[i]];
        loss[k] += (double)f->losses[i];
        count[k]++;
    }
    for (int k = 0; k < CLASSES; k++) share[k] *= exp(0.2 * loss[k] / (double)(count[k] > 0 ? count[k] : 1));
    for (int k = 0; k < CLASSES; k++) sum += share[k];
    for (int k = 0; k < CLASSES; k++) share[k] /= sum;
    for (int64_t i = 0; i < f->n; i++) {
        int k = (int)labels[f->graphs[i]];
        w[i] = (float)(share[k] * (double)f->n / (double)count[k]);
    }
}

static enum l2r_status train_epoch(struct l2r_training *training, const struct l2r_dataset *data,
                                   struct l2r_error *error)
{
    static float w[MOST];
    struct l2r_forward f = L2R_FORWARD_INIT;
    enum l2r_status status = L2R_OK;
    double loss = 0, score = 0;
    bool is_best = false;
    int64_t epoch = l2r_training_n_epochs(training);
    while (status == L2R_OK && l2r_training_n_epochs(training) == epoch) {
        status = l2r_training_forward(&f, training, error);
        if (status != L2R_OK) return status;
        weigh(w, &f, l2r_dataset_labels(data));
        status = l2r_training_backward(&loss, training, w, NULL, error);
    }
    if (status == L2R_OK) status = l2r_training_validate(&score, &is_best, training, error);
    if (status == L2R_OK)
        printf("epoch %lld: loss %.3f, validation accuracy %.3f%s, classes weigh %.2f and %.2f\n", (long long)epoch + 1,
               loss, score, is_best ? ", the best so far" : "", share[0], share[1]);
    return status;
}

/* The training as bytes, and a new one of them: what a program does that was interrupted. */
static enum l2r_status resume(struct l2r_training **training, const struct l2r_dataset *data, struct l2r_error *error)
{
    void *bytes = NULL;
    size_t n = 0;
    enum l2r_status status = l2r_training_to_bytes(&bytes, &n, *training, error);
    l2r_training_free(*training);
    *training = NULL;
    if (status == L2R_OK) status = l2r_training_from_bytes(training, bytes, n, data, NULL, error);
    l2r_free(bytes);
    return status;
}

int main(int argc, char **argv)
{
    struct l2r_error error = L2R_ERROR_INIT;
    struct l2r_config *config = NULL;
    struct l2r_dataset *data = NULL;
    struct l2r_training *training = NULL;
    struct l2r_evaluation *scores = NULL;
    if (argc != 2) return fprintf(stderr, "usage: own_weights DATA\n"), 2;
    int failed = l2r_config_for_run(&config, "gin", "erm", &error) ||
                 l2r_config_set_json(config, "{\"hidden\": 16, \"layers\": 2, \"batch-size\": 32}", &error) ||
                 l2r_dataset_open(&data, argv[1], NULL, &error) ||
                 l2r_training_new(&training, config, data, NULL, &error);
    if (!failed && l2r_dataset_n_classes(data) != CLASSES)
        return fprintf(stderr, "own_weights: the data has other than two classes\n"), 1;
    for (int epoch = 0; !failed && epoch < EPOCHS; epoch++) {
        failed = train_epoch(training, data, &error);
        if (!failed && epoch == 1) failed = resume(&training, data, &error);
    }
    failed = failed || l2r_training_restore(training, &error) ||
             l2r_training_evaluate(&scores, training, L2R_PART_TEST, &error);
    if (!failed)
        printf("epoch %lld: test accuracy %.3f\n", (long long)l2r_training_best_epoch(training),
               l2r_evaluation_value(scores, "accuracy", -1));
    if (failed) fprintf(stderr, "own_weights: %s\n", error.message);
    l2r_evaluation_free(scores);
    l2r_training_free(training);
    l2r_dataset_free(data);
    l2r_config_free(config);
    return failed ? 1 : 0;
}
