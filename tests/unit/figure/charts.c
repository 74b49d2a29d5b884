/* SPDX-License-Identifier: MIT
 *
 * From made-up runs to the points of a plot, compared with numbers worked out by hand.
 */
#include "support/figure_runs.h"

#include <l2r/l2r.h>

#include "base/memory.h"
#include "model/predictor.h"

#include <math.h>

static const struct l2r_chart *chart(const char *name)
{
    size_t i = 0;
    while (l2r_charts[i] != NULL && strcmp(l2r_charts[i]->name, name) != 0) i++;
    assert_non_null(l2r_charts[i]);
    return l2r_charts[i];
}

static void make(struct l2r_plot *plot, const char *name, const struct l2r_chart_run *runs, size_t n)
{
    const struct l2r_chart_runs all = {.items = runs, .n = n};
    l2r_plot_init(plot);
    if (chart(name)->make(plot, &all, &error) != L2R_OK) fail_msg("%s", error.message);
    assert_int_equal(l2r_plot_check(plot, &error), L2R_OK);
}

static void refuse(const char *name, const struct l2r_chart_run *run, const char *words)
{
    struct l2r_plot plot;
    const struct l2r_chart_runs one = {.items = run, .n = 1};
    l2r_plot_init(&plot);
    assert_int_not_equal(chart(name)->make(&plot, &one, &error), L2R_OK);
    if (strstr(error.message, words) == NULL) fail_msg("'%s' is not in: %s", words, error.message);
    l2r_plot_clear(&plot);
}

static void expect_row(const struct l2r_series *s, size_t i, double x, double y, double low, double high)
{
    const double wanted[] = {x, y, low, high};
    assert_true(i < s->n);
    for (int k = 0; k < 4; k++)
        if (!(fabs(s->rows[i][k] - wanted[k]) < 1e-9 || (isnan(wanted[k]) && isnan(s->rows[i][k]))))
            fail_msg("row %zu, number %d: %g, expected %g", i, k, s->rows[i][k], wanted[k]);
}

static void lines(void **state)
{
    (void)state;
    const struct l2r_chart_run runs[] = {
        {.panel = "", .series = "plain", .x = "-", .value = 5, .reference = true, .dir = ""},
        {.panel = "", .series = "plain", .x = "-", .value = 7, .reference = true, .dir = ""},
        {.panel = "A", .series = "one", .x = "0.1", .value = 1, .dir = ""},
        {.panel = "A", .series = "one", .x = "0.1", .value = 3, .dir = ""},
        {.panel = "A", .series = "one", .x = "0.2", .value = 4, .standard = true, .dir = ""},
        {.panel = "A", .series = "two", .x = "0.2", .value = 9, .dir = ""},
        {.panel = "A",
         .series = "two",
         .x = "0.2",
         .value = NAN,
         .dir = ""}, /* a run that went wrong counts for nothing */
        {.panel = "B", .series = "two", .x = "8", .value = 2, .dir = ""},
    };
    struct l2r_plot plot;
    make(&plot, "lines", runs, sizeof runs / sizeof *runs);
    assert_int_equal(plot.n_panels, 2);
    const struct l2r_panel *a = &plot.panels[0], *b = &plot.panels[1];
    assert_string_equal(a->title, "A");
    assert_int_equal(a->n_series, 3);
    assert_int_equal(a->n_ticks, 2);
    assert_string_equal(a->ticks[1].label, "0.2");
    assert_true(a->ticks[1].bold && !a->ticks[0].bold);
    assert_int_equal(a->series[0].kind, L2R_SERIES_RULE);
    expect_row(&a->series[0], 0, -0.5, 6, NAN, NAN);
    expect_row(&a->series[1], 0, -0.045, 2, 2 - sqrt(2), 2 + sqrt(2)); /* two lines stand beside each other */
    expect_row(&a->series[1], 1, 1 - 0.045, 4, 4, 4);
    assert_int_equal(a->series[2].n, 1);
    expect_row(&a->series[2], 0, 1.045, 9, 9, 9);
    assert_int_equal(b->n_series, 2); /* the rule, and "two" in its style of panel A */
    assert_string_equal(b->series[1].label, "two");
    assert_int_equal(b->series[1].style, a->series[2].style);
    expect_row(&b->series[0], 1, 0.5, 6, NAN, NAN);
    expect_row(&b->series[1], 0, 0, 2, 2, 2);
    l2r_plot_clear(&plot);
}

