/* SPDX-License-Identifier: MIT
 *
 * What the commands `l2r bench …` share: the choice of a workload, its options, and how a measurement is shown. What is
 * measured, and how, is in app/bench.
 */
#ifndef L2R_CLI_BENCH_H
#define L2R_CLI_BENCH_H

#include "bench/passes.h"
#include "cli/command.h"

/* --graphs, --threads, --json; end with a zero row. */
extern const struct l2r_option cli_bench_options[];
/* --warm-up */
extern const struct l2r_option cli_bench_pass_options[];

/* Declares the options of a run of the workload named; without a name, those that every workload has. */
enum l2r_status cli_bench_declare(struct cli_call *call, int argc, char **argv, struct l2r_error *error);
/* The workload that the first argument names; NULL when there is no argument. A wrong name is misuse. */
enum l2r_status cli_bench_workload(const struct l2r_workload **workload, struct cli_call *call,
                                   struct l2r_error *error);

typedef enum l2r_status cli_bench_fn(struct l2r_passes *passes, const struct l2r_config *config,
                                     const struct l2r_workload_data *load, int64_t warm_up, struct l2r_error *error);
/* Measures the workload of the call, or all of them in turn, and prints. `pass` says what the seconds are of. */
enum l2r_status cli_bench_passes(struct cli_call *call, cli_bench_fn *measure, const char *pass,
                                 struct l2r_error *error);

/* Warns on stderr when other programs keep the machine busy; returns the load. */
double cli_bench_check_load(void);
/* Adds program, version, threads and load to a result; new reference. */
json_t *cli_bench_result(const char *what, json_t *measurements, double load);

#endif
