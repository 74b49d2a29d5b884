/* SPDX-License-Identifier: MIT
 * Contributions: Shapley values add up, agree with occlusion where both can be computed by hand, do not depend on
 * threads or neighbours, and every task and odd graph has some. */
#include "explain/contributions.h"

#include "base/threads.h"
#include "support/model_trial.h"

enum { GRAPHS = 4, PAIR = 1 };

static struct l2r_explain_settings settings_for(enum l2r_explainer_kind kind)
{
    return (struct l2r_explain_settings){.explainer = kind, .samples = 6, .task = 0, .motif = 1, .restarts = 1};
}

struct fixture {
    struct l2r_dataset *data;
    struct trial trial;
};

/* A graph without nodes, two joined nodes, a single node, and seven with edges. */
static struct fixture open_fixture(const char *model, enum graph_kind kind)
{
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, (uint64_t)kind);
    struct test_graph graphs[GRAPHS] = {draw_graph(kind, 0, 0, &rng), draw_graph(kind, 2, 0, &rng),
                                        draw_graph(kind, 1, 0, &rng), draw_graph(kind, 7, 12, &rng)};
    struct fixture f;
    graphs[PAIR].n_edges = 1;
    graphs[PAIR].edges[0] = 0;
    graphs[PAIR].edges[1] = 1;
    snprintf(where, sizeof where, "%s, %s data", model, graph_schemas[kind].name);
    f.data = data_set_of(graphs, GRAPHS, kind);
    f.trial = trial_open(l2r_model_find(model), &variants[0], f.data, "6", "0.5");
    return f;
}

static void close_fixture(struct fixture *f)
{
    trial_close(&f->trial);
    l2r_dataset_free(f->data);
}

static void explain(struct l2r_explanation *found, struct fixture *f, enum l2r_explainer_kind kind)
{
    static const int32_t graphs[GRAPHS] = {0, 1, 2, 3};
    struct l2r_explain_settings s = settings_for(kind);
    struct l2r_error error;
    must(l2r_explain_network(found, &f->trial.network, f->data, graphs, GRAPHS, &s, NULL, &error), &error);
}

static double sum_of(const float *values, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += (double)values[i];
    return sum;
}

/* Of two nodes there are two orders, and an order with its reverse is both of them:
 *     c_0 = ((v{0} − v{}) + (v{0,1} − v{1})) / 2,   and occlusion knows v{0} and v{1}. */
static void compare_pair(const struct l2r_explanation *shapley, const struct l2r_explanation *occlusion)
{
    double gone[2] = {(double)occlusion->node_effect[0], (double)occlusion->node_effect[1]}, all = shapley->value;
    for (int i = 0; i < 2; i++) {
        double expected = (all - gone[1 - i] - shapley->baseline + gone[i]) / 2;
        assert_true(fabs((double)shapley->node_effect[i] - expected) < 1e-5 * (1 + fabs(expected)));
    }
    assert_true(fabsf(shapley->edge_effect[0] - occlusion->edge_effect[0]) <
                1e-5f * (1 + fabsf(shapley->edge_effect[0])));
}

static void check_importance(const float *importance, const float *effect, int64_t n)
{
    float most = 0;
    for (int64_t i = 0; i < n; i++) {
        assert_true(isfinite(effect[i]) && importance[i] >= 0 && importance[i] <= 1);
        most = fmaxf(most, importance[i]);
    }
    assert_true(n == 0 || most == 1 || most == 0);
}

static void test_every_task(void **state)
{
    (void)state;
    l2r_threads_set(2);
    for (int kind = 0; kind < GRAPH_KINDS; kind++) {
        struct fixture f = open_fixture("gin", (enum graph_kind)kind);
        struct l2r_explanation shapley[GRAPHS], occlusion[GRAPHS];
        explain(shapley, &f, L2R_EXPLAINER_SHAPLEY);
        explain(occlusion, &f, L2R_EXPLAINER_OCCLUSION);
        for (int g = 0; g < GRAPHS; g++) {
            const struct l2r_explanation *e = &shapley[g];
            double whole = e->value - e->baseline;
            assert_true(fabs(sum_of(e->node_effect, e->n_nodes) - whole) < 1e-4 * (1 + fabs(whole)));
            check_importance(e->node, e->node_effect, e->n_nodes);
            check_importance(occlusion[g].edge, occlusion[g].edge_effect, e->n_edges);
            assert_true(e->value == occlusion[g].value);
            if (f.data->task != L2R_TASK_MULTICLASS) /* where every graph is asked about its own class */
                assert_true(fabs(e->baseline - shapley[0].value) < 1e-5 * (1 + fabs(e->baseline)));
        }
        assert_true(shapley[PAIR].node_effect[0] != 0);
        compare_pair(&shapley[PAIR], &occlusion[PAIR]);
        l2r_explanations_clear(shapley, GRAPHS);
        l2r_explanations_clear(occlusion, GRAPHS);
        close_fixture(&f);
    }
}

