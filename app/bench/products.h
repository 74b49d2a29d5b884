/* SPDX-License-Identifier: MIT
 *
 * The matrix products of a network: counted from its shapes, and timed alone.
 *
 * A weight [out × in] applied to n rows costs 2·n·in·out flops forward; training adds as much for the input's and for
 * the weight's gradient. This is what the plain algorithm does: every node in every layer. A program that spares
 * products (equal rows once, tables) is credited with the plain count, so flops per second can exceed what the
 * processor multiplies.
 *
 * Counted are the weights of linear layers: a row a node, except the head and the virtual node, which have a row a
 * graph. Embedding tables are looked up, not multiplied.
 */
#ifndef L2R_BENCH_PRODUCTS_H
#define L2R_BENCH_PRODUCTS_H

#include "nn/params.h"

enum { L2R_MOST_SHAPES = 32 };

struct l2r_product_shape {
    int64_t in, out, count; /* so many weights of this shape */
    bool per_graph;         /* rows are graphs, not nodes */
};

struct l2r_products {
    struct l2r_product_shape shapes[L2R_MOST_SHAPES];
    int n_shapes;
    bool training; /* backward too */
};

/* Different shapes beyond L2R_MOST_SHAPES are left out; the models here have at most a few. */
void l2r_products_of(struct l2r_products *products, const struct l2r_params *params, bool training);

/* Flops of so many nodes and graphs. */
double l2r_products_flops(const struct l2r_products *products, double nodes, double graphs);

/* Flops per second when nothing but these products runs, with so many rows at a time: l2r_gemm on the threads in use.
 * Median of several runs; 0 without products. */
enum l2r_status l2r_products_peak(double *rate, const struct l2r_products *products, int64_t nodes, int64_t graphs,
                                  struct l2r_error *error);

#endif
