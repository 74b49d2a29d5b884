/* SPDX-License-Identifier: MIT
 * Jobs side by side: whatever the timing, their events arrive on the caller's thread, job after job, each one's in its
 * own order; the first failure that was no consequence of another is the outcome. */
#include "recipe/scheduler.h"
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { JOBS = 5, EPOCHS = 4, LOG = 4096 };

struct scene {
    pthread_t caller;
    char log[LOG];
    int strangers; /* calls on other threads */
    int fails;     /* this job, after its second epoch; -1: none */
    int refuses;   /* the record, at this line; -1: never */
    int lines, stop_after;
    bool slow[JOBS];
};

static void log_line(struct scene *s, const char *word)
{
    size_t used = strlen(s->log);
    if (!pthread_equal(pthread_self(), s->caller)) s->strangers++;
    snprintf(s->log + used, sizeof s->log - used, "%s ", word);
}

static void on_note(void *context, const char *sentence)
{
    log_line(context, sentence);
}

static void on_epoch(void *context, const struct l2r_progress *p)
{
    char word[24];
    snprintf(word, sizeof word, "%d", (int)p->epoch);
    log_line(context, word);
}

static bool on_stop(void *context)
{
    struct scene *s = context;
    if (!pthread_equal(pthread_self(), s->caller)) s->strangers++;
    return s->stop_after >= 0 && s->lines >= s->stop_after;
}

static enum l2r_status record(void *context, const char *fit, const json_t *line, struct l2r_error *error)
{
    struct scene *s = context;
    char word[64];
    snprintf(word, sizeof word, "%s:%d", fit, (int)json_integer_value(json_object_get(line, "epoch")));
    log_line(s, word);
    return s->lines++ == s->refuses ? l2r_fail(error, L2R_ERR_IO, "the disk is full") : L2R_OK;
}

static enum l2r_status work(void *context, int k, struct l2r_reporter *reporter, struct l2r_error *error)
{
    const struct scene *s = context;
    char name[16];
    snprintf(name, sizeof name, "job-%d", k);
    l2r_reporter_note(reporter, name);
    const struct l2r_fit_observer observer = l2r_reporter_observer(reporter, name);
    for (int e = 1; e <= EPOCHS; e++) {
        struct l2r_progress progress = {.epoch = e};
        json_t *line = json_pack("{s:i}", "epoch", e);
        if (s->slow[k])
            for (int i = 0; i < 2000; i++) sched_yield();
        if (observer.stop(observer.context)) {
            json_decref(line);
            return l2r_fail(error, L2R_ERR_INTERRUPTED, "job %d was stopped", k);
        }
        observer.batch(observer.context, &progress);
        observer.epoch(observer.context, &progress, line);
        json_decref(line);
        if (k == s->fails && e == 2) return l2r_fail(error, L2R_ERR_DIVERGED, "job %d diverged", k);
    }
    return L2R_OK;
}

static enum l2r_status run(struct scene *s, int threads, struct l2r_error *error)
{
    const struct l2r_callbacks callbacks = {.context = s, .note = on_note, .epoch = on_epoch, .stop = on_stop};
    const struct l2r_scheduler jobs = {
        .n = JOBS, .context = s, .work = work, .record = record, .record_context = s, .callbacks = &callbacks};
    s->caller = pthread_self();
    *error = (struct l2r_error){0};
    l2r_threads_set(threads);
    enum l2r_status status = l2r_scheduler_run(&jobs, error);
    assert_int_equal(l2r_threads_get(), threads);
    l2r_threads_set(0);
    assert_int_equal(s->strangers, 0);
    return status;
}

static const struct scene quiet = {.fails = -1, .refuses = -1, .stop_after = -1};

static void test_order(void **state)
{
    (void)state;
    struct l2r_error error;
    struct scene one = quiet;
    assert_int_equal(run(&one, 1, &error), L2R_OK);
    assert_ptr_equal(strstr(one.log, "job-0 job-0:1 1 job-0:2 2 job-0:3 3 job-0:4 4 job-1 job-1:1 1 "), one.log);
    assert_int_equal(one.lines, JOBS * EPOCHS);
    for (int threads = 2; threads <= 9; threads++) {
        struct scene many = quiet;
        many.slow[threads % JOBS] = many.slow[0] = true;
        assert_int_equal(run(&many, threads, &error), L2R_OK);
        assert_string_equal(many.log, one.log);
    }
}

static void test_failure(void **state)
{
    (void)state;
    struct l2r_error error;
    for (int threads = 1; threads <= 4; threads++) {
        struct scene s = quiet;
        s.fails = 2;
        for (int k = 0; k < JOBS; k++) s.slow[k] = k != 2;
        assert_int_equal(run(&s, threads, &error), L2R_ERR_DIVERGED);
        assert_string_equal(error.message, "job 2 diverged");
    }
}

static void test_stop(void **state)
{
    (void)state;
    struct l2r_error error;
    for (int threads = 1; threads <= 4; threads++) {
        struct scene s = quiet;
        s.stop_after = 3;
        s.slow[0] = s.slow[1] = true;
        enum l2r_status status = run(&s, threads, &error);
        /* Workers may be ahead of what has arrived, so that a late stop finds nothing left to stop. */
        if (threads == 1) assert_int_equal(status, L2R_ERR_INTERRUPTED);
        if (status == L2R_OK) assert_int_equal(s.lines, JOBS * EPOCHS);
        if (status != L2R_OK) assert_int_equal(status, L2R_ERR_INTERRUPTED);
    }
}

/* What cannot be recorded stops everything, and is the reason that is given. */
static void test_record_fails(void **state)
{
    (void)state;
    struct l2r_error error;
    for (int threads = 1; threads <= 3; threads++) {
        struct scene s = quiet;
        s.refuses = 5;
        assert_int_equal(run(&s, threads, &error), L2R_ERR_IO);
        assert_string_equal(error.message, "the disk is full");
        assert_int_equal(s.lines, 6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_failure),
                                       cmocka_unit_test(test_stop), cmocka_unit_test(test_record_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
