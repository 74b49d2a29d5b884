/* SPDX-License-Identifier: MIT
 * See frozen.h. Random streams are chosen by (seed, place): steps are places 1, 2, …; the evaluation uses places far
 * beyond them. */
#include "reweight/frozen.h"

#include "base/memory.h"
#include "base/watch.h"

#include <math.h>
#include <string.h>

static const uint64_t fresh = UINT64_C(1) << 61, parts = UINT64_C(1) << 60;

bool l2r_frozen_draw(struct l2r_frozen_sample *s, struct l2r_frozen *f, const float *z, int64_t n, uint64_t place)
{
    int64_t d = f->d, queued = f->n_queued * d;
    struct l2r_rng rng = l2r_rng_at(f->seed, L2R_RANDOM_METHOD, place);
    int32_t *all = l2r_arena_alloc(&f->arena, (size_t)n, sizeof *all);
    s->n = n < f->rows ? n : f->rows;
    s->rows = all;
    s->z = l2r_arena_alloc(&f->arena, (size_t)(queued + s->n * d), sizeof *s->z);
    if (!all || !s->z) return false;
    for (int64_t i = 0; i < n; i++) all[i] = (int32_t)i;
    l2r_rng_shuffle(&rng, all, (size_t)n);
    for (int64_t k = 0; k < queued; k++) s->z[k] = (l2r_real)f->queued_z[k];
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t j = 0; j < d; j++) s->z[queued + i * d + j] = (l2r_real)z[(int64_t)all[i] * d + j];
    return true;
}

static enum l2r_status no_memory(int64_t n, struct l2r_error *error)
{
    return l2r_fail_memory(error, (size_t)n * sizeof(double), "the weights of the training graphs");
}

/* L over the rows of a sample, with Fourier features of its own. */
static enum l2r_status open_dependence(struct l2r_dependence *dep, struct l2r_frozen *f,
                                       const struct l2r_frozen_sample *s, uint64_t place, struct l2r_error *error)
{
    struct l2r_rng rng = l2r_rng_at(f->seed, L2R_RANDOM_FOURIER, UINT64_C(1) << 62 | place);
    struct l2r_dependence_options options = f->dependence;
    options.expected_steps = 1;
    return l2r_dependence_init(dep, &f->arena, s->z, f->cluster, f->n_clusters, f->n_queued + s->n, f->d, &options,
                               &rng, error);
}

/* The strata of n rows, or of those of a sample. */
static bool open_strata(struct l2r_strata *strata, struct l2r_frozen *f, const int32_t *rows, int64_t n)
{
    int32_t count = f->stratum ? f->n_strata : 1, *of = NULL;
    double *scratch = l2r_arena_alloc(&f->arena, 2 * (size_t)count, sizeof *scratch);
    if (f->stratum) of = l2r_arena_alloc(&f->arena, (size_t)n, sizeof *of);
    for (int64_t i = 0; of && i < n; i++) of[i] = f->stratum[rows ? rows[i] : i];
    *strata = (struct l2r_strata){count, of, scratch};
    return scratch && (of || !f->stratum);
}

/* [n_queued + n] weights, the queued ones filled in; NULL: out of memory. */
static double *open_weights(struct l2r_frozen *f, int64_t n)
{
    double *w = l2r_arena_alloc(&f->arena, (size_t)(f->n_queued + n), sizeof *w);
    for (int64_t i = 0; w && i < f->n_queued; i++) w[i] = (double)f->queued_w[i];
    return w;
}

