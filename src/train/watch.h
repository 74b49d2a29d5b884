/* SPDX-License-Identifier: MIT
 *
 * Telling the one who watches a run (struct l2r_watch in l2r.h), if there is one.
 */
#ifndef L2R_TRAIN_WATCH_H
#define L2R_TRAIN_WATCH_H

#include "base/config.h"

/* A sentence for the user; "" is none. */
static inline void l2r_watch_note(const struct l2r_watch *watch, const char *sentence)
{
    if (watch && watch->note && *sentence) watch->note(watch->context, sentence);
}

#endif
