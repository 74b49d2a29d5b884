/* SPDX-License-Identifier: MIT
 *
 * How long does one set of sample weights take? Timed is what training does for a mini-batch with its queues: from Z
 * [rows × d] standardise, draw 5 random Fourier features of each variable, prepare the dependence, take 20 steps of
 * Adam on the softmax weights of all rows, and evaluate the dependence before and after them.
 */
#ifndef L2R_BENCH_REWEIGHT_H
#define L2R_BENCH_REWEIGHT_H

#include "base/status.h"
#include "bench/measure.h"

struct l2r_reweight_shape {
    int64_t rows, width; /* of Z */
    int64_t clusters;    /* 0: all pairs of variables count; otherwise those in different clusters */
};

struct l2r_reweight_time {
    struct l2r_spread seconds, processor_seconds;
    double left; /* dependence after ÷ dependence before: about equal for programs that do the same work */
};

/* `runs` are counted, after two that let the arena find its size, as the first batches of a training run do. */
enum l2r_status l2r_reweight_measure(struct l2r_reweight_time *time, const struct l2r_reweight_shape *shape,
                                     int64_t runs, struct l2r_error *error);

#endif
