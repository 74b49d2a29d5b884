/* SPDX-License-Identifier: MIT
 *
 * Sum of the nodes: Z_g = Σ_{v in g} h_v. It depends on the size of a graph.
 */
#include "nn/readout.h"

static l2r_node forward(const void *readout, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h,
                        const int32_t *row)
{
    (void)readout;
    return l2r_reduce_nodes(t, b, h, row, L2R_REDUCE_SUM);
}

const struct l2r_readout l2r_readout_sum = {
    .name = "sum", .equation = "sum over the nodes", .sees_size = true, .by_row = true, .forward = forward};
