/* SPDX-License-Identifier: MIT
 *
 * Mixup (Zhang et al. 2018) of representations, as for whole graphs in Wang et al. 2021 ("Mixup for Node and Graph
 * Classification", eq. 5 and 6): in every batch one share λ and one permutation π of its graphs are drawn,
 *
 *     λ ~ Beta(α, α),     Z'_n = λ Z_n + (1 − λ) Z_π(n),     ℓ_n = λ ℓ(head(Z'_n), y_n) + (1 − λ) ℓ(head(Z'_n), y_π(n))
 *
 * The features of the molecules, which the head reads beside Z, are mixed like Z. α = 0.2 and the range of the search
 * are DomainBed's (Gulrajani and Lopez-Paz 2021). α = 0 mixes nothing: ERM bit for bit.
 *
 * Where the batch is divided among ranks, a partner may be another rank's: rows are gathered on the way forward, and so
 * are gradients on the way back.
 */
#include "kernels/rows.h"
#include "methods/groups/groups.h"
#include "methods/method.h"

#include <math.h>
#include <string.h>

struct mixup {
    double alpha;
};

static const struct l2r_option options[] = {{.name = "mixup-alpha",
                                             .kind = L2R_OPTION_REAL,
                                             .fallback = "0.2",
                                             .min = 0,
                                             .max = 100,
                                             .group = "Mixup",
                                             .help = "shares are drawn from Beta(α, α); 0: nothing is mixed"},
                                            {0}};

static enum l2r_status init(void *state, const struct l2r_config *config, const struct l2r_network *network,
                            const struct l2r_training_set *set, struct l2r_error *error)
{
    (void)network, (void)set, (void)error;
    ((struct mixup *)state)->alpha = l2r_config_real(config, "mixup-alpha");
    return L2R_OK;
}

/* The logarithm of a Gamma(a, 1) variate, a > 0 (Marsaglia and Tsang 2000; below 1 by the boost U^(1/a), whose
 * logarithm does not underflow where a is small). */
static double log_gamma_variate(struct l2r_rng *rng, double a)
{
    if (a < 1) return log_gamma_variate(rng, a + 1) + log(1 - l2r_rng_uniform(rng)) / a;
    double d = a - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = l2r_rng_normal(rng), v = pow(1 + c * x, 3);
        if (v > 0 && log(1 - l2r_rng_uniform(rng)) < x * x / 2 + d - d * v + d * log(v)) return log(d * v);
    }
}

/* λ = G_1 / (G_1 + G_2). */
static double draw_share(struct l2r_rng *rng, double alpha)
{
    double first = log_gamma_variate(rng, alpha), second = log_gamma_variate(rng, alpha);
    return 1 / (1 + exp(second - first));
}

/* ---- rows of the partners ---- */

struct partners {
    struct l2r_whole whole;
    int32_t *of, *to; /* [n]: π and its inverse, over the whole batch */
};

/* This rank's rows of all[index], [here × cols]. */
static void take(l2r_real *out, l2r_real beta, const l2r_real *all, const int32_t *index, const struct l2r_whole *whole,
                 int64_t cols)
{
    for (int64_t i = 0; i < whole->here; i++)
        l2r_axpby(out + i * cols, beta, 1, all + index[whole->first + i] * cols, cols);
}

static void partners_backward(struct l2r_tape *t, struct l2r_value *out)
{
    const struct partners *p = out->saved;
    const l2r_real *all = l2r_whole_rows(t, &p->whole, out->grad, out->cols);
    l2r_real beta, *grad = l2r_grad_of(t, out->input[0], &beta);
    if (grad && all) take(grad, beta, all, p->to, &p->whole, out->cols);
}

static l2r_node rows_of_partners(struct l2r_tape *t, const struct partners *p, l2r_node x)
{
    if (!l2r_tape_ready(t, x)) return L2R_NO_NODE;
    int64_t cols = l2r_value_of(t, x)->cols;
    const l2r_real *all = l2r_whole_rows(t, &p->whole, l2r_value_of(t, x)->data, cols);
    struct partners *saved = l2r_tape_alloc(t, 1, sizeof *saved);
    l2r_node node = l2r_tape_push(t, "partners", p->whole.here, cols, partners_backward, &x, 1);
    if (node.id < 0 || !all || !saved) return L2R_NO_NODE;
    *saved = *p;
    l2r_value_of(t, node)->saved = saved;
    take(l2r_value_of(t, node)->data, 0, all, p->of, &p->whole, cols);
    return node;
}

