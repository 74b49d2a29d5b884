/* SPDX-License-Identifier: MIT
 *
 * A training loop of one's own: the learning rate warms up batch by batch, and the norm of a gradient is watched.
 *
 *     cc own_loop.c $(pkg-config --cflags --libs l2r) -lm -o own_loop && ./own_loop motif
 */
#include <l2r/l2r.h>

#include <math.h>
#include <stdio.h>

static double norm(const struct l2r_parameter *p)
{
    double sum = 0;
    for (int64_t i = 0; p->gradient && i < p->rows * p->columns; i++) sum += (double)p->gradient[i] * p->gradient[i];
    return sqrt(sum);
}

static enum l2r_status train(struct l2r_training *training, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_parameter p = L2R_PARAMETER_INIT;
    double loss = 0, goal = l2r_training_learning_rate(training);
    for (int step = 1; status == L2R_OK && l2r_training_n_epochs(training) < 3; step++) {
        status = l2r_training_set_learning_rate(training, step < 10 ? goal * step / 10 : (double)NAN, error);
        if (status == L2R_OK) status = l2r_training_step(&loss, training, error);
        if (status == L2R_OK) status = l2r_training_parameter(&p, training, 0, error);
        if (status == L2R_OK) printf("step %d: loss %.3f, gradient of %s %.4f\n", step, loss, p.name, norm(&p));
    }
    return status;
}

int main(int argc, char **argv)
{
    struct l2r_error error = L2R_ERROR_INIT;
    struct l2r_config *config = NULL;
    struct l2r_dataset *data = NULL;
    struct l2r_training *training = NULL;
    struct l2r_evaluation *scores = NULL;
    if (argc != 2) return fprintf(stderr, "usage: own_loop DATA\n"), 2;
    int failed = l2r_config_for_run(&config, "gcn", "erm", &error) || l2r_config_set(config, "hidden", "16", &error) ||
                 l2r_dataset_open(&data, argv[1], NULL, &error) ||
                 l2r_training_new(&training, config, data, NULL, &error) || train(training, &error) ||
                 l2r_training_evaluate(&scores, training, L2R_PART_VALID, &error);
    if (failed) fprintf(stderr, "own_loop: %s\n", error.message);
    if (!failed) printf("validation accuracy %.3f\n", l2r_evaluation_value(scores, "accuracy", -1));
    l2r_evaluation_free(scores);
    l2r_training_free(training);
    l2r_dataset_free(data);
    l2r_config_free(config);
    return failed ? 1 : 0;
}
