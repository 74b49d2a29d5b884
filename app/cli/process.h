/* SPDX-License-Identifier: MIT
 *
 * The program as a process: the signals that stop it, and its place among the ranks that mpirun has started.
 *
 *     Ctrl-C, SIGTERM     the first makes the work save and stop, the second ends the program at once
 *     SIGHUP, SIGPIPE, SIGUSR1   stop the work as the first does: the terminal or the reader of the output is gone, or
 *                         a batch system announces the end
 *
 *     mpirun -n P l2r …   rank 0 prints for all
 *       commands that divide their work (struct l2r_command, divides)     all ranks join and compare build and options
 *       all others                                                        rank 0 works alone, the others exit
 *     All compare the command first: a rank that runs another would be waited for without end.
 */
#ifndef L2R_CLI_PROCESS_H
#define L2R_CLI_PROCESS_H

#include "cli/command.h"
#include "comm/comm.h"

#include <stdbool.h>

void cli_interrupt_catch(void);
/* When the reader of the output is gone (head), the program ends by SIGPIPE as filters do, silently and with 141 in the
 * shell, even if it was started with the signal ignored. Commands that have something to save catch it afterwards
 * (cli_interrupt_catch). */
void cli_end_with_reader(void);
/* Has a stop been requested? The argument is unused; it fits the stop callbacks. */
bool cli_stop_requested(void *context);

/* Call it first: every rank but rank 0 prints nothing from now on. Returns the rank, 0 also when alone. */
int cli_ranks_hush(void);

/* For what is not divided: compares the command (`words`) and parts, so that rank 0 can go on alone. Returns an exit
 * code; other than CLI_DONE: the ranks were not started alike, which has been reported. */
int cli_ranks_part(const char *words);

/* call->comm, or NULL when alone; fails when the ranks were not started alike. */
enum l2r_status cli_ranks_join(struct cli_call *call, struct l2r_error *error);

/* Ends all ranks, after success or failure. Ranks that failed for the same reason report it once; those still running
 * are ended. Returns the exit code. comm may be NULL. */
int cli_ranks_leave(struct l2r_comm *comm, const struct l2r_error *error, int code);

/* Sets the number of threads to --threads, or else to this rank's share of the cores. */
void cli_ranks_threads(const struct cli_call *call);

#endif
