/* SPDX-License-Identifier: MIT
 * Runs of several models that are stopped at an event and resumed, through the public calls: the same model, bit for
 * bit, wherever the stop was; no model before the run is finished; events on the caller's thread, in one order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/training_runs.h"
#include <l2r/l2r.h>

#include "support/calls.h"
#include "support/oxygens.h"

#include <pthread.h>

enum { N = 60, LONGEST_LOG = 1 << 16 };
static struct l2r_dataset *data;

/* What a run reports. */
struct listener {
    pthread_t thread;
    int epochs, stop_at, strangers; /* stop_at: after so many epochs of all models; 0: never */
    char log[LONGEST_LOG];          /* epochs and notes in the order of their arrival */
};

static void log_line(struct listener *l, const char *line)
{
    size_t used = strlen(l->log);
    l->strangers += !pthread_equal(l->thread, pthread_self());
    assert_true(used + strlen(line) + 2 < sizeof l->log);
    snprintf(l->log + used, sizeof l->log - used, "%s\n", line);
}

static void on_epoch(void *context, const struct l2r_progress *p)
{
    struct listener *l = context;
    char line[160];
    snprintf(line, sizeof line, "epoch %d of %d: %.9g", (int)p->epoch, (int)p->n_epochs, p->loss);
    l->epochs++;
    log_line(l, line);
}

static void on_batch(void *context, const struct l2r_progress *p)
{
    struct listener *l = context;
    (void)p;
    l->strangers += !pthread_equal(l->thread, pthread_self());
}

static void on_note(void *context, const char *sentence)
{
    log_line(context, sentence);
}

static bool on_stop(void *context)
{
    struct listener *l = context;
    l->strangers += !pthread_equal(l->thread, pthread_self());
    return l->stop_at > 0 && l->epochs >= l->stop_at;
}

/* False: there is no RDKit. */
static bool have_data(void)
{
    char path[256];
    if (data) return true;
    folder(path, "my.csv");
    write_oxygens(path, N);
    return l2r_dataset_open(&data, path, NULL, &error) == L2R_OK;
}

static enum l2r_status train_model(struct listener *l, const char *model, const char *options, const char *name,
                                   int stop_at, bool resume)
{
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_callbacks callbacks = L2R_CALLBACKS_INIT;
    struct l2r_config *config;
    struct l2r_result *result = NULL;
    char out[256];
    *l = (struct listener){.thread = pthread_self(), .stop_at = stop_at};
    callbacks.context = l;
    callbacks.batch = on_batch;
    callbacks.epoch = on_epoch;
    callbacks.note = on_note;
    callbacks.stop = on_stop;
    folder(out, name);
    OK(l2r_config_for_run(&config, model, "erm", &error));
    OK(l2r_config_set_json(config, options, &error));
    run.config = config;
    run.data = data;
    run.out = out;
    run.resume = resume;
    run.callbacks = &callbacks;
    enum l2r_status status = l2r_train(&result, NULL, &run, &error);
    l2r_result_free(result);
    l2r_config_free(config);
    if (status != L2R_OK && status != L2R_ERR_INTERRUPTED && !strstr(error.message, "XGBoost"))
        fail_msg("%s", error.message);
    return status;
}

