/* SPDX-License-Identifier: MIT
 * Progress and stop of calls that take long (l2r_watch_set): reported on the calling thread alone, up to the end, and
 * stopped without a trace; errors that say which option, file, line and graph they are about; threads of a pool. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"
#include "base/watch.h"
#include "support/training_runs.h"
#include <l2r/l2r.h>

#include "support/calls.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

enum { ALL = 48, CLASSES = 2, MOLECULES = 100 };

struct heard {
    pthread_t thread;
    char what[64]; /* of the last report */
    int64_t done, n;
    int calls, others; /* on this thread, and on any other */
    int stop_at;       /* that question; 0: never */
    int questions;
};

static void on_progress(void *context, const char *what, int64_t n_done, int64_t n)
{
    struct heard *h = context;
    h->others += !pthread_equal(h->thread, pthread_self());
    if (strcmp(h->what, what) == 0 && n == h->n) assert_true(n_done >= h->done);
    snprintf(h->what, sizeof h->what, "%s", what);
    h->done = n_done;
    h->n = n;
    h->calls++;
}

static bool on_stop(void *context)
{
    struct heard *h = context;
    h->others += !pthread_equal(h->thread, pthread_self());
    return ++h->questions == h->stop_at;
}

static void listen(struct heard *h, int stop_at)
{
    struct l2r_watch watch = L2R_WATCH_INIT;
    *h = (struct heard){.thread = pthread_self(), .stop_at = stop_at};
    watch.context = h;
    watch.progress = on_progress;
    watch.stop = on_stop;
    OK(l2r_watch_set(&watch, &error));
}

static void expect(const struct heard *h, const char *what, int64_t n)
{
    if (strcmp(h->what, what) != 0) fail_msg("the last report was of %s, not of %s", h->what, what);
    assert_true(h->done == n && h->n == n && h->calls > 0 && h->others == 0);
}

static struct l2r_dataset *data;
static struct l2r_predictor *model;

static int make_model(void **state)
{
    struct l2r_config *config;
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_result *result;
    if (run_set_up(state) != 0) return 1;
    l2r_threads_set(3);
    OK(l2r_dataset_open(&data, "motif:train=24,valid=12,test=12", NULL, &error));
    OK(l2r_config_for_run(&config, "gin", "erm", &error));
    OK(l2r_config_set_json(config, "{\"epochs\": 1, \"hidden\": 8, \"layers\": 2, \"members\": \"2\"}", &error));
    run.config = config;
    run.data = data;
    OK(l2r_train(&result, &model, &run, &error));
    l2r_result_free(result);
    l2r_config_free(config);
    return 0;
}

static int clear_model(void **state)
{
    l2r_predictor_free(model);
    l2r_dataset_free(data);
    return run_tear_down(state);
}

static void test_predictions(void **state)
{
    (void)state;
    struct heard h;
    float output[ALL * CLASSES], far[ALL];
    struct l2r_evaluation *scores;
    const struct l2r_predictor *const both[] = {model, model};
    struct l2r_ensemble *ensemble;
    struct l2r_answers answers = L2R_ANSWERS_INIT;
    listen(&h, 0);
    OK(l2r_predictor_predict(output, model, data, NULL, ALL, &error));
    expect(&h, "graphs scored", 2 * ALL); /* by each member */
    OK(l2r_predictor_applicability(far, NULL, model, data, NULL, ALL, &error));
    assert_string_equal(h.what, "graphs scored");
    answers.output = output;
    OK(l2r_ensemble_from_models(&ensemble, both, 2, &error));
    OK(l2r_ensemble_predict(&answers, ensemble, data, NULL, ALL, &error));
    expect(&h, "graphs scored", 4 * ALL);
    listen(&h, 1);
    assert_int_equal(l2r_predictor_predict(output, model, data, NULL, ALL, &error), L2R_ERR_INTERRUPTED);
    assert_non_null(strstr(error.message, "stopped: "));
    listen(&h, 1);
    assert_int_equal(l2r_predictor_evaluate(&scores, model, data, NULL, ALL, NULL, &error), L2R_ERR_INTERRUPTED);
    assert_null(scores);
    listen(&h, 1);
    assert_int_equal(l2r_ensemble_predict(&answers, ensemble, data, NULL, ALL, &error), L2R_ERR_INTERRUPTED);
    OK(l2r_watch_set(NULL, &error));
    h.calls = 0;
    OK(l2r_predictor_predict(output, model, data, NULL, ALL, &error));
    assert_int_equal(h.calls, 0);
    l2r_ensemble_free(ensemble);
}

