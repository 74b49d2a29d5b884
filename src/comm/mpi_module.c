/* SPDX-License-Identifier: MIT
 * The module l2r_mpi (base/module.h): mpi.c on Open MPI. A build without MPI has no such file. */
#include "base/module.h"
#include "comm/comm.h"

struct calls {
    struct l2r_module module;
    enum l2r_status (*open)(struct l2r_comm **comm, struct l2r_error *error);
    void (*close)(struct l2r_comm *comm);
    bool (*settle)(struct l2r_comm *comm, void *all, const void *mine, size_t bytes);
    void (*abort)(struct l2r_comm *comm, int code);
};

#ifdef L2R_INSIDE_MODULE

L2R_MODULE_TABLE struct calls l2r_mpi_calls;
const struct calls l2r_mpi_calls = {{L2R_VERSION}, l2r_mpi_open, l2r_mpi_close, l2r_mpi_settle, l2r_mpi_abort};

#else

static const struct calls *load(struct l2r_error *error)
{
    static const struct l2r_module *_Atomic kept;
    return (const struct calls *)l2r_module_load(&kept, "l2r_mpi", "l2r_mpi_calls", error);
}

bool l2r_mpi_is_there(void)
{
    return load(NULL) != NULL;
}

enum l2r_status l2r_mpi_open(struct l2r_comm **comm, struct l2r_error *error)
{
    struct l2r_error reason;
    const struct calls *calls = load(&reason);
    if (calls) return calls->open(comm, error);
    return l2r_fail(error, L2R_ERR_MISSING,
                    "started as one of several ranks, but this build has no MPI (install libopenmpi-dev and rebuild, "
                    "or start a single process): %s",
                    reason.message);
}

void l2r_mpi_close(struct l2r_comm *comm)
{
    const struct calls *calls = load(NULL);
    if (calls) calls->close(comm);
}

bool l2r_mpi_settle(struct l2r_comm *comm, void *all, const void *mine, size_t bytes)
{
    const struct calls *calls = load(NULL);
    return calls && calls->settle(comm, all, mine, bytes);
}

void l2r_mpi_abort(struct l2r_comm *comm, int code)
{
    const struct calls *calls = load(NULL);
    if (calls) calls->abort(comm, code);
}

#endif
