/* SPDX-License-Identifier: MIT
 *
 * What every registered model, readout and activation must keep, whatever its equations:
 *
 *     a batch is its graphs side by side           evaluation mode: many together = each alone
 *     odd graphs are graphs                        no nodes, one node, no edges, isolated nodes; alone and among others
 *     nodes without edges do not see each other    a graph of equal isolated nodes = one such node (mean, max)
 *
 * Two results are close if they differ by at most close_enough() times the larger of the number itself and the root
 * mean square of all numbers compared with it. Only the order of sums differs between them.
 */
#include "model/score.h"
#include "support/model_trial.h"

enum { MOST_OUTPUTS = 3, MOST_GRAPHS = 16 };
/* Nodes without features differ by their degrees alone: batch norm magnifies small differences, and rounding with
 * them. */
static double close_enough(const char *where_now)
{
    return strstr(where_now, "bare") ? 2e-4 : 1e-4;
}

static void expect_close(const float *found, const float *wanted, int64_t n, const char *what)
{
    double square = 0;
    for (int64_t i = 0; i < n; i++) square += (double)wanted[i] * (double)wanted[i];
    double rms = sqrt(square / (double)n);
    for (int64_t i = 0; i < n; i++)
        if (!(fabs((double)found[i] - (double)wanted[i]) <= close_enough(where) * fmax(fabs((double)wanted[i]), rms)))
            fail_msg("%s: %s[%lld] is %.9g, expected %.9g (rms %.3g)", where, what, (long long)i, (double)found[i],
                     (double)wanted[i], rms);
}

static void expect_finite(const float *found, int64_t n, const char *what)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(found[i])) fail_msg("%s: %s[%lld] is %g", where, what, (long long)i, (double)found[i]);
}

static void score(float *output, struct trial *t, const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                  int64_t batch_size)
{
    struct l2r_error error;
    must(l2r_score(output, &t->network, &t->tape, data, graphs, n, batch_size, &error), &error);
}

static int64_t outputs_of(const struct trial *t)
{
    return l2r_signature_outputs(&t->network.signature);
}

static void batch_is_its_graphs(const struct l2r_model_type *type, const struct variant *variant, enum graph_kind kind)
{
    struct test_graph graphs[MOST_GRAPHS];
    float together[MOST_OUTPUTS * MOST_GRAPHS], alone[MOST_OUTPUTS * MOST_GRAPHS], some[MOST_OUTPUTS * MOST_GRAPHS];
    struct l2r_rng rng = l2r_rng_at(3, L2R_RANDOM_TEST, (uint64_t)kind);
    draw_odd_graphs(graphs, kind, &rng);
    for (int i = ODD_GRAPHS; i < MOST_GRAPHS; i++) graphs[i] = draw_graph(kind, 3 + i, 4 + 2 * i, &rng);
    struct l2r_dataset *data = data_set_of(graphs, MOST_GRAPHS, kind);
    struct trial t = trial_open(type, variant, data, "9", "0.5");
    int64_t n = MOST_GRAPHS * outputs_of(&t);
    score(together, &t, data, t.graphs, MOST_GRAPHS, MOST_GRAPHS);
    score(alone, &t, data, t.graphs, MOST_GRAPHS, 1);
    score(some, &t, data, t.graphs, MOST_GRAPHS, 5);
    expect_close(alone, together, n, "output alone");
    expect_close(some, together, n, "output in batches of 5");
    /* And they are not all the same: a model that ignores its input would pass above. */
    double apart = 0;
    for (int64_t i = outputs_of(&t); i < n; i++) apart = fmax(apart, fabs((double)(together[i] - together[0])));
    if (apart < 1e-2) fail_msg("%s: the outputs differ by %g only", where, apart);
    trial_close(&t);
    l2r_dataset_free(data);
}

/* An empty graph has Z = 0: its output is what the head makes of that, in the targets' own units. */
static void expect_head_of_nothing(struct trial *t, const float *output)
{
    l2r_tape_reset(&t->tape);
    l2r_tape_mode_predict(&t->tape);
    l2r_real *zero = l2r_tape_alloc(&t->tape, t->network.width, sizeof *zero);
    for (int64_t j = 0; j < t->network.width; j++) zero[j] = 0;
    l2r_node out = l2r_network_output(&t->network, &t->tape, NULL, l2r_constant(&t->tape, zero, 1, t->network.width));
    const struct l2r_signature *s = &t->network.signature;
    for (int64_t k = 0; k < outputs_of(t); k++) {
        double mean = s->task == L2R_TASK_REGRESSION ? s->target.mean[k] : 0;
        double sd = s->task == L2R_TASK_REGRESSION ? s->target.sd[k] : 1;
        float wanted = (float)((double)l2r_value_of(&t->tape, out)->data[k] * sd + mean);
        expect_close(&output[k], &wanted, 1, "output of a graph without nodes");
    }
}

