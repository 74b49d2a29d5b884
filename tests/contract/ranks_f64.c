/* SPDX-License-Identifier: MIT
 *
 * Several ranks compute the same mathematics as one. Every registered model under every registered method, and the
 * options that reach over a whole batch, train two epochs on 1, 2 and 5 ranks (threads here): parameters, running
 * statistics, losses and scores must agree to rounding, in double precision. The last batch of an epoch has four
 * graphs, so that one of five ranks has none of it. Plain steps (sgd): Adam makes large steps of gradients that are
 * nothing but rounding. With seed 0 GCN under l2r ends in other clusters of variables on two ranks than on one, and
 * with seeds 1 and 2 it does not: where k-means is undecided, rounding decides.
 */
#include "support/thread_ranks.h"
#include "support/training_runs.h"

#include "fit/phases.h"
#include "methods/method.h"
#include "metrics/probability.h"
#include "model/scored.h"
#include "nn/model.h"

#include <math.h>

static const double close_enough =
    1e-8; /* sums of some thousand terms in another order, magnified by Adam's division */
static const char *const graphs_bare = "motif:train=36,valid=9,test=9", *const graphs_bonds = "molecules:graphs=45";

/* What a rank does and leaves behind. */
struct outcome {
    const struct l2r_config *config;
    double *numbers; /* parameters, running statistics, two losses, scores and their loss */
    int64_t n;
    int64_t calls;
    char error[1024]; /* empty: none */
};

static enum l2r_status train_epochs(struct l2r_trainer *t, double loss[2], struct l2r_error *error)
{
    for (int epoch = 0; epoch < 2; epoch++) {
        json_t *log = json_object();
        char note[256] = "";
        l2r_trainer_shuffle(t);
        while (t->at.batch < l2r_trainer_batches(t))
            if (l2r_trainer_step(t, error) != L2R_OK) return error->status;
        if (t->method->after_epoch) t->method->after_epoch(t->method_state, t->at.epoch, log, note, error);
        json_decref(log);
        loss[epoch] = t->at.loss_sum;
        t->at.epoch++, t->at.batch = 0, t->at.loss_sum = 0;
        if (epoch == 0 && !l2r_phase_is_last(t) && l2r_phase_advance(t, error) != L2R_OK) return error->status;
    }
    return l2r_trainer_compare(t, error);
}

static void keep(struct outcome *o, struct l2r_trainer *t, const double *loss, const struct l2r_scored *scored)
{
    const struct l2r_params *p = &t->network.params;
    int64_t outputs = l2r_signature_outputs(&t->network.signature), scores = scored->scores.n_graphs * outputs;
    o->numbers = calloc((size_t)(p->n_trainable + p->n_buffer + 3 + scores), sizeof(double));
    for (int64_t i = 0; i < p->n_trainable; i++) o->numbers[o->n++] = (double)p->value[i];
    for (int64_t i = 0; i < p->n_buffer; i++) o->numbers[o->n++] = (double)p->buffer[i];
    o->numbers[o->n++] = loss[0];
    o->numbers[o->n++] = loss[1];
    o->numbers[o->n++] = l2r_scores_loss(&scored->scores);
    for (int64_t i = 0; i < scores; i++) o->numbers[o->n++] = (double)scored->output[i] * 1e-3; /* kept as floats */
}

static void train_rank(struct l2r_comm *comm, void *context)
{
    struct outcome *o = context;
    struct l2r_error error = {0};
    struct l2r_dataset *data = NULL;
    struct l2r_split split = {0};
    struct l2r_trainer t = {0};
    struct l2r_scored scored = {0};
    double loss[2] = {0};
    if (l2r_dataset_load(&data, l2r_config_text(o->config, "data"), false, &error) == L2R_OK &&
        l2r_split_make(&split, data, o->config, &error) == L2R_OK &&
        l2r_trainer_init(&t, o->config, data, &split, &error) == L2R_OK) {
        if (comm && comm->size > 1) l2r_trainer_divide(&t, comm);
        if (train_epochs(&t, loss, &error) == L2R_OK &&
            l2r_scored_network(&scored, &t.network, &t.tape, data, l2r_split_part(&split, L2R_PART_VALID),
                               l2r_split_size(&split, L2R_PART_VALID), 4, &error) == L2R_OK)
            keep(o, &t, loss, &scored);
    }
    snprintf(o->error, sizeof o->error, "%s", error.message);
    o->calls = comm ? comm->traffic.calls : 0;
    l2r_scored_clear(&scored);
    l2r_trainer_clear(&t);
    l2r_split_clear(&split);
    l2r_dataset_free(data);
}