static bool draw_partners(struct partners *p, const struct l2r_step *step, struct l2r_rng *rng)
{
    p->whole = l2r_whole_of(step->batch);
    p->of = l2r_tape_alloc(step->tape, p->whole.n, sizeof *p->of);
    p->to = l2r_tape_alloc(step->tape, p->whole.n, sizeof *p->to);
    if (!p->of || !p->to) return false;
    for (int64_t i = 0; i < p->whole.n; i++) p->of[i] = (int32_t)i;
    l2r_rng_shuffle(rng, p->of, (size_t)p->whole.n);
    for (int64_t i = 0; i < p->whole.n; i++) p->to[p->of[i]] = (int32_t)i;
    return true;
}

static l2r_node mix(struct l2r_tape *t, l2r_node a, l2r_node b, double share)
{
    return l2r_add(t, l2r_scale(t, a, share), l2r_scale(t, b, 1 - share));
}

/* The batch whose graphs have mixed features, for the head; without features the batch as it is. */
static bool mix_features(struct l2r_batch *mixed, const struct l2r_step *step, const struct partners *p, double share)
{
    const struct l2r_batch *b = step->batch;
    int64_t n = b->n_features;
    *mixed = *b;
    if (n == 0) return true;
    const l2r_real *all = l2r_whole_rows(step->tape, &p->whole, b->features, n);
    mixed->features = l2r_tape_alloc(step->tape, p->whole.here * n, sizeof *mixed->features);
    if (!all || !mixed->features) return false;
    l2r_axpby(mixed->features, 0, (l2r_real)share, b->features, p->whole.here * n);
    for (int64_t i = 0; i < p->whole.here; i++)
        l2r_row_axpby(mixed->features + i * n, 1, (l2r_real)(1 - share), all + p->of[p->whole.first + i] * n, n);
    return true;
}

/* The batch whose graphs have their partners' labels. */
static bool take_labels(struct l2r_batch *other, const struct l2r_step *step, const struct partners *p)
{
    const struct l2r_dataset *data = step->data;
    int64_t tasks = data->n_tasks;
    float *labels = l2r_tape_alloc(step->tape, p->whole.here * tasks, sizeof *labels);
    int8_t *bounds = data->bound ? l2r_tape_alloc(step->tape, p->whole.here * tasks, sizeof *bounds) : NULL;
    if (!labels || (data->bound && !bounds)) return false;
    for (int64_t i = 0; i < p->whole.here; i++) {
        int64_t from = p->whole.graphs[p->of[p->whole.first + i]] * tasks;
        memcpy(labels + i * tasks, data->labels + from, (size_t)tasks * sizeof *labels);
        if (bounds) memcpy(bounds + i * tasks, data->bound + from, (size_t)tasks * sizeof *bounds);
    }
    *other = *step->batch;
    other->labels = labels;
    other->bound = bounds;
    return true;
}

static l2r_node graph_losses(void *state, const struct l2r_step *step, l2r_node z)
{
    const struct mixup *s = state;
    struct l2r_tape *t = step->tape;
    struct l2r_rng rng = l2r_rng_at(step->seed, L2R_RANDOM_METHOD, (uint64_t)step->step);
    struct l2r_batch other, mixed;
    struct partners p;
    if (s->alpha == 0) return step->losses;
    if (!draw_partners(&p, step, &rng)) return L2R_NO_NODE;
    double share = draw_share(&rng, s->alpha);
    if (!take_labels(&other, step, &p) || !mix_features(&mixed, step, &p, share)) return L2R_NO_NODE;
    l2r_node output = l2r_network_output(step->network, t, &mixed, mix(t, z, rows_of_partners(t, &p, z), share));
    return mix(t, l2r_network_losses(step->network, t, step->batch, output),
               l2r_network_losses(step->network, t, &other, output), share);
}

const struct l2r_method l2r_method_mixup = {
    .name = "mixup",
    .title = "Mixup of representations",
    .paper = "Zhang et al. 2018, Wang et al. 2021",
    .objective = "(1/B) sum of the losses of mixed pairs of rows of Z, to both labels",
    .options = options,
    .off = "mixup-alpha=0",
    .space = "mixup-alpha=0.1..10:log",
    .size = sizeof(struct mixup),
    .init = init,
    .graph_losses = graph_losses,
};
