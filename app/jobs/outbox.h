/* SPDX-License-Identifier: MIT
 *
 * Messages of the ranks of a runner to rank 0: one for each run that has ended, and a last one when they are done. Only
 * the main thread may use MPI, so workers put their messages into an outbox that it empties.
 */
#ifndef L2R_JOBS_OUTBOX_H
#define L2R_JOBS_OUTBOX_H

#include "comm/comm.h"

struct l2r_outbox_message {
    size_t job;
    double cpu_seconds;
    int threads;
    enum l2r_status status;
    struct l2r_error error; /* why it failed */
};

/* Under the runner's lock. */
struct l2r_outbox {
    struct l2r_outbox_message *messages;
    size_t n, capacity;
};

/* False when out of memory. */
bool l2r_outbox_put(struct l2r_outbox *box, const struct l2r_outbox_message *message);
/* The oldest message; false: there is none. */
bool l2r_outbox_take(struct l2r_outbox *box, struct l2r_outbox_message *message);

/* To rank 0; NULL: this rank is done. */
void l2r_outbox_send(struct l2r_comm *comm, const struct l2r_outbox_message *message);
/* A message about one of n_jobs runs, if one has arrived; the last message of a rank lowers *left. Anything else is
 * dropped. */
bool l2r_outbox_receive(struct l2r_comm *comm, struct l2r_outbox_message *message, size_t n_jobs, int *left);

#endif
