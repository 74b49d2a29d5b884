/* SPDX-License-Identifier: MIT
 *
 * Largest of the nodes, column by column:   Z_gj = max_{v in g} h_vj;   0 for a graph without nodes.
 */
#include "nn/readout.h"

static l2r_node forward(const void *readout, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h,
                        const int32_t *row)
{
    (void)readout;
    return l2r_reduce_nodes(t, b, h, row, L2R_REDUCE_MAX);
}

const struct l2r_readout l2r_readout_max = {
    .name = "max", .equation = "largest of the nodes, column by column", .by_row = true, .forward = forward};
