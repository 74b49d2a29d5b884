/* SPDX-License-Identifier: MIT
 *
 * The program as one of several ranks (mpirun -n P l2r …): rank 0 speaks for all.
 *
 *     commands that divide their work (struct l2r_command, divides)     all ranks join and compare build and options
 *     all others                                                        rank 0 works alone, the others leave
 */
#ifndef L2R_CLI_RANKS_H
#define L2R_CLI_RANKS_H

#include "cli/command.h"
#include "comm/comm.h"

/* First of all: a rank but the first keeps quiet from now on. Returns its number, 0 also when alone. */
int cli_ranks_hush(void);

/* call->comm, or NULL when alone; fails when the ranks were not started alike. */
enum l2r_status cli_ranks_join(struct cli_call *call, struct l2r_error *error);

/* The end, good or bad: says why on behalf of all ranks, where it is the same for all, and ends those that are still at
 * work. Returns the exit code. comm may be NULL. */
int cli_ranks_leave(struct l2r_comm *comm, const struct l2r_error *error, int code);

/* l2r_threads_set by --threads, or what is this rank's share of the cores. */
void cli_ranks_threads(const struct cli_call *call);

#endif
