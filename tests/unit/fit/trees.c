/* SPDX-License-Identifier: MIT
 * Runs with trees: stopped and resumed they end in the bits of a run that was not; a program with a decimal comma gets
 * the same model; tasks without an exact label are refused or leave the committee. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/predictor.h"
#include "nn/booster.h"
#include "nn/network.h"
#include "support/training_runs.h"
#include <l2r/l2r.h>

#include "support/calls.h"

#include <locale.h>
#include <math.h>

enum { N = 120, COLUMNS = 5, MOST_TASKS = 2 };

/* Graphs of two nodes with numbers of their own, and a label that follows from these. */
static struct l2r_dataset *make_data(int32_t n_tasks, const int8_t *bounds, bool second_task)
{
    static int64_t nodes[N], links[N];
    static int32_t edges[2 * N];
    static float labels[N * MOST_TASKS], numbers[N * COLUMNS];
    static const char *const names[COLUMNS] = {"a", "b", "c", "d", "e"};
    struct l2r_arrays arrays = L2R_ARRAYS_INIT;
    struct l2r_dataset *plain, *data;
    for (int i = 0; i < N; i++) {
        nodes[i] = 2;
        links[i] = 1;
        edges[2 * i + 1] = 1;
        for (int j = 0; j < COLUMNS; j++) numbers[i * COLUMNS + j] = (float)((i * (3 * j + 7) + i / 5 * j) % 23) / 4;
        float label = numbers[i * COLUMNS] * numbers[i * COLUMNS + 1] + numbers[i * COLUMNS + 2];
        labels[i * n_tasks] = label;
        if (n_tasks > 1) labels[i * n_tasks + 1] = second_task ? -label : NAN;
    }
    arrays.task = L2R_TASK_REGRESSION;
    arrays.n_tasks = n_tasks;
    arrays.n_graphs = N;
    arrays.node_counts = nodes;
    arrays.edge_counts = links;
    arrays.edges = edges;
    arrays.degree_as_feature = true;
    arrays.labels = labels;
    arrays.bounds = bounds;
    OK(l2r_dataset_from_arrays(&plain, &arrays, &error));
    OK(l2r_dataset_with_columns(&data, plain, numbers, names, COLUMNS, &error));
    l2r_dataset_free(plain);
    return data;
}

static struct l2r_config *config_of(const char *model, const char *const *set)
{
    static const char *const base[] = {"features", "none",   "feature-columns", "a,b,c,d,e", "epochs", "6",
                                       "split",    "random", "calibrate",       "none",      NULL};
    struct l2r_config *config;
    OK(l2r_config_for_run(&config, model, "erm", &error));
    for (size_t i = 0; base[i]; i += 2) OK(l2r_config_set(config, base[i], base[i + 1], &error));
    for (size_t i = 0; set && set[i]; i += 2) OK(l2r_config_set(config, set[i], set[i + 1], &error));
    return config;
}

static enum l2r_status run_into(const char *name, const struct l2r_config *config, const struct l2r_dataset *data,
                                bool resume, const struct l2r_callbacks *callbacks)
{
    char dir[256];
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_result *result = NULL;
    folder(dir, name);
    run.config = config;
    run.data = data;
    run.out = dir;
    run.resume = resume;
    run.callbacks = callbacks;
    enum l2r_status status = l2r_train(&result, NULL, &run, &error);
    l2r_result_free(result);
    return status;
}

static bool have(const char *model)
{
    return strcmp(model, "boost") != 0 || l2r_booster_version() != NULL;
}

/* With --early-stop the best epoch is not the last, and the trees are more than those that count. */
static void pieces_are_the_whole(const char *model, const char *early_stop)
{
    if (!have(model)) skip();
    const char *const set[] = {"early-stop", early_stop, NULL};
    struct l2r_config *config = config_of(model, set);
    struct l2r_dataset *data = make_data(1, NULL, false);
    char whole[64], pieces[64];
    enum l2r_status status;
    int stops = 0;
    snprintf(whole, sizeof whole, "whole-%s-%s", model, early_stop);
    snprintf(pieces, sizeof pieces, "pieces-%s-%s", model, early_stop);
    OK(run_into(whole, config, data, false, NULL));
    do {
        int left = 3;
        struct l2r_callbacks callbacks = L2R_CALLBACKS_INIT;
        callbacks.context = &left;
        callbacks.stop = stop_after;
        status = run_into(pieces, config, data, stops > 0, &callbacks);
        if (status != L2R_OK) assert_int_equal(status, L2R_ERR_INTERRUPTED);
    } while (status != L2R_OK && ++stops < 50);
    assert_true(stops >= 1);
    same_runs(whole, pieces);
    l2r_dataset_free(data);
    l2r_config_free(config);
}