static void test_explanations(void **state)
{
    (void)state;
    struct heard h;
    const int64_t graphs[] = {0, 1, 2, 3, 4, 5};
    struct l2r_explanation *found[6];
    struct l2r_config *options;
    OK(l2r_config_for_explanation(&options, &error));
    OK(l2r_config_set_json(options, "{\"steps\": 3, \"restarts\": 1}", &error));
    listen(&h, 0);
    OK(l2r_explain(found, model, data, graphs, 6, options, &error));
    expect(&h, "graphs explained", 6);
    for (int i = 0; i < 6; i++) l2r_explanation_free(found[i]);
    listen(&h, 1);
    assert_int_equal(l2r_explain(found, model, data, graphs, 6, options, &error), L2R_ERR_INTERRUPTED);
    for (int i = 0; i < 6; i++) assert_null(found[i]);
    OK(l2r_watch_set(NULL, &error));
    l2r_config_free(options);
}

/* Reading molecules, and describing them. */
static void test_molecules(void **state)
{
    (void)state;
    struct heard h;
    const char *smiles[MOLECULES];
    struct l2r_smiles rows = L2R_SMILES_INIT;
    struct l2r_dataset *made = NULL;
    if (!l2r_has("rdkit")) skip();
    for (int i = 0; i < MOLECULES; i++) smiles[i] = i % 2 ? "CCO" : "c1ccccc1";
    rows.smiles = smiles;
    rows.n_rows = MOLECULES;
    rows.task = L2R_TASK_REGRESSION;
    rows.n_tasks = 1;
    listen(&h, 0);
    OK(l2r_dataset_from_smiles(&made, &rows, NULL, &error));
    expect(&h, "molecules read", MOLECULES);
    int32_t width = l2r_features_n_columns("erg");
    float *features = l2r_alloc((size_t)width * MOLECULES, sizeof *features);
    listen(&h, 0);
    OK(l2r_dataset_features(features, made, "erg", NULL, MOLECULES, &error));
    expect(&h, "molecules described", MOLECULES);
    listen(&h, 1);
    assert_int_equal(l2r_dataset_features(features, made, "descriptors", NULL, MOLECULES, &error), L2R_ERR_INTERRUPTED);
    l2r_free(features);
    l2r_dataset_free(made);
    made = NULL;
    listen(&h, 1);
    assert_int_equal(l2r_dataset_from_smiles(&made, &rows, NULL, &error), L2R_ERR_INTERRUPTED);
    assert_null(made);
    static const char table[] = "smiles,y\nCCO,1\nCCN,0\nCCC,1\n";
    listen(&h, 1);
    assert_int_equal(l2r_dataset_from_bytes(&made, "t.csv", table, sizeof table - 1, NULL, &error),
                     L2R_ERR_INTERRUPTED);
    assert_null(made);
    OK(l2r_watch_set(NULL, &error));
    OK(l2r_dataset_from_bytes(&made, "t.csv", table, sizeof table - 1, NULL, &error));
    l2r_dataset_free(made);
}

/* A run has callbacks of its own: the watch neither sees nor stops its epochs. */
static void test_training(void **state)
{
    (void)state;
    struct heard h;
    struct l2r_config *config;
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_result *result;
    OK(l2r_config_for_run(&config, "gin", "erm", &error));
    OK(l2r_config_set_json(config, "{\"epochs\": 1, \"hidden\": 8, \"layers\": 2}", &error));
    run.config = config;
    run.data = data;
    listen(&h, 1);
    OK(l2r_train(&result, NULL, &run, &error));
    assert_int_equal(h.questions, 0);
    OK(l2r_watch_set(NULL, &error));
    l2r_result_free(result);
    l2r_config_free(config);
}

/* A loop in a loop of the same name adds to it; one of another name is a part of its own. */
static void test_nesting(void **state)
{
    (void)state;
    struct heard h;
    struct l2r_watched outer, same, other;
    listen(&h, 0);
    l2r_watched_begin(&outer, "things", 10);
    l2r_watched_begin(&same, "things", 4);
    l2r_watched_add(&same, 4);
    assert_int_equal(l2r_watched_end(&same, L2R_OK, &error), L2R_OK);
    assert_int_equal(h.calls, 0);
    l2r_watched_begin(&other, "parts", 2);
    l2r_watched_add(&other, 2);
    assert_int_equal(l2r_watched_end(&other, L2R_OK, &error), L2R_OK);
    expect(&h, "parts", 2);
    assert_false(l2r_watched_tick("nothing", 1));
    assert_false(l2r_watched_tick("things", 6));
    assert_int_equal(l2r_watched_end(&outer, L2R_OK, &error), L2R_OK);
    expect(&h, "things", 10);
    listen(&h, 1);
    l2r_watched_begin(&outer, "things", -1);
    l2r_watched_begin(&same, "things", 4);
    assert_true(l2r_watched_stop(&same));
    assert_int_equal(l2r_watched_end(&same, L2R_OK, &error), L2R_ERR_INTERRUPTED);
    assert_int_equal(l2r_watched_end(&outer, L2R_ERR_MEMORY, &error), L2R_ERR_MEMORY);
    OK(l2r_watch_set(NULL, &error));
}

