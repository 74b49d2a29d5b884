/* SPDX-License-Identifier: MIT
 * See frozen.h. */
#include "reweight/frozen.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum l2r_status l2r_frozen_init(struct l2r_frozen *f, const struct l2r_learner_options *options,
                                const struct l2r_config *config, const struct l2r_network *network,
                                const struct l2r_dataset *data, struct l2r_error *error)
{
    struct l2r_learner_options mine = *options;
    mine.dependence.expected_steps = 1;
    *f = (struct l2r_frozen){0};
    l2r_importance_init(&f->importance, options->head_pairs);
    return l2r_learner_init(&f->learner, &mine, (uint64_t)l2r_config_int(config, "seed"), network->width, 1, data,
                            error);
}

void l2r_frozen_clear(struct l2r_frozen *f)
{
    l2r_learner_clear(&f->learner);
    l2r_importance_clear(&f->importance);
}

/* R of n rows, in random order, for draw number `place`; all of them where there are no more. */
struct sample {
    int64_t n;
    int32_t *rows;   /* [n] */
    l2r_real *z;     /* [n × d] */
    int32_t *graphs; /* [n] */
};

static bool draw(struct sample *s, struct l2r_frozen *f, const float *z, const int32_t *graphs, int64_t n,
                 uint64_t place)
{
    struct l2r_arena *arena = &f->learner.arena;
    int64_t d = f->learner.d;
    struct l2r_rng rng = l2r_rng_at(f->learner.seed, L2R_RANDOM_METHOD, place);
    int32_t *all = l2r_arena_alloc(arena, (size_t)n, sizeof *all);
    s->n = n < L2R_FROZEN_ROWS ? n : L2R_FROZEN_ROWS;
    s->rows = all;
    s->z = l2r_arena_alloc(arena, (size_t)(s->n * d), sizeof *s->z);
    s->graphs = l2r_arena_alloc(arena, (size_t)s->n, sizeof *s->graphs);
    if (!all || !s->z || !s->graphs) return false;
    for (int64_t i = 0; i < n; i++) all[i] = (int32_t)i;
    l2r_rng_shuffle(&rng, all, (size_t)n);
    for (int64_t i = 0; i < s->n; i++) {
        if (graphs) s->graphs[i] = graphs[all[i]];
        for (int64_t j = 0; j < d; j++) s->z[i * d + j] = (l2r_real)z[(int64_t)all[i] * d + j];
    }
    return true;
}

static enum l2r_status no_memory(int64_t n, struct l2r_error *error)
{
    return l2r_fail_memory(error, (size_t)n * sizeof(double), "the weights of the training graphs");
}

/* L over the rows of a sample, with Fourier features of its own. */
static enum l2r_status open_dependence(struct l2r_dependence *dep, struct l2r_frozen *f, const struct sample *s,
                                       uint64_t place, struct l2r_error *error)
{
    struct l2r_learner *l = &f->learner;
    struct l2r_rng rng = l2r_rng_at(l->seed, L2R_RANDOM_FOURIER, UINT64_C(1) << 62 | place);
    struct l2r_dependence_options options = l->options.dependence;
    options.importance = l->importance;
    return l2r_dependence_init(dep, &l->arena, s->z, l->clusters.cluster, l->clusters.n_clusters, s->n, l->d, &options,
                               &rng, error);
}

/* What the head uses, the same in all steps. */
static enum l2r_status prepare(struct l2r_frozen *f, const struct l2r_network *network, const float *z, int64_t n,
                               struct l2r_error *error)
{
    struct l2r_learner *l = &f->learner;
    struct sample s;
    l2r_arena_reset(&l->arena);
    if (!draw(&s, f, z, NULL, n, 0)) return no_memory(n, error);
    return l2r_importance_find(&l->importance, &f->importance, network, s.z, s.n, error);
}