static void boost_in_pieces(void **state)
{
    (void)state;
    pieces_are_the_whole("boost", "0");
    pieces_are_the_whole("boost", "3");
}

static void forest_in_pieces(void **state)
{
    (void)state;
    pieces_are_the_whole("forest", "0");
    pieces_are_the_whole("forest", "3");
}

/* Compiles a locale with a decimal comma into the folder of the test and makes it the program's; false: there is no
 * such. */
static bool use_decimal_comma(void)
{
    char command[600], place[256];
    folder(place, "locales");
    snprintf(command, sizeof command, "mkdir -p %s && localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             place, place);
    int unused = system(command);
    (void)unused; /* it ends with 1 after warnings */
    setenv("LOCPATH", place, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") && strcmp(localeconv()->decimal_point, ",") == 0;
}

static void predict(float out[N], const char *name, const struct l2r_dataset *data)
{
    char dir[256];
    int32_t graphs[N];
    struct l2r_predictor *model;
    for (int i = 0; i < N; i++) graphs[i] = i;
    folder(dir, name);
    OK(l2r_predictor_open(&model, dir, &error));
    OK(l2r_predictor_represent(out, NULL, model, data, graphs, N, &error));
    l2r_predictor_free(model);
}

static void a_decimal_comma_changes_nothing(void **state)
{
    (void)state;
    static const char *const models[] = {"boost", "forest", "gcn"};
    float point[N], comma[N];
    char a[64], b[64];
    bool there = use_decimal_comma();
    setlocale(LC_ALL, "C");
    if (!there) skip();
    struct l2r_dataset *data = make_data(1, NULL, false);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        if (!have(models[i])) continue;
        struct l2r_config *config = config_of(models[i], NULL);
        snprintf(a, sizeof a, "point-%s", models[i]);
        snprintf(b, sizeof b, "comma-%s", models[i]);
        OK(run_into(a, config, data, false, NULL));
        predict(point, a, data);
        assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
        OK(run_into(b, config, data, false, NULL));
        predict(comma, b, data);
        assert_memory_equal(point, comma, sizeof point);
        predict(comma, a, data); /* either reads what the other wrote */
        setlocale(LC_ALL, "C");
        assert_memory_equal(point, comma, sizeof point);
        predict(comma, b, data);
        assert_memory_equal(point, comma, sizeof point);
        same_tensors(a, b, "best.safetensors");
        l2r_config_free(config);
    }
    l2r_dataset_free(data);
}

static void bounds_alone_are_refused(void **state)
{
    (void)state;
    static const char *const models[] = {"boost", "forest"};
    int8_t bounds[N];
    memset(bounds, 1, sizeof bounds);
    struct l2r_dataset *data = make_data(1, bounds, false);
    for (size_t i = 0; i < 2; i++) {
        if (!have(models[i])) continue;
        struct l2r_config *config = config_of(models[i], NULL);
        refused(run_into(models[i], config, data, false, NULL), "exact label");
        l2r_config_free(config);
    }
    l2r_dataset_free(data);
}

static void count_notes(void *context, const char *sentence)
{
    *(int *)context += strstr(sentence, "left out for task 2") != NULL;
}

/* The second task has no label at all: the forest leaves it to the network. */
static void an_unlabelled_task_leaves_the_committee(void **state)
{
    (void)state;
    static const char *const set[] = {"members", "gcn,forest:features=none", "hidden", "8", NULL};
    struct l2r_callbacks callbacks = L2R_CALLBACKS_INIT;
    struct l2r_predictor *all;
    struct l2r_dataset *data = make_data(2, NULL, false);
    struct l2r_config *config = config_of("gcn", set);
    const int32_t graphs[] = {0, 1, 2};
    float out[6], members[12];
    char dir[256];
    int notes = 0;
    callbacks.context = &notes;
    callbacks.note = count_notes;
    OK(run_into("committee", config, data, false, &callbacks));
    assert_int_equal(notes, 1);
    folder(dir, "committee");
    OK(l2r_predictor_open(&all, dir, &error));
    const struct l2r_committee_rows rows = {.output = out, .members = members};
    OK(l2r_predictor_rows(&rows, all, data, graphs, 3, &error));
    const float *network = members, *trees = members + 6;
    for (int i = 0; i < 3; i++) {
        assert_float_equal(out[2 * i], (network[2 * i] + trees[2 * i]) / 2, 1e-5);
        assert_float_equal(out[2 * i + 1], network[2 * i + 1], 0);
    }
    l2r_predictor_free(all);
    l2r_config_free(config);
    l2r_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boost_in_pieces),
        cmocka_unit_test(forest_in_pieces),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(bounds_alone_are_refused),
        cmocka_unit_test(an_unlabelled_task_leaves_the_committee),
    };
    return cmocka_run_group_tests(tests, run_set_up, run_tear_down);
}
