/* SPDX-License-Identifier: MIT
 *
 * The one thread that works ahead of its caller. It calls make(context, k) for k = 0, 1, 2, … in order, but only for as
 * many k as the caller has asked for; the caller waits for the k-th result when it needs it. Where a result lies is the
 * caller's business, usually a ring of places that take turns:
 *
 *     caller    want want          wait(0) [work on 0] want   wait(1) [work on 1] want …
 *     thread         [make 0][make 1]                  [make 2]                   …
 *
 * make runs on the thread, one call at a time, and must touch only what belongs to k. A result never depends on timing.
 */
#ifndef L2R_BASE_PREFETCH_H
#define L2R_BASE_PREFETCH_H

#include "base/status.h"

#include <stddef.h>

struct l2r_prefetch;

/* context must outlive the result. The thread starts with nothing to do. */
enum l2r_status l2r_prefetch_new(struct l2r_prefetch **prefetch, void (*make)(void *context, size_t k), void *context,
                                 struct l2r_error *error);
/* One more: the next k may be made now. */
void l2r_prefetch_want(struct l2r_prefetch *prefetch);
/* Returns when make(context, k) has returned; k must have been wanted. */
void l2r_prefetch_wait(struct l2r_prefetch *prefetch, size_t k);
/* Lets the call at work finish, makes none of the others, and ends the thread. NULL is fine. */
void l2r_prefetch_free(struct l2r_prefetch *prefetch);

#endif