enum l2r_status l2r_frozen_cluster(struct l2r_clusters *clusters, struct l2r_frozen *f, const float *z, int64_t n,
                                   int32_t n_clusters, int64_t window, struct l2r_error *error)
{
    struct l2r_frozen_sample s;
    struct l2r_frozen whole = *f; /* the rows alone, up to R in each part */
    if (window > n / 2) window = n / 2;
    whole.rows = f->rows * window;
    whole.n_queued = 0;
    enum l2r_status status = l2r_clusters_init(clusters, f->d, n_clusters, window, error);
    if (status != L2R_OK) return status;
    l2r_arena_reset(&whole.arena);
    bool drawn = l2r_frozen_draw(&s, &whole, z, n, parts);
    for (int64_t k = 0; drawn && k < window; k++) {
        int64_t begin = s.n * k / window, end = s.n * (k + 1) / window;
        l2r_clusters_observe(clusters, s.z + begin * f->d, end - begin);
    }
    f->arena = whole.arena;
    if (!drawn) return no_memory(n * f->d, error);
    l2r_clusters_refresh(clusters, f->seed, parts);
    f->cluster = clusters->cluster;
    f->n_clusters = clusters->n_clusters;
    return L2R_OK;
}

/* One step of s [n] on the rows of a sample; gradient, stepper: [n]. scale: L(1) of the first step, 0 before. */
static enum l2r_status step(double *s, struct l2r_frozen *f, struct l2r_stepper *stepper, double *gradient,
                            const float *z, int64_t n, double *scale, struct l2r_error *error)
{
    struct l2r_frozen_sample sample;
    struct l2r_dependence dep;
    struct l2r_strata strata;
    uint64_t place = (uint64_t)stepper->taken + 1;
    l2r_arena_reset(&f->arena);
    if (!l2r_frozen_draw(&sample, f, z, n, place)) return no_memory(n, error);
    double *logits = l2r_arena_alloc(&f->arena, 2 * (size_t)sample.n, sizeof *logits);
    double *all = open_weights(f, sample.n);
    double *slopes = l2r_arena_alloc(&f->arena, (size_t)(f->n_queued + sample.n), sizeof *slopes);
    if (!logits || !all || !slopes || !open_strata(&strata, f, sample.rows, sample.n)) return no_memory(n, error);
    double *to_logits = logits + sample.n, *slope = slopes + f->n_queued, *w = all + f->n_queued;
    enum l2r_status status = open_dependence(&dep, f, &sample, place, error);
    if (status != L2R_OK) return status;
    for (int64_t i = 0; i < sample.n; i++) logits[i] = s[sample.rows[i]];
    l2r_softmax_weights(w, logits, 1, &strata, sample.n);
    double value = l2r_dependence_value(&dep, slopes, all);
    if (*scale == 0) *scale = value;
    for (int64_t i = 0; i < sample.n; i++) slope[i] = *scale > 0 ? slope[i] / *scale : 0;
    l2r_logits_gradient(to_logits, slope, w, &strata, sample.n);
    memset(gradient, 0, (size_t)n * sizeof *gradient);
    for (int64_t i = 0; i < sample.n; i++) gradient[sample.rows[i]] = to_logits[i];
    l2r_stepper_step(s, stepper, gradient, n);
    return L2R_OK;
}

enum l2r_status l2r_frozen_learn(double *s, struct l2r_frozen *f, const float *z, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double *room = l2r_alloc(3 * (size_t)n, sizeof *room), scale = 0;
    if (!room) return no_memory(3 * n, error);
    struct l2r_stepper stepper = {&f->inner, room + n, room + 2 * n, 0};
    struct l2r_watched loop;
    l2r_watched_begin(&loop, "steps of the weights", f->inner.steps);
    for (int64_t t = 0; t < f->inner.steps && n >= L2R_FEWEST_GRAPHS && !l2r_watched_stop(&loop); t++) {
        L2R_TRY(step(s, f, &stepper, room, z, n, &scale, error));
        l2r_watched_add(&loop, 1);
    }
done:
    l2r_free(room);
    return l2r_watched_end(&loop, status, error);
}

enum l2r_status l2r_frozen_weights(double *w, struct l2r_frozen *f, const double *s, int64_t n, double ess,
                                   struct l2r_error *error)
{
    struct l2r_strata strata;
    l2r_arena_reset(&f->arena);
    if (!open_strata(&strata, f, NULL, n)) return no_memory(n, error);
    double tau = ess > 0 && ess < 1 ? l2r_find_strength(s, ess, &strata, w, n) : ess > 0 ? 0 : 1;
    l2r_softmax_weights(w, s, tau, &strata, n);
    return L2R_OK;
}

