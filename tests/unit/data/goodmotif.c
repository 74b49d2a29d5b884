/* SPDX-License-Identifier: MIT
 * GOOD-Motif: parts, environments, shares, widths, label noise and edge noise against the published recipe. Frequencies
 * meet their rates within 4 sigma. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/generated.h"

#include <math.h>
#include <string.h>

struct look {
    int n_base, base_edges, motif_edges, hub; /* hub: the highest degree within the base */
    int joins;                                /* edges between base and motif */
};

static struct look look_at(const struct l2r_dataset *data, int64_t g)
{
    struct look look = {0};
    int64_t first = data->node_start[g];
    for (int64_t v = first; v < data->node_start[g + 1]; v++) {
        int within = 0;
        for (int64_t a = data->arc_start[v]; a < data->arc_start[v + 1]; a++) {
            int both = data->node_mark[v] + data->node_mark[first + data->neighbour[a]];
            within += both == 0;
            look.joins += both == 1 && data->node_mark[v] == 1;
            look.motif_edges += both == 2;
        }
        look.n_base += data->node_mark[v] == 0;
        look.base_edges += within;
        if (within > look.hub) look.hub = within;
    }
    look.base_edges /= 2;
    look.motif_edges /= 2;
    return look;
}

/* By its edges: at most one in twenty is noise. Wheels of few nodes look like other things. */
static const char *base_of(struct look look)
{
    int n = look.n_base, more = look.base_edges;
    if (look.hub >= n - 1 && more >= 2 * n - 2 && n > 3) return "wheel";
    if (look.hub >= n - 1 && more == n - 1) return "star";
    if (more >= 3 * n / 2 - 2 && n % 2 == 0 && n >= 8) return "ladder";
    return more == n - 1 && look.hub <= 2 ? "path" : "tree";
}

