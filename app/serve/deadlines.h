/* SPDX-License-Identifier: MIT
 *
 * Open connections and the time by which each must have sent its request: what keeps a client that sends a byte a
 * minute from holding a connection for ever.
 */
#ifndef L2R_SERVE_DEADLINES_H
#define L2R_SERVE_DEADLINES_H

#include <pthread.h>

struct l2r_connection {
    struct l2r_connection *previous, *next;
    int socket;
    double deadline; /* for the request that is being read; 0: it has been read, and its answer is under way */
};

struct l2r_deadlines {
    pthread_mutex_t lock;
    struct l2r_connection *first;
    unsigned n;
};

void l2r_deadlines_init(struct l2r_deadlines *all);
void l2r_deadlines_clear(struct l2r_deadlines *all); /* when no connection is open */
/* NULL: out of memory; such a connection has no deadline. */
struct l2r_connection *l2r_deadlines_begin(struct l2r_deadlines *all, int socket, double seconds);
void l2r_deadlines_end(struct l2r_deadlines *all, struct l2r_connection *connection);
/* From now on; seconds 0: no deadline. connection may be NULL. */
void l2r_deadlines_set(struct l2r_deadlines *all, struct l2r_connection *connection, double seconds);
/* Shuts the connections down that are late. */
void l2r_deadlines_sweep(struct l2r_deadlines *all);
unsigned l2r_deadlines_count(struct l2r_deadlines *all);

#endif