static void odd_graphs_are_graphs(const struct l2r_model_type *type, const struct variant *variant,
                                  enum graph_kind kind)
{
    struct test_graph graphs[ODD_GRAPHS];
    float output[MOST_OUTPUTS * ODD_GRAPHS];
    struct l2r_rng rng = l2r_rng_at(4, L2R_RANDOM_TEST, (uint64_t)kind);
    draw_odd_graphs(graphs, kind, &rng);
    struct l2r_dataset *data = data_set_of(graphs, ODD_GRAPHS, kind);
    struct trial t = trial_open(type, variant, data, "9", "0.5");
    struct l2r_params *params = &t.network.params;
    for (int32_t i = 0; i < ODD_GRAPHS; i++) { /* a training batch of this graph alone */
        float loss = (float)trial_loss(&t, data, &i, 1, NULL, (uint64_t)i, true);
        expect_finite(&loss, 1, "loss");
        expect_finite(params->grad, params->n_trainable, "gradient");
        expect_finite(params->buffer, params->n_buffer, "running statistics");
    }
    float loss = (float)trial_loss(&t, data, t.graphs, ODD_GRAPHS, NULL, 99, true);
    expect_finite(&loss, 1, "loss of all");
    expect_finite(params->grad, params->n_trainable, "gradient of all");
    score(output, &t, data, t.graphs, ODD_GRAPHS, ODD_GRAPHS);
    expect_finite(output, ODD_GRAPHS * outputs_of(&t), "output");
    assert_int_equal(graphs[1].n_nodes, 0);
    expect_head_of_nothing(&t, output + outputs_of(&t));
    trial_close(&t);
    l2r_dataset_free(data);
}

/* Graph 0: one node. Graph 1: seven of the same, no edges. A virtual node and sums, diffpool's too, do tell them
 * apart. */
static void isolated_nodes_are_alike(const struct l2r_model_type *type, const struct variant *variant,
                                     enum graph_kind kind)
{
    struct test_graph graphs[2];
    float output[2 * MOST_OUTPUTS];
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, (uint64_t)kind);
    graphs[0] = draw_graph(kind, 1, 0, &rng);
    graphs[1] = draw_graph(kind, 7, 0, &rng);
    for (int v = 0; v < 7; v++) {
        for (int32_t k = 0; k < graph_schemas[kind].n_node_columns; k++)
            graphs[1].node_rows[v * graph_schemas[kind].n_node_columns + k] = graphs[0].node_rows[k];
        for (int32_t k = 0; k < graph_schemas[kind].n_node_reals; k++)
            graphs[1].node_real[v * graph_schemas[kind].n_node_reals + k] = graphs[0].node_real[k];
    }
    struct l2r_dataset *data = data_set_of(graphs, 2, kind);
    struct trial t = trial_open(type, variant, data, "9", "0");
    score(output, &t, data, t.graphs, 2, 2);
    bool sees_size =
        l2r_config_flag(t.config, "virtual-node") || l2r_readout_find(l2r_config_text(t.config, "readout"))->sees_size;
    if (!sees_size) expect_close(output + outputs_of(&t), output, outputs_of(&t), "output of seven isolated nodes");
    trial_close(&t);
    l2r_dataset_free(data);
}

static void all_batches(void **state)
{
    (void)state;
    for_all_models(batch_is_its_graphs);
    for_all_parts(batch_is_its_graphs);
}

static void all_odd(void **state)
{
    (void)state;
    for_all_models(odd_graphs_are_graphs);
    for_all_parts(odd_graphs_are_graphs);
}

static void all_isolated(void **state)
{
    (void)state;
    for_all_models(isolated_nodes_are_alike);
    for_all_parts(isolated_nodes_are_alike);
}

int main(void)
{
    const struct CMUnitTest tests[] = {{"a batch is its graphs side by side", all_batches, NULL, NULL, NULL},
                                       {"odd graphs are graphs", all_odd, NULL, NULL, NULL},
                                       {"isolated nodes are alike", all_isolated, NULL, NULL, NULL}};
    return cmocka_run_group_tests_name("models", tests, NULL, NULL);
}
