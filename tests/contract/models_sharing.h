/* SPDX-License-Identifier: MIT
 *
 * Sharing equal neighbourhoods changes no result: the same network on the same batch, with levels and without. Outputs,
 * losses, running statistics and all gradients agree to CLOSE of their size, in training (with dropout: the masks are
 * the same), in the look-ahead mode (no dropout, batch statistics, all layers shared) and in prediction, for every
 * model, variant and kind of data. The batch holds every graph several times, so that there is something to share.
 * Included by a test for floats and one for doubles.
 */
#include "base/threads.h"
#include "batch/batches.h"
#include "model/score.h"
#include "support/model_trial.h"

enum { COPIES = 3, N_GRAPHS = COPIES * ODD_GRAPHS, MOST_OUT = 3 * N_GRAPHS };
enum mode { TRAINING, LOOK_AHEAD, PREDICTION, MODES };
static const char *const mode_names[] = {"training", "look-ahead", "prediction"};

static struct l2r_dataset *repeated(enum graph_kind kind)
{
    static struct test_graph graphs[N_GRAPHS];
    struct l2r_rng rng = l2r_rng_at(2, L2R_RANDOM_TEST, (uint64_t)kind);
    draw_odd_graphs(graphs, kind, &rng);
    for (int i = ODD_GRAPHS; i < N_GRAPHS; i++) {
        graphs[i] = shuffle_graph(&graphs[i - ODD_GRAPHS], kind, &rng);
        draw_labels(&graphs[i], kind,
                    &rng); /* equal graphs with other labels: gradients of shared rows differ by node */
    }
    return data_set_of(graphs, N_GRAPHS, kind);
}

struct outcome {
    l2r_real output[MOST_OUT], loss, *grad, *buffer;
    int64_t n_output;
    bool shared;
};

static void run_mode(struct outcome *o, struct trial *t, const struct l2r_dataset *data, enum mode mode, bool share)
{
    struct l2r_batch batch;
    struct l2r_error error;
    struct l2r_tape *tape = &t->tape;
    struct l2r_params *params = &t->network.params;
    size_t trainable = (size_t)params->n_trainable, buffers = (size_t)params->n_buffer;
    l2r_real *kept = l2r_arena_alloc(&t->arena, buffers, sizeof *kept);
    memcpy(kept, params->buffer, buffers * sizeof *kept);
    l2r_tape_reset(tape);
    if (share)
        must(l2r_batch_prepare(&batch, &tape->arena, data, t->graphs, N_GRAPHS, &t->network.sharing, NULL, &error),
             &error);
    else
        must(l2r_batch_make(&batch, &tape->arena, data, t->graphs, N_GRAPHS, &error), &error);
    o->shared = batch.levels || batch.arc_levels;
    l2r_tape_mode_train(tape, 5, 1);
    if (mode != TRAINING) l2r_tape_mode_predict(tape);
    if (mode == LOOK_AHEAD) tape->pass.batch_statistics = true;
    l2r_node output = l2r_network_output(&t->network, tape, &batch, l2r_network_represent(&t->network, tape, &batch));
    l2r_node loss = l2r_weighted_mean(tape, l2r_network_losses(&t->network, tape, &batch, output), NULL);
    l2r_params_zero_grad(params);
    must(tape->status, &tape->error);
    o->n_output = l2r_value_of(tape, output)->rows * l2r_value_of(tape, output)->cols;
    memcpy(o->output, l2r_value_of(tape, output)->data, (size_t)o->n_output * sizeof(l2r_real));
    o->loss = l2r_value_of(tape, loss)->data[0];
    if (mode == TRAINING) l2r_tape_backward(tape, loss);
    must(tape->status, &tape->error);
    o->grad = l2r_arena_alloc(&t->arena, trainable, sizeof *o->grad);
    o->buffer = l2r_arena_alloc(&t->arena, buffers, sizeof *o->buffer);
    memcpy(o->grad, params->grad, trainable * sizeof *o->grad);
    memcpy(o->buffer, params->buffer, buffers * sizeof *o->buffer);
    memcpy(params->buffer, kept, buffers * sizeof *kept);
}

static double rms_of(const l2r_real *x, int64_t n)
{
    double square = 0;
    for (int64_t i = 0; i < n; i++) square += (double)x[i] * (double)x[i];
    return sqrt(square / (double)(n > 0 ? n : 1));
}

/* Nodes without features differ by their degrees alone: batch norm magnifies small differences, and rounding with
 * them. */
