/* SPDX-License-Identifier: MIT
 * See watch.h. */
#include "base/watch.h"

#include "base/clock.h"
#include "base/misuse.h"

#include <string.h>

#define SECONDS_BETWEEN 0.02 /* reports: a caller's function may be slow */

static _Thread_local struct l2r_watch own;            /* as it was set */
static _Thread_local const struct l2r_watch *current; /* NULL: none */
static _Thread_local struct l2r_watched *innermost;

enum l2r_status l2r_watch_set(const struct l2r_watch *watch, struct l2r_error *error)
{
    struct l2r_watch taken;
    current = NULL;
    if (!watch) return L2R_OK;
    enum l2r_status status = l2r_struct_take(&taken, sizeof taken, sizeof taken, watch, "watch", error);
    if (status != L2R_OK) return status;
    own = taken;
    current = &own;
    return L2R_OK;
}

const struct l2r_watch *l2r_watch_swap(const struct l2r_watch *watch)
{
    const struct l2r_watch *before = current;
    current = watch;
    return before;
}

void l2r_watched_begin(struct l2r_watched *loop, const char *what, int64_t n)
{
    *loop = (struct l2r_watched){.what = what, .n = n, .outer = innermost};
    loop->adds = innermost && strcmp(innermost->what, what) == 0;
    innermost = loop;
}

/* Is this thread the one that began the loop? No other has it among its own. */
static bool is_own(const struct l2r_watched *loop)
{
    const struct l2r_watched *at = innermost;
    while (at && at != loop) at = at->outer;
    return at != NULL;
}

static void report(struct l2r_watched *loop, bool always)
{
    const struct l2r_watch *watch = current; /* the function may set another */
    if (!watch || !is_own(loop) || loop->adds) return;
    double now = l2r_clock_seconds();
    if (!always && now - loop->reported < SECONDS_BETWEEN) return;
    loop->reported = now;
    int64_t done = atomic_load(&loop->done);
    if (loop->n >= 0 && done > loop->n) done = loop->n;
    if (watch->progress) watch->progress(watch->context, loop->what, done, loop->n);
    if (watch->stop && watch->stop(watch->context)) atomic_store(&loop->stopped, true);
}

bool l2r_watched_stop(struct l2r_watched *loop)
{
    if (loop->adds) {
        if (l2r_watched_stop(loop->outer)) atomic_store(&loop->stopped, true);
    } else if (!atomic_load(&loop->stopped)) {
        report(loop, false);
    }
    return atomic_load(&loop->stopped);
}

void l2r_watched_add(struct l2r_watched *loop, int64_t n)
{
    atomic_fetch_add(&loop->done, n);
    if (loop->adds) l2r_watched_add(loop->outer, n);
}

enum l2r_status l2r_watched_end(struct l2r_watched *loop, enum l2r_status status, struct l2r_error *error)
{
    bool stopped = atomic_load(&loop->stopped);
    if (!stopped && status == L2R_OK) report(loop, true);
    innermost = loop->outer;
    if (status != L2R_OK || !atomic_load(&loop->stopped)) return status;
    return l2r_fail(error, L2R_ERR_INTERRUPTED, "stopped: %lld %s", (long long)atomic_load(&loop->done), loop->what);
}

bool l2r_watched_tick(const char *what, int64_t n)
{
    struct l2r_watched *at = innermost;
    while (at && strcmp(at->what, what) != 0) at = at->outer;
    if (!at) return false;
    l2r_watched_add(at, n);
    return l2r_watched_stop(at);
}