static void numbers_ascend(void **state)
{
    (void)state;
    const char *numbers[] = {"20", "5", "0.5", "100"}, *words[] = {"20", "five", "1"};
    struct l2r_names a = {.items = numbers, .n = 4}, b = {.items = words, .n = 3};
    l2r_names_sort(&a);
    l2r_names_sort(&b);
    const char *const wanted[] = {"0.5", "5", "20", "100"};
    for (int i = 0; i < 4; i++) assert_string_equal(a.items[i], wanted[i]);
    assert_string_equal(b.items[0], "20");
    assert_string_equal(b.items[2], "1");
}

static void dots(void **state)
{
    (void)state;
    const struct l2r_chart_run runs[] = {
        {.panel = "GCN", .series = "full", .x = "", .value = 70, .dir = ""},
        {.panel = "GCN", .series = "full", .x = "", .value = 74, .dir = ""},
        {.panel = "GCN", .series = "plain", .x = "", .value = 60, .reference = true, .dir = ""},
        {.panel = "GIN", .series = "full", .x = "", .value = 90, .dir = ""},
    };
    struct l2r_plot plot;
    make(&plot, "dots", runs, sizeof runs / sizeof *runs);
    assert_true(plot.rows);
    assert_int_equal(plot.n_panels, 2);
    const struct l2r_panel *gcn = &plot.panels[0];
    assert_string_equal(gcn->ticks[1].label, "plain");
    assert_true(gcn->ticks[1].at == -1);
    assert_int_equal(gcn->n_series, 5); /* seeds, mean; rule, seeds, mean */
    expect_row(&gcn->series[0], 1, 74, -0.27, NAN, NAN);
    expect_row(&gcn->series[1], 0, 72, 0, 72 - sqrt(8), 72 + sqrt(8));
    expect_row(&gcn->series[2], 0, 60, 0.6, NAN, NAN);
    expect_row(&gcn->series[2], 1, 60, -1.6, NAN, NAN);
    double extent[4];
    l2r_panel_extent(extent, gcn);
    assert_true(extent[0] == 60 && fabs(extent[1] - 72 - sqrt(8)) < 1e-9);
    assert_int_equal(plot.panels[1].n_ticks, 2); /* rows stay in line where a panel has no run */
    assert_int_equal(plot.panels[1].n_series, 2);
    l2r_plot_clear(&plot);
}

static void curves(void **state)
{
    (void)state;
    char a[256], b[256];
    snprintf(a, sizeof a, "%s/a", root);
    snprintf(b, sizeof b, "%s/b", root);
    assert_int_equal(l2r_make_dirs(a, &error), L2R_OK);
    assert_int_equal(l2r_make_dirs(b, &error), L2R_OK);
    put("a/metrics.jsonl", "{\"epoch\":1,\"loss\":9,\"train\":{\"loss\":1},\"valid\":{\"loss\":2}}\n"
                           "{\"epoch\":2,\"loss\":9,\"train\":{\"loss\":0.5},\"valid\":{\"loss\":1}}\n"
                           "{\"epoch\":3,\"loss\":9,\"train\":{\"loss\":0.1},\"valid\":{\"loss\":1}}\n");
    put("b/metrics.jsonl", "{\"epoch\":1,\"loss\":3,\"valid\":{\"loss\":4}}\n"
                           "{\"epoch\":2,\"loss\":1.5,\"valid\":{\"loss\":2}}\n{\"epoch\":3"); /* still being written */
    const struct l2r_chart_run runs[] = {{.panel = "", .series = "first", .x = "", .dir = a},
                                         {.panel = "", .series = "first", .x = "", .seed = 1, .dir = b}};
    struct l2r_plot plot;
    make(&plot, "curves", runs, 2);
    assert_int_equal(plot.n_panels, 2);
    assert_string_equal(plot.panels[1].title, "validation loss");
    assert_int_equal(plot.panels[0].series[0].n, 2); /* epochs that both have */
    expect_row(&plot.panels[0].series[0], 0, 1, 2, 2 - sqrt(2), 2 + sqrt(2));
    expect_row(&plot.panels[1].series[0], 1, 2, 1.5, 1.5 - sqrt(0.5), 1.5 + sqrt(0.5));
    l2r_plot_clear(&plot);
    struct l2r_chart_run bad = {.panel = "", .series = "first", .x = "", .seed = 3, .dir = ""};
    refuse("curves", &bad, "seed 3 of first has no folder");
    put("b/metrics.jsonl", "{\"epoch\":1,\"loss\":3,\"valid\":{\"loss\":4}}\n{\"epoch\":2}\n");
    bad.dir = b;
    refuse("curves", &bad, "metrics.jsonl:2: expected the losses of an epoch");
}