static void compare(const struct outcome *one, const struct outcome *many, const char *what, int ranks)
{
    double square = 0;
    if (many->error[0]) fail_msg("%s on %d ranks: %s", what, ranks, many->error);
    assert_true(many->calls > 0 && one->n > 0 && one->n == many->n);
    for (int64_t i = 0; i < one->n; i++) square += one->numbers[i] * one->numbers[i];
    double rms = sqrt(square / (double)one->n);
    for (int64_t i = 0; i < one->n; i++) {
        double a = one->numbers[i], b = many->numbers[i];
        if (!(fabs(a - b) <= close_enough * fmax(fabs(a), rms)))
            fail_msg("%s: number %lld of %lld is %.12g alone and %.12g on %d ranks", what, (long long)i,
                     (long long)one->n, a, b, ranks);
    }
}

/* set: pairs of options as in config_for. */
static void ranks_agree(const char *model, const char *method, const char *data, const char *const *set)
{
    static const char *const base[] = {"hidden",    "9",   "layers", "2", "lr", "0.05",
                                       "optimiser", "sgd", "seed",   "1", NULL};
    char what[256];
    struct l2r_error error;
    struct l2r_config *config = config_for(model, method, base);
    assert_int_equal(l2r_config_set(config, "data", data, &error), L2R_OK);
    snprintf(what, sizeof what, "%s %s %s", model, method, data);
    for (size_t i = 0; set && set[i]; i += 2) {
        if (l2r_config_set(config, set[i], set[i + 1], &error) != L2R_OK) fail_msg("%s", error.message);
        snprintf(what + strlen(what), sizeof what - strlen(what), " %s=%s", set[i], set[i + 1]);
    }
    struct outcome one = {.config = config};
    train_rank(NULL, &one);
    if (one.error[0]) fail_msg("%s alone: %s", what, one.error);
    for (int size = 2; size <= 5; size += 3) {
        struct outcome many[MOST_RANKS];
        void *contexts[MOST_RANKS];
        for (int k = 0; k < size; k++) many[k] = (struct outcome){.config = config}, contexts[k] = &many[k];
        on_ranks(size, train_rank, contexts);
        for (int k = 0; k < size; k++) {
            compare(&one, &many[k], what, size);
            assert_memory_equal(many[k].numbers, many[0].numbers, (size_t)one.n * sizeof(double));
        }
        for (int k = 0; k < size; k++) free(many[k].numbers);
    }
    free(one.numbers);
    l2r_config_free(config);
}

static void every_model_and_method(void **state)
{
    static const char *const by_size[] = {"environments", "size", NULL};
    (void)state;
    for (size_t i = 0; l2r_models[i]; i++)
        for (size_t k = 0; !l2r_models[i]->reads_features && l2r_methods[k]; k++)
            if (l2r_method_suits(l2r_methods[k], l2r_models[i]))
                ranks_agree(l2r_models[i]->name, l2r_methods[k]->name, graphs_bonds,
                            l2r_methods[k]->environments ? by_size : NULL);
}

static void every_model_without_features(void **state)
{
    (void)state;
    for (size_t i = 0; l2r_models[i]; i++)
        if (!l2r_models[i]->reads_features) ranks_agree(l2r_models[i]->name, "erm", graphs_bare, NULL);
}

static void every_model_with_hidden_nodes(void **state)
{
    static const char *const hidden[] = {"mask-atoms", "0.3", NULL};
    (void)state;
    for (size_t i = 0; l2r_models[i]; i++)
        if (!l2r_models[i]->reads_features) ranks_agree(l2r_models[i]->name, "erm", graphs_bonds, hidden);
}

static void options_of_the_network(void **state)
{
    (void)state;
    static const char *const variants[][6] = {{"batch-norm", "false"},
                                              {"virtual-node", "true"},
                                              {"virtual-node", "true", "batch-norm", "false"},
                                              {"residual", "true", "readout", "max"},
                                              {"readout", "diffpool"},
                                              {"share", "false", "clip", "0.1"}};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        ranks_agree("gin", "erm", graphs_bonds, variants[i]);
        ranks_agree("sagpool", "erm", graphs_bonds, variants[i]);
    }
}

static void options_of_the_weights(void **state)
{
    (void)state;
    static const char *const variants[][8] = {{"bilevel", "none"},
                                              {"bilevel", "second"},
                                              {"scope", "epoch"},
                                              {"holdout", "0.3"},
                                              {"pair-weights", "head", "ess", "0.6"},
                                              {"pair-weights", "head", "scope", "epoch"},
                                              {"queues", "2", "window", "3"},
                                              {"batch-norm", "false", "dropout", "0"}};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        ranks_agree("gin", "l2r", graphs_bonds, variants[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"every model and method", every_model_and_method, NULL, NULL, NULL},
        {"every model without features", every_model_without_features, NULL, NULL, NULL},
        {"every model with hidden nodes", every_model_with_hidden_nodes, NULL, NULL, NULL},
        {"options of the network", options_of_the_network, NULL, NULL, NULL},
        {"options of the weights", options_of_the_weights, NULL, NULL, NULL},
    };
    return cmocka_run_group_tests_name("ranks", tests, NULL, NULL);
}
