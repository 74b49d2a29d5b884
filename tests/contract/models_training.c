/* SPDX-License-Identifier: MIT
 *
 * Training every registered model, bit for bit. Ten steps (three batches an epoch, dropout on, shuffled anew each
 * epoch):
 *
 *     1 thread = 2 threads       the same parameters and running statistics
 *     save, load                 a checkpoint read back predicts the same bits
 *     save, resume               training saved after six steps and continued by a new trainer ends in the same bits
 *
 * Molecules go through all variants, the other kinds of data through some: these are the slowest of the contract tests.
 */
#include "base/threads.h"
#include "io/safetensors.h"
#include "model/predictor.h"
#include "model/score.h"
#include "nn/layers.h"
#include "store/checkpoint.h"
#include "support/model_trial.h"
#include "support/temporary.h"

#include <stdlib.h>
#include <unistd.h>

enum { N_GRAPHS = 78, STEPS = 10, SAVED_AFTER = 6, N_TEST = 6 };

/* Graphs large enough that a batch is cut into several chunks of work; the last N_TEST are not trained on. */
struct training {
    struct l2r_dataset *data;
    struct l2r_split split;
    int32_t graphs[N_GRAPHS];
    struct l2r_config *config;
    struct l2r_fit fit;
};

static void training_open(struct training *s, const struct l2r_model_type *type, const struct variant *variant,
                          enum graph_kind kind)
{
    static struct test_graph graphs[N_GRAPHS];
    struct l2r_rng rng = l2r_rng_at(6, L2R_RANDOM_TEST, (uint64_t)kind);
    struct l2r_error error;
    for (int i = 0; i < N_GRAPHS; i++) {
        int64_t n = 8 + (int64_t)l2r_rng_below(&rng, MOST_NODES - 7);
        graphs[i] = draw_graph(kind, n, 2 * n, &rng);
        s->graphs[i] = i;
    }
    s->data = data_set_of(graphs, N_GRAPHS, kind);
    s->split = (struct l2r_split){.rule = "file",
                                  .n_graphs = N_GRAPHS,
                                  .graphs = s->graphs,
                                  .start = {0, N_GRAPHS - N_TEST, N_GRAPHS - N_TEST, N_GRAPHS}};
    s->config = config_of(type, variant, "12", "0.5");
    must(l2r_config_set(s->config, "batch-size", "24", &error), &error);
    must(l2r_config_set(s->config, "lr", "0.01", &error), &error);
    must(l2r_fit_init(&s->fit, s->config, s->data, &s->split, NULL, &error), &error);
}

static void training_close(struct training *s)
{
    l2r_fit_clear(&s->fit);
    l2r_config_free(s->config);
    l2r_dataset_free(s->data);
}

/* Trains until `steps` steps are done, as the run's loop does. */
static void train(struct l2r_fit *fit, int64_t steps)
{
    struct l2r_trainer *t = &fit->trainer;
    struct l2r_error error;
    while (t->at.step < steps) {
        if (t->at.batch == l2r_trainer_batches(t)) {
            t->at.batch = 0;
            t->at.epoch++;
            json_array_append_new(fit->history, json_pack("{s:I}", "epoch", (json_int_t)t->at.epoch));
        }
        l2r_trainer_shuffle(t);
        must(l2r_trainer_step(t, &error), &error);
    }
}

static void expect_same_bits(const struct l2r_params *a, const struct l2r_params *b, const char *what)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        size_t bytes = (size_t)(a->items[i]->rows * a->items[i]->cols) * sizeof(l2r_real);
        if (memcmp(a->items[i]->value, b->items[i]->value, bytes) != 0)
            fail_msg("%s: %s: %s differs", where, what, a->items[i]->name);
    }
}

static bool in_turn(const struct variant *variant, enum graph_kind kind)
{
    return kind == MOLECULES || (variant - variants) % GRAPH_KINDS == (ptrdiff_t)kind;
}

static void threads_change_nothing(const struct l2r_model_type *type, const struct variant *variant,
                                   enum graph_kind kind)
{
    if (!in_turn(variant, kind)) return;
    struct training one, two;
    training_open(&one, type, variant, kind);
    training_open(&two, type, variant, kind);
    l2r_threads_set(1);
    train(&one.fit, STEPS);
    l2r_threads_set(2);
    train(&two.fit, STEPS);
    l2r_threads_set(0);
    expect_same_bits(&one.fit.trainer.network.params, &two.fit.trainer.network.params, "1 and 2 threads");
    training_close(&one);
    training_close(&two);
}

static bool named(const struct l2r_param *p, const char *part)
{
    return strstr(p->name, part) != NULL;
}

/* In exact arithmetic these have a gradient of 0. Rounding makes something of it or does not, as the vectors of the
 * machine are wide, and Adam makes steps of full size of that:
 *
 *     a bias right before a batch norm     the norm takes away what all rows have in common
 *     the same with bare data              all nodes are equal at first, and so is what the first layer makes of a node
 *                                          itself (GIN's 1 + eps, PNA's own matrix)
 *     attention with bare data             it is even among equal nodes, whatever its weights
 *     GAT with bare data and batch norm    means of equal nodes are equal nodes: each norm gives its shift and nothing
 *                                          else, and what comes before the last shift does not matter */
