/* SPDX-License-Identifier: MIT
 *
 * Sum of the nodes on the scale of a molecule:   Z_g = (1/100) Σ_{v in g} h_v.
 *
 * It depends on the size of a graph, as sum does, but without a norm before it the head does not get numbers a hundred
 * times those of a node. Yang et al. 2019 use it in their D-MPNN.
 */
#include "nn/readout.h"

static l2r_node forward(const void *readout, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h,
                        const int32_t *row)
{
    (void)readout;
    return l2r_scale(t, l2r_reduce_nodes(t, b, h, row, L2R_REDUCE_SUM), 0.01);
}

const struct l2r_readout l2r_readout_scaled = {.name = "scaled",
                                               .equation = "sum over the nodes, divided by 100",
                                               .sees_size = true,
                                               .by_row = true,
                                               .forward = forward};