/* ---- errors ---- */

static void expect_error(enum l2r_status status, const char *sentence, const char *option, const char *path,
                         int64_t line, int64_t graph)
{
    struct l2r_error e = {.option = "x", .path = "x", .line = 7, .graph = 7};
    assert_int_equal(l2r_fail(&e, status, "%s", sentence), status);
    assert_string_equal(e.option, option);
    assert_string_equal(e.path, path);
    assert_true(e.line == line && e.graph == graph);
}

static void test_places_of_errors(void **state)
{
    (void)state;
    expect_error(L2R_ERR_ARGUMENT, "`batch-size=0`: expected 1 or more", "batch-size", "", 0, -1);
    expect_error(L2R_ERR_ARGUMENT, "`lr` is no number; set `lr=0.1`", "lr", "", 0, -1);
    expect_error(L2R_ERR_DIVERGED, "the loss is nan; try `clip=1`", "", "", 0, -1);
    expect_error(L2R_ERR_ARGUMENT, "`A B` is no option", "", "", 0, -1);
    expect_error(L2R_ERR_FORMAT, "data/my.csv:812: graph 1114 is outside 1..1113", "", "data/my.csv", 812, 1114);
    expect_error(L2R_ERR_FORMAT, "a: b.csv:3: no number", "", "", 0, -1);
    expect_error(L2R_ERR_IO, "runs/a: no such model", "", "runs/a", 0, -1);
    expect_error(L2R_ERR_ARGUMENT, "runs/a: is no model", "", "", 0, -1);
    expect_error(L2R_ERR_FORMAT, "a model in memory: the header is damaged", "", "", 0, -1);
    expect_error(L2R_ERR_ARGUMENT, "graph 3, node 2: the value is 9", "", "", 0, 3);
    expect_error(L2R_ERR_ARGUMENT, "subgraph 3 is none", "", "", 0, -1);
    expect_error(L2R_ERR_ARGUMENT, "there is no graph at all", "", "", 0, -1);
}

static void test_real_errors(void **state)
{
    (void)state;
    struct l2r_config *config;
    struct l2r_predictor *none;
    OK(l2r_config_for_run(&config, "gin", "erm", &error));
    assert_int_equal(l2r_config_set(config, "epochs", "-1", &error), L2R_ERR_ARGUMENT);
    assert_string_equal(error.option, "epochs");
    assert_int_equal(l2r_predictor_open(&none, "no/where", &error), L2R_ERR_IO);
    assert_string_equal(error.path, "no/where");
    const int32_t edges[] = {0, 5};
    const int64_t ones[] = {1};
    struct l2r_arrays arrays = L2R_ARRAYS_INIT;
    struct l2r_dataset *made;
    arrays.n_graphs = arrays.n_tasks = 1;
    arrays.node_counts = arrays.edge_counts = ones;
    arrays.edges = edges;
    arrays.degree_as_feature = true;
    assert_int_equal(l2r_dataset_from_arrays(&made, &arrays, &error), L2R_ERR_ARGUMENT);
    assert_int_equal(error.graph, 0);
    l2r_config_free(config);
}

/* ---- threads ---- */

static void *count_threads(void *context)
{
    *(int *)context = l2r_threads_get();
    return NULL;
}

static int in_a_new_thread(void)
{
    pthread_t thread;
    int n = 0;
    assert_int_equal(pthread_create(&thread, NULL, count_threads, &n), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return n;
}

static void test_threads_of_a_pool(void **state)
{
    (void)state;
    l2r_threads_set_default(2);
    assert_true(l2r_threads_get() == 2 && in_a_new_thread() == 2);
    l2r_threads_set(1);
    assert_true(l2r_threads_get() == 1 && in_a_new_thread() == 2);
    l2r_threads_set_default(0);
    assert_true(l2r_threads_get() >= 1 && in_a_new_thread() == l2r_threads_get());
    l2r_threads_set(3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_predictions), cmocka_unit_test(test_explanations),
                                       cmocka_unit_test(test_molecules),   cmocka_unit_test(test_training),
                                       cmocka_unit_test(test_nesting),     cmocka_unit_test(test_places_of_errors),
                                       cmocka_unit_test(test_real_errors), cmocka_unit_test(test_threads_of_a_pool)};
    return cmocka_run_group_tests_name("watch", tests, make_model, clear_model);
}
