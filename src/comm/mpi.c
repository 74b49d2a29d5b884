/* SPDX-License-Identifier: MIT
 *
 * See comm.h. Three communicators over the same ranks: one for blocking calls, one for sums that run beside them, so
 * that the order of the two kinds need not be the same on all ranks, and one for the end after a failure.
 *
 * All-reduce algorithms add in an order that depends on the sizes alone, and give every rank the same bits; the trainer
 * compares parameters once an epoch all the same.
 */
#include "comm/comm.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SUMS = 64, TAG = 1, ONE_CALL = 1 << 28 /* items; MPI counts with int */ };

struct state {
    struct l2r_comm comm;
    MPI_Comm main, beside, end;
    MPI_Request sums[MOST_SUMS];
    int n_sums;
    int *counts, *starts; /* [size] */
};

static MPI_Datatype type_of(size_t size)
{
    return size == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE;
}

static void sum(void *state, void *values, int64_t n, size_t size)
{
    struct state *s = state;
    for (int64_t done = 0; done < n; done += ONE_CALL) {
        int64_t part = n - done < ONE_CALL ? n - done : ONE_CALL;
        MPI_Allreduce(MPI_IN_PLACE, (char *)values + done * (int64_t)size, (int)part, type_of(size), MPI_SUM, s->main);
    }
}

static void finish_sums(void *state)
{
    struct state *s = state;
    MPI_Waitall(s->n_sums, s->sums, MPI_STATUSES_IGNORE);
    s->n_sums = 0;
}

/* Requests lie in a fixed array; when it is full, the sums so far are finished first. */
static void start_sum(void *state, void *values, int64_t n, size_t size)
{
    struct state *s = state;
    for (int64_t done = 0; done < n; done += ONE_CALL) {
        int64_t part = n - done < ONE_CALL ? n - done : ONE_CALL;
        if (s->n_sums == MOST_SUMS) finish_sums(s);
        MPI_Iallreduce(MPI_IN_PLACE, (char *)values + done * (int64_t)size, (int)part, type_of(size), MPI_SUM,
                       s->beside, &s->sums[s->n_sums++]);
    }
}

static void progress(void *state)
{
    struct state *s = state;
    int all;
    if (s->n_sums > 0) MPI_Testall(s->n_sums, s->sums, &all, MPI_STATUSES_IGNORE);
}

static void broadcast_from(const struct state *s, char *data, int64_t bytes, int root)
{
    for (int64_t done = 0; done < bytes; done += ONE_CALL) {
        int64_t part = bytes - done < ONE_CALL ? bytes - done : ONE_CALL;
        MPI_Bcast(data + done, (int)part, MPI_BYTE, root, s->main);
    }
}

static void gather(void *state, void *all, const int64_t *start)
{
    struct state *s = state;
    if (start[s->comm.size] > INT_MAX) { /* more than MPI can count: part by part */
        for (int r = 0; r < s->comm.size; r++) broadcast_from(s, (char *)all + start[r], start[r + 1] - start[r], r);
        return;
    }
    for (int r = 0; r < s->comm.size; r++) {
        s->starts[r] = (int)start[r];
        s->counts[r] = (int)(start[r + 1] - start[r]);
    }
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, s->counts, s->starts, MPI_BYTE, s->main);
}

static void broadcast(void *state, void *data, size_t bytes)
{
    broadcast_from(state, data, (int64_t)bytes, 0);
}

static void send(void *state, const void *data, size_t bytes, int to)
{
    struct state *s = state;
    MPI_Send(data, (int)bytes, MPI_BYTE, to, TAG, s->main);
}

static void pause_briefly(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    nanosleep(&moment, NULL);
}

