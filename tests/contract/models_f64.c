/* SPDX-License-Identifier: MIT
 *
 * Every registered model, readout and activation: the gradient of the whole network's loss with respect to every
 * parameter is the slope of the loss, measured in double by central differences. Dropout is on (the masks are a
 * function of the step, so both sides of a difference see the same ones), graphs are weighted, classes too, and the
 * batch holds graphs without nodes and edges. The same for the loss of hidden nodes (nn/masking.h).
 *
 *     |slope − gradient| <= 1e-6 · max(|gradient|, 1e-3 · largest gradient of the network)
 *
 * ReLU and max have kinks: a difference that steps over one measures a mixture of two slopes. A smaller step does not
 * reach that far, so a parameter fails only if no step of STEPS agrees; parameters that need more than the first are
 * counted and must be few.
 */
#include "base/threads.h"
#include "support/model_trial.h"

static const double STEPS[] = {1e-5, 1e-6, 1e-7};
enum { N_STEPS = sizeof STEPS / sizeof *STEPS, ONE_IN = 20 /* parameters near a kink, at most */ };

static double slope(struct trial *t, const struct l2r_dataset *data, const l2r_real *weights, l2r_real *value, double h)
{
    l2r_real kept = *value;
    *value = kept + h;
    double above = trial_loss(t, data, t->graphs, data->n_graphs, weights, 1, false);
    *value = kept - h;
    double below = trial_loss(t, data, t->graphs, data->n_graphs, weights, 1, false);
    *value = kept;
    return (above - below) / (2 * h);
}

static void gradient_is_slope(const struct l2r_model_type *type, const struct variant *variant, enum graph_kind kind)
{
    struct test_graph graphs[ODD_GRAPHS];
    struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, (uint64_t)kind);
    draw_odd_graphs(graphs, kind, &rng);
    struct l2r_dataset *data = data_set_of(graphs, ODD_GRAPHS, kind);
    struct trial t = trial_open(type, variant, data, "5", "0.3");
    struct l2r_params *params = &t.network.params;
    const l2r_real weights[ODD_GRAPHS] = {0.5, 1.5, 1, 2, 0.25, 0.75, 1, 1}, classes[] = {0.5, 2, 1};
    t.network.class_weight = classes;
    trial_loss(&t, data, t.graphs, data->n_graphs, weights, 1, true);
    l2r_real *gradient = l2r_arena_alloc(&t.arena, (size_t)params->n_trainable, sizeof *gradient);
    memcpy(gradient, params->grad, (size_t)params->n_trainable * sizeof *gradient);
    double largest = 0;
    int64_t near_kink = 0;
    for (int64_t i = 0; i < params->n_trainable; i++) largest = fmax(largest, fabs(gradient[i]));
    assert_true(largest > 1e-3);
    for (size_t p = 0; p < params->count; p++) {
        struct l2r_param *param = params->items[p];
        for (int64_t k = 0; param->trainable && k < param->rows * param->cols; k++) {
            double expected = gradient[param->grad + k - params->grad], found = 0;
            double bound = 1e-6 * fmax(fabs(expected), 1e-3 * largest);
            int step = 0;
            for (; step < N_STEPS; step++) {
                found = slope(&t, data, weights, &param->value[k], STEPS[step]);
                if (fabs(found - expected) <= bound) break;
            }
            if (step == N_STEPS)
                fail_msg("%s: d loss / d %s[%lld] is %.12g, the slope %.12g", where, param->name, (long long)k,
                         expected, found);
            near_kink += step > 0;
        }
    }
    if (near_kink * ONE_IN > params->n_trainable)
        fail_msg("%s: %lld of %lld parameters are near a kink", where, (long long)near_kink,
                 (long long)params->n_trainable);
    trial_close(&t);
    l2r_dataset_free(data);
}

static void gradients_are_slopes(void **state)
{
    (void)state;
    l2r_threads_set(1); /* the batches are tiny */
    for_all_models(gradient_is_slope);
    for_all_parts(gradient_is_slope);
}

/* Networks with gates on their edges: every parameter of the backbone is used twice, once under the gates. */
static void gated_gradients_are_slopes(void **state)
{
    (void)state;
    l2r_threads_set(1);
    trial_method = "gsat";
    for (size_t n = 0; l2r_models[n]; n++) {
        snprintf(where, sizeof where, "%s with gates", l2r_models[n]->name);
        if (!l2r_models[n]->unmaskable) gradient_is_slope(l2r_models[n], &variants[n % 3], MOLECULES);
    }
    trial_method = "erm";
}

/* Nodes with categories, with and without real attributes. */
static void gradients_of_hidden_nodes(void **state)
{
    static const struct variant hidden = {"hidden nodes", {{"mask-atoms", "0.4"}}};
    (void)state;
    l2r_threads_set(1);
    for (size_t n = 0; l2r_models[n]; n++) {
        if (l2r_models[n]->reads_features) continue;
        snprintf(where, sizeof where, "%s, hidden nodes", l2r_models[n]->name);
        gradient_is_slope(l2r_models[n], &hidden, MOLECULES);
        gradient_is_slope(l2r_models[n], &hidden, MEASURED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients_are_slopes),
                                       cmocka_unit_test(gated_gradients_are_slopes),
                                       cmocka_unit_test(gradients_of_hidden_nodes)};
    return cmocka_run_group_tests_name("models, numeric gradient", tests, NULL, NULL);
}
