/* SPDX-License-Identifier: MIT
 *
 * A network whose prediction is known to rest on one planted subgraph, and an explainer that has to find it. Nodes have
 * one feature, 0 or 1; the network is a GIN of one layer with weights set by hand,
 *
 *     h = (1, 0) or (0, 1);  s_v = 10 h_v + Σ_u h_u;  c_v = ReLU(s_v2 − 4.5)
 *     for a node of type 1:  c_v = 5.5 + number of neighbours of type 1;    for a node of type 0:  c_v = 0
 *     Σ_v c_v = 5.5 · (nodes 1) + 2 · (edges between nodes 1),  logit of class 1 = 4 (that number of edges − k + 1/2)
 *
 * so that class 1 needs all k edges between nodes 1 and no other, and the feature. Every graph has a ring of nodes 1
 * with a chord, nodes 0 around it, random edges, and one node 1 without a neighbour 1 as bait.
 */
#include "base/threads.h"
#include "explain/explainer.h"
#include "store/run.h"
#include "support/random_graphs.h"

/* A network as a model of one member. */
#define ALONE(network) ((struct l2r_committee){.members = (const struct l2r_network *const[]){network}, .n = 1})

enum { GRAPHS = 50, RING = 5, PLANTED = RING + 1 /* edges */, OTHERS = 12 };

static const struct l2r_explain_settings settings = {.steps = 200,
                                                     .restarts = 5,
                                                     .learning_rate = 0.05,
                                                     .edge_size = 0.005,
                                                     .edge_entropy = 1,
                                                     .feature_size = 1,
                                                     .task = -1,
                                                     .n_important = PLANTED,
                                                     .motif = 1};

/* Nodes 0 .. RING-1 are the ring, RING is the bait, the others follow. */
static void add_graph(struct l2r_builder *builder, struct l2r_rng *rng)
{
    enum { N = RING + 1 + OTHERS };
    int32_t edges[2 * 64], rows[N], n = 0;
    uint8_t mark[N];
    float label = 1;
    for (int32_t v = 0; v < N; v++) rows[v] = v <= RING, mark[v] = v < RING;
#define EDGE(A, B) (edges[2 * n] = (A), edges[2 * n + 1] = (B), n++)
    for (int32_t v = 0; v < RING; v++) EDGE(v, (v + 1) % RING);
    EDGE(0, 2);
    for (int32_t v = RING; v < N; v++) { /* each of the others to one before it, the bait to a node 0 */
        if (v > RING) EDGE(v, v == RING + 1 ? RING : (int32_t)l2r_rng_below(rng, (uint64_t)v));
    }
    for (int i = 0; i < 10; i++) EDGE((int32_t)(RING + 1 + l2r_rng_below(rng, OTHERS)), (int32_t)l2r_rng_below(rng, N));
#undef EDGE
    const struct l2r_graph_view view = {.n_nodes = N,
                                        .n_edges = n,
                                        .edges = edges,
                                        .node_rows = rows,
                                        .node_mark = mark,
                                        .labels = &label,
                                        .part = L2R_PART_NONE};
    assert_int_equal(l2r_builder_add(builder, &view, NULL), L2R_OK);
}

static struct l2r_dataset *make_data(void)
{
    static const int32_t two[] = {2};
    static const int64_t classes[] = {0, 1};
    const struct l2r_schema schema = {.name = "planted",
                                      .task = L2R_TASK_MULTICLASS,
                                      .n_tasks = 1,
                                      .n_node_columns = 1,
                                      .node_vocabulary = two,
                                      .n_classes = 2,
                                      .class_value = classes,
                                      .has_marks = true};
    struct l2r_builder *builder;
    struct l2r_dataset *data;
    struct l2r_rng rng = l2r_rng_at(77, L2R_RANDOM_TEST, 0);
    assert_int_equal(l2r_builder_new(&builder, &schema, NULL), L2R_OK);
    for (int i = 0; i < GRAPHS; i++) add_graph(builder, &rng);
    assert_int_equal(l2r_builder_finish(&data, builder, NULL), L2R_OK);
    l2r_builder_free(builder);
    return data;
}

static void set(struct l2r_params *params, const char *name, const float *values)
{
    for (size_t i = 0; i < params->count; i++) {
        struct l2r_param *p = params->items[i];
        if (strcmp(p->name, name) != 0) continue;
        for (int64_t k = 0; k < p->rows * p->cols; k++) p->value[k] = values[k];
        return;
    }
    fail_msg("the network has no parameter %s", name);
}

