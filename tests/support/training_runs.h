/* SPDX-License-Identifier: MIT
 *
 * Small training runs in a temporary folder, and their comparison bit for bit. A test program calls run_set_up and
 * run_tear_down as the group's fixtures.
 */
#ifndef L2R_TESTS_TRAINING_RUNS_H
#define L2R_TESTS_TRAINING_RUNS_H

#include "base/memory.h"
#include "base/threads.h"
#include "io/file.h"
#include "io/safetensors.h"
#include "store/run.h"
#include "support/temporary.h"
#include "support/train_into.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char root[TEMPORARY_LENGTH]; /* every run is a folder in it */

/* `set`: pairs of option and value, NULL at the end. */
static inline struct l2r_config *config_for(const char *model, const char *method, const char *const *set)
{
    struct l2r_config *config;
    struct l2r_error error;
    static const char *const base[] = {
        "data", "motif:train=60,valid=30,test=30", "hidden", "16", "layers", "3", "epochs", "6", "batch-size", "16",
        NULL};
    assert_int_equal(l2r_config_new(&config, &error), L2R_OK);
    assert_int_equal(l2r_run_declare(config, model, method, &error), L2R_OK);
    for (size_t i = 0; base[i]; i += 2) assert_int_equal(l2r_config_set(config, base[i], base[i + 1], &error), L2R_OK);
    for (size_t i = 0; set && set[i]; i += 2)
        assert_int_equal(l2r_config_set(config, set[i], set[i + 1], &error), L2R_OK);
    return config;
}

static inline void folder(char path[256], const char *name)
{
    snprintf(path, 256, "%s/%s", root, name);
}

static inline struct l2r_result train(const struct l2r_config *config, const char *name, bool resume,
                                      const struct l2r_callbacks *watch)
{
    char dir[256];
    struct l2r_result result;
    struct l2r_error error = {0};
    folder(dir, name);
    if (train_into(&result, config, dir, resume, watch, &error) != L2R_OK) fail_msg("%s", error.message);
    return result;
}

/* What differs, bit for bit, between the tensors of a file of two runs. */
struct tensor_differences {
    size_t tensors, of_head, of_backbone;
    char first[128]; /* name of the first that differs outside of the head, otherwise of the first */
};

static inline struct l2r_safetensors *run_tensors(const char *run, const char *file)
{
    struct l2r_safetensors *tensors;
    struct l2r_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", root, run, file);
    if (l2r_safetensors_read(&tensors, path, &error) != L2R_OK) fail_msg("%s", error.message);
    return tensors;
}

static inline struct tensor_differences compare_tensors(const char *a, const char *b, const char *file)
{
    struct l2r_safetensors *x = run_tensors(a, file), *y = run_tensors(b, file);
    struct tensor_differences found = {0};
    for (const struct l2r_tensor *t; (t = l2r_safetensors_at(x, found.tensors)); found.tensors++) {
        const struct l2r_tensor *u = l2r_safetensors_find(y, t->name);
        size_t bytes = l2r_tensor_bytes(t);
        if (u && l2r_tensor_bytes(u) == bytes && memcmp(t->data, u->data, bytes) == 0) continue;
        bool of_head = strstr(t->name, "head.") != NULL;
        if (found.of_backbone == 0) snprintf(found.first, sizeof found.first, "%s", t->name);
        *(of_head ? &found.of_head : &found.of_backbone) += 1;
    }
    assert_true(found.tensors > 5);
    l2r_safetensors_free(x);
    l2r_safetensors_free(y);
    return found;
}

/* All tensors of a run's checkpoint, bit for bit. */
static inline void same_tensors(const char *a, const char *b, const char *file)
{
    struct tensor_differences found = compare_tensors(a, b, file);
    if (found.of_head + found.of_backbone > 0) fail_msg("%s differs between %s and %s in %s", found.first, a, b, file);
}

/* The lines of a run's metrics without what differs from one machine, and one day, to the next. */
static inline json_t *run_metrics(const char *run)
{
    static const char *const timed[] = {"seconds", "graphs_per_second", "check"};
    json_t *lines = json_array();
    char path[512], *text;
    size_t length;
    struct l2r_error error;
    snprintf(path, sizeof path, "%s/%s/metrics.jsonl", root, run);
    if (l2r_file_read(&text, &length, path, 1 << 28, &error) != L2R_OK) fail_msg("%s", error.message);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        json_t *object = json_loadb(line, (size_t)(end - line), 0, NULL);
        assert_non_null(object);
        for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) json_object_del(object, timed[i]);
        json_array_append_new(lines, object);
    }
    l2r_free(text);
    return lines;
}

/* The same model, and the same numbers after each epoch. */
static inline void same_runs(const char *a, const char *b)
{
    same_tensors(a, b, "best.safetensors");
    json_t *x = run_metrics(a), *y = run_metrics(b);
    if (!json_equal(x, y)) fail_msg("metrics.jsonl differs between %s and %s", a, b);
    json_decref(x);
    json_decref(y);
}

static inline bool stop_after(void *context)
{
    int *left = context;
    return --*left < 0;
}

/* Trains one run in one piece on one thread, another on two threads with a stop after every few steps: the same
 * bits. */
static inline void pieces_are_whole(const char *model, const char *method, const char *const *set, int number)
{
    char whole[32], pieces[32], dir[256];
    struct l2r_config *config = config_for(model, method, set);
    struct l2r_error error;
    enum l2r_status status;
    int stops = 0;
    snprintf(whole, sizeof whole, "whole-%d", number);
    snprintf(pieces, sizeof pieces, "pieces-%d", number);
    folder(dir, pieces);
    l2r_threads_set(1);
    struct l2r_result result = train(config, whole, false, NULL);
    l2r_result_clear(&result);
    l2r_threads_set(2);
    do {
        int left = 5;
        struct l2r_callbacks watch = {.context = &left, .stop = stop_after};
        status = train_into(&result, config, dir, stops > 0, &watch, &error);
        if (status != L2R_OK) assert_int_equal(status, L2R_ERR_INTERRUPTED);
    } while (status != L2R_OK && ++stops < 50);
    assert_true(stops >= 3);
    same_runs(whole, pieces);
    l2r_result_clear(&result);
    l2r_config_free(config);
}

static inline struct l2r_config *config_with(const char *model, const char *const *set)
{
    return config_for(model, "erm", set);
}

static inline int run_set_up(void **state)
{
    (void)state;
    return temporary_folder_in_memory(root) ? 0 : 1;
}

static inline int run_tear_down(void **state)
{
    (void)state;
    l2r_remove_tree(root);
    return 0;
}

#endif
