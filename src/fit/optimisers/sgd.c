/* SPDX-License-Identifier: MIT
 *
 * Stochastic gradient descent with momentum:   g += weight_decay p;   m = momentum m + g;   p -= lr m
 */
#include "base/threads.h"
#include "nn/optimiser.h"

struct sgd {
    const struct l2r_optimiser *opt;
    l2r_real *value;
    const l2r_real *grad;
    l2r_real rate;
};

L2R_CLONES(static, sgd_chunk, (void *context, int64_t chunk), (context, chunk))
{
    const struct sgd *s = context;
    const l2r_real momentum = (l2r_real)s->opt->momentum, decay = (l2r_real)s->opt->weight_decay, rate = s->rate;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, s->opt->n, L2R_OPTIMISER_CHUNK, chunk);
    l2r_real *restrict p = s->value + begin, *restrict m = s->opt->m + begin;
    const l2r_real *restrict grad = s->grad + begin;
    for (int64_t i = 0; i < end - begin; i++) {
        m[i] = momentum * m[i] + (grad[i] + decay * p[i]);
        p[i] -= rate * m[i];
    }
}

static void step(struct l2r_optimiser *opt, l2r_real *value, const l2r_real *grad, double lr)
{
    struct sgd s = {.opt = opt, .value = value, .grad = grad, .rate = (l2r_real)lr};
    l2r_parallel(l2r_chunk_count(opt->n, L2R_OPTIMISER_CHUNK), sgd_chunk, &s);
}

static const struct l2r_option options[] = {{.name = "momentum",
                                             .kind = L2R_OPTION_REAL,
                                             .fallback = "0.9",
                                             .min = 0,
                                             .max = 0.9999,
                                             .help = "momentum of sgd"},
                                            {0}};

static void configure(struct l2r_optimiser *opt, const struct l2r_config *config)
{
    opt->momentum = l2r_config_real(config, "momentum");
}

const struct l2r_optimiser_type l2r_optimiser_sgd = {.name = "sgd",
                                                     .title = "SGD with momentum",
                                                     .n_moments = 1,
                                                     .options = options,
                                                     .configure = configure,
                                                     .step = step};
