/* SPDX-License-Identifier: MIT
 * The motif generator: graphs are what its head comment promises, and frequencies meet their rates within 4 sigma. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/config.h"
#include "base/memory.h"
#include "data/dataset.h"
#include "support/generated.h"
#include "support/messages.h"

#include <stdlib.h>
#include <string.h>

extern const struct l2r_generator l2r_generator_motif;

enum shape { STAR, CIRCLE, GRID, DIAMOND, WHEEL, UNKNOWN };

/* Options as name, value, name, value, … NULL. */
static enum l2r_status try_make(struct l2r_dataset **data, const char *const *settings)
{
    struct l2r_config *config = NULL;
    *data = NULL;
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_config_declare(config, l2r_generator_motif.options, &error), L2R_OK);
    for (; settings[0]; settings += 2)
        assert_int_equal(l2r_config_set(config, settings[0], settings[1], &error), L2R_OK);
    enum l2r_status status = l2r_generator_motif.generate(data, config, &error);
    l2r_config_free(config);
    return status;
}

#define MAKE(...) make((const char *const[]){__VA_ARGS__, NULL})

static struct l2r_dataset *make(const char *const *settings)
{
    struct l2r_dataset *data;
    assert_int_equal(try_make(&data, settings), L2R_OK);
    return data;
}

struct motif {
    int n, n_edges, largest_degree, smallest_degree;
    int n_joins; /* edges to the other motif */
};

static struct motif look_at(const struct l2r_dataset *data, int64_t graph, int mark)
{
    struct motif m = {.smallest_degree = 1 << 30};
    int64_t base = data->node_start[graph];
    for (int64_t v = base; v < data->node_start[graph + 1]; v++) {
        if (data->node_mark[v] != mark) continue;
        int degree = 0, joins = 0;
        for (int64_t a = data->arc_start[v]; a < data->arc_start[v + 1]; a++)
            *(data->node_mark[base + data->neighbour[a]] == mark ? &degree : &joins) += 1;
        m.n++;
        m.n_edges += degree;
        m.n_joins += joins;
        if (degree > m.largest_degree) m.largest_degree = degree;
        if (degree < m.smallest_degree) m.smallest_degree = degree;
        if (mark == 1) assert_in_range(joins, 0, 1);
    }
    m.n_edges /= 2;
    return m;
}

/* By counts alone; unambiguous for nine nodes. */
static enum shape shape_of(struct motif m)
{
    if (m.n_edges == m.n - 1 && m.largest_degree == m.n - 1) return STAR;
    if (m.n_edges == m.n && m.largest_degree == 2 && m.smallest_degree == 2) return CIRCLE;
    if (m.n_edges == 2 * m.n - 2 && m.largest_degree == m.n - 1 && m.smallest_degree == 3) return WHEEL;
    if (m.n_edges == 2 * m.n - 3 && m.largest_degree == 4 && m.smallest_degree == 2) return DIAMOND;
    if (m.n_edges == 12 && m.largest_degree == 4 && m.smallest_degree == 2) return GRID;
    return UNKNOWN;
}

static bool is_connected(const struct l2r_dataset *data, int64_t graph)
{
    int64_t base = data->node_start[graph], n = l2r_dataset_nodes_of(data, graph), found = 1, next = 0;
    int64_t queue[2048];
    bool seen[2048] = {true};
    queue[0] = 0;
    for (; next < found; next++) {
        int64_t v = base + queue[next];
        for (int64_t a = data->arc_start[v]; a < data->arc_start[v + 1]; a++) {
            int32_t u = data->neighbour[a];
            if (!seen[u]) queue[found++] = u;
            seen[u] = true;
        }
    }
    return found == n;
}

static void can_do_without_features(void **state)
{
    (void)state;
    struct l2r_dataset *data = MAKE("features", "0");
    assert_int_equal(data->nodes.n_columns, 1);
    assert_int_equal(data->nodes.vocabulary[0], 1);
    assert_int_equal(data->nodes.n_types, 1);
    assert_int_equal(data->n_node_reals, 0);
    l2r_dataset_free(data);
}