static bool may_stay(const struct training *s, size_t i)
{
    const struct l2r_params *params = &s->fit.trainer.network.params;
    const struct l2r_param *p = params->items[i];
    bool bare = s->data->nodes.n_columns == 0 && s->data->n_node_reals == 0;
    if (bare && (named(p, "attention") || named(p, "receiver"))) return true;
    if (l2r_norm_kind_of(s->config) != L2R_NORM_BATCH || named(p, "head") || named(p, "pool")) return false;
    if (bare && (named(p, "layers.0.eps") || named(p, "layers.0.self"))) return true;
    if (bare && strcmp(l2r_config_text(s->config, "model"), "gat") == 0) return !named(p, "norms.2.bias");
    /* A norm's weight is a row, a linear layer's a matrix; its bias follows it. */
    return i > 0 && named(p, ".bias") && params->items[i - 1]->rows > 1;
}

/* What was trained must have moved, or equal bits would prove nothing. */
static void expect_moved(const struct training *s)
{
    const struct l2r_params *params = &s->fit.trainer.network.params;
    struct training fresh = *s;
    struct l2r_error error;
    must(l2r_fit_init(&fresh.fit, s->config, s->data, &s->split, NULL, &error), &error);
    for (size_t i = 0; i < params->count; i++) {
        size_t bytes = (size_t)(params->items[i]->rows * params->items[i]->cols) * sizeof(l2r_real);
        if (may_stay(s, i)) continue;
        if (memcmp(params->items[i]->value, fresh.fit.trainer.network.params.items[i]->value, bytes) == 0)
            fail_msg("%s: training leaves %s as it was", where, params->items[i]->name);
    }
    l2r_fit_clear(&fresh.fit);
}

static void loaded_model_predicts_the_same(const struct training *s, const char *path)
{
    float direct[N_GRAPHS * 3], loaded[N_GRAPHS * 3];
    struct l2r_predictor *predictor, *kept;
    struct l2r_tape tape;
    struct l2r_error error;
    const struct l2r_trainer *t = &s->fit.trainer;
    size_t bytes = sizeof(float) * N_GRAPHS * (size_t)l2r_signature_outputs(&t->network.signature);
    l2r_tape_init(&tape);
    must(l2r_score(direct, &t->network, &tape, s->data, s->graphs, N_GRAPHS, t->options.eval_batch_size, &error),
         &error);
    must(l2r_predictor_from_network(&kept, &t->network, t->config, &error), &error);
    must(l2r_predictor_save(kept, path, &error), &error);
    must(l2r_predictor_open(&predictor, path, &error), &error);
    must(l2r_predictor_represent(loaded, NULL, predictor, s->data, s->graphs, N_GRAPHS, &error), &error);
    if (memcmp(direct, loaded, bytes) != 0) fail_msg("%s: the loaded model predicts otherwise", where);
    l2r_predictor_free(predictor);
    l2r_predictor_free(kept);
    l2r_tape_clear(&tape);
}

static void files_change_nothing(const struct l2r_model_type *type, const struct variant *variant, enum graph_kind kind)
{
    if (!in_turn(variant, kind)) return;
    char folder[TEMPORARY_LENGTH], model[TEMPORARY_LENGTH + 24], state[TEMPORARY_LENGTH + 24];
    struct training whole, resumed;
    struct l2r_error error;
    assert_non_null(temporary_folder(folder));
    snprintf(model, sizeof model, "%s/best.safetensors", folder);
    snprintf(state, sizeof state, "%s/last.safetensors", folder);
    training_open(&whole, type, variant, kind);
    train(&whole.fit, SAVED_AFTER);
    must(l2r_checkpoint_write(state, NULL, &whole.fit, "{}", &error), &error);
    train(&whole.fit, STEPS);
    expect_moved(&whole);
    loaded_model_predicts_the_same(&whole, model);
    training_open(&resumed, type, variant, kind);
    struct l2r_safetensors *file;
    must(l2r_model_file_open(&file, state, l2r_format_checkpoint, &error), &error);
    must(l2r_checkpoint_read(&resumed.fit, file, state, &error), &error);
    l2r_safetensors_free(file);
    assert_int_equal(resumed.fit.trainer.at.step, SAVED_AFTER);
    train(&resumed.fit, STEPS);
    expect_same_bits(&whole.fit.trainer.network.params, &resumed.fit.trainer.network.params, "saved and resumed");
    training_close(&whole);
    training_close(&resumed);
    unlink(model);
    unlink(state);
    assert_int_equal(rmdir(folder), 0);
}

static void all_threads(void **state)
{
    (void)state;
    for_all_models(threads_change_nothing);
}

static void all_files(void **state)
{
    (void)state;
    for_all_models(files_change_nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {{"threads change nothing", all_threads, NULL, NULL, NULL},
                                       {"files change nothing", all_files, NULL, NULL, NULL}};
    return cmocka_run_group_tests_name("training models", tests, NULL, NULL);
}
