/* SPDX-License-Identifier: MIT
 * The explainer on every task and on odd graphs (no nodes, no edges, self loops), its targets, and what it refuses. */
#include "explain/explainer.h"

#include "base/threads.h"
#include "support/messages.h"
#include "support/model_trial.h"

/* A network as a model of one member. */
#define ALONE(network) ((struct l2r_committee){.members = (const struct l2r_network *const[]){network}, .n = 1})

static const struct l2r_explain_settings quick = {.steps = 5,
                                                  .restarts = 2,
                                                  .learning_rate = 0.1,
                                                  .edge_size = 0.005,
                                                  .edge_entropy = 1,
                                                  .feature_size = 1,
                                                  .task = -1,
                                                  .motif = 1};

struct fixture {
    struct l2r_dataset *data;
    struct trial trial;
};

static struct fixture open_fixture(const char *model, enum graph_kind kind)
{
    struct test_graph graphs[ODD_GRAPHS];
    struct l2r_rng rng = l2r_rng_at(2, L2R_RANDOM_TEST, (uint64_t)kind);
    struct fixture f;
    snprintf(where, sizeof where, "%s, %s data", model, graph_schemas[kind].name);
    draw_odd_graphs(graphs, kind, &rng);
    f.data = data_set_of(graphs, ODD_GRAPHS, kind);
    f.trial = trial_open(l2r_model_find(model), &variants[0], f.data, "6", "0.5");
    return f;
}

static void close_fixture(struct fixture *f)
{
    trial_close(&f->trial);
    l2r_dataset_free(f->data);
}

static enum l2r_status explain(struct l2r_explanation *out, struct fixture *f, const struct l2r_explain_settings *s,
                               struct l2r_error *error)
{
    return l2r_explain_committee(out, &ALONE(&f->trial.network), f->data, f->trial.graphs, ODD_GRAPHS, s, error);
}

static void check_explanation(const struct l2r_explanation *e, const struct fixture *f, int32_t graph)
{
    assert_int_equal(e->graph, graph);
    assert_int_equal(e->n_nodes, l2r_dataset_nodes_of(f->data, graph));
    assert_int_equal(e->n_columns, f->data->nodes.n_columns + f->data->n_node_reals);
    assert_true(e->p > 0 && e->p <= 1 && isfinite(e->p_without) && isfinite(e->p_only));
    assert_true(e->fidelity_plus == e->p - e->p_without && e->fidelity_minus == e->p - e->p_only);
    assert_int_equal(isnan(e->sparsity), e->n_edges == 0);
    assert_true(isnan(e->node_auc) && e->mark == NULL); /* this data marks nothing */
    for (int64_t i = 0; i < e->n_edges; i++) {
        assert_true(e->ends[2 * i] <= e->ends[2 * i + 1] && e->ends[2 * i + 1] < e->n_nodes);
        assert_true(e->edge[i] > 0 && e->edge[i] < 1);
    }
    for (int64_t v = 0; v < e->n_nodes; v++) assert_true(e->node[v] >= 0 && e->node[v] < 1);
    if (f->data->task == L2R_TASK_REGRESSION) assert_true(fabs(e->p - 1) < 1e-5); /* its own prediction */
    if (f->data->task == L2R_TASK_MULTICLASS) assert_true(e->p >= 1.0 / 3);       /* the likeliest of three */
}

static void test_every_task(void **state)
{
    (void)state;
    l2r_threads_set(2);
    for (int kind = 0; kind < GRAPH_KINDS; kind++) {
        struct fixture f = open_fixture("gin", (enum graph_kind)kind);
        struct l2r_explanation found[ODD_GRAPHS];
        struct l2r_error error;
        int64_t edges = 0;
        must(explain(found, &f, &quick, &error), &error);
        for (int32_t i = 0; i < ODD_GRAPHS; i++) check_explanation(&found[i], &f, i);
        for (int32_t i = 0; i < ODD_GRAPHS; i++) edges += found[i].n_edges;
        assert_int_equal(edges, l2r_dataset_n_edges(f.data));
        l2r_explanations_clear(found, ODD_GRAPHS);
        close_fixture(&f);
    }
}