static void has_the_default_counts(void **state)
{
    (void)state;
    struct l2r_dataset *data = MAKE("seed", "0");
    assert_string_equal(data->name, "motif");
    assert_int_equal(data->n_graphs, 4000);
    assert_int_equal(data->n_nodes, 4000 * 18);
    assert_int_equal(data->n_self_loops, 0);
    assert_int_equal(data->task, L2R_TASK_MULTICLASS);
    assert_int_equal(data->n_classes, 2);
    assert_int_equal(data->class_value[0], 0);
    assert_int_equal(data->class_value[1], 1);
    assert_int_equal(data->nodes.n_columns, 0);
    assert_int_equal(data->arcs.n_columns, 0);
    assert_int_equal(data->n_node_reals, 1);
    double sum = 0;
    for (int64_t v = 0; v < data->n_nodes; v++) {
        assert_true(data->node_real[v] >= 0 && data->node_real[v] <= 1);
        sum += (double)data->node_real[v];
    }
    assert_true(fabs(sum / (double)data->n_nodes - 0.5) < 0.005); /* 4.6 sigma */
    int64_t graphs[3] = {0}, positive[3] = {0};
    assert_non_null(data->official);
    for (int64_t g = 0; g < data->n_graphs; g++) {
        assert_in_range(data->official[g], 0, 2);
        graphs[data->official[g]]++;
        positive[data->official[g]] += data->labels[g] == 1.0f;
    }
    static const int64_t expected[3] = {2000, 1000, 1000};
    for (int part = 0; part < 3; part++) {
        assert_int_equal(graphs[part], expected[part]);
        assert_int_equal(positive[part], expected[part] / 2);
    }
    l2r_dataset_free(data);
}

static void meets_its_rates(void **state)
{
    (void)state;
    static const double mu[3] = {0.9, 0.5, 0.25};
    struct l2r_dataset *data = MAKE("mu", "0.9", "train", "4000", "valid", "4000", "test", "4000", "seed", "5");
    int64_t second_of_positive[3][5] = {{0}}, negative[4][4] = {{0}}, n_joins = 0;
    for (int64_t g = 0; g < data->n_graphs; g++) {
        struct motif a = look_at(data, g, 1), b = look_at(data, g, 2);
        enum shape first = shape_of(a), second = shape_of(b);
        assert_in_range(first, STAR, WHEEL);
        assert_in_range(second, STAR, DIAMOND);
        assert_int_equal(first == WHEEL, data->labels[g] == 1.0f);
        if (first == WHEEL)
            second_of_positive[data->official[g]][second]++;
        else
            negative[first][second]++;
        n_joins += a.n_joins;
    }
    for (int part = 0; part < 3; part++) {
        assert_rate(second_of_positive[part][STAR], 2000, mu[part]);
        for (int shape = CIRCLE; shape <= DIAMOND; shape++)
            assert_rate(second_of_positive[part][shape], 2000, (1 - mu[part]) / 3);
    }
    for (int first = 0; first < 4; first++)
        for (int second = 0; second < 4; second++) assert_rate(negative[first][second], 6000, 1.0 / 16);
    /* Nine tries of 1/4, and one edge for certain where all nine failed. */
    double none = pow(0.75, 9), mean = 9 * 0.25 + none,
           variance = 9 * 0.25 * 0.75 + none * (1 - none) - 2 * 2.25 * none;
    assert_true(fabs((double)n_joins / 12000 - mean) < 4 * sqrt(variance / 12000));
    l2r_dataset_free(data);
}

static void stars_can_be_rare_in_negatives(void **state)
{
    (void)state;
    struct l2r_dataset *data = MAKE("negative-mu", "0.05", "train", "4000", "valid", "4000", "test", "4000");
    int64_t stars[3] = {0};
    for (int64_t g = 0; g < data->n_graphs; g++) {
        enum shape first = shape_of(look_at(data, g, 1)), second = shape_of(look_at(data, g, 2));
        assert_int_equal(data->environment[g], first == STAR || second == STAR);
        if (data->labels[g] == 1.0f) continue;
        assert_int_not_equal(first, STAR);
        stars[data->official[g]] += second == STAR;
    }
    assert_rate(stars[L2R_PART_TRAIN], 2000, 0.05);
    assert_rate(stars[L2R_PART_VALID], 2000, 0.25);
    assert_rate(stars[L2R_PART_TEST], 2000, 0.25);
    l2r_dataset_free(data);
    const char *const idle[] = {"test-negative-mu", "0.5", NULL};
    assert_int_equal(try_make(&data, idle), L2R_ERR_ARGUMENT);
    expect_message(error.message, "motif: test-negative-mu has no effect without negative-mu");
}

