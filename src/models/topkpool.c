/* SPDX-License-Identifier: MIT
 *
 * TopKPool (Gao and Ji 2019; without their unpooling, as Cangea et al. 2018): after each graph convolution nodes are
 * scored by a learned direction, and only the best stay,
 *
 *     s_v = h_v·p / ‖p‖,   h'_v = h_v tanh(s_v)
 *
 * nn/top_k_pool.h has what follows from the scores.
 */
#include "autograd/ops.h"
#include "nn/top_k_pool.h"

#include <math.h>

struct topkpool {
    struct l2r_pooling pooling;
    const struct l2r_param **direction; /* [layers], each [1 × D] */
};

static const struct l2r_option options[] = {{.name = "pool-ratio",
                                             .kind = L2R_OPTION_REAL,
                                             .fallback = "0.8",
                                             .min = 0.001,
                                             .max = 1,
                                             .group = "TopKPool",
                                             .help = "fraction of a graph's nodes kept after each layer, rounded up"},
                                            {0}};

static int64_t topkpool_build(void *model, const struct l2r_build *build)
{
    struct topkpool *m = model;
    int64_t width = l2r_pooling_add(&m->pooling, build), dim = m->pooling.stack.hidden;
    m->direction = l2r_params_memory(build->params, (size_t)m->pooling.stack.n_layers, sizeof *m->direction);
    for (int64_t i = 0; m->direction && i < m->pooling.stack.n_layers; i++)
        m->direction[i] = l2r_params_add(build->params, 1, dim, L2R_INIT_UNIFORM, 1 / sqrt((double)dim),
                                         "pools.%d.direction", (int)i);
    return width;
}

static l2r_node topkpool_score(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, int64_t i)
{
    (void)b;
    return l2r_projection_score(t, h, l2r_use(t, ((const struct topkpool *)model)->direction[i]));
}

static l2r_node topkpool_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    return l2r_pooling_forward(&((const struct topkpool *)model)->pooling, model, t, b, topkpool_score);
}

const struct l2r_model_type l2r_model_topkpool = {
    .name = "topkpool",
    .title = "Top-k pooling",
    .paper = "Gao and Ji 2019",
    .equation = "h'_v = h_v tanh(s_v) for the nodes of highest score s_v = h_v p / |p|, after each graph convolution",
    .options = options,
    .space = L2R_COMMON_SPACE ",pool-ratio=0.5..0.9",
    .size = sizeof(struct topkpool),
    .build = topkpool_build,
    .forward = topkpool_forward,
};
