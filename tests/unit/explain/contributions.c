/* SPDX-License-Identifier: MIT
 * Contributions: Shapley values add up, agree with occlusion where both can be computed by hand, do not depend on
 * threads or neighbours, and every task and odd graph has some. Of a committee they are those of the mean of all
 * members that read the graph. */
#include "explain/contributions.h"

#include "base/threads.h"
#include "explain/subject.h"
#include "metrics/probability.h"
#include "support/messages.h"
#include "support/model_trial.h"

/* A network as a model of one member. */
#define ALONE(network) ((struct l2r_committee){.members = (const struct l2r_network *const[]){network}, .n = 1})

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
    must(l2r_explain_committee(found, &ALONE(&f->trial.network), f->data, graphs, GRAPHS, &s, &error), &error);
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
    must(l2r_contributions_of_parts(effect, e, &ALONE(&f.trial.network), f.data, part, 7, &error), &error);
    for (int v = 0; v < 7; v++) assert_true(fabs(effect[v] - (double)e->node_effect[v]) < 1e-5 * (1 + fabs(effect[v])));
    memset(part, 0, sizeof part);
    must(l2r_contributions_of_parts(effect, e, &ALONE(&f.trial.network), f.data, part, 1, &error), &error);
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
    must(l2r_explain_committee(&alone, &ALONE(&f.trial.network), f.data, &last, 1, &s, &error), &error);
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
    assert_int_equal(l2r_explain_committee(found, &ALONE(&f.trial.network), f.data, &last, 1, &s, &error),
                     L2R_ERR_ARGUMENT);
    expect_message(error.message, "contributions are to one task, and the model has 3");
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
    must(l2r_explain_committee(&e, &ALONE(&f.trial.network), f.data, &last, 1, &s, &error), &error);
    for (int64_t v = 0; v < e.n_nodes; v++) marked += e.important_node[v];
    assert_int_equal(marked, 3);
    l2r_explanations_clear(&e, 1);
    close_fixture(&f);
}

/* Models that masks cannot be put on have contributions all the same. */
static void test_without_masks(void **state)
{
    (void)state;
    static const char *const models[] = {"gat", "pna"};
    for (size_t m = 0; m < 2; m++) {
        struct fixture f = open_fixture(models[m], MOLECULES);
        struct l2r_explanation found[GRAPHS];
        explain(found, &f, L2R_EXPLAINER_OCCLUSION);
        const struct l2r_explanation *e = &found[GRAPHS - 1];
        check_importance(e->node, e->node_effect, e->n_nodes);
        assert_true(e->p > 0 && e->p_without > 0 && e->p_only > 0 && e->p >= 0.5);
        assert_true(fabs(e->fidelity_plus - (e->p - e->p_without)) < 1e-12 && isnan(l2r_explanation_sum(e)));
        l2r_explanations_clear(found, GRAPHS);
        close_fixture(&f);
    }
}

/* What two answers are together: the mean of values, or of probabilities. */
static double mean_of(double a, double b, enum l2r_task task)
{
    double p = (l2r_sigmoid(a) + l2r_sigmoid(b)) / 2;
    return task == L2R_TASK_REGRESSION ? (a + b) / 2 : log(p / (1 - p));
}

static void check_mean(const struct l2r_explanation *both, const struct l2r_explanation *a,
                       const struct l2r_explanation *b, enum l2r_task task)
{
    double whole = mean_of(a->value, b->value, task);
    assert_int_equal(both->n_members, 2);
    assert_int_equal(both->n_explained, 2);
    assert_true(fabs(both->value - whole) < 1e-4 * (1 + fabs(whole)));
    assert_true(fabs(both->baseline - mean_of(a->baseline, b->baseline, task)) < 1e-4 * (1 + fabs(whole)));
    assert_true(fabs(both->answer - (task == L2R_TASK_REGRESSION ? whole : l2r_sigmoid(whole))) < 1e-4);
    for (int64_t v = 0; v < both->n_nodes; v++) {
        double left = a->value - (double)a->node_effect[v], right = b->value - (double)b->node_effect[v];
        double expected = whole - mean_of(left, right, task);
        assert_true(fabs((double)both->node_effect[v] - expected) < 1e-4 * (1 + fabs(expected)));
    }
}

