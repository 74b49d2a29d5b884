/* SPDX-License-Identifier: MIT
 *
 * The events of runs that train side by side, delivered on the caller's thread.
 *
 *     worker, member 3      epoch ──► queue of member 3 ┐
 *     worker, member 2      epoch ──► queue of member 2 ┴─► caller's thread ──► the caller's callbacks
 *
 * Epochs and notes arrive member after member, each one's in its own order, whatever the timing: the first member is on
 * display until it ends, and the events of the others wait. Only batches, which are progress and no record, are dropped
 * for members that are not on display. The caller's `stop` is called on the caller's thread too, whenever a member is
 * between two batches; members read the last answer.
 */
#ifndef L2R_TRAIN_RELAY_H
#define L2R_TRAIN_RELAY_H

#include "base/status.h"

#include <l2r/train.h>

struct l2r_relay;

/* For n runs. `direct`: they run one after the other on the thread that makes this call, and events are delivered as
 * they happen. */
enum l2r_status l2r_relay_new(struct l2r_relay **relay, const struct l2r_callbacks *to, int n, bool direct,
                              struct l2r_error *error);
void l2r_relay_free(struct l2r_relay *relay);

/* The callbacks of run k, from 0; `heading` is noted before its first event. They last as long as the relay. */
const struct l2r_callbacks *l2r_relay_join(struct l2r_relay *relay, int k, const char *heading);
/* Run k has ended. failed: the others are to stop. */
void l2r_relay_end(struct l2r_relay *relay, int k, bool failed);
/* Delivers until all n have ended. */
enum l2r_status l2r_relay_deliver(struct l2r_relay *relay, struct l2r_error *error);

#endif
