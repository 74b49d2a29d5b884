/* SPDX-License-Identifier: MIT
 *
 * SGC, simple graph convolution (Wu et al. 2019, eq. 8), with K = --layers:
 *
 *     h' = S^K h W + b,   S = D^-1/2 (A + I) D^-1/2          one linear layer after K steps of smoothing
 *
 * Nothing lies between the K products, so they are one operation, and bond features have no place in it: the model
 * ignores them. Around it stand the encoder, one batch norm with dropout (no ReLU) and the readout, as everywhere.
 *
 * The encoder is linear, too, so encoding and layer are one linear map of the features, which l2r_stack_smooth computes
 * in whichever order is cheaper.
 */
#include "nn/stack.h"

struct sgc {
    struct l2r_stack stack; /* of one layer */
    int64_t n_hops;
    struct l2r_linear linear;
};

static const struct l2r_option options[] = {{0}};

static int64_t sgc_build(void *model, const struct l2r_build *build)
{
    struct sgc *m = model;
    m->n_hops = l2r_config_int(build->config, "layers");
    l2r_stack_add_layers(&m->stack, build, 1);
    m->linear = l2r_linear_add(build->params, m->stack.hidden, m->stack.hidden, true, "linear");
    return l2r_stack_readout_add(&m->stack, build, m->stack.hidden);
}

static l2r_node sgc_layer(const void *model, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h, int64_t i)
{
    const struct sgc *m = model;
    (void)i;
    return l2r_linear(t, l2r_propagate(t, &b->graph, h, m->n_hops), &m->linear, L2R_LINEAR);
}

static l2r_node sgc_forward(const void *model, struct l2r_tape *t, const struct l2r_batch *b)
{
    const struct sgc *m = model;
    const struct l2r_stack *s = &m->stack;
    if (s->residual || s->virtual_node) return l2r_stack_forward(s, model, t, b, sgc_layer); /* they need h itself */
    l2r_node out = l2r_stack_smooth(s, t, b, m->n_hops, &m->linear);
    return l2r_stack_readout(s, t, b, l2r_stack_after_layer(s, t, out, out, 0));
}

const struct l2r_model_type l2r_model_sgc = {
    .name = "sgc",
    .title = "Simple graph convolution",
    .paper = "Wu et al. 2019",
    .equation = "h' = S^K h W + b with S = D^-1/2 (A + I) D^-1/2 and K = `layers`; bond features are ignored",
    .options = options,
    .size = sizeof(struct sgc),
    .build = sgc_build,
    .forward = sgc_forward,
};