/* Contributions are to the mean of both; masks are learned for one network, which is not the whole model. */
static void check_committee(struct fixture *a, struct fixture *b)
{
    struct l2r_explanation one[GRAPHS], other[GRAPHS], both[GRAPHS];
    const struct l2r_network *members[] = {&a->trial.network, &b->trial.network};
    const struct l2r_committee committee = {members, 2, NULL};
    static const int32_t graphs[GRAPHS] = {0, 1, 2, 3};
    struct l2r_explain_settings s = settings_for(L2R_EXPLAINER_MASKS);
    struct l2r_error error;
    const int32_t last = GRAPHS - 1;
    s.steps = 2;
    explain(one, a, L2R_EXPLAINER_OCCLUSION);
    explain(other, b, L2R_EXPLAINER_OCCLUSION);
    s.explainer = L2R_EXPLAINER_OCCLUSION;
    must(l2r_explain_committee(both, &committee, a->data, graphs, GRAPHS, &s, &error), &error);
    for (int g = 0; g < GRAPHS; g++) check_mean(&both[g], &one[g], &other[g], a->data->task);
    l2r_explanations_clear(both, GRAPHS);
    s.explainer = L2R_EXPLAINER_MASKS;
    must(l2r_explain_committee(both, &committee, a->data, &last, 1, &s, &error), &error);
    assert_int_equal(both[0].n_explained, 1);
    if (a->data->task == L2R_TASK_REGRESSION) assert_true(fabs(both[0].value - one[last].value) < 1e-4);
    l2r_explanations_clear(both, 1);
    l2r_explanations_clear(one, GRAPHS);
    l2r_explanations_clear(other, GRAPHS);
}

static void test_committee(void **state)
{
    (void)state;
    for (int kind = 0; kind < GRAPH_KINDS; kind++) {
        struct fixture a = open_fixture("gin", (enum graph_kind)kind), b = open_fixture("pna", (enum graph_kind)kind);
        /* Of several classes the two may decide for different ones. */
        if (a.data->task != L2R_TASK_MULTICLASS) check_committee(&a, &b);
        close_fixture(&a);
        close_fixture(&b);
    }
}

static void expect_subject(const struct l2r_committee *model, enum l2r_explainer_kind kind, const char *expected,
                           int32_t n_members, bool calibrated)
{
    struct l2r_subject s;
    struct l2r_error error;
    char sentence[400];
    must(l2r_subject_init(&s, model, kind, &error), &error);
    l2r_subject_describe(sentence, sizeof sentence, &s);
    assert_string_equal(sentence, expected);
    assert_int_equal(s.committee.n, n_members);
    assert_true((s.committee.calibration != NULL) == calibrated);
    l2r_subject_clear(&s);
}

/* Who takes part, and what is said of the others. */
static void test_subject(void **state)
{
    (void)state;
    struct l2r_calibration calibration = {0};
    const struct l2r_network gin = {.type = l2r_model_find("gin")}, pna = {.type = l2r_model_find("pna")},
                             mlp = {.type = l2r_model_find("mlp")};
    const struct l2r_network *members[] = {&gin, &pna, &mlp};
    struct l2r_committee model = {members, 1, &calibration};
    struct l2r_subject s;
    struct l2r_error error;
    expect_subject(&model, L2R_EXPLAINER_SHAPLEY, "", 1, true);
    model.n = 2;
    expect_subject(&model, L2R_EXPLAINER_SHAPLEY, "", 2, true);
    model.n = 3;
    expect_subject(&model, L2R_EXPLAINER_SHAPLEY,
                   "explained: the mean of members 1 (gin) and 2 (pna) of the committee; not 3 (mlp), which reads "
                   "features of the whole molecule and no atoms",
                   2, false);
    expect_subject(&model, L2R_EXPLAINER_MASKS,
                   "explained: member 1 (gin) of the committee alone; not 2 (pna), because masks are learned for one "
                   "network; not 3 (mlp), which reads features of the whole molecule and no atoms",
                   1, false);
    assert_int_equal(l2r_subject_init(&s, &ALONE(&mlp), L2R_EXPLAINER_SHAPLEY, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "mlp cannot be explained by its nodes and edges: it reads features");
    l2r_subject_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_task), cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_parts),      cmocka_unit_test(test_one_task),
                                       cmocka_unit_test(test_size),       cmocka_unit_test(test_without_masks),
                                       cmocka_unit_test(test_committee),  cmocka_unit_test(test_subject)};
    return cmocka_run_group_tests_name("contributions", tests, NULL, NULL);
}
