/* SPDX-License-Identifier: MIT
 * The public calls of l2r/reweight.h: they check their arguments and call the code behind method headfit
 * (reweight/frozen.h). */
#include <l2r/reweight.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "reweight/frozen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 1 << 20, MOST_FEATURES = 100, MOST_CLUSTERS = 1 << 16, MOST_WINDOWS = 1000, MOST_STEPS = 100000 };

/* A call under way: its options with the defaults filled in, and the engine that they make. */
struct call {
    struct l2r_reweight_options o;
    struct l2r_frozen frozen;
    struct l2r_clusters found;
    l2r_real *importance; /* [d] */
    int32_t *stratum;     /* [n] */
};

static enum l2r_status check_count(const char *name, int64_t value, int64_t least, int64_t most,
                                   struct l2r_error *error)
{
    if (value >= least && value <= most) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s = %lld; expected %lld … %lld", name, (long long)value,
                    (long long)least, (long long)most);
}

/* Numbers [rows × columns] that are finite and at least `least`. */
static enum l2r_status check_numbers(const char *name, const float *numbers, int64_t rows, int64_t columns, float least,
                                     struct l2r_error *error)
{
    for (int64_t k = 0; numbers && k < rows * columns; k++)
        if (!(isfinite(numbers[k]) && numbers[k] >= least))
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "%s[%lld] = %g (row %lld, column %lld); expected a finite number%s", name, (long long)k,
                            (double)numbers[k], (long long)(k / columns), (long long)(k % columns),
                            least >= 0 ? ", 0 or more" : "");
    return L2R_OK;
}

/* Their sum is the divisor of the weights. */
static enum l2r_status check_weights(const char *name, const float *w, int64_t n, struct l2r_error *error)
{
    double sum = 0;
    for (int64_t i = 0; w && i < n; i++) sum += (double)w[i];
    if (w && n > 0 && !(sum > 0))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s are all 0; expected some above it", name);
    return check_numbers(name, w, n, 1, 0, error);
}

static enum l2r_status take_options(struct call *c, int64_t n, int64_t d, const struct l2r_reweight_options *options,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_reweight_options *o = &c->o;
    *o = (struct l2r_reweight_options)L2R_REWEIGHT_OPTIONS_INIT;
    if (options) L2R_TRY(l2r_struct_take(o, sizeof *o, sizeof *o, options, "options", error));
    if (o->n_clusters == 0) o->n_clusters = 4;
    if (o->n_windows == 0) o->n_windows = 10;
    if (o->n_features == 0) o->n_features = 5;
    if (o->n_rows == 0) o->n_rows = L2R_FROZEN_ROWS;
    if (o->n_steps == 0) o->n_steps = 60;
    if (o->learning_rate == 0) o->learning_rate = 0.05;
    L2R_TRY(check_count("n", n, L2R_FEWEST_GRAPHS, INT32_MAX - 1, error));
    L2R_TRY(check_count("d", d, 1, MOST_COLUMNS, error));
    L2R_TRY(check_count("options.pairs", (int)o->pairs, L2R_PAIRS_ALL, L2R_PAIRS_WITHIN, error));
    L2R_TRY(check_count("options.n_clusters", o->n_clusters, 1, MOST_CLUSTERS, error));
    L2R_TRY(check_count("options.n_windows", o->n_windows, 2, MOST_WINDOWS, error));
    L2R_TRY(check_count("options.n_features", o->n_features, 1, MOST_FEATURES, error));
    L2R_TRY(check_count("options.n_rows", o->n_rows, L2R_FEWEST_GRAPHS, INT32_MAX, error));
    L2R_TRY(check_count("options.n_steps", o->n_steps, 1, MOST_STEPS, error));
    L2R_TRY(check_count("options.n_queued", o->n_queued, 0, INT32_MAX - n, error));
    if (!(o->learning_rate > 0 && o->learning_rate <= 1e3))
        L2R_FAIL(L2R_ERR_ARGUMENT, "options.learning_rate = %g; expected above 0, up to 1000", o->learning_rate);
    if (!(o->ess >= 0 && o->ess <= 1))
        L2R_FAIL(L2R_ERR_ARGUMENT, "options.ess = %g; expected a share of the sample, 0 … 1", o->ess);
    for (int64_t i = 0; o->clusters && i < d; i++)
        if (o->clusters[i] < 0 || o->clusters[i] >= o->n_clusters)
            L2R_FAIL(L2R_ERR_ARGUMENT, "options.clusters[%lld] = %d; expected 0 … %d", (long long)i,
                     (int)o->clusters[i], (int)o->n_clusters - 1);
    if (o->n_queued > 0 && (!o->queued_z || !o->queued_w))
        L2R_FAIL(L2R_ERR_ARGUMENT, "options.%s is NULL, but n_queued = %lld", o->queued_z ? "queued_w" : "queued_z",
                 (long long)o->n_queued);
    L2R_TRY(check_numbers("options.importance", o->importance, d, 1, 0, error));
    if (o->n_queued > 0) L2R_TRY(check_numbers("options.queued_z", o->queued_z, o->n_queued, d, -INFINITY, error));
    if (o->n_queued > 0) L2R_TRY(check_weights("options.queued_w", o->queued_w, o->n_queued, error));
done:
    return status;
}

