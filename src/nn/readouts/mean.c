/* SPDX-License-Identifier: MIT
 *
 * Mean of the nodes:   Z_g = (1/n_g) Σ_{v in g} h_v;   0 for a graph without nodes.
 */
#include "nn/readout.h"

static l2r_node forward(const void *readout, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h,
                        const int32_t *row)
{
    (void)readout;
    return l2r_reduce_nodes(t, b, h, row, L2R_REDUCE_MEAN);
}

const struct l2r_readout l2r_readout_mean = {
    .name = "mean", .equation = "mean over the nodes", .by_row = true, .forward = forward};
