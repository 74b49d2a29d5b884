/* SPDX-License-Identifier: MIT
 *
 * See comm.h: what every implementation has in common (doing nothing when alone, counting traffic, turning one rank's
 * error into an error of all), and finding the implementation for the launcher.
 */
#include "comm/comm.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void count(struct l2r_comm *comm, int64_t bytes, double since)
{
    comm->traffic.calls++;
    comm->traffic.bytes += bytes;
    comm->traffic.seconds += l2r_clock_since(since);
}

void l2r_comm_sum(struct l2r_comm *comm, void *values, int64_t n, size_t size)
{
    if (!comm) return;
    double since = l2r_clock_seconds();
    comm->calls->sum(comm->state, values, n, size);
    count(comm, n * (int64_t)size, since);
}

void l2r_comm_start_sum(struct l2r_comm *comm, void *values, int64_t n, size_t size)
{
    if (!comm || n == 0) return;
    double since = l2r_clock_seconds();
    comm->calls->start_sum(comm->state, values, n, size);
    count(comm, n * (int64_t)size, since);
}

void l2r_comm_progress(struct l2r_comm *comm)
{
    if (comm) comm->calls->progress(comm->state);
}

void l2r_comm_finish_sums(struct l2r_comm *comm)
{
    if (!comm) return;
    double since = l2r_clock_seconds();
    comm->calls->finish_sums(comm->state);
    comm->traffic.seconds += l2r_clock_since(since);
}

void l2r_comm_gather(struct l2r_comm *comm, void *all, const int64_t *start)
{
    if (!comm) return;
    double since = l2r_clock_seconds();
    comm->calls->gather(comm->state, all, start);
    count(comm, start[comm->size], since);
}

void l2r_comm_broadcast(struct l2r_comm *comm, void *data, size_t bytes)
{
    if (!comm) return;
    double since = l2r_clock_seconds();
    comm->calls->broadcast(comm->state, data, bytes);
    count(comm, (int64_t)bytes, since);
}

/* An empty sum: it ends when every rank has entered. */
void l2r_comm_barrier(struct l2r_comm *comm)
{
    double nothing = 0;
    l2r_comm_sum(comm, &nothing, 1, sizeof nothing);
}

void l2r_comm_send(struct l2r_comm *comm, const void *data, size_t bytes, int to)
{
    double since = l2r_clock_seconds();
    comm->calls->send(comm->state, data, bytes, to);
    count(comm, (int64_t)bytes, since);
}

bool l2r_comm_receive(struct l2r_comm *comm, void **data, size_t *bytes, int *from, bool wait)
{
    return comm->calls->receive(comm->state, data, bytes, from, wait);
}

enum l2r_status l2r_comm_complain(struct l2r_comm *comm, const char *complaint, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (!comm) return L2R_OK;
    char *all = l2r_alloc((size_t)comm->size, L2R_COMPLAINT);
    int64_t *start = l2r_alloc((size_t)comm->size + 1, sizeof *start);
    if (!all || !start) {
        status = l2r_fail_memory(error, (size_t)comm->size * L2R_COMPLAINT, "the ranks");
        goto done;
    }
    for (int r = 0; r <= comm->size; r++) start[r] = (int64_t)r * L2R_COMPLAINT;
    snprintf(all + start[comm->rank], L2R_COMPLAINT, "%s", complaint);
    l2r_comm_gather(comm, all, start);
    for (int r = 0; r < comm->size; r++)
        if (all[start[r]])
            L2R_FAIL(L2R_ERR_ARGUMENT, "rank %d of %d %.*s", r, comm->size, L2R_COMPLAINT - 1, all + start[r]);
done:
    l2r_free(all);
    l2r_free(start);
    return status;
}

/* Every rank compares with rank 0 and the results are gathered, so that all ranks fail together or go on together. */
enum l2r_status l2r_comm_agree(struct l2r_comm *comm, uint64_t number, const char *differs, struct l2r_error *error)
{
    uint64_t first = number;
    l2r_comm_broadcast(comm, &first, sizeof first);
    return l2r_comm_complain(comm, first == number ? "" : differs, error);
}

/* Open MPI's mpirun passes rank and number of ranks to its processes; other launchers use PMIx, which passes the rank
 * alone. */
bool l2r_launched(int *rank)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE"), *own = getenv("OMPI_COMM_WORLD_RANK");
    if (!size) own = getenv("PMIX_RANK");
    *rank = own ? (int)strtol(own, NULL, 10) : 0;
    return size ? strtol(size, NULL, 10) > 1 : own != NULL;
}

enum l2r_status l2r_comm_open(struct l2r_comm **comm, struct l2r_error *error)
{
    int rank;
    if (!comm) return l2r_fail(error, L2R_ERR_ARGUMENT, "comm is NULL");
    *comm = NULL;
    return l2r_launched(&rank) ? l2r_mpi_open(comm, error) : L2R_OK;
}

void l2r_comm_close(struct l2r_comm *comm)
{
    if (comm) l2r_mpi_close(comm);
}

bool l2r_comm_settle(struct l2r_comm *comm, void *all, const void *mine, size_t bytes)
{
    return l2r_mpi_settle(comm, all, mine, bytes);
}

int l2r_comm_n_ranks(const struct l2r_comm *comm)
{
    return comm ? comm->size : 1;
}

int l2r_comm_rank(const struct l2r_comm *comm)
{
    return comm ? comm->rank : 0;
}

void l2r_comm_abort(struct l2r_comm *comm, int code)
{
    if (!comm) return;
    l2r_mpi_abort(comm, code);
    abort(); /* not reached */
}
