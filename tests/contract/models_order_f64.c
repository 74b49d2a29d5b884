/* SPDX-License-Identifier: MIT
 *
 * Every registered model: the order in which nodes and edges are listed means nothing to outputs, loss and gradients.
 * Only the order of sums differs between a graph and the same graph shuffled, so in double they agree to
 *
 *     |found − expected| <= 1e-9 · max(|expected|, rms of all numbers compared with it)
 *
 * (Scored outputs are rounded to float: 1e-6.)
 *
 * A model that keeps some of the nodes must choose between those of equal score, and does so by their numbers: for such
 * nodes the order does mean something. It is made to keep them all; a second test shuffles graphs whose nodes all
 * differ, and lets it choose.
 */
#include "model/score.h"
#include "support/model_trial.h"

enum { MOST_OUTPUTS = 3 };

static void expect_close(const double *found, const double *wanted, int64_t n, double tolerance, const char *what)
{
    double square = 0;
    for (int64_t i = 0; i < n; i++) square += wanted[i] * wanted[i];
    double rms = sqrt(square / (double)n);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(found[i] - wanted[i]) <= tolerance * fmax(fabs(wanted[i]), rms)))
            fail_msg("%s: %s[%lld] is %.15g, expected %.15g (rms %.3g)", where, what, (long long)i, found[i], wanted[i],
                     rms);
}

static void score(double *output, struct trial *t, const struct l2r_dataset *data)
{
    float scored[MOST_OUTPUTS * ODD_GRAPHS];
    struct l2r_error error;
    must(l2r_score(scored, &t->network, &t->tape, data, t->graphs, ODD_GRAPHS, ODD_GRAPHS, &error), &error);
    for (int64_t i = 0; i < ODD_GRAPHS * l2r_signature_outputs(&t->network.signature); i++)
        output[i] = (double)scored[i];
}

static void expect_same(const struct l2r_model_type *type, const struct variant *variant,
                        const struct test_graph *graphs, enum graph_kind kind, const char *hidden, struct l2r_rng *rng)
{
    struct test_graph others[ODD_GRAPHS];
    double output[2][MOST_OUTPUTS * ODD_GRAPHS], loss[2];
    for (int i = 0; i < ODD_GRAPHS; i++) others[i] = shuffle_graph(&graphs[i], kind, rng);
    struct l2r_dataset *data = data_set_of(graphs, ODD_GRAPHS, kind), *shuffled = data_set_of(others, ODD_GRAPHS, kind);
    struct trial t = trial_open(type, variant, data, hidden, "0");
    struct l2r_params *params = &t.network.params;
    score(output[0], &t, data);
    score(output[1], &t, shuffled);
    expect_close(output[1], output[0], ODD_GRAPHS * l2r_signature_outputs(&t.network.signature), 1e-6, "output");
    double *gradient = l2r_arena_alloc(&t.arena, (size_t)params->n_trainable, sizeof *gradient);
    loss[0] = trial_loss(&t, data, t.graphs, ODD_GRAPHS, NULL, 0, true);
    memcpy(gradient, params->grad, (size_t)params->n_trainable * sizeof *gradient);
    loss[1] = trial_loss(&t, shuffled, t.graphs, ODD_GRAPHS, NULL, 0, true);
    expect_close(&loss[1], &loss[0], 1, 1e-9, "loss");
    expect_close(params->grad, gradient, params->n_trainable, 1e-9, "gradient");
    trial_close(&t);
    l2r_dataset_free(data);
    l2r_dataset_free(shuffled);
}

static bool chooses(const struct l2r_model_type *type)
{
    for (const struct l2r_option *option = type->options; option->name; option++)
        if (strcmp(option->name, "pool-ratio") == 0) return true;
    return false;
}

static struct variant with_ratio(const struct variant *variant, const char *ratio)
{
    struct variant more = *variant;
    size_t last = 0;
    while (more.options[last][0]) last++;
    more.options[last][0] = "pool-ratio", more.options[last][1] = ratio;
    return more;
}

static void order_means_nothing(const struct l2r_model_type *type, const struct variant *variant, enum graph_kind kind)
{
    struct test_graph graphs[ODD_GRAPHS];
    struct l2r_rng rng = l2r_rng_at(2, L2R_RANDOM_TEST, (uint64_t)kind);
    struct variant all = chooses(type) ? with_ratio(variant, "1") : *variant;
    /* Weighted means of equal nodes are equal: of nodes without features batch norm sees rounding alone, and divides it
     * by the root of its epsilon, layer after layer. */
    if (strcmp(type->name, "gat") == 0 && kind == BARE) return;
    draw_odd_graphs(graphs, kind, &rng);
    expect_same(type, &all, graphs, kind, "9", &rng);
}

/* Real numbers tell all nodes apart; in many columns ReLU leaves something of each; and graphs that stay large and
 * sparse hold no complete component, whose nodes would all have the same mean over neighbours and with it SAGPool's
 * score. Edge features, whose messages pass a ReLU, would bring such ties back. */
static void choice_means_nothing(const struct l2r_model_type *type, const struct variant *variant, enum graph_kind kind)
{
    struct test_graph graphs[ODD_GRAPHS];
    struct l2r_rng rng = l2r_rng_at(11, L2R_RANDOM_TEST, (uint64_t)kind);
    if (!chooses(type) || kind != MEASURED) return;
    for (int i = 0; i < ODD_GRAPHS; i++) graphs[i] = draw_graph(kind, 14 + i, 2 * (14 + i), &rng);
    struct variant most = with_ratio(variant, "0.9");
    size_t last = 0;
    while (last < 6 && most.options[last][0]) last++;
    if (last < 6) most.options[last][0] = "edge-features", most.options[last][1] = "false";
    expect_same(type, &most, graphs, kind, "40", &rng);
}

static void all_order(void **state)
{
    (void)state;
    for_all_models(order_means_nothing);
}

static void all_choices(void **state)
{
    (void)state;
    for_all_models(choice_means_nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {{"the order of nodes and edges means nothing", all_order, NULL, NULL, NULL},
                                       {"nor where nodes are chosen", all_choices, NULL, NULL, NULL}};
    return cmocka_run_group_tests_name("models, order", tests, NULL, NULL);
}
