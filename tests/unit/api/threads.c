/* SPDX-License-Identifier: MIT
 *
 * The thread rules of the public handles: one data set, split and config for all threads, a predictor each, several
 * trainings at once, callbacks on the thread that called, and a child of fork. Everything gives the bits of one thread
 * alone; the thread sanitizer watches (make tsan).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/calls.h"

#include <l2r/l2r.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, OUTPUTS = 6 };
static const int64_t first[] = {0, 1, 2};

/* What all threads share, and nobody changes. */
static struct l2r_dataset *data;
static struct l2r_split *split;
static struct l2r_config *config;
static struct l2r_predictor *model;

struct job {
    struct l2r_predictor *own;
    pthread_t thread;
    int strangers; /* callbacks on another thread */
    int epochs;
    float output[OUTPUTS], trained[OUTPUTS];
    enum l2r_status status;
};

static int set_up(void **state)
{
    (void)state;
    struct l2r_training *training;
    OK(l2r_dataset_open(&data, "motif:train=24,valid=6,test=6", NULL, &error));
    OK(l2r_split_new(&split, data, NULL, &error));
    OK(l2r_config_for_run(&config, "gin", "l2r", &error));
    OK(l2r_config_set_json(config, "{\"epochs\": 2, \"hidden\": 8, \"layers\": 2, \"batch-size\": 6}", &error));
    OK(l2r_training_new(&training, config, data, split, &error));
    OK(l2r_training_predictor(&model, training, &error));
    l2r_training_free(training);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    l2r_predictor_free(model);
    l2r_config_free(config);
    l2r_split_free(split);
    l2r_dataset_free(data);
    return 0;
}

static void on_epoch(void *context, const struct l2r_progress *progress)
{
    struct job *job = context;
    job->strangers += !pthread_equal(job->thread, pthread_self());
    job->epochs += progress->epoch > 0;
}

/* Scores, trains a run of its own and scores with that, on two threads. */
static void *work(void *context)
{
    struct job *job = context;
    struct l2r_callbacks callbacks = L2R_CALLBACKS_INIT;
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_result *result = NULL;
    struct l2r_predictor *trained = NULL;
    struct l2r_error mine;
    job->thread = pthread_self();
    callbacks.context = job;
    callbacks.epoch = on_epoch;
    run.config = config;
    run.data = data;
    run.split = split;
    run.callbacks = &callbacks;
    l2r_threads_set(2);
    job->status = l2r_predictor_predict(job->output, job->own, data, first, 3, &mine);
    if (job->status == L2R_OK) job->status = l2r_train(&result, &trained, &run, &mine);
    if (job->status == L2R_OK) job->status = l2r_predictor_predict(job->trained, trained, data, first, 3, &mine);
    l2r_predictor_free(trained);
    l2r_result_free(result);
    return NULL;
}

static void at_once(void **state)
{
    (void)state;
    struct job alone = {.own = model}, jobs[THREADS] = {{0}};
    pthread_t threads[THREADS];
    work(&alone);
    assert_int_equal(alone.status, L2R_OK);
    for (int k = 0; k < THREADS; k++) OK(l2r_predictor_copy(&jobs[k].own, model, &error));
    for (int k = 0; k < THREADS; k++) assert_int_equal(pthread_create(&threads[k], NULL, work, &jobs[k]), 0);
    for (int k = 0; k < THREADS; k++) {
        assert_int_equal(pthread_join(threads[k], NULL), 0);
        assert_int_equal(jobs[k].status, L2R_OK);
        assert_true(jobs[k].epochs == 2 && jobs[k].strangers == 0);
        assert_memory_equal(jobs[k].output, alone.output, sizeof alone.output);
        assert_memory_equal(jobs[k].trained, alone.trained, sizeof alone.trained);
        l2r_predictor_free(jobs[k].own);
    }
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WATCHED 1 /* it does not follow threads of a child */
#endif
#endif

/* A child of a program whose threads have worked scores and trains like its parent. */
static void after_fork(void **state)
{
    (void)state;
#ifdef WATCHED
    skip();
#endif
    struct job here = {.own = model};
    work(&here);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct job there = {.own = model};
        (void)alarm(60); /* rather than wait for threads that are gone */
        l2r_threads_set(3);
        work(&there);
        bool same = there.status == L2R_OK && memcmp(there.output, here.output, sizeof here.output) == 0 &&
                    memcmp(there.trained, here.trained, sizeof here.trained) == 0;
        _exit(same ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    struct job again = {.own = model};
    work(&again);
    assert_memory_equal(again.output, here.output, sizeof here.output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_once), cmocka_unit_test(after_fork)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
