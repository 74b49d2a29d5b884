/* SPDX-License-Identifier: MIT
 *
 * Ranks: several processes that work on one task together. A communicator is a table of calls, so that the rest of the
 * library does not depend on the transport: MPI between processes (mpi.c, a module that is loaded if a launcher started
 * the process), threads in tests.
 *
 *     alone     comm is NULL: every call below does nothing and returns what one rank has
 *     ranks     every rank makes the same calls in the same order; after a sum all ranks hold the same bits
 *
 * A connection that breaks ends the job at once: these calls do not fail. A rank that fails on its own must not simply
 * return, because the others would wait for it for ever: l2r_comm_agree and l2r_comm_complain turn one rank's error
 * into an error of all, at points that every rank reaches; l2r_comm_settle and l2r_comm_abort serve everywhere else.
 */
#ifndef L2R_COMM_COMM_H
#define L2R_COMM_COMM_H

#include "base/status.h"

#include <l2r/train.h>

#include <stdbool.h>
#include <stdint.h>

/* What an implementation provides. Sums are of floats (size 4) or doubles (size 8). */
struct l2r_comm_calls {
    void (*sum)(void *state, void *values, int64_t n, size_t size);
    /* Sums that run while the caller computes: any number may be started, finish_sums waits for all. */
    void (*start_sum)(void *state, void *values, int64_t n, size_t size);
    void (*progress)(void *state);
    void (*finish_sums)(void *state);
    void (*gather)(void *state, void *all, const int64_t *start); /* bytes start[r] .. start[r+1] come from rank r */
    void (*broadcast)(void *state, void *data, size_t bytes);     /* from rank 0 */
    void (*send)(void *state, const void *data, size_t bytes, int to);
    /* A message that has arrived, from any rank; false: none yet. Waits if `wait`. Free *data with l2r_free. */
    bool (*receive)(void *state, void **data, size_t *bytes, int *from, bool wait);
};

/* What has passed through; bytes are the size of what was summed, gathered or sent, not what the network carried. */
struct l2r_traffic {
    int64_t calls, bytes;
    double seconds; /* spent in the calls, waiting included */
};

struct l2r_comm {
    int size, rank;
    int threads; /* for this rank: the cores of its host divided by the ranks there */
    const struct l2r_comm_calls *calls;
    void *state;
    struct l2r_traffic traffic;
};

/* Only rank 0 writes files and prints. */
static inline bool l2r_comm_leads(const struct l2r_comm *comm)
{
    return !comm || comm->rank == 0;
}

void l2r_comm_sum(struct l2r_comm *comm, void *values, int64_t n, size_t size);
void l2r_comm_start_sum(struct l2r_comm *comm, void *values, int64_t n, size_t size);
void l2r_comm_progress(struct l2r_comm *comm);
void l2r_comm_finish_sums(struct l2r_comm *comm);
void l2r_comm_gather(struct l2r_comm *comm, void *all, const int64_t *start /* [size + 1], bytes */);
void l2r_comm_broadcast(struct l2r_comm *comm, void *data, size_t bytes);
void l2r_comm_barrier(struct l2r_comm *comm);
void l2r_comm_send(struct l2r_comm *comm, const void *data, size_t bytes, int to);
bool l2r_comm_receive(struct l2r_comm *comm, void **data, size_t *bytes, int *from, bool wait);

/* The same number on every rank? If not, all ranks fail with a sentence that names the first that differs from rank 0:
 * "rank 1 of 2 " and the text of `differs`, as in "has different data than rank 0". */
enum l2r_status l2r_comm_agree(struct l2r_comm *comm, uint64_t number, const char *differs, struct l2r_error *error);
/* The same with an error message of each rank; "": none. The first rank's message becomes the error of all. */
enum { L2R_COMPLAINT = 200 };
enum l2r_status l2r_comm_complain(struct l2r_comm *comm, const char *complaint, struct l2r_error *error);

/* ---- From the launcher (mpirun) to a communicator, and its end ----
 * The environment shows whether a launcher started the program; if not, nothing is loaded. */

/* Did a launcher start several processes? *rank: the number of this one. Reads the environment only. */
bool l2r_launched(int *rank);

/* l2r_comm_open, _close and _abort are public (l2r/train.h). Opening fails when this build has no MPI. */

/* After a failure of this rank. Waits a second for the others to fail too: then all[r] [size × bytes] is what each rank
 * passed, and l2r_comm_close ends the job as usual. False: some are still running and must be stopped by
 * l2r_comm_abort, which does not return. */
bool l2r_comm_settle(struct l2r_comm *comm, void *all, const void *mine, size_t bytes);

/* ---- MPI: what the module l2r_mpi provides to the calls above (mpi.c, mpi_module.c) ----
 * Only the thread that opened it may call it. */

/* Can the module be loaded? */
bool l2r_mpi_is_there(void);
/* Starts MPI. *comm is NULL where there is one rank. */
enum l2r_status l2r_mpi_open(struct l2r_comm **comm, struct l2r_error *error);
void l2r_mpi_close(struct l2r_comm *comm);
bool l2r_mpi_settle(struct l2r_comm *comm, void *all, const void *mine, size_t bytes);
void l2r_mpi_abort(struct l2r_comm *comm, int code);

#endif
