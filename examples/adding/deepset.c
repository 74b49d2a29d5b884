/* SPDX-License-Identifier: MIT
 *
 * A readout to copy: a network looks at every node before the sum (Zaheer et al. 2017),
 *
 *     Z_g = Σ_{v in g} ReLU(W h_v + b)          h [N × D] to Z [B × K]
 *
 * with K = --deepset-width columns, D unless given. As src/nn/readouts/deepset.c it is `--readout deepset`, behind any
 * backbone. Parameters are declared by name in build and live in the model's block. docs/adding.md says what else can
 * be added.
 */
#include "nn/readout.h"

struct deepset {
    struct l2r_linear each;
};

static const struct l2r_option options[] = {{.name = "deepset-width",
                                             .kind = L2R_OPTION_INT,
                                             .fallback = "0",
                                             .max = 65536,
                                             .help = "columns of the deepset readout; 0: as many as `hidden`"},
                                            {0}};

static int64_t build(void *readout, const struct l2r_build *build, int64_t dim)
{
    struct deepset *d = readout;
    int64_t width = l2r_config_int(build->config, "deepset-width");
    if (width == 0) width = dim;
    d->each = l2r_linear_add(build->params, dim, width, true, "readout.each");
    return width;
}

static l2r_node forward(const void *readout, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h,
                        const int32_t *row)
{
    const struct deepset *d = readout;
    l2r_node each = l2r_linear(t, h, &d->each, l2r_activation_find("relu")); /* [N × K] */
    return l2r_reduce_nodes(t, b, each, row, L2R_REDUCE_SUM);
}

const struct l2r_readout l2r_readout_deepset = {
    .name = "deepset",
    .equation = "sum over the nodes of ReLU(W h_v + b)",
    .options = options,
    .sees_size = true,
    .size = sizeof(struct deepset),
    .build = build,
    .forward = forward,
};