/* A part of one node is that node; the part of all nodes is all that is above the baseline. */
static void test_parts(void **state)
{
    (void)state;
    struct fixture f = open_fixture("gin", MOLECULES);
    struct l2r_explanation nodes[GRAPHS];
    const struct l2r_explanation *e = &nodes[GRAPHS - 1];
    struct l2r_error error;
    double effect[8];
    int32_t part[8];
    explain(nodes, &f, L2R_EXPLAINER_OCCLUSION);
    for (int32_t v = 0; v < 7; v++) part[v] = v;
    must(l2r_contributions_of_parts(effect, e, &f.trial.network, f.data, part, 7, &error), &error);
    for (int v = 0; v < 7; v++) assert_true(fabs(effect[v] - (double)e->node_effect[v]) < 1e-5 * (1 + fabs(effect[v])));
    memset(part, 0, sizeof part);
    must(l2r_contributions_of_parts(effect, e, &f.trial.network, f.data, part, 1, &error), &error);
    assert_true(fabs(effect[0] - (e->value - e->baseline)) < 1e-5 * (1 + fabs(effect[0])));
    l2r_explanations_clear(nodes, GRAPHS);
    close_fixture(&f);
}

static void test_same_bits(void **state)
{
    (void)state;
    struct fixture f = open_fixture("gcn", MOLECULES);
    struct l2r_explanation many[GRAPHS], alone;
    struct l2r_explain_settings s = settings_for(L2R_EXPLAINER_SHAPLEY);
    struct l2r_error error;
    const int32_t last = GRAPHS - 1;
    l2r_threads_set(2);
    explain(many, &f, L2R_EXPLAINER_SHAPLEY);
    l2r_threads_set(1);
    must(l2r_explain_network(&alone, &f.trial.network, f.data, &last, 1, &s, NULL, &error), &error);
    assert_memory_equal(alone.node_effect, many[last].node_effect, (size_t)alone.n_nodes * sizeof(float));
    assert_memory_equal(alone.edge_effect, many[last].edge_effect, (size_t)alone.n_edges * sizeof(float));
    l2r_explanations_clear(&alone, 1);
    l2r_explanations_clear(many, GRAPHS);
    close_fixture(&f);
}

static void test_one_task(void **state)
{
    (void)state;
    struct fixture f = open_fixture("gin", MOLECULES);
    struct l2r_explanation found[GRAPHS];
    struct l2r_explain_settings s = settings_for(L2R_EXPLAINER_OCCLUSION);
    struct l2r_error error;
    const int32_t last = GRAPHS - 1;
    s.task = -1;
    assert_int_equal(l2r_explain_network(found, &f.trial.network, f.data, &last, 1, &s, NULL, &error),
                     L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "contributions are to one task, and the model has 3"));
    close_fixture(&f);
}

/* A given size marks as many edges and nodes. */
static void test_size(void **state)
{
    (void)state;
    struct fixture f = open_fixture("gin", BARE);
    struct l2r_explanation e;
    struct l2r_explain_settings s = settings_for(L2R_EXPLAINER_OCCLUSION);
    struct l2r_error error;
    const int32_t last = GRAPHS - 1;
    int marked = 0;
    s.n_important = 3;
    must(l2r_explain_network(&e, &f.trial.network, f.data, &last, 1, &s, NULL, &error), &error);
    for (int64_t v = 0; v < e.n_nodes; v++) marked += e.important_node[v];
    assert_int_equal(marked, 3);
    l2r_explanations_clear(&e, 1);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_task), cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_parts), cmocka_unit_test(test_one_task),
                                       cmocka_unit_test(test_size)};
    return cmocka_run_group_tests_name("contributions", tests, NULL, NULL);
}