static void is_connected_and_marked(void **state)
{
    (void)state;
    struct l2r_dataset *data = MAKE("vary", "3", "train", "600", "valid", "0", "test", "200");
    bool seen[11] = {false};
    for (int64_t g = 0; g < data->n_graphs; g++) {
        struct motif a = look_at(data, g, 1), b = look_at(data, g, 2);
        assert_true(is_connected(data, g));
        assert_int_equal(a.n + b.n, l2r_dataset_nodes_of(data, g)); /* every node is marked 1 or 2 */
        assert_int_equal(a.n_joins, b.n_joins);
        assert_true(a.n_joins >= 1);
        assert_in_range(a.n, 6, 12);
        assert_in_range(b.n, 6, 12);
        seen[a.n - 6] = seen[b.n - 6] = true;
    }
    for (int i = 0; i < 7; i++) assert_true(seen[i]);
    l2r_dataset_free(data);
}

static bool same_graph(const struct l2r_dataset *a, int64_t g, const struct l2r_dataset *b, int64_t h)
{
    int64_t arcs = l2r_dataset_arcs_of(a, g), n = l2r_dataset_nodes_of(a, g);
    if (n != l2r_dataset_nodes_of(b, h) || arcs != l2r_dataset_arcs_of(b, h) || a->labels[g] != b->labels[h])
        return false;
    int64_t v = a->node_start[g], w = b->node_start[h];
    for (int64_t i = 0; i <= n; i++)
        if (a->arc_start[v + i] - a->arc_start[v] != b->arc_start[w + i] - b->arc_start[w]) return false;
    return memcmp(a->neighbour + a->arc_start[v], b->neighbour + b->arc_start[w],
                  (size_t)arcs * sizeof *a->neighbour) == 0;
}

static int64_t same_graphs(const struct l2r_dataset *a, int64_t from, const struct l2r_dataset *b, int64_t to,
                           int64_t n)
{
    int64_t same = 0;
    for (int64_t i = 0; i < n; i++) same += same_graph(a, from + i, b, to + i);
    return same;
}

static void depends_on_seed_part_and_number_only(void **state)
{
    (void)state;
    struct l2r_dataset *a = MAKE("train", "100", "valid", "100", "test", "100");
    struct l2r_dataset *again = MAKE("train", "100", "valid", "100", "test", "100");
    struct l2r_dataset *longer = MAKE("train", "150", "valid", "100", "test", "0");
    struct l2r_dataset *other = MAKE("train", "100", "valid", "100", "test", "100", "seed", "1");
    struct l2r_dataset *flat = MAKE("train", "100", "valid", "100", "test", "0", "mu", "0.5");
    assert_int_equal(a->block_size, again->block_size);
    assert_memory_equal(a->block, again->block, a->block_size);
    assert_int_equal(same_graphs(a, 0, longer, 0, 100), 100);     /* train */
    assert_int_equal(same_graphs(a, 100, longer, 150, 100), 100); /* valid */
    assert_true(same_graphs(a, 0, other, 0, 300) < 30);
    assert_true(same_graphs(flat, 0, flat, 100, 100) < 20); /* equal rates, but other numbers */
    l2r_dataset_free(a);
    l2r_dataset_free(again);
    l2r_dataset_free(longer);
    l2r_dataset_free(other);
    l2r_dataset_free(flat);
}

/* Sizes of single motifs, and the edges that each shape must have. */
static void obeys_sizes(void **state)
{
    (void)state;
    struct l2r_dataset *data = MAKE("wheel", "7", "star", "6", "circle", "5", "grid", "8", "diamond", "4", "train",
                                    "400", "valid", "0", "test", "0");
    /* By number of nodes: diamond, circle, star, wheel, grid (3 + 3 + 2 nodes: 5 + 5 edges). */
    static const int n_edges[9] = {[4] = 5, [5] = 5, [6] = 5, [7] = 12, [8] = 10};
    bool seen[9] = {false};
    for (int64_t g = 0; g < data->n_graphs; g++)
        for (int mark = 1; mark <= 2; mark++) {
            struct motif m = look_at(data, g, mark);
            assert_in_range(m.n, 4, 8);
            assert_int_equal(m.n_edges, n_edges[m.n]);
            seen[m.n] = true;
        }
    for (int n = 4; n <= 8; n++) assert_true(seen[n]);
    l2r_dataset_free(data);
}