/* A node's importance is the mean of its edges'; a self loop is not counted. */
static void test_node_importance(void **state)
{
    (void)state;
    struct fixture f = open_fixture("gcn", LABELLED);
    struct l2r_explanation found[ODD_GRAPHS];
    struct l2r_error error;
    int64_t loops = 0;
    must(explain(found, &f, &quick, &error), &error);
    for (int g = 0; g < ODD_GRAPHS; g++)
        for (int64_t v = 0; v < found[g].n_nodes; v++) {
            double sum = 0, n = 0;
            for (int64_t i = 0; i < found[g].n_edges; i++) {
                const int32_t *ends = found[g].ends + 2 * i;
                loops += ends[0] == ends[1];
                if (ends[0] == ends[1] || (ends[0] != v && ends[1] != v)) continue;
                sum += (double)found[g].edge[i];
                n++;
            }
            assert_true(fabs((double)found[g].node[v] - (n > 0 ? sum / n : 0)) < 1e-6);
        }
    assert_true(loops > 0);
    l2r_explanations_clear(found, ODD_GRAPHS);
    close_fixture(&f);
}

static void test_targets(void **state)
{
    (void)state;
    struct fixture f = open_fixture("gin", MOLECULES);
    struct l2r_explanation found[ODD_GRAPHS];
    struct l2r_error error;
    struct l2r_explain_settings one = quick;
    one.task = 1;
    must(explain(found, &f, &one, &error), &error);
    for (int g = 0; g < ODD_GRAPHS;
         g++) { /* of one task p is a plain probability, at least one half for the prediction */
        assert_true(isnan(found[g].target[0]) && isnan(found[g].target[2]));
        assert_true(found[g].target[1] == (float)(found[g].output[1] > 0) && found[g].p >= 0.5);
        double p = 1 / (1 + exp(-fabs((double)found[g].output[1])));
        assert_true(fabs(found[g].p - p) < 1e-5);
    }
    l2r_explanations_clear(found, ODD_GRAPHS);
    close_fixture(&f);

    f = open_fixture("gin", LABELLED);
    struct l2r_explain_settings label = quick;
    label.use_label = true;
    must(explain(found, &f, &label, &error), &error);
    for (int g = 0; g < ODD_GRAPHS; g++) assert_true(found[g].target[0] == f.data->labels[g]);
    l2r_explanations_clear(found, ODD_GRAPHS);
    close_fixture(&f);
}

static void expect_refusal(enum l2r_status status, enum l2r_status expected, const struct l2r_error *error,
                           const char *part)
{
    assert_int_equal(status, expected);
    if (!message_matches(error->message, part)) fail_msg("'%s' does not say '%s'", error->message, part);
}

static bool stop_at_once(void *context)
{
    ++*(int *)context;
    return true;
}

static void test_refusals(void **state)
{
    (void)state;
    struct l2r_explanation found[ODD_GRAPHS];
    struct l2r_error error = {0};
    struct l2r_explain_settings s = quick;
    struct fixture f = open_fixture("pna", MOLECULES);
    expect_refusal(explain(found, &f, &s, &error), L2R_ERR_ARGUMENT, &error,
                   "pna cannot be explained by masks on edges: ");
    close_fixture(&f);
    f = open_fixture("gin", MOLECULES);
    s.task = 3;
    expect_refusal(explain(found, &f, &s, &error), L2R_ERR_ARGUMENT, &error, "there is no task 3");
    s = quick;
    s.use_label = true;
    s.task = 0;
    f.data->labels = memset(l2r_arena_alloc(&f.trial.arena, 3 * ODD_GRAPHS, sizeof(float)), 0xff,
                            3 * ODD_GRAPHS * sizeof(float)); /* NaN everywhere */
    expect_refusal(explain(found, &f, &s, &error), L2R_ERR_ARGUMENT, &error,
                   "graph 0 has no label that is one of the model's classes; use `target=prediction`");
    assert_null(found[0].edge); /* nothing is left to be freed */
    int n_calls = 0;
    struct l2r_watch callbacks = L2R_WATCH_INIT;
    callbacks.context = &n_calls;
    callbacks.stop = stop_at_once;
    assert_int_equal(l2r_watch_set(&callbacks, &error), L2R_OK);
    expect_refusal(explain(found, &f, &quick, &error), L2R_ERR_INTERRUPTED, &error, "stopped");
    assert_int_equal(l2r_watch_set(NULL, &error), L2R_OK);
    assert_true(n_calls >= 1);
    for (int64_t i = 0; i < f.trial.network.params.n_trainable; i++) f.trial.network.params.value[i] = NAN;
    expect_refusal(explain(found, &f, &quick, &error), L2R_ERR_DIVERGED, &error,
                   "graph 0 cannot be explained: output 0 of the model is nan");
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_task), cmocka_unit_test(test_node_importance),
                                       cmocka_unit_test(test_targets), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests_name("explainer", tests, NULL, NULL);
}