/* A model with these weights of graphs; NULL: with none. */
static void write_model(const char *dir, const float *weights, int64_t n)
{
    struct l2r_config *config;
    struct l2r_dataset *data;
    struct l2r_training *training;
    struct l2r_predictor *predictor;
    char path[300];
    snprintf(path, sizeof path, "%s/best.safetensors", dir);
    assert_int_equal(l2r_config_for_run(&config, "gcn", "erm", &error), L2R_OK);
    assert_int_equal(l2r_config_set(config, "hidden", "2", &error), L2R_OK);
    assert_int_equal(l2r_dataset_open(&data, "motif:train=3,valid=1,test=1", NULL, &error), L2R_OK);
    assert_int_equal(l2r_training_new(&training, config, data, NULL, &error), L2R_OK);
    assert_int_equal(l2r_training_predictor(&predictor, training, &error), L2R_OK);
    struct l2r_trained *model = (struct l2r_trained *)(uintptr_t)l2r_predictor_trained(predictor);
    model->weights = weights ? l2r_alloc((size_t)n, sizeof *weights) : NULL;
    model->n_weights = n;
    if (weights) memcpy(model->weights, weights, (size_t)n * sizeof *weights);
    assert_int_equal(l2r_trained_write(model, path, &error), L2R_OK);
    l2r_predictor_free(predictor);
    l2r_training_free(training);
    l2r_dataset_free(data);
    l2r_config_free(config);
}

static void violins(void **state)
{
    (void)state;
    char dir[256];
    const float weights[] = {0.5F, 99, 1.5F, 1, 99};
    snprintf(dir, sizeof dir, "%s/w", root);
    assert_int_equal(l2r_make_dirs(dir, &error), L2R_OK);
    put("w/split.json", "{\"train\": [0, 2, 3], \"valid\": [1], \"test\": [4]}");
    write_model(dir, weights, 5);
    const struct l2r_chart_run run = {.panel = "P", .series = "L2R", .x = "motif", .dir = dir};
    struct l2r_plot plot;
    make(&plot, "violins", &run, 1);
    assert_int_equal(plot.panels[0].n_series, 2);
    assert_string_equal(plot.panels[0].ticks[0].label, "motif\nmedian 1.00\nsd 0.50");
    expect_row(&plot.panels[0].series[1], 0, 0, 1, 0.75, 1.25);
    double extent[4];
    l2r_panel_extent(extent, &plot.panels[0]); /* of training graphs only: 99 is not among them */
    assert_true(extent[2] == 0.5 && extent[3] == 1.5 && extent[0] >= -0.4 && extent[1] <= 0.4);
    l2r_plot_clear(&plot);
    put("w/split.json", "{\"train\": [0, 7]}");
    refuse("violins", &run, "there is no weight of training graph 7");
    write_model(dir, NULL, 0);
    refuse("violins", &run, "has no weights");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines), cmocka_unit_test(numbers_ascend),
                                       cmocka_unit_test(dots), cmocka_unit_test(curves), cmocka_unit_test(violins)};
    return cmocka_run_group_tests(tests, figure_set_up, figure_tear_down);
}