static void refuses_impossible_recipes(void **state)
{
    (void)state;
    struct l2r_dataset *data;
    assert_int_equal(try_make(&data, (const char *const[]){"size", "5", "vary", "2", NULL}), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "size=5 with vary=2"));
    assert_int_equal(try_make(&data, (const char *const[]){"grid", "3", NULL}), L2R_ERR_ARGUMENT);
    expect_message(error.message, "a grid of 3 nodes");
    assert_int_equal(try_make(&data, (const char *const[]){"train", "0", "valid", "0", "test", "0", NULL}),
                     L2R_ERR_ARGUMENT);
    assert_null(data);
    data = MAKE("size", "1000", "train", "8", "valid", "0", "test", "0");
    for (int64_t g = 0; g < 8; g++) assert_true(is_connected(data, g));
    l2r_dataset_free(data);
}

/* Every allocation fails once: a sentence, no leak (a sanitizer's business), and success in the end. */
static void survives_lack_of_memory(void **state)
{
    (void)state;
    struct l2r_config *config = NULL;
    struct l2r_dataset *data = NULL;
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_config_declare(config, l2r_generator_motif.options, &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "train", "3", &error), L2R_OK);
    long k = 0;
    for (; !data; k++) {
        assert_true(k < 1000);
        l2r_memory_fail_at(k, false);
        enum l2r_status status = l2r_generator_motif.generate(&data, config, &error);
        l2r_memory_fail_at(-1, false);
        assert_int_equal(status, data ? L2R_OK : L2R_ERR_MEMORY);
    }
    assert_true(k > 5);
    l2r_dataset_free(data);
    l2r_config_free(config);
}

/* The best rule "positive if at least t edges" of the training part, on the test part: what the head comment states. */
static double edge_count_accuracy(const struct l2r_dataset *data)
{
    int64_t best = -1, threshold = 0, right = 0, n = 0;
    for (int64_t t = 0; t < 80; t++) {
        int64_t hits = 0;
        for (int64_t g = 0; g < data->n_graphs; g++)
            if (data->official[g] == L2R_PART_TRAIN)
                hits += (l2r_dataset_arcs_of(data, g) / 2 >= t) == (data->labels[g] == 1.0f);
        if (hits > best) best = hits, threshold = t;
    }
    for (int64_t g = 0; g < data->n_graphs; g++) {
        if (data->official[g] != L2R_PART_TEST) continue;
        right += (l2r_dataset_arcs_of(data, g) / 2 >= threshold) == (data->labels[g] == 1.0f);
        n++;
    }
    return (double)right / (double)n;
}

static void counting_edges_is_not_enough(void **state)
{
    (void)state;
    static const char *const mu[] = {"0.25", "0.6", "0.8", "0.9"};
    for (int i = 0; i < 4; i++) {
        struct l2r_dataset *fixed = MAKE("mu", mu[i]), *varied = MAKE("mu", mu[i], "vary", "2");
        double a = edge_count_accuracy(fixed), b = edge_count_accuracy(varied);
        print_message("mu %s: edge count alone %.3f, with vary=2 %.3f\n", mu[i], a, b);
        assert_true(a > 0.5 && a < 0.80);
        assert_true(b > 0.5 && b < 0.74);
        l2r_dataset_free(fixed);
        l2r_dataset_free(varied);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_default_counts),
        cmocka_unit_test(can_do_without_features),
        cmocka_unit_test(meets_its_rates),
        cmocka_unit_test(stars_can_be_rare_in_negatives),
        cmocka_unit_test(is_connected_and_marked),
        cmocka_unit_test(depends_on_seed_part_and_number_only),
        cmocka_unit_test(obeys_sizes),
        cmocka_unit_test(refuses_impossible_recipes),
        cmocka_unit_test(survives_lack_of_memory),
        cmocka_unit_test(counting_edges_is_not_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