/* One step of s [n] on the rows of a sample; gradient, stepper: [n]. scale: L(1) of the first step, 0 before. */
static enum l2r_status step(double *s, struct l2r_frozen *f, struct l2r_stepper *stepper, double *gradient,
                            const float *z, const int32_t *graphs, int64_t n, double *scale, struct l2r_error *error)
{
    struct l2r_learner *l = &f->learner;
    struct sample sample;
    struct l2r_dependence dep;
    struct l2r_strata strata;
    uint64_t place = (uint64_t)stepper->taken + 1;
    l2r_arena_reset(&l->arena);
    if (!draw(&sample, f, z, graphs, n, place)) return no_memory(n, error);
    double *logits = l2r_arena_alloc(&l->arena, 4 * (size_t)sample.n, sizeof *logits);
    if (!logits || !l2r_learner_strata(&strata, l, sample.graphs, sample.n)) return no_memory(n, error);
    double *w = logits + sample.n, *slope = w + sample.n, *to_logits = slope + sample.n;
    enum l2r_status status = open_dependence(&dep, f, &sample, place, error);
    if (status != L2R_OK) return status;
    for (int64_t i = 0; i < sample.n; i++) logits[i] = s[sample.rows[i]];
    l2r_softmax_weights(w, logits, 1, &strata, sample.n);
    double value = l2r_dependence_value(&dep, slope, w);
    if (*scale == 0) *scale = value;
    for (int64_t i = 0; i < sample.n; i++) slope[i] = *scale > 0 ? slope[i] / *scale : 0;
    l2r_logits_gradient(to_logits, slope, w, &strata, sample.n);
    memset(gradient, 0, (size_t)n * sizeof *gradient);
    for (int64_t i = 0; i < sample.n; i++) gradient[sample.rows[i]] = to_logits[i];
    l2r_stepper_step(s, stepper, gradient, n);
    return L2R_OK;
}

enum l2r_status l2r_frozen_learn(double *s, struct l2r_frozen *f, const struct l2r_network *network, const float *z,
                                 const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double *room = l2r_alloc(3 * (size_t)n, sizeof *room), scale = 0;
    if (!room) return no_memory(3 * n, error);
    struct l2r_stepper stepper = {&f->learner.options.inner, room + n, room + 2 * n, 0};
    memset(s, 0, (size_t)n * sizeof *s);
    L2R_TRY(prepare(f, network, z, n, error));
    for (int64_t t = 0; t < f->learner.options.inner.steps && n >= L2R_FEWEST_GRAPHS; t++)
        L2R_TRY(step(s, f, &stepper, room, z, graphs, n, &scale, error));
done:
    l2r_free(room);
    return status;
}

enum l2r_status l2r_frozen_weights(double *w, struct l2r_frozen *f, const double *s, const int32_t *graphs, int64_t n,
                                   double ess, struct l2r_error *error)
{
    struct l2r_strata strata;
    l2r_arena_reset(&f->learner.arena);
    if (!l2r_learner_strata(&strata, &f->learner, graphs, n)) return no_memory(n, error);
    double tau = ess > 0 && ess < 1 ? l2r_find_strength(s, ess, &strata, w, n) : ess > 0 ? 0 : 1;
    l2r_softmax_weights(w, s, tau, &strata, n);
    return L2R_OK;
}

void l2r_frozen_shuffle(double *w, const struct l2r_frozen *f, int64_t n)
{
    l2r_learner_shuffle(w, &f->learner, n, UINT64_C(1) << 62);
}

enum l2r_status l2r_frozen_judge(double *left, double *shuffled, struct l2r_frozen *f, const double *w, const float *z,
                                 int64_t n, struct l2r_error *error)
{
    struct l2r_arena *arena = &f->learner.arena;
    struct sample sample;
    struct l2r_dependence dep;
    uint64_t place = UINT64_C(1) << 61;
    l2r_arena_reset(arena);
    double *all = l2r_arena_alloc(arena, (size_t)n, sizeof *all);
    if (!all || !draw(&sample, f, z, NULL, n, place)) return no_memory(n, error);
    double *here = l2r_arena_alloc(arena, (size_t)sample.n, sizeof *here), value[3];
    if (!here) return no_memory(n, error);
    enum l2r_status status = open_dependence(&dep, f, &sample, place, error);
    if (status != L2R_OK) return status;
    memcpy(all, w, (size_t)n * sizeof *w);
    for (int k = 0; k < 3; k++) { /* equal weights, w, w shuffled; of mean 1 on these rows */
        double sum = 0;
        if (k == 2) l2r_frozen_shuffle(all, f, n);
        for (int64_t i = 0; i < sample.n; i++) sum += here[i] = k == 0 ? 1 : all[sample.rows[i]];
        for (int64_t i = 0; i < sample.n; i++) here[i] *= (double)sample.n / sum;
        value[k] = l2r_dependence_value(&dep, NULL, here);
    }
    *left = value[0] > 0 ? value[1] / value[0] : 1;
    *shuffled = value[0] > 0 ? value[2] / value[0] : 1;
    return L2R_OK;
}
