/* SPDX-License-Identifier: MIT
 *
 * An optimiser to copy: Lion (Chen et al. 2023), which moves every parameter by the same amount. With g the gradient:
 *
 *     p -= lr ( sign(β1 m + (1-β1) g) + weight_decay p );     m = β2 m + (1-β2) g
 *
 * It needs a learning rate some ten times smaller than Adam's. As src/fit/optimisers/lion.c it is `--optimiser lion`.
 * The moments m belong to the optimiser and go into checkpoints by themselves. docs/adding.md says what else can be
 * added.
 */
#include "base/threads.h"
#include "nn/optimiser.h"

enum { BETA2 = 0 }; /* its place among opt->own */

static const struct l2r_option options[] = {{.name = "lion-beta2",
                                             .kind = L2R_OPTION_REAL,
                                             .fallback = "0.99",
                                             .min = 0,
                                             .max = 0.99999,
                                             .help = "how slowly the moments of lion follow the gradient"},
                                            {0}};

struct lion {
    const struct l2r_optimiser *opt;
    l2r_real *value;
    const l2r_real *grad;
    double lr;
};

static void lion_chunk(void *context, int64_t chunk)
{
    const struct lion *s = context;
    const l2r_real b1 = (l2r_real)s->opt->beta1, b2 = (l2r_real)s->opt->own[BETA2];
    const l2r_real rate = (l2r_real)s->lr, keep = (l2r_real)(1 - s->lr * s->opt->weight_decay);
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, s->opt->n, L2R_OPTIMISER_CHUNK, chunk);
    for (int64_t i = begin; i < end; i++) {
        l2r_real *m = &s->opt->m[i], g = s->grad[i], direction = b1 * *m + (1 - b1) * g;
        s->value[i] = keep * s->value[i] - rate * (l2r_real)((direction > 0) - (direction < 0));
        *m = b2 * *m + (1 - b2) * g;
    }
}

static void configure(struct l2r_optimiser *opt, const struct l2r_config *config)
{
    opt->own[BETA2] = l2r_config_real(config, "lion-beta2");
}

static void step(struct l2r_optimiser *opt, l2r_real *value, const l2r_real *grad, double lr)
{
    struct lion s = {.opt = opt, .value = value, .grad = grad, .lr = lr};
    l2r_parallel(l2r_chunk_count(opt->n, L2R_OPTIMISER_CHUNK), lion_chunk, &s);
}

const struct l2r_optimiser_type l2r_optimiser_lion = {
    .name = "lion", .title = "Lion", .n_moments = 1, .options = options, .configure = configure, .step = step};
