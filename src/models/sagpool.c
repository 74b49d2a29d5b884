/* SPDX-License-Identifier: MIT
 *
 * SAGPool, self-attention graph pooling (Lee et al. 2019), the hierarchical architecture: after each graph convolution
 * nodes are scored by a second one of a single column, so that a score depends on the neighbours, too, and only the
 * best stay,
 *
 *     s_v = w·(h_v / d_v + Σ_{u in N(v)} h_u / sqrt(d_v d_u)) + b,   h'_v = h_v tanh(s_v)
 *
 * Edge features act in the convolutions, not in the scores: a single column after OGB's ReLU would give most nodes the
 * same score, 0. nn/top_k_pool.h has what follows from the scores.
 */
#include "nn/top_k_pool.h"

#include <math.h>
#include <stdio.h>

struct sagpool {
    struct l2r_pooling pooling;
    struct sagpool_score {
        struct l2r_linear linear;
        const struct l2r_param *bias; /* [1 × 1], after the sum over neighbours */
    } * scores;                       /* [layers] */
};

static const struct l2r_option options[] = {{.name = "pool-ratio",
                                             .kind = L2R_OPTION_REAL,
                                             .fallback = "0.5",
                                             .min = 0.001,
                                             .max = 1,
                                             .group = "SAGPool",
                                             .help = "fraction of a graph's nodes kept after each layer, rounded up"},
                                            {0}};

static int64_t sagpool_build(void *model, const struct l2r_build *build)
{
    struct sagpool *m = model;
    struct l2r_params *params = build->params;
    int64_t width = l2r_pooling_add(&m->pooling, build), dim = m->pooling.stack.hidden;
    m->scores = l2r_params_memory(params, (size_t)m->pooling.stack.n_layers, sizeof *m->scores);
    for (int64_t i = 0; m->scores && i < m->pooling.stack.n_layers; i++) {
        char name[64];
        snprintf(name, sizeof name, "pools.%d.linear", (int)i);
        m->scores[i].linear = l2r_linear_add(params, dim, 1, false, name);
        m->scores[i].bias =
            l2r_params_add(params, 1, 1, L2R_INIT_UNIFORM, 1 / sqrt((double)dim), "pools.%d.bias", (int)i);
    }
    return width;
}

static l2r_node sagpool_score(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, int64_t i)
{
    const struct sagpool_score *p = &((const struct sagpool *)model)->scores[i];
    l2r_node own =
        l2r_linear(t, h, &p->linear, L2R_LINEAR); /* [N × 1]: W first, for one column is less to sum than D */
    l2r_node sum = l2r_gcn_neighbours(t, &b->graph, own, L2R_NO_NODE, L2R_NO_NODE);
    return l2r_add(t, sum, l2r_repeat_row(t, l2r_use(t, p->bias), b->n_nodes));
}

static l2r_node sagpool_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    return l2r_pooling_forward(&((const struct sagpool *)model)->pooling, model, t, b, sagpool_score);
}

const struct l2r_model_type l2r_model_sagpool = {
    .name = "sagpool",
    .title = "Self-attention graph pooling",
    .paper = "Lee et al. 2019",
    .equation =
        "h'_v = h_v tanh(s_v) for the nodes of highest score s = GCN(h), one column, after each graph convolution",
    .options = options,
    .space = L2R_COMMON_SPACE ",pool-ratio=0.5..0.9",
    .size = sizeof(struct sagpool),
    .build = sagpool_build,
    .forward = sagpool_forward,
};
