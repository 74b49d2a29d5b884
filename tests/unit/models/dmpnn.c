/* SPDX-License-Identifier: MIT
 *
 * D-MPNN: nothing that is sent over a bond comes straight back, so on a graph of two nodes the number of steps does not
 * matter, and on a triangle it does. Training takes the same steps whether equal neighbourhoods are computed once or
 * not.
 */
#include "fit/trainer.h"
#include "model/score.h"
#include "support/model_trial.h"

static double output_of(const struct l2r_dataset *data, const char *layers)
{
    const struct variant steps = {"steps", {{"layers", layers}, {"readout", "sum"}}};
    struct trial t = trial_open(l2r_model_find("dmpnn"), &steps, data, "9", "0");
    float output[2 * 3]; /* two graphs, three classes */
    struct l2r_error error;
    must(l2r_score(output, &t.network, &t.tape, data, t.graphs, 2, 2, &error), &error);
    trial_close(&t);
    return (double)output[0];
}

static void test_nothing_comes_back(void **state)
{
    (void)state;
    struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, 0);
    struct test_graph graphs[2] = {draw_graph(LABELLED, 2, 0, &rng), draw_graph(LABELLED, 3, 0, &rng)};
    graphs[0].edges[0] = 0, graphs[0].edges[1] = 1;
    graphs[0].n_edges = 1;
    struct l2r_dataset *data = data_set_of(graphs, 2, LABELLED);
    assert_true(output_of(data, "2") == output_of(data, "5"));
    l2r_dataset_free(data);
    graphs[0] = draw_graph(LABELLED, 3, 0, &rng);
    for (int e = 0; e < 3; e++) graphs[0].edges[2 * e] = e, graphs[0].edges[2 * e + 1] = (e + 1) % 3;
    graphs[0].n_edges = 3;
    data = data_set_of(graphs, 2, LABELLED);
    assert_true(fabs(output_of(data, "2") - output_of(data, "5")) > 1e-3);
    l2r_dataset_free(data);
}

/* Mean loss of an epoch by the trainer itself. */
static double epoch_loss(const struct l2r_dataset *data, const struct l2r_split *split, const char *share,
                         const char *dropout)
{
    const struct variant sharing = {"sharing", {{"share", share}}};
    struct l2r_config *config = config_of(l2r_model_find("dmpnn"), &sharing, "16", dropout);
    struct l2r_trainer trainer;
    struct l2r_error error;
    must(l2r_config_set(config, "batch-size", "8", &error), &error);
    must(l2r_trainer_init(&trainer, config, data, split, &error), &error);
    l2r_trainer_shuffle(&trainer);
    while (trainer.at.batch < l2r_trainer_batches(&trainer)) must(l2r_trainer_step(&trainer, &error), &error);
    double loss = trainer.at.loss_sum / (double)trainer.n_active;
    l2r_trainer_clear(&trainer);
    l2r_config_free(config);
    return loss;
}

static void test_training_shares(void **state)
{
    (void)state;
    enum { N = 24 };
    static struct test_graph graphs[N];
    struct l2r_rng rng = l2r_rng_at(2, L2R_RANDOM_TEST, 0);
    int32_t order[N];
    for (int i = 0; i < N; i++) graphs[i] = draw_graph(MOLECULES, 12, 14, &rng), order[i] = i;
    struct l2r_split split = {.rule = "file", .n_graphs = N, .graphs = order, .start = {0, N, N, N}};
    struct l2r_dataset *data = data_set_of(graphs, N, MOLECULES);
    for (int drops = 0; drops < 2; drops++) {
        const char *dropout = drops ? "0.4" : "0";
        double with = epoch_loss(data, &split, "true", dropout), without = epoch_loss(data, &split, "false", dropout);
        if (fabs(with - without) > 1e-5 * without)
            fail_msg("dropout %s: loss %.9g, without sharing %.9g", dropout, with, without);
    }
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_comes_back),
                                       cmocka_unit_test(test_training_shares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
