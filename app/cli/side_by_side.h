/* SPDX-License-Identifier: MIT
 *
 * Seeds, folds or replicates of one command that train at the same time (--jobs), each on one thread, by the runner of
 * tune and reproduce (jobs/runner.h). Their results have the same bits as one after the other.
 */
#ifndef L2R_CLI_SIDE_BY_SIDE_H
#define L2R_CLI_SIDE_BY_SIDE_H

#include "jobs/runner.h"

#include <stdio.h>

/* Trains the jobs [n], of which label, dir, config, strict and resume are set. results [n], each to be freed, are those
 * of the folders. n_workers: 0: one per core. A run that fails is reported on stderr and the others go on; the error
 * then counts the failed ones. L2R_ERR_INTERRUPTED: the user stopped it. */
enum l2r_status cli_train_side_by_side(struct l2r_result **results, struct l2r_job *jobs, size_t n, int n_workers,
                                       FILE *progress, bool quiet, struct l2r_error *error);

#endif
