/* SPDX-License-Identifier: MIT
 * See launch.h. Open MPI's mpirun tells its processes their number and how many there are; other launchers speak PMIx,
 * which tells the number. */
#include "comm/launch.h"

#include "comm/mpi.h"

#include <stdlib.h>

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

void l2r_comm_abort(struct l2r_comm *comm, int code)
{
    l2r_mpi_abort(comm, code);
    abort(); /* not reached */
}