/* Rows of equal labels, whatever their numbers, are a stratum. */
static enum l2r_status number_labels(struct call *c, const int64_t *labels, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_vocabulary classes;
    l2r_vocabulary_init(&classes);
    c->stratum = l2r_alloc((size_t)n, sizeof *c->stratum);
    bool counted = c->stratum != NULL;
    for (int64_t i = 0; counted && i < n; i++) counted = l2r_vocabulary_add(&classes, labels[i]) >= 0;
    if (!counted || !l2r_vocabulary_sort(&classes))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the classes of %lld rows", (long long)n);
    for (int64_t i = 0; i < n; i++) c->stratum[i] = (int32_t)l2r_vocabulary_index(&classes, labels[i]);
    c->frozen.stratum = c->stratum;
    c->frozen.n_strata = (int32_t)classes.n;
done:
    l2r_vocabulary_clear(&classes);
    return status;
}

static enum l2r_status open_call(struct call *c, const float *z, const int64_t *labels, int64_t n, int64_t d,
                                 const struct l2r_reweight_options *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    l2r_arena_init(&c->frozen.arena);
    L2R_NEED(z);
    L2R_TRY(take_options(c, n, d, options, error));
    L2R_TRY(check_numbers("z", z, n, d, -INFINITY, error));
    const struct l2r_reweight_options *o = &c->o;
    if (o->importance) c->importance = l2r_alloc((size_t)d, sizeof *c->importance);
    if (o->importance && !c->importance) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the importance of variables");
    for (int64_t i = 0; o->importance && i < d; i++) c->importance[i] = (l2r_real)o->importance[i];
    struct l2r_frozen *f = &c->frozen;
    f->dependence = (struct l2r_dependence_options){
        .n_f = o->n_features, .pairs = o->pairs, .scaled = o->scaled, .importance = c->importance};
    f->inner = (struct l2r_inner_options){.steps = o->n_steps, .lr = o->learning_rate, .ess = o->ess};
    f->seed = o->seed;
    f->d = d;
    f->rows = o->n_rows;
    f->n_queued = o->n_queued;
    f->queued_z = o->queued_z;
    f->queued_w = o->queued_w;
    if (labels) L2R_TRY(number_labels(c, labels, n, error));
    f->cluster = o->clusters;
    f->n_clusters = o->n_clusters;
    if (o->pairs != L2R_PAIRS_ALL && !o->clusters)
        L2R_TRY(l2r_frozen_cluster(&c->found, f, z, n, o->n_clusters, o->n_windows, error));
done:
    return status;
}

static void close_call(struct call *c)
{
    l2r_arena_clear(&c->frozen.arena);
    l2r_clusters_clear(&c->found);
    l2r_free(c->importance);
    l2r_free(c->stratum);
}

