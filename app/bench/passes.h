/* SPDX-License-Identifier: MIT
 *
 * Times whole passes over the graphs of a workload.
 *
 *     train   an epoch of the train loop: order of the graphs, batches, forward with dropout, backward, optimiser, and
 *             what the method does; neither scoring nor checkpoints
 *     infer   l2r_score, as `l2r predict` calls it: batches and forward without dropout, by running statistics
 *
 * The first passes (warm_up) are run and not counted. The matrix products alone are timed right before and after, in
 * this process, so that a share of what the machine could multiply at that moment can be given.
 */
#ifndef L2R_BENCH_PASSES_H
#define L2R_BENCH_PASSES_H

#include "bench/measure.h"
#include "bench/workload.h"

#include <jansson.h>

enum { L2R_MOST_PASSES = 1000 };

struct l2r_passes {
    int64_t graphs, nodes, arcs;
    int64_t batch_size, n_batches, parameters;
    int threads;
    int64_t n; /* passes counted */
    double seconds[L2R_MOST_PASSES];
    double processor_seconds;       /* of all threads, mean over the counted passes */
    double loss;                    /* train: mean over the graphs of the last pass; infer: NaN */
    double flops;                   /* of a pass, as products.h counts */
    double peak_before, peak_after; /* flops per second of the products alone */
    double tape_bytes;              /* train: values and gradients on the tape, mean over batches; infer: 0 */
    int64_t batch_bytes;            /* the largest batch with all its values and scratch */
    int64_t memory_before,
        peak_memory; /* resident: before the first pass, and the largest since the last reset of the peak, the
                                           products alone left out */
};

/* config: l2r_workload_configure's; --epochs passes are counted. */
enum l2r_status l2r_passes_train(struct l2r_passes *passes, const struct l2r_config *config,
                                 const struct l2r_workload_data *load, int64_t warm_up, struct l2r_error *error);
enum l2r_status l2r_passes_infer(struct l2r_passes *passes, const struct l2r_config *config,
                                 const struct l2r_workload_data *load, int64_t warm_up, struct l2r_error *error);

/* Graphs per second: median, and of the slowest and the fastest pass. */
struct l2r_spread l2r_passes_speed(const struct l2r_passes *passes);
/* Flops per second of the median pass; and divided by the mean of the two peaks. */
double l2r_passes_rate(const struct l2r_passes *passes);
double l2r_passes_share(const struct l2r_passes *passes);
/* New reference; NULL when out of memory. */
json_t *l2r_passes_to_json(const struct l2r_passes *passes);

#endif