static double close_enough(void)
{
    return strstr(where, "bare") ? CLOSE_BARE : CLOSE;
}

/* Relative to the number itself, to the root mean square of those beside it, or to `size` (a bias before a batch norm
 * has gradient 0, up to rounding). */
static void expect_close(const l2r_real *found, const l2r_real *wanted, int64_t n, double size, const char *what,
                         enum mode mode)
{
    double rms = fmax(rms_of(wanted, n), size);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)found[i] - (double)wanted[i]) <= close_enough() * fmax(fabs((double)wanted[i]), rms)))
            fail_msg("%s, %s: %s[%lld] is %.12g, without sharing %.12g (rms %.3g)", where, mode_names[mode], what,
                     (long long)i, (double)found[i], (double)wanted[i], rms);
}

static void compare_at(const struct l2r_model_type *type, const struct variant *variant, enum graph_kind kind,
                       const char *dropout)
{
    struct l2r_dataset *data = repeated(kind);
    struct trial t = trial_open(type, variant, data, "9", dropout);
    struct l2r_params *params = &t.network.params;
    bool can = t.network.sharing.depth > 0;
    bool expected = strstr("gcn gin jknet dmpnn", type->name) != NULL;
    assert_int_equal(can, expected && !l2r_config_flag(t.config, "virtual-node") && kind != MEASURED);
    for (int mode = 0; mode < MODES && can; mode++) {
        struct outcome with, without;
        run_mode(&without, &t, data, (enum mode)mode, false);
        run_mode(&with, &t, data, (enum mode)mode, true);
        assert_false(without.shared);
        assert_true(with.shared);
        expect_close(with.output, without.output, with.n_output, 0, "output", (enum mode)mode);
        expect_close(&with.loss, &without.loss, 1, 0, "loss", (enum mode)mode);
        expect_close(with.buffer, without.buffer, params->n_buffer, 0, "statistics", (enum mode)mode);
        double size = rms_of(without.grad, params->n_trainable);
        for (size_t p = 0; p < params->count; p++) {
            const struct l2r_param *q = params->items[p];
            if (q->trainable)
                expect_close(with.grad + (q->grad - params->grad), without.grad + (q->grad - params->grad),
                             q->rows * q->cols, size, q->name, (enum mode)mode);
        }
    }
    trial_close(&t);
    l2r_dataset_free(data);
}

static void sharing_changes_nothing(const struct l2r_model_type *type, const struct variant *variant,
                                    enum graph_kind kind)
{
    compare_at(type, variant, kind, "0.4");
    /* In float a value within rounding of ReLU's kink may fall on either side, and a whole gradient with it. */
    if (sizeof(l2r_real) == sizeof(double)) compare_at(type, variant, kind, "0");
}

static void bits_do_not_depend_on_threads(const struct l2r_model_type *type, const struct variant *variant,
                                          enum graph_kind kind)
{
    struct l2r_dataset *data = repeated(kind);
    struct trial t = trial_open(type, variant, data, "37", "0.4");
    for (int mode = 0; mode < MODES && t.network.sharing.depth > 0; mode++) {
        struct outcome one, more;
        l2r_threads_set(1);
        run_mode(&one, &t, data, (enum mode)mode, true);
        for (int threads = 2; threads <= 3; threads++) {
            l2r_threads_set(threads);
            run_mode(&more, &t, data, (enum mode)mode, true);
            assert_memory_equal(more.output, one.output, (size_t)one.n_output * sizeof(l2r_real));
            assert_memory_equal(more.grad, one.grad, (size_t)t.network.params.n_trainable * sizeof(l2r_real));
        }
    }
    l2r_threads_set(0);
    trial_close(&t);
    l2r_dataset_free(data);
}

static void all_agree(void **state)
{
    (void)state;
    l2r_threads_set(1);
    for_all_models(sharing_changes_nothing);
    l2r_threads_set(0);
}

static void all_threads(void **state)
{
    (void)state;
    for_all_models(bits_do_not_depend_on_threads);
}

/* The option switches it off. */
static void option_switches_off(void **state)
{
    (void)state;
    static const struct variant off = {"off", {{"share", "false"}}};
    struct l2r_dataset *data = repeated(BARE);
    struct trial t = trial_open(l2r_model_find("gin"), &off, data, "5", "0");
    assert_int_equal(t.network.sharing.depth, 0);
    trial_close(&t);
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_agree), cmocka_unit_test(all_threads),
                                       cmocka_unit_test(option_switches_off)};
    return cmocka_run_group_tests_name("sharing", tests, NULL, NULL);
}
