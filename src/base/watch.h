/* SPDX-License-Identifier: MIT
 *
 * Progress of calls that take long, and the wish to stop them (l2r_watch_set, l2r/status.h). A loop says how much it
 * has to do, and reports what is done; only the thread that made the call reports, whichever threads do the work:
 *
 *     struct l2r_watched loop;
 *     l2r_watched_begin(&loop, "molecules read", n);
 *     l2r_parallel(…)      in each chunk: if (l2r_watched_stop(&loop)) return; … l2r_watched_add(&loop, size);
 *     done: return l2r_watched_end(&loop, status, error);
 *
 * Without a watch all of this costs next to nothing. A loop inside another one of the same name adds to the outer one.
 */
#ifndef L2R_BASE_WATCH_H
#define L2R_BASE_WATCH_H

#include "base/status.h"

#include <stdatomic.h>

struct l2r_watched {
    const char *what;
    int64_t n;                 /* -1: not known */
    struct l2r_watched *outer; /* of this thread; NULL: none */
    bool adds;                 /* to the outer one */
    double reported;           /* when; 0: not yet */
    _Atomic int64_t done;
    _Atomic bool stopped;
};

/* `what` must live as long as the loop. begin and end are calls of one thread, which follow each other whatever
 * happens between. */
void l2r_watched_begin(struct l2r_watched *loop, const char *what, int64_t n);
/* Must the loop stop? Any thread. */
bool l2r_watched_stop(struct l2r_watched *loop);
/* So many more are done. Any thread. */
void l2r_watched_add(struct l2r_watched *loop, int64_t n);
/* The status as it is; L2R_ERR_INTERRUPTED where all is well but the loop was stopped. */
enum l2r_status l2r_watched_end(struct l2r_watched *loop, enum l2r_status status, struct l2r_error *error);
/* Adds to the loop of that name that this thread is in, if there is one: must it stop? */
bool l2r_watched_tick(const char *what, int64_t n);

/* The calling thread's watch, to be put aside and given back: NULL: none. */
const struct l2r_watch *l2r_watch_swap(const struct l2r_watch *watch);

#endif