static void same_file(const char *a, const char *b, const char *name)
{
    char path[2][512], *bytes[2];
    size_t length[2];
    snprintf(path[0], sizeof path[0], "%s/%s/%s", root, a, name);
    snprintf(path[1], sizeof path[1], "%s/%s/%s", root, b, name);
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(path[i], "rb");
        if (!file) fail_msg("%s is not there", path[i]);
        assert_int_equal(fseek(file, 0, SEEK_END), 0);
        length[i] = (size_t)ftell(file);
        rewind(file);
        bytes[i] = malloc(length[i] + 1);
        assert_non_null(bytes[i]);
        assert_int_equal(fread(bytes[i], 1, length[i], file), length[i]);
        fclose(file);
    }
    if (length[0] != length[1] || memcmp(bytes[0], bytes[1], length[0]) != 0)
        fail_msg("%s differs from %s", path[1], path[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* Trees alone: a stop after each of some epochs, also where the best epoch is an early one. */
static void stop_trees(const char *model, const char *options)
{
    static struct listener l;
    char out[256];
    folder(out, "whole-trees");
    l2r_remove_tree(out);
    if (train_model(&l, model, options, "whole-trees", 0, false) == L2R_ERR_ARGUMENT) skip(); /* no XGBoost */
    int epochs = l.epochs;
    assert_true(epochs >= 4);
    for (int at = 1; at < epochs; at += 2) {
        folder(out, "trees");
        l2r_remove_tree(out);
        assert_int_equal(train_model(&l, model, options, "trees", at, false), L2R_ERR_INTERRUPTED);
        assert_int_equal(train_model(&l, model, options, "trees", 0, true), L2R_OK);
        same_file("whole-trees", "trees", "best.safetensors");
    }
}

static void test_boosted_trees(void **state)
{
    (void)state;
    if (!have_data()) skip();
    stop_trees("boost", "{\"epochs\": 8, \"rounds-per-epoch\": 3, \"split\": \"random\"}");
    stop_trees("boost", "{\"epochs\": 12, \"rounds-per-epoch\": 3, \"split\": \"random\", \"early-stop\": 4, "
                        "\"checkpoint-seconds\": 0}");
}

static void test_forest(void **state)
{
    (void)state;
    if (!have_data()) skip();
    stop_trees("forest", "{\"epochs\": 8, \"trees\": 24, \"split\": \"random\"}");
    stop_trees("forest",
               "{\"epochs\": 12, \"trees\": 24, \"split\": \"random\", \"early-stop\": 4, \"checkpoint-seconds\": 0}");
}

static const char committee[] = "{\"members\": \"auto\", \"refit\": true, \"epochs\": 3, \"hidden\": 8, \"layers\": 2, "
                                "\"split\": \"random\"}";

/* In the first network, in members, between two of them, in the refit of a member and of the first. */
static void test_committee(void **state)
{
    (void)state;
    static struct listener whole, l;
    char out[256];
    if (!have_data()) skip();
    l2r_threads_set(2);
    assert_int_equal(train_model(&whole, NULL, committee, "whole", 0, false), L2R_OK);
    assert_true(whole.epochs > 20);
    assert_int_equal(whole.strangers, 0);
    for (int at = 1; at < whole.epochs; at += 3) {
        int starts = 1;
        struct l2r_predictor *predictor = NULL;
        folder(out, "pieces");
        l2r_remove_tree(out);
        /* Workers may be ahead of what the caller has seen, so that a late stop finds nothing left to stop. */
        enum l2r_status status = train_model(&l, NULL, committee, "pieces", at, false);
        if (status != L2R_OK) assert_int_equal(l2r_predictor_open(&predictor, out, &error), L2R_ERR_IO);
        if (status != L2R_OK) assert_non_null(strstr(error.message, "not finished"));
        for (; status != L2R_OK && starts < 3; starts++) {
            assert_int_equal(l.strangers, 0);
            status = train_model(&l, NULL, committee, "pieces", starts == 1 ? 2 : 0, true);
        }
        assert_int_equal(status, L2R_OK);
        OK(l2r_predictor_open(&predictor, out, &error));
        l2r_predictor_free(predictor);
        same_file("whole", "pieces", "best.safetensors");
        same_file("whole", "pieces", "chosen.safetensors");
    }
}

/* One thread and four tell the same story. */
static void test_order_of_events(void **state)
{
    (void)state;
    static struct listener one, four;
    if (!have_data()) skip();
    l2r_threads_set(1);
    assert_int_equal(train_model(&one, NULL, committee, "one", 0, false), L2R_OK);
    l2r_threads_set(4);
    assert_int_equal(train_model(&four, NULL, committee, "four", 0, false), L2R_OK);
    l2r_threads_set(2);
    assert_int_equal(one.strangers + four.strangers, 0);
    assert_string_equal(one.log, four.log);
    assert_non_null(strstr(one.log, ": forest\n"));
    same_file("one", "four", "best.safetensors");
}

static int set_up(void **state)
{
    return run_set_up(state);
}

static int tear_down(void **state)
{
    l2r_dataset_free(data);
    return run_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boosted_trees),
        cmocka_unit_test(test_forest),
        cmocka_unit_test(test_committee),
        cmocka_unit_test(test_order_of_events),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
