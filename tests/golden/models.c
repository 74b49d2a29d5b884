/* SPDX-License-Identifier: MIT
 *
 * Models against PyTorch: golden/models/NAME.safetensors, written by export_models.py, holds graphs, initial numbers
 * and what an independent implementation makes of them. Compared here, for every file in the folder:
 *
 *     training mode      outputs, loss and the gradient of every parameter
 *     ten Adam steps     the loss before each, then all parameters and running statistics
 *     evaluation mode    predictions in the targets' own units, scored in batches of 3
 *
 * Criterion, element by element:  |found − expected| <= tolerance · max(|expected|, rms of the expected tensor).
 * models_f64.c builds this file once more in double with a tighter tolerance (the files hold float32).
 *
 * Biases right before a batch norm have a gradient of 0 but for rounding, which Adam would turn into steps of full
 * size. The reference lists them as "still" and does not train them. Here their gradient is shown to be rounding, then
 * set to 0.
 */
#include "golden/model_case.h"
#include "model/score.h"
#include "nn/optimiser.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_CASES = 96, FEWEST_CASES = 60 };

static const double tolerance = sizeof(l2r_real) == 8 ? 2e-7 : 1e-4;
static const double rounding = sizeof(l2r_real) == 8 ? 1e-12 : 1e-5; /* of a gradient that should be 0 */

/* found [n] against elements first .. first + n of a tensor. */
static void expect_close(const l2r_real *found, const struct l2r_tensor *expected, int64_t first, int64_t n,
                         const char *what)
{
    const float *wanted = (const float *)expected->data + first;
    double square = 0;
    for (int64_t i = 0; i < n; i++) square += (double)wanted[i] * (double)wanted[i];
    double rms = sqrt(square / (double)n);
    for (int64_t i = 0; i < n; i++) {
        double bound = tolerance * fmax(fabs((double)wanted[i]), rms);
        if (!(fabs((double)found[i] - (double)wanted[i]) <= bound))
            fail_msg("%s, %s[%lld]: %.9g, expected %.9g (±%.1g)", expected->name, what, (long long)i, (double)found[i],
                     (double)wanted[i], bound);
    }
}

/* One pass forward and back over all graphs. Returns the outputs (until the next pass) and the loss. */
static const l2r_real *differentiate(struct golden *g, l2r_real *loss, uint64_t step)
{
    struct l2r_batch batch;
    struct l2r_error error;
    l2r_tape_reset(&g->tape);
    must(l2r_batch_make(&batch, &g->tape.arena, g->data, g->graphs, g->data->n_graphs, &error), &error);
    l2r_tape_mode_train(&g->tape, 0, step);
    l2r_node output =
        l2r_network_output(&g->network, &g->tape, &batch, l2r_network_represent(&g->network, &g->tape, &batch));
    l2r_node losses = l2r_network_losses(&g->network, &g->tape, &batch, output);
    l2r_node total = l2r_weighted_mean(&g->tape, losses, g->weights);
    if (g->tape.model_loss.id >= 0) total = l2r_add(&g->tape, total, g->tape.model_loss);
    l2r_params_zero_grad(&g->network.params);
    l2r_tape_backward(&g->tape, total);
    must(g->tape.status, &g->tape.error);
    *loss = l2r_value_of(&g->tape, total)->data[0];
    return l2r_value_of(&g->tape, output)->data;
}

static bool is_still(const struct golden *g, const struct l2r_param *p)
{
    size_t i;
    json_t *name;
    json_array_foreach(g->still, i, name) if (strcmp(json_string_value(name), p->name) == 0) return true;
    return false;
}

/* Gradients of still tensors are rounding, compared with the largest gradient of the network; then 0. */
static void settle_still(struct golden *g)
{
    struct l2r_params *params = &g->network.params;
    double largest = 0;
    for (int64_t i = 0; i < params->n_trainable; i++) largest = fmax(largest, fabs((double)params->grad[i]));
    for (size_t i = 0; i < params->count; i++) {
        struct l2r_param *p = params->items[i];
        for (int64_t k = 0; p->trainable && is_still(g, p) && k < p->rows * p->cols; k++) {
            if (!(fabs((double)p->grad[k]) <= rounding * largest))
                fail_msg("the gradient of %s[%lld] is %g, expected 0", p->name, (long long)k, (double)p->grad[k]);
            p->grad[k] = 0;
        }
    }
}

static void expect_gradients(const struct golden *g)
{
    for (size_t i = 0; i < g->network.params.count; i++) {
        const struct l2r_param *p = g->network.params.items[i];
        if (p->trainable && !is_still(g, p))
            expect_close(p->grad, tensor(g, "gradient"), place_of(g, p), p->rows * p->cols, p->name);
    }
}

static void expect_predictions(struct golden *g)
{
    struct l2r_error error;
    int64_t n = g->data->n_graphs, outputs = l2r_signature_outputs(&g->network.signature);
    float *scored = l2r_arena_alloc(&g->arena, (size_t)(n * outputs), sizeof *scored);
    l2r_real *found = l2r_arena_alloc(&g->arena, (size_t)(n * outputs), sizeof *found);
    must(l2r_score(scored, &g->network, &g->tape, g->data, g->graphs, n, 3, &error), &error);
    for (int64_t i = 0; i < n * outputs; i++) found[i] = (l2r_real)scored[i];
    expect_close(found, tensor(g, "prediction"), 0, n * outputs, "evaluation mode");
}

static void agrees_with_torch(void **state)
{
    struct golden g = open_golden(*state);
    struct l2r_optimiser adam;
    struct l2r_error error;
    struct l2r_params *params = &g.network.params;
    const struct l2r_tensor *losses = tensor(&g, "losses");
    must(l2r_optimiser_init(&adam, "adam", params->n_trainable, &error), &error);
    assert_int_equal(losses->shape[0], 10);
    for (int64_t step = 0; step < losses->shape[0]; step++) {
        l2r_real loss;
        const l2r_real *output = differentiate(&g, &loss, (uint64_t)step);
        if (step == 0) {
            expect_close(output, tensor(&g, "output"), 0,
                         g.data->n_graphs * l2r_signature_outputs(&g.network.signature), "training mode");
            expect_gradients(&g);
        }
        expect_close(&loss, losses, step, 1, "loss");
        settle_still(&g);
        l2r_optimiser_step(&adam, params->value, params->grad, params->n_trainable, l2r_config_real(g.config, "lr"));
    }
    for (size_t i = 0; i < params->count; i++) {
        const struct l2r_param *p = params->items[i];
        expect_close(p->value, tensor(&g, "final"), place_of(&g, p), p->rows * p->cols, p->name);
    }
    expect_predictions(&g);
    l2r_optimiser_clear(&adam);
    close_golden(&g);
}

int main(void)
{
    static struct CMUnitTest tests[MOST_CASES];
    glob_t files;
    if (glob(L2R_TEST_DIR "/golden/models/*.safetensors", 0, NULL, &files) != 0 || files.gl_pathc < FEWEST_CASES ||
        files.gl_pathc > MOST_CASES)
        return EXIT_FAILURE;
    for (size_t i = 0; i < files.gl_pathc; i++)
        tests[i] = (struct CMUnitTest){.name = strrchr(files.gl_pathv[i], '/') + 1,
                                       .test_func = agrees_with_torch,
                                       .initial_state = files.gl_pathv[i]};
    int failures = _cmocka_run_group_tests("models", tests, files.gl_pathc, NULL, NULL);
    globfree(&files);
    return failures;
}
