/* SPDX-License-Identifier: MIT
 *
 * What the ranks of a queue tell rank 0: the ends of their runs, one message each, and at last their own.
 */
#ifndef L2R_JOBS_QUEUE_MESSAGES_H
#define L2R_JOBS_QUEUE_MESSAGES_H

#include "comm/comm.h"

struct l2r_queue_message {
    size_t job;
    double cpu_seconds;
    int threads;
    enum l2r_status status;
    struct l2r_error error; /* why, unless all is well */
};

/* Written by workers, emptied by the thread that may send; under the queue's lock. */
struct l2r_outbox {
    struct l2r_queue_message *messages;
    size_t n, capacity;
};

/* False: out of memory. */
bool l2r_outbox_put(struct l2r_outbox *box, const struct l2r_queue_message *message);
/* The oldest message; false: there is none. */
bool l2r_outbox_take(struct l2r_outbox *box, struct l2r_queue_message *message);

/* To rank 0; NULL: this rank is done. */
void l2r_queue_send(struct l2r_comm *comm, const struct l2r_queue_message *message);
/* A message about a run, if one has arrived; one that says that a rank is done lowers *left. */
bool l2r_queue_receive(struct l2r_comm *comm, struct l2r_queue_message *message, int *left);

#endif
