/* SPDX-License-Identifier: MIT
 *
 * A graph convolution without edge features as one pass over memory:
 *
 *     y = S x Wᵀ + b,   S_vu = s_v s_u for neighbours and S_vv = s_v²,   x [rows × in], W [out × in], y [rows × out]
 *
 * Neighbours lie in the same graph. So the rows are cut at graphs into blocks that fit the cache, and each block is
 * multiplied, summed over neighbours and finished before the next: x Wᵀ never goes to memory, and nothing but x is kept
 * for
 *
 *     d_z = S d_y,   d_W = d_zᵀ x,   d_x = d_z W,   d_b = Σ rows of d_y
 *
 *     graphs   |  0  | 1 |   2    | 3 |  4  | …        blocks end where graphs end;
 *     blocks   |    0    |     1      |     2      …   slices are runs of blocks, the chunks of work, and each has a
 *     slices   |          0           |      1     …   partial d_W: slices depend on the sizes of the graphs alone
 */
#ifndef L2R_KERNELS_GRAPH_LINEAR_H
#define L2R_KERNELS_GRAPH_LINEAR_H

#include "kernels/aggregate.h"
#include "kernels/norm.h"

struct l2r_graph_blocks {
    int64_t n_blocks, n_slices;
    int64_t *row;      /* [n_blocks + 1]: first row of each block */
    int64_t *block;    /* [n_slices + 1]: first block of each slice */
    int64_t most_rows; /* of a block */
};

/* How many numbers the two lists take together, at most. */
int64_t l2r_graph_blocks_size(int64_t n_rows, int64_t n_graphs);
void l2r_graph_blocks_plan(struct l2r_graph_blocks *blocks, int64_t *memory, const int32_t *node_start,
                           int64_t n_graphs);

struct l2r_graph_linear {
    const struct l2r_adjacency *graph; /* symmetric */
    const struct l2r_graph_blocks *blocks;
    struct l2r_input x;
    const l2r_real *w, *b; /* b may be NULL */
    int64_t out;
};

/* temp: l2r_graph_linear_temp numbers. */
void l2r_graph_linear_forward(l2r_real *y, const struct l2r_graph_linear *g, l2r_real *temp);

int64_t l2r_graph_linear_temp(const struct l2r_graph_linear *g);

/* Each gradient may be NULL; beta as everywhere: 0 overwrites, 1 adds. */
struct l2r_graph_linear_gradient {
    const l2r_real *d_y;
    l2r_real *d_x, *d_w, *d_b;
    l2r_real beta_x, beta_w, beta_b;
};
/* scratch: l2r_graph_linear_scratch bytes. */
void l2r_graph_linear_backward(const struct l2r_graph_linear_gradient *d, const struct l2r_graph_linear *g,
                               void *scratch);
int64_t l2r_graph_linear_scratch(const struct l2r_graph_linear *g);

#endif