/* The published numbers of graphs in train, valid, test, id-valid, id-test. */
static void has_the_published_parts(void **state)
{
    (void)state;
    static const struct {
        const char *where;
        int64_t n[L2R_N_PARTS];
    } cases[] = {{"goodmotif", {18000, 3000, 3000, 3000, 3000}},
                 {"goodmotif:domain=size,shift=covariate", {18000, 3000, 3000, 3000, 3000}},
                 {"goodmotif:shift=concept", {12600, 6000, 6000, 2700, 2700}},
                 {"goodmotif:domain=size,shift=concept", {12600, 6000, 6000, 2700, 2700}},
                 {"goodmotif:shift=none", {18000, 6000, 6000, 0, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct l2r_dataset *data = generated(cases[i].where);
        int64_t count[L2R_N_PARTS] = {0}, environment[L2R_N_PARTS][5] = {{0}}, label[3] = {0};
        for (int64_t g = 0; g < data->n_graphs; g++) {
            count[data->official[g]]++;
            environment[data->official[g]][data->environment[g]]++;
            label[(int)data->labels[g]]++;
        }
        assert_memory_equal(count, cases[i].n, sizeof count);
        assert_int_equal(environment[L2R_PART_VALID][3], count[L2R_PART_VALID]);
        assert_int_equal(environment[L2R_PART_TEST][4], count[L2R_PART_TEST]);
        for (int k = 0; k < 3; k++) {
            assert_rate(label[k], data->n_graphs, 1.0 / 3);
            assert_rate(environment[L2R_PART_TRAIN][k], count[L2R_PART_TRAIN], 1.0 / 3);
            assert_rate(environment[L2R_PART_ID_VALID][k], count[L2R_PART_ID_VALID], 1.0 / 3);
            assert_rate(environment[L2R_PART_ID_TEST][k], count[L2R_PART_ID_TEST], 1.0 / 3);
        }
        l2r_dataset_free(data);
    }
}

static void labels_and_edges_are_noisy(void **state)
{
    (void)state;
    struct l2r_dataset *data = generated("goodmotif:graphs=6000");
    static const int by_edges[8] = {-1, -1, -1, -1, -1, 1, 0, 2}; /* a cycle has 5 edges, a house 6, a crane 7 */
    int64_t wrong = 0, noisy = 0, possible = 0;
    for (int64_t g = 0; g < data->n_graphs; g++) {
        struct look look = look_at(data, g);
        assert_in_range(look.motif_edges, 5, 7); /* nothing is added within the motif */
        wrong += (int)data->labels[g] != by_edges[look.motif_edges];
        assert_true(look.joins >= 1);
        int64_t before = look.base_edges + look.motif_edges + look.joins;
        assert_true(data->node_real[data->node_start[g]] == 1);
        if (data->environment[g] != 2) continue; /* a ladder of w rungs has 3w - 2 edges */
        int64_t plain = 3 * (look.n_base / 2) - 2 + look.motif_edges + 1;
        assert_in_range(before - plain, 0, (int64_t)((double)plain * 0.05));
        noisy += before - plain;
        possible += (int64_t)((double)plain * 0.05);
    }
    assert_rate(wrong, data->n_graphs, 0.1 * 2 / 3); /* a random label is right once in three */
    assert_true(possible > 500 && noisy > possible * 8 / 10 && noisy <= possible);
    l2r_dataset_free(data);
}

static void bases_are_those_of_the_environment(void **state)
{
    (void)state;
    struct l2r_dataset *data = generated("goodmotif:graphs=3000");
    static const char *const names[5] = {"wheel", "tree", "ladder", "star", "path"};
    for (int k = 0; k < 5; k++) assert_string_equal(l2r_dataset_environment_name(data, k), names[k]);
    int64_t right = 0, widths[5][16] = {{0}};
    for (int64_t g = 0; g < data->n_graphs; g++) {
        struct look look = look_at(data, g);
        int k = data->environment[g];
        right += strcmp(base_of(look), names[k]) == 0;
        if (k == 1) assert_true(look.n_base == 3 || look.n_base == 7); /* heights 1 and 2 */
        int width = k == 2 ? look.n_base / 2 : k == 3 ? look.n_base - 1 : look.n_base;
        if (k != 1) assert_in_range(width, 5, 15);
        widths[k][width]++;
    }
    assert_true(right > data->n_graphs * 9 / 10); /* noise hides a few */
    int64_t stars = 0;
    for (int w = 5; w <= 15; w++) stars += widths[3][w];
    for (int w = 5; w <= 15; w++) assert_rate(widths[3][w], stars, 1.0 / 11);
    l2r_dataset_free(data);
}

/* int(log2 w) - 1 for w of 5 to 15 is 1 up to 7 and 2 from 8 on. */
static void sizes_shift(void **state)
{
    (void)state;
    static const int32_t middle[5] = {6, 10, 15, 30, 70};
    struct l2r_dataset *data = generated("goodmotif:domain=size,graphs=3000");
    for (int64_t g = 0; g < data->n_graphs; g++) {
        struct look look = look_at(data, g);
        int k = data->environment[g];
        assert_in_range(look.n_base, middle[k] - 5 < 3 ? 1 : middle[k] < 30 ? 3 : 7, 2 * (middle[k] + 5));
        if (k == 4) assert_true(look.n_base >= 31);
    }
    assert_string_equal(l2r_dataset_environment_name(data, 4), "width 70");
    l2r_dataset_free(data);
}

/* The base goes with the motif, not with the noisy label: house and wheel, cycle and tree, crane and ladder. */
static void concepts_shift(void **state)
{
    (void)state;
    static const double rate[5] = {0.99, 0.97, 0.95, 0.3, 0.0};
    static const char *const names[3] = {"wheel", "tree", "ladder"};
    static const int motif_of[8] = {-1, -1, -1, -1, -1, 1, 0, 2};
    struct l2r_dataset *data = generated("goodmotif:shift=concept,graphs=30000");
    int64_t tied[5] = {0}, n[5] = {0};
    for (int64_t g = 0; g < data->n_graphs; g++) {
        struct look look = look_at(data, g);
        if (look.n_base < 7) continue; /* small wheels and trees are hard to tell apart */
        if (motif_of[look.motif_edges] == 1) continue;
        n[data->environment[g]]++;
        tied[data->environment[g]] += strcmp(base_of(look), names[motif_of[look.motif_edges]]) == 0;
    }
    assert_string_equal(l2r_dataset_environment_name(data, 1), "spurious 0.97");
    /* Trees are larger than 6 nodes less often than wheels and ladders are, so rates are only near. */
    for (int k = 0; k < 5; k++) {
        double found = (double)tied[k] / (double)n[k], expected = rate[k] + (1 - rate[k]) / 3;
        if (fabs(found - expected) > 0.06) fail_msg("%g of environment %d, expected about %g", found, k, expected);
    }
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_published_parts),
        cmocka_unit_test(labels_and_edges_are_noisy),
        cmocka_unit_test(bases_are_those_of_the_environment),
        cmocka_unit_test(sizes_shift),
        cmocka_unit_test(concepts_shift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