static void make_network(struct l2r_network *network, const struct l2r_dataset *data)
{
    static const char *const options[][2] = {
        {"hidden", "2"}, {"layers", "1"}, {"mlp-factor", "1"}, {"batch-norm", "false"}, {"readout", "sum"}};
    struct l2r_config *config;
    struct l2r_signature signature;
    struct l2r_arena arena;
    struct l2r_error error;
    int32_t all[GRAPHS];
    for (int i = 0; i < GRAPHS; i++) all[i] = i;
    l2r_arena_init(&arena);
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_run_declare(config, "gin", "erm", &error), L2R_OK);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        assert_int_equal(l2r_config_set(config, options[i][0], options[i][1], &error), L2R_OK);
    assert_int_equal(l2r_signature_make(&signature, &arena, data, all, GRAPHS, &error), L2R_OK);
    assert_int_equal(l2r_network_init(network, l2r_model_find("gin"), config, &signature, 0, &error), L2R_OK);
    struct l2r_params *p = &network->params;
    set(p, "node_embedding.0.weight", (const float[]){1, 0, 0, 1});
    set(p, "layers.0.eps", (const float[]){9});
    set(p, "layers.0.mlp.0.weight", (const float[]){0, 1, 0, 0});
    set(p, "layers.0.mlp.0.bias", (const float[]){-4.5F, 0});
    set(p, "layers.0.mlp.3.weight", (const float[]){1, 0, 0, 0});
    set(p, "layers.0.mlp.3.bias", (const float[]){0, 0});
    set(p, "head.weight", (const float[]){0, 0, 2, 0});
    set(p, "head.bias", (const float[]){0, -4 * (PLANTED - 0.5F) - 2 * 5.5F * (RING + 1)});
    l2r_config_free(config);
    l2r_arena_clear(&arena);
}

static struct l2r_dataset *data;
static struct l2r_network network;

static void explain(struct l2r_explanation *out, const int32_t *graphs, int64_t n, int threads)
{
    struct l2r_error error;
    l2r_threads_set(threads);
    if (l2r_explain_committee(out, &ALONE(&network), data, graphs, n, &settings, &error) != L2R_OK)
        fail_msg("%s", error.message);
}

static void test_finds_the_planted_subgraph(void **state)
{
    (void)state;
    static struct l2r_explanation found[GRAPHS];
    int32_t graphs[GRAPHS];
    double edge_precision = 0, node_precision = 0, edge_auc = 0, plus = 0, minus = 0;
    for (int i = 0; i < GRAPHS; i++) graphs[i] = i;
    explain(found, graphs, GRAPHS, 2);
    for (int i = 0; i < GRAPHS; i++) {
        const struct l2r_explanation *e = &found[i];
        assert_true(e->target[0] == 1 && e->p > 0.85 && e->column[0] > 0.9F);
        edge_precision += e->edge_precision / GRAPHS;
        node_precision += e->node_precision / GRAPHS;
        edge_auc += e->edge_auc / GRAPHS;
        plus += e->fidelity_plus / GRAPHS;
        minus += e->fidelity_minus / GRAPHS;
    }
    l2r_explanations_clear(found, GRAPHS);
    print_message("edge precision@k %.4f, AUC %.4f, node precision@k %.4f, fidelity+ %.4f, fidelity- %.4f\n",
                  edge_precision, edge_auc, node_precision, plus, minus);
    assert_true(edge_precision >= 0.95 && edge_auc >= 0.95 && node_precision >= 0.95);
    assert_true(plus > 0.8);         /* without it the prediction is gone … */
    assert_true(fabs(minus) < 0.05); /* … and it alone is enough */
}

static void expect_same_bits(const struct l2r_explanation *a, const struct l2r_explanation *b)
{
    assert_int_equal(a->graph, b->graph);
    assert_int_equal(a->n_edges, b->n_edges);
    assert_memory_equal(a->edge, b->edge, (size_t)a->n_edges * sizeof *a->edge);
    assert_memory_equal(a->node, b->node, (size_t)a->n_nodes * sizeof *a->node);
    assert_memory_equal(a->column, b->column, (size_t)a->n_columns * sizeof *a->column);
    assert_memory_equal(&a->p_without, &b->p_without, sizeof a->p_without);
}

/* Two runs, other numbers of threads, and a graph alone instead of among others. */
static void test_same_bits(void **state)
{
    (void)state;
    const int32_t graphs[] = {4, 17, 3};
    struct l2r_explanation first[3], again[3], threads[3], alone[1];
    explain(first, graphs, 3, 1);
    explain(again, graphs, 3, 1);
    explain(threads, graphs, 3, 3);
    explain(alone, graphs + 1, 1, 2);
    for (int i = 0; i < 3; i++) {
        expect_same_bits(&first[i], &again[i]);
        expect_same_bits(&first[i], &threads[i]);
    }
    expect_same_bits(&first[1], alone);
    assert_true(memcmp(first[0].edge, first[1].edge, sizeof(float)) != 0); /* graphs do differ */
    l2r_explanations_clear(first, 3);
    l2r_explanations_clear(again, 3);
    l2r_explanations_clear(threads, 3);
    l2r_explanations_clear(alone, 1);
}

static int set_up(void **state)
{
    (void)state;
    data = make_data();
    make_network(&network, data);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    l2r_network_clear(&network);
    l2r_dataset_free(data);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_finds_the_planted_subgraph),
                                       cmocka_unit_test(test_same_bits)};
    return cmocka_run_group_tests_name("a planted subgraph", tests, set_up, tear_down);
}
