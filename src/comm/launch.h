/* SPDX-License-Identifier: MIT
 *
 * From the launcher (mpirun) to a communicator, and its end. A program that was started alone notices that from its
 * environment: nothing is loaded and no time is lost.
 */
#ifndef L2R_COMM_LAUNCH_H
#define L2R_COMM_LAUNCH_H

#include "comm/comm.h"

/* Has a launcher started several of us? *rank: which one this is. Asks the environment only. */
bool l2r_launched(int *rank);

/* Joins the ranks: *comm is NULL when there is only one. Fails when this build has no MPI. */
enum l2r_status l2r_comm_open(struct l2r_comm **comm, struct l2r_error *error);
/* The good end: waits for the other ranks. */
void l2r_comm_close(struct l2r_comm *comm);

/* The bad end of this rank. Waits a second for the others to come to one, too: then all[r] [size × bytes] are what they
 * brought and the caller may end in peace with l2r_comm_close. False: some are still at work and have to be stopped by
 * l2r_comm_abort, which does not return. */
bool l2r_comm_settle(struct l2r_comm *comm, void *all, const void *mine, size_t bytes);
void l2r_comm_abort(struct l2r_comm *comm, int code);

#endif
