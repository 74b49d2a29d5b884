/* SPDX-License-Identifier: MIT
 *
 * The communicator on MPI: what the module l2r_mpi provides (mpi_module.c). Only the thread that opened it may call it.
 */
#ifndef L2R_COMM_MPI_H
#define L2R_COMM_MPI_H

#include "comm/comm.h"

/* Starts MPI. *comm is NULL where there is one rank. */
enum l2r_status l2r_mpi_open(struct l2r_comm **comm, struct l2r_error *error);
void l2r_mpi_close(struct l2r_comm *comm);
bool l2r_mpi_settle(struct l2r_comm *comm, void *all, const void *mine, size_t bytes);
void l2r_mpi_abort(struct l2r_comm *comm, int code);

#endif