/* Fills the caller's struct up to its size; the pointer in it stays. */
static enum l2r_status fill(struct l2r_decorrelation *found, const struct call *c,
                            const struct l2r_frozen_evaluation *evaluation, const double *w, int64_t n,
                            struct l2r_error *error)
{
    struct l2r_decorrelation own = {0};
    if (!found) return L2R_OK;
    enum l2r_status status = l2r_struct_take(&own, sizeof own, sizeof own, found, "found", error);
    if (status != L2R_OK) return status;
    own.dependence_before = evaluation->equal;
    own.dependence_after = evaluation->learned;
    own.dependence_shuffled = evaluation->shuffled;
    own.ess = l2r_effective_sample_size(w, n);
    bool clustered = c->o.pairs != L2R_PAIRS_ALL;
    for (int64_t i = 0; own.clusters && i < c->frozen.d; i++) own.clusters[i] = clustered ? c->frozen.cluster[i] : 0;
    return l2r_struct_give(found, &own, sizeof own, "found", error);
}

enum l2r_status l2r_decorrelate(float *w, struct l2r_decorrelation *found, const float *z, const int64_t *labels,
                                int64_t n, int64_t d, const struct l2r_reweight_options *options,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct call c = {0};
    struct l2r_frozen_evaluation evaluation;
    double *s = NULL;
    L2R_NEED(w);
    L2R_TRY(open_call(&c, z, labels, n, d, options, error));
    L2R_TRY(check_numbers("options.start", c.o.start, n, 1, 0, error));
    s = l2r_alloc(2 * (size_t)n, sizeof *s);
    if (!s) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the weights of %lld rows", (long long)n);
    for (int64_t i = 0; c.o.start && i < n; i++) s[i] = log(fmax((double)c.o.start[i], 1e-30));
    double *learned = s + n;
    if (c.o.ess < 1) L2R_TRY(l2r_frozen_learn(s, &c.frozen, z, n, error));
    L2R_TRY(l2r_frozen_weights(learned, &c.frozen, s, n, c.o.ess, error));
    L2R_TRY(l2r_frozen_evaluate(&evaluation, &c.frozen, learned, z, n, error));
    if (!isfinite(evaluation.learned))
        L2R_FAIL(L2R_ERR_DIVERGED, "the dependence is not a finite number; bring the columns of z to a smaller scale");
    L2R_TRY(fill(found, &c, &evaluation, learned, n, error));
    for (int64_t i = 0; i < n; i++) w[i] = (float)learned[i];
done:
    l2r_free(s);
    close_call(&c);
    return status;
}

enum l2r_status l2r_dependence(double *value, float *d_w, float *d_z, const float *z, const float *w, int64_t n,
                               int64_t d, const struct l2r_reweight_options *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct call c = {0};
    double *room = NULL;
    L2R_NEED(value);
    L2R_TRY(open_call(&c, z, NULL, n, d, options, error));
    L2R_TRY(check_weights("w", w, n, error));
    room = l2r_alloc(2 * (size_t)n, sizeof *room);
    if (!room) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the weights of %lld rows", (long long)n);
    for (int64_t i = 0; i < n; i++) room[i] = w ? (double)w[i] : 1;
    L2R_TRY(l2r_frozen_slopes(value, d_w ? room + n : NULL, d_z, &c.frozen, room, z, n, error));
    if (!isfinite(*value))
        L2R_FAIL(L2R_ERR_DIVERGED,
                 "the dependence is not a finite number: z is too large, or w is 0 for the %lld rows "
                 "that were drawn",
                 (long long)(n < c.o.n_rows ? n : c.o.n_rows));
    for (int64_t i = 0; d_w && i < n; i++) d_w[i] = (float)room[n + i];
done:
    l2r_free(room);
    close_call(&c);
    return status;
}

double l2r_ess(const float *w, int64_t n)
{
    double sum = 0, square = 0;
    for (int64_t i = 0; w && i < n; i++) sum += (double)w[i], square += (double)w[i] * (double)w[i];
    return square > 0 ? sum * sum / ((double)n * square) : 0;
}
