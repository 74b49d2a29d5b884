/* SPDX-License-Identifier: MIT
 *
 * Times whole passes over the graphs of a workload.
 *
 *     train   an epoch of the train loop: order of the graphs, batches, forward with dropout, backward, optimiser, and
 *             what the method does; neither scoring nor checkpoints
 *     infer   l2r_score, as `l2r predict` calls it: batches and forward without dropout, by running statistics
 *
 * The first passes (warm_up) are run and not counted. The matrix products alone are timed right before and after, in
 * this process: the speed of a pass is also given as a share of what the machine could multiply at that moment, a
 * number that depends far less on the machine than graphs per second do.
 */
#ifndef L2R_BENCH_PASSES_H
#define L2R_BENCH_PASSES_H

#include "bench/measure.h"
#include "bench/workload.h"
#include "nn/params.h"

#include <jansson.h>

/* ---- the matrix products of a network: counted from its shapes, and timed alone ----
 *
 * A weight [out × in] applied to n rows costs 2·n·in·out flops forward; training adds as much for the gradient of the
 * input and for that of the weight. This is what the plain algorithm does: every node in every layer. A program that
 * saves products (equal rows computed once, tables) is credited with the plain count, so its flops per second can
 * exceed what the processor multiplies.
 *
 * Counted are the weights of linear layers: one row per node, except in the head and the virtual node, which have one
 * row per graph. Embedding tables are looked up, not multiplied. */

enum { L2R_MOST_SHAPES = 32 };

struct l2r_product_shape {
    int64_t in, out, count; /* number of weights of this shape */
    bool per_graph;         /* rows are graphs, not nodes */
};

struct l2r_products {
    struct l2r_product_shape shapes[L2R_MOST_SHAPES];
    int n_shapes;
    bool training; /* backward too */
};

/* Different shapes beyond L2R_MOST_SHAPES are left out; the models here have at most a few. */
void l2r_products_of(struct l2r_products *products, const struct l2r_params *params, bool training);

/* Flops of one pass over this many nodes and graphs. */
double l2r_products_flops(const struct l2r_products *products, double nodes, double graphs);

/* Flops per second when nothing but these products runs, `nodes` or `graphs` rows at a time: l2r_gemm on the threads
 * in use. * Median of several runs; 0 without products. */
enum l2r_status l2r_products_peak(double *rate, const struct l2r_products *products, int64_t nodes, int64_t graphs,
                                  struct l2r_error *error);

/* ---- passes ---- */

enum { L2R_MOST_PASSES = 1000 };

struct l2r_passes {
    int64_t graphs, nodes, arcs;
    int64_t batch_size, n_batches, parameters;
    int threads;
    int64_t n; /* passes counted */
    double seconds[L2R_MOST_PASSES];
    double processor_seconds;       /* of all threads, mean over the counted passes */
    double loss;                    /* train: mean over the graphs of the last pass; infer: NaN */
    double flops;                   /* of a pass, as counted above */
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
