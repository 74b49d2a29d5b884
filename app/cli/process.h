/* SPDX-License-Identifier: MIT
 *
 * The program as a process: the signals that stop it, and its place among the ranks that mpirun has started.
 *
 *     Ctrl-C, SIGTERM     the first asks the work to save and stop, the second ends the program at once
 *     SIGHUP, SIGPIPE, SIGUSR1   ask only: the terminal is gone, nobody reads the output any more, or a batch system
 *                         says that time is up
 *
 *     mpirun -n P l2r …   rank 0 speaks for all
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
/* When nobody reads the output any more (head), the program ends by SIGPIPE as filters do, quietly and with 141 in the
 * shell, also where it was started with the signal ignored. Commands that have something to save catch it afterwards
 * (cli_interrupt_catch). */
void cli_end_with_reader(void);
/* Has a stop been requested? The argument is unused; it is there to fit l2r_watch.stop. */
bool cli_stop_requested(void *context);

/* Call it first: every rank but rank 0 prints nothing from now on. Returns the rank, 0 also when alone. */
int cli_ranks_hush(void);

/* For what is not divided: compares the command (`words`) and parts, so that rank 0 can go on alone. Returns an exit
 * code; other than CLI_DONE: the ranks were not started alike, and that has been said. */
int cli_ranks_part(const char *words);

/* call->comm, or NULL when alone; fails when the ranks were not started alike. */
enum l2r_status cli_ranks_join(struct cli_call *call, struct l2r_error *error);

/* The end, good or bad. Ranks that failed for the same reason report it once; those still at work are ended. Returns
 * the exit code. comm may be NULL. */
int cli_ranks_leave(struct l2r_comm *comm, const struct l2r_error *error, int code);

/* Sets the number of threads to --threads, or else to this rank's share of the cores. */
void cli_ranks_threads(const struct cli_call *call);

#endif
