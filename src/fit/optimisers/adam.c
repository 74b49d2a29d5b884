/* SPDX-License-Identifier: MIT
 *
 * Adam (Kingma and Ba 2015). With g the gradient, p the parameter, t the number of this step (from 1):
 *
 *     g += weight_decay p;   m = β1 m + (1-β1) g;   v = β2 v + (1-β2) g²
 *     p -= lr (m / (1-β1^t)) / (sqrt(v / (1-β2^t)) + eps)
 *
 * The scalars of a step (bias corrections, rates) are worked out once in double and rounded once.
 */
#include "nn/optimiser.h"

#include "base/threads.h"

#include <math.h>

struct adam {
    const struct l2r_optimiser *opt;
    l2r_real *value;
    const l2r_real *grad;
    l2r_real decay;     /* this times p is added to g */
    l2r_real keep;      /* p is multiplied by this first */
    l2r_real rate;      /* lr / (1-β1^t) */
    l2r_real inv_root2; /* 1 / sqrt(1-β2^t) */
};

L2R_INLINE l2r_real root(l2r_real x)
{
#ifdef L2R_REAL_DOUBLE
    return sqrt(x);
#else
    return sqrtf(x);
#endif
}

L2R_CLONES(static, adam_chunk, (void *context, int64_t chunk), (context, chunk))
{
    const struct adam *s = context;
    const l2r_real b1 = (l2r_real)s->opt->beta1, c1 = (l2r_real)(1 - s->opt->beta1);
    const l2r_real b2 = (l2r_real)s->opt->beta2, c2 = (l2r_real)(1 - s->opt->beta2);
    const l2r_real eps = (l2r_real)s->opt->eps, decay = s->decay, keep = s->keep, rate = s->rate, inv = s->inv_root2;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, s->opt->n, L2R_OPTIMISER_CHUNK, chunk);
    l2r_real *restrict p = s->value + begin, *restrict m = s->opt->m + begin, *restrict v = s->opt->v + begin;
    const l2r_real *restrict grad = s->grad + begin;
    for (int64_t i = 0; i < end - begin; i++) {
        l2r_real g = grad[i] + decay * p[i];
        m[i] = b1 * m[i] + c1 * g;
        v[i] = b2 * v[i] + c2 * g * g;
        p[i] = keep * p[i] - rate * m[i] / (root(v[i]) * inv + eps);
    }
}

void l2r_adam_step(struct l2r_optimiser *opt, l2r_real *value, const l2r_real *grad, double lr, double decay,
                   double keep)
{
    struct adam s = {.opt = opt,
                     .value = value,
                     .grad = grad,
                     .decay = (l2r_real)decay,
                     .keep = (l2r_real)keep,
                     .rate = (l2r_real)(lr / (1 - pow(opt->beta1, (double)opt->steps))),
                     .inv_root2 = (l2r_real)(1 / sqrt(1 - pow(opt->beta2, (double)opt->steps)))};
    l2r_parallel(l2r_chunk_count(opt->n, L2R_OPTIMISER_CHUNK), adam_chunk, &s);
}

static void step(struct l2r_optimiser *opt, l2r_real *value, const l2r_real *grad, double lr)
{
    l2r_adam_step(opt, value, grad, lr, opt->weight_decay, 1);
}

const struct l2r_optimiser_type l2r_optimiser_adam = {.name = "adam", .title = "Adam", .n_moments = 2, .step = step};
