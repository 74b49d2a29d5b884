/* SPDX-License-Identifier: MIT
 *
 * Sweeps of injected failures (base/system.h): a piece of work is done again and again while its 1st, 2nd, 3rd … call
 * of one kind fails, once or from then on, until it gets through. What must hold after each failure is the caller's to
 * check; that there is a sentence, and that no descriptor stays open, is checked here.
 */
#ifndef L2R_TESTS_FAULTS_H
#define L2R_TESTS_FAULTS_H

#include "base/memory.h"
#include "base/rng.h"
#include "base/system.h"
#include "support/training_runs.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <unistd.h>

struct fault_kind {
    enum l2r_call call;
    int reason;
    const char *name;
};

static const struct fault_kind fault_kinds[] = {
    {L2R_CALL_OPEN, EMFILE, "open"},    {L2R_CALL_READ, EIO, "read"},
    {L2R_CALL_WRITE, ENOSPC, "write"},  {L2R_CALL_FSYNC, EIO, "fsync"},
    {L2R_CALL_RENAME, EROFS, "rename"}, {L2R_CALL_CLOSE, EDQUOT, "close"},
    {L2R_CALL_MAP, ENOMEM, "mmap"},     {L2R_CALL_ALLOCATE, ENOMEM, "allocation"}};
enum { N_FAULT_KINDS = sizeof fault_kinds / sizeof *fault_kinds };

static char fault_root[TEMPORARY_LENGTH]; /* every folder is in it */

/* What is done, and what must be true afterwards. `failed` is called without faults. */
struct fault_work {
    void (*prepare)(void);
    enum l2r_status (*work)(struct l2r_error *error);
    void (*failed)(void);
    void (*succeeded)(void); /* also when a call failed that the work can do without */
};

static inline int count_entries(const char *folder)
{
    int n = 0;
    DIR *dir = opendir(folder);
    while (dir && readdir(dir)) n++;
    if (dir) closedir(dir);
    return n;
}

static inline void no_litter(const char *folder)
{
    DIR *dir = opendir(folder);
    for (const struct dirent *item; dir && (item = readdir(dir));)
        if (strstr(item->d_name, ".tmp-")) fail_msg("%s/%s was left behind", folder, item->d_name);
    if (dir) closedir(dir);
}

/* One sentence that says what the system said, or that memory is out. */
static inline void expect_sentence(const struct l2r_error *error, enum l2r_status status, const struct fault_kind *kind,
                                   long k)
{
    bool memory = status == L2R_ERR_MEMORY && strstr(error->message, "memory");
    bool reason = strstr(error->message, strerror(kind->reason)) != NULL;
    if (strchr(error->message, '\n') || !(memory || (status == L2R_ERR_IO && reason)))
        fail_msg("%s %ld: status %d: %s", kind->name, k, (int)status, error->message);
}

/* What jansson allocates fails like the rest, but for its parser, which cannot live with that: json.c sees to it that
 * there is enough. */
static _Thread_local bool parsing;

json_t *json_loadb(const char *text, size_t length, size_t flags, json_error_t *error)
{
    json_t *(*own)(const char *, size_t, size_t, json_error_t *);
    *(void **)&own = dlsym(RTLD_NEXT, "json_loadb");
    parsing = true;
    json_t *parsed = own(text, length, flags, error);
    parsing = false;
    return parsed;
}

static inline void *json_allocate(size_t size)
{
    return parsing ? malloc(size) : l2r_alloc_raw(size, 1);
}

/* The i-th failure is that of a call in the i-th stretch of calls, drawn with a fixed seed: calls come in turns, and
 * equal distances would always meet the same one of them. */
static inline long fault_place(long i, long stretch)
{
    struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, (uint64_t)i);
    return i * stretch + (stretch > 1 ? (long)l2r_rng_below(&rng, (uint64_t)stretch) : 0);
}

/* Where there are more than `most` calls, that many stretches are tried; 0, or L2R_ALL_FAULTS=1 in the environment: all
 * calls. Returns how many failures struck. */
static inline long sweep_kind(const struct fault_work *w, const struct fault_kind *kind, bool for_good, long most)
{
    struct l2r_error error = {0};
    long struck = 0;
    w->prepare();
    l2r_fault_set((unsigned)kind->call, LONG_MAX, false, kind->reason);
    if (w->work(&error) != L2R_OK) fail_msg("without faults: %s", error.message);
    long n = l2r_fault_set(0, 0, false, 0), stretch = most > 0 && n > most && !getenv("L2R_ALL_FAULTS") ? n / most : 1;
    for (long i = 0; i * stretch < n + 64; i++) {
        long k = fault_place(i, stretch);
        w->prepare();
        int open_before = count_entries("/proc/self/fd");
        error = (struct l2r_error){0};
        l2r_fault_set((unsigned)kind->call, k, for_good, kind->reason);
        enum l2r_status status = w->work(&error);
        long made = l2r_fault_set(0, 0, false, 0);
        assert_int_equal(count_entries("/proc/self/fd"), open_before);
        if (status == L2R_OK && made <= k) break; /* it was never reached */
        struck++;
        if (status == L2R_OK) {
            w->succeeded();
            continue;
        }
        expect_sentence(&error, status, kind, k);
        w->failed();
    }
    return struck;
}

static inline void sweep(const struct fault_work *w, const char *what, unsigned kinds, long most)
{
    for (int i = 0; i < N_FAULT_KINDS; i++)
        for (int for_good = 0; for_good < 2; for_good++) {
            if (!(kinds & (unsigned)fault_kinds[i].call)) continue;
            long struck = sweep_kind(w, &fault_kinds[i], for_good != 0, most);
            print_message("%s: %ld failures of %s, %s\n", what, struck, fault_kinds[i].name,
                          for_good ? "each for good" : "each once");
        }
}

static inline int fault_set_up(void **state)
{
    char cache[TEMPORARY_LENGTH + 8];
    (void)state;
    l2r_threads_set(1);
    json_set_alloc_funcs(json_allocate, l2r_free);
    if (!temporary_folder_in_memory(fault_root)) return 1;
    snprintf(cache, sizeof cache, "%s/cache", fault_root);
    return setenv("L2R_CACHE_DIR", cache, 1);
}

static inline int fault_tear_down(void **state)
{
    (void)state;
    l2r_fault_set(0, 0, false, 0);
    l2r_remove_tree(fault_root);
    return 0;
}

#endif