/* Out of memory in a call that cannot return an error. */
static _Noreturn void give_up(void)
{
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

/* Polls with pauses instead of blocking: a blocking MPI call would keep a core busy. */
static bool receive(void *state, void **data, size_t *bytes, int *from, bool wait)
{
    struct state *s = state;
    MPI_Status status;
    int there = 0, n = 0;
    for (;;) {
        MPI_Iprobe(MPI_ANY_SOURCE, TAG, s->main, &there, &status);
        if (there || !wait) break;
        pause_briefly();
    }
    if (!there) return false;
    MPI_Get_count(&status, MPI_BYTE, &n);
    *data = l2r_alloc((size_t)n + 1, 1);
    if (!*data) give_up();
    MPI_Recv(*data, n, MPI_BYTE, status.MPI_SOURCE, TAG, s->main, MPI_STATUS_IGNORE);
    *bytes = (size_t)n;
    *from = status.MPI_SOURCE;
    return true;
}

static const struct l2r_comm_calls calls = {sum, start_sum, progress, finish_sums, gather, broadcast, send, receive};

/* The cores that this rank may use, divided by the number of ranks on this host that may use any of them, too: a rank
 * bound to its own cores keeps all of those. */
static int threads_for(int rank)
{
    MPI_Comm host;
    cpu_set_t cores, others;
    int ranks = 1, sharers = 0, n;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof cores, &cores) != 0) CPU_SET(0, &cores);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &ranks);
    cpu_set_t *all = l2r_alloc((size_t)ranks, sizeof *all);
    if (!all) give_up();
    MPI_Allgather(&cores, sizeof cores, MPI_BYTE, all, sizeof cores, MPI_BYTE, host);
    for (int r = 0; r < ranks; r++) {
        CPU_AND(&others, &all[r], &cores);
        sharers += CPU_COUNT(&others) > 0;
    }
    l2r_free(all);
    MPI_Comm_free(&host);
    n = CPU_COUNT(&cores) / (sharers > 0 ? sharers : 1);
    return n > 1 ? n : 1;
}

enum l2r_status l2r_mpi_open(struct l2r_comm **comm, struct l2r_error *error)
{
    int provided, size, rank;
    *comm = NULL;
    /* Plugins of Open MPI look for its symbols among the global ones. */
    (void)dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    /* A waiting rank yields its core to others, which costs nothing where there are none. */
    (void)setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return l2r_fail(error, L2R_ERR_IO, "MPI cannot be started");
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (size == 1) {
        MPI_Finalize();
        return L2R_OK;
    }
    struct state *s = l2r_alloc(1, sizeof *s);
    int *lists = s ? l2r_alloc(2 * (size_t)size, sizeof *lists) : NULL;
    if (!lists) give_up();
    s->comm = (struct l2r_comm){.size = size, .rank = rank, .calls = &calls, .state = s};
    s->counts = lists;
    s->starts = lists + size;
    MPI_Comm_dup(MPI_COMM_WORLD, &s->main);
    MPI_Comm_dup(MPI_COMM_WORLD, &s->beside);
    MPI_Comm_dup(MPI_COMM_WORLD, &s->end);
    s->comm.threads = threads_for(rank);
    *comm = &s->comm;
    return L2R_OK;
}

void l2r_mpi_close(struct l2r_comm *comm)
{
    struct state *s = comm->state;
    MPI_Finalize();
    l2r_free(s->counts);
    l2r_free(s);
}

/* A gather that does not wait for ever, on a communicator of its own: the others may be in the middle of any other
 * call. */
bool l2r_mpi_settle(struct l2r_comm *comm, void *all, const void *mine, size_t bytes)
{
    struct state *s = comm->state;
    MPI_Request request;
    int there = 0;
    MPI_Iallgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, s->end, &request);
    for (int i = 0; i < 1000 && !there; i++) {
        MPI_Test(&request, &there, MPI_STATUS_IGNORE);
        if (!there) pause_briefly();
    }
    return there != 0;
}

void l2r_mpi_abort(struct l2r_comm *comm, int code)
{
    struct state *s = comm->state;
    MPI_Abort(s->main, code);
}
