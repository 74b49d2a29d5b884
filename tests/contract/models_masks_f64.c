/* SPDX-License-Identifier: MIT
 *
 * Every registered model under masks, unless it says why it cannot be masked:
 *     masks of ones give the same output as no masks;
 *     the gradient of the explainer's objective with respect to every mask is its slope by central differences;
 *     masks matter: with all of them at 0 the output is another;
 *     copies of a graph in one batch do not see each other.
 * Pooling chooses nodes by scores, so its slopes have jumps as ReLU's have kinks: a few numbers may disagree for the
 * largest step.
 */
#include "base/threads.h"
#include "explain/explainer.h"
#include "support/model_trial.h"

enum { COPIES = 2, ONE_IN = 10, MOST_OUTPUTS = 8 };
static const double STEPS[] = {1e-5, 1e-6, 1e-7};
static const struct l2r_explain_settings settings = {.edge_size = 0.3, .edge_entropy = 0.7, .feature_size = 0.9};

static double objective(double *values, double *grad, const double *logits, struct l2r_masked_graph *g)
{
    struct l2r_error error;
    double sum = 0;
    must(l2r_mask_objective(values, grad, logits, g, &settings, &error), &error);
    for (int c = 0; c < COPIES; c++) sum += values[c];
    return sum;
}

static int64_t near_kink, n_masks; /* of the current network */
static int n_trials, n_moved;      /* of the current model */

static void check_slopes(struct l2r_masked_graph *g, double *logits, struct l2r_arena *arena)
{
    int64_t n = COPIES * (g->n_edges + g->n_columns);
    double values[COPIES];
    double *grad = l2r_arena_alloc(arena, (size_t)n, sizeof *grad), *ignored = l2r_arena_alloc(arena, (size_t)n, 8);
    objective(values, grad, logits, g);
    for (int64_t i = 0; i < n; i++) {
        double kept = logits[i], slope = 0, bound = 1e-6 * fmax(fabs(grad[i]), 1e-3);
        int step = 0;
        for (; step < 3; step++) {
            logits[i] = kept + STEPS[step];
            slope = objective(values, ignored, logits, g);
            logits[i] = kept - STEPS[step];
            slope = (slope - objective(values, ignored, logits, g)) / (2 * STEPS[step]);
            logits[i] = kept;
            if (fabs(slope - grad[i]) <= bound) break;
        }
        if (step == 3) fail_msg("%s: mask %lld: gradient %.12g, slope %.12g", where, (long long)i, grad[i], slope);
        near_kink += step > 0;
    }
    n_masks += n;
}

static void fill(struct l2r_masked_graph *g, double value)
{
    for (int64_t i = 0; i < COPIES * (g->n_edges + g->n_columns); i++)
        g->masks[i] = i < COPIES * g->n_edges ? value : 1;
}

static void output_of(float *output, struct trial *t, const struct l2r_dataset *data, int32_t graph)
{
    struct l2r_batch batch;
    struct l2r_error error;
    l2r_tape_reset(&t->tape);
    l2r_tape_mode_predict(&t->tape);
    must(l2r_batch_make(&batch, &t->tape.arena, data, &graph, 1, &error), &error);
    l2r_node out =
        l2r_network_output(&t->network, &t->tape, &batch, l2r_network_represent(&t->network, &t->tape, &batch));
    must(t->tape.status, &t->tape.error);
    for (int64_t k = 0; k < l2r_value_of(&t->tape, out)->cols; k++)
        output[k] = (float)l2r_value_of(&t->tape, out)->data[k];
}

/* Returns how far the edges of this graph can move the output. */
static double check_graph(struct trial *t, const struct l2r_dataset *data, int32_t graph)
{
    struct l2r_masked_graph g;
    struct l2r_error error;
    struct l2r_rng rng = l2r_rng_at(23, L2R_RANDOM_TEST, (uint64_t)graph);
    float plain[MOST_OUTPUTS], masked[MOST_OUTPUTS], without[MOST_OUTPUTS];
    double losses[COPIES], moved = 0;
    int32_t outputs = l2r_signature_outputs(&t->network.signature);
    must(l2r_masked_graph_init(&g, &t->network, data, graph, COPIES, &error), &error);
    for (int64_t i = 0; i < COPIES * t->network.signature.n_tasks; i++)
        g.target[i] = (float)(i % t->network.signature.n_tasks % 2);
    fill(&g, 1);
    must(l2r_masked_graph_losses(losses, masked, &g, false, &error), &error);
    output_of(plain, t, data, graph);
    for (int32_t k = 0; k < outputs; k++) {
        if (fabs((double)plain[k] - (double)masked[k]) > 1e-6 * (1 + fabs((double)plain[k])))
            fail_msg("%s: masks of ones give %.9g, no masks %.9g", where, (double)masked[k], (double)plain[k]);
    }
    if (losses[0] != losses[1]) fail_msg("%s: equal copies have losses %.17g and %.17g", where, losses[0], losses[1]);
    fill(&g, 0);
    must(l2r_masked_graph_losses(losses, without, &g, false, &error), &error);
    for (int32_t k = 0; k < outputs; k++) moved += fabs((double)plain[k] - (double)without[k]);
    int64_t n = COPIES * (g.n_edges + g.n_columns);
    double *logits = l2r_arena_alloc(&t->arena, (size_t)n, sizeof *logits);
    for (int64_t i = 0; i < n; i++) logits[i] = l2r_rng_normal(&rng);
    check_slopes(&g, logits, &t->arena);
    l2r_masked_graph_clear(&g);
    return moved;
}

static void holds_under_masks(const struct l2r_model_type *type, const struct variant *variant, enum graph_kind kind)
{
    struct test_graph graphs[ODD_GRAPHS];
    struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, (uint64_t)kind);
    double moved = 0;
    near_kink = n_masks = 0;
    if (type->unmaskable) {
        assert_true(strlen(type->unmaskable) > 20);
        return;
    }
    draw_odd_graphs(graphs, kind, &rng);
    struct l2r_dataset *data = data_set_of(graphs, ODD_GRAPHS, kind);
    struct trial t = trial_open(type, variant, data, "9", "0.3"); /* wide enough that ReLU lets something through */
    for (int32_t graph = 0; graph < ODD_GRAPHS; graph++) moved += check_graph(&t, data, graph);
    if (near_kink * ONE_IN > n_masks)
        fail_msg("%s: %lld of %lld masks are near a kink", where, (long long)near_kink, (long long)n_masks);
    n_trials++;
    n_moved += moved > 1e-3;
    trial_close(&t);
    l2r_dataset_free(data);
}

/* A random network may be one whose ReLUs let nothing through; most are not. */
static void models_hold_under_masks(void **state)
{
    (void)state;
    l2r_threads_set(1);
    for (size_t n = 0; l2r_models[n]; n++) {
        if (l2r_models[n]->reads_features) continue; /* these graphs have none */
        n_trials = n_moved = 0;
        for (int v = 0; v < N_VARIANTS; v++)
            for (int kind = 0; kind < GRAPH_KINDS; kind++) {
                snprintf(where, sizeof where, "%s, %s, %s data", l2r_models[n]->name, variants[v].name,
                         graph_schemas[kind].name);
                holds_under_masks(l2r_models[n], &variants[v], (enum graph_kind)kind);
            }
        if (n_moved * 4 < n_trials * 3)
            fail_msg("%s: masks change %d of %d networks", l2r_models[n]->name, n_moved, n_trials);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_hold_under_masks)};
    return cmocka_run_group_tests_name("models under masks", tests, NULL, NULL);
}