void l2r_frozen_shuffle(double *w, const struct l2r_frozen *f, int64_t n)
{
    l2r_shuffle_weights(w, f->seed, n, UINT64_C(1) << 62);
}

/* The weights of a sample's rows, NULL: 1, brought to mean 1 on them; returns their mean before. */
static double take_weights(double *here, const double *w, const struct l2r_frozen_sample *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) sum += here[i] = w ? w[s->rows[i]] : 1;
    for (int64_t i = 0; i < s->n; i++) here[i] *= (double)s->n / sum;
    return sum / (double)s->n;
}

enum l2r_status l2r_frozen_evaluate(struct l2r_frozen_evaluation *found, struct l2r_frozen *f, const double *w,
                                    const float *z, int64_t n, struct l2r_error *error)
{
    struct l2r_frozen_sample sample;
    struct l2r_dependence dep;
    l2r_arena_reset(&f->arena);
    double *order = l2r_arena_alloc(&f->arena, (size_t)n, sizeof *order);
    if (!order || !l2r_frozen_draw(&sample, f, z, n, fresh)) return no_memory(n, error);
    double *all = open_weights(f, sample.n);
    if (!all) return no_memory(n, error);
    enum l2r_status status = open_dependence(&dep, f, &sample, fresh, error);
    if (status != L2R_OK) return status;
    memcpy(order, w, (size_t)n * sizeof *w);
    l2r_frozen_shuffle(order, f, n);
    take_weights(all + f->n_queued, NULL, &sample);
    found->equal = l2r_dependence_value(&dep, NULL, all);
    take_weights(all + f->n_queued, w, &sample);
    found->learned = l2r_dependence_value(&dep, NULL, all);
    take_weights(all + f->n_queued, order, &sample);
    found->shuffled = l2r_dependence_value(&dep, NULL, all);
    return L2R_OK;
}

/* Through the division by the mean: ∂L/∂w_k = (g_k − (1/R) Σ_j g_j w_j) / mean. */
static void slope_of_weights(double *d_w, const double *g, const double *w, const struct l2r_frozen_sample *s,
                             double mean, int64_t n)
{
    double along = 0;
    memset(d_w, 0, (size_t)n * sizeof *d_w);
    for (int64_t i = 0; i < s->n; i++) along += g[i] * w[i] / (double)s->n;
    for (int64_t i = 0; i < s->n; i++) d_w[s->rows[i]] = (g[i] - along) / mean;
}

enum l2r_status l2r_frozen_slopes(double *value, double *d_w, float *d_z, struct l2r_frozen *f, const double *w,
                                  const float *z, int64_t n, struct l2r_error *error)
{
    struct l2r_frozen_sample sample;
    struct l2r_dependence dep;
    int64_t d = f->d, queued = f->n_queued;
    l2r_arena_reset(&f->arena);
    if (!l2r_frozen_draw(&sample, f, z, n, fresh)) return no_memory(n, error);
    double *all = open_weights(f, sample.n), *g = open_weights(f, sample.n);
    l2r_real *slope = l2r_arena_alloc(&f->arena, d_z ? (size_t)((queued + sample.n) * d) : 0, sizeof *slope);
    if (!all || !g || !slope) return no_memory((queued + sample.n) * d, error);
    enum l2r_status status = open_dependence(&dep, f, &sample, fresh, error);
    if (status != L2R_OK) return status;
    double mean = take_weights(all + queued, w, &sample);
    *value = l2r_dependence_value(&dep, d_w ? g : NULL, all);
    if (d_w) slope_of_weights(d_w, g + queued, all + queued, &sample, mean, n);
    if (!d_z) return L2R_OK;
    if (!l2r_dependence_gradient_z(&dep, slope, all)) return no_memory((queued + sample.n) * d, error);
    memset(d_z, 0, (size_t)(n * d) * sizeof *d_z);
    for (int64_t i = 0; i < sample.n; i++)
        for (int64_t j = 0; j < d; j++) d_z[(int64_t)sample.rows[i] * d + j] = (float)slope[(queued + i) * d + j];
    return L2R_OK;
}
