/* SPDX-License-Identifier: MIT
 *
 * See learner.h. One update, l2r_learner_weigh, runs top to bottom through this file:
 *
 *     open_rows        Ẑ = [queue; batch]
 *     open_objective   L(w) over these rows: dependence between variables, or HSIC between blocks
 *     learn            start logits (stored ones where persistent) ──► weights.h ──► w, and logits to store
 *     queue push       the batch and its weights become rows of the objective of the next batch
 *
 * Memory of an update lies in l->arena and is released by the next one; state that must survive, also in a checkpoint,
 * is listed in l2r_learner_state. Random streams are chosen by (seed, step), never by what was drawn before, so that a
 * resumed run draws the same features.
 */
#include "reweight/learner.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { EVALUATE_EVERY = 8 };

/* Places of the random stream from which no weights are learned. */
static const uint64_t fresh = UINT64_C(1) << 61;

const float *l2r_kept_classes(int32_t *count, const struct l2r_dataset *data, bool keep_classes)
{
    bool kept = keep_classes && data->n_tasks == 1 && data->task != L2R_TASK_REGRESSION;
    *count = !kept ? 0 : data->task == L2R_TASK_MULTICLASS ? data->n_classes : 2;
    return kept ? data->labels : NULL;
}

enum l2r_status l2r_learner_init(struct l2r_learner *l, const struct l2r_learner_options *options, uint64_t seed,
                                 int64_t d, int64_t batch_rows, const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t n_graphs = data->n_graphs;
    *l = (struct l2r_learner){.options = *options, .d = d, .seed = seed, .n_graphs = n_graphs};
    l->labels = l2r_kept_classes(&l->n_classes, data, options->keep_classes);
    l2r_arena_init(&l->arena);
    int32_t n_clusters = options->dependence.pairs == L2R_PAIRS_ALL ? 1 : options->n_clusters;
    L2R_TRY(l2r_clusters_init(&l->clusters, d, n_clusters, n_clusters > 1 ? options->window : 0, error));
    L2R_TRY(l2r_queue_init(&l->queue, options->n_queues, batch_rows, d, options->queue_momentum, error));
    if (options->persistent) l->logits = l2r_alloc((size_t)n_graphs, sizeof *l->logits);
    if (options->persistent && !l->logits)
        status = l2r_fail_memory(error, (size_t)n_graphs * sizeof *l->logits, "the weights of the training graphs");
done:
    if (status != L2R_OK) l2r_learner_clear(l);
    return status;
}

void l2r_learner_clear(struct l2r_learner *l)
{
    l2r_clusters_clear(&l->clusters);
    l2r_queue_clear(&l->queue);
    l2r_free(l->logits);
    l2r_free(l->known);
    l2r_arena_clear(&l->arena);
    *l = (struct l2r_learner){0};
}

/* Does any pair of variables count? */
static bool has_pairs(const struct l2r_learner *l)
{
    if (l->options.hsic_blocks > 0) return l->options.hsic_blocks > 1;
    if (l->options.dependence.pairs == L2R_PAIRS_ALL) return l->d > 1;
    if (l->options.dependence.pairs == L2R_PAIRS_WITHIN) return l->d > 1;
    for (int64_t i = 1; i < l->d; i++)
        if (l->clusters.cluster[i] != l->clusters.cluster[0]) return true;
    return false;
}

/* The queued rows, then the batch. */
static void stack_rows(l2r_real *z_all, double *fixed, const struct l2r_learner *l, const l2r_real *z, int64_t queued,
                       int64_t n)
{
    memcpy(z_all, l->queue.z, (size_t)(queued * l->d) * sizeof *z_all);
    memcpy(z_all + queued * l->d, z, (size_t)(n * l->d) * sizeof *z_all);
    for (int64_t i = 0; i < queued; i++) fixed[i] = (double)l->queue.w[i];
}

static void apply_control(struct l2r_learner *l, double *w, int64_t n, uint64_t step)
{
    if (l->options.control == L2R_CONTROL_ONES)
        for (int64_t i = 0; i < n; i++) w[i] = 1;
    if (l->options.control == L2R_CONTROL_SHUFFLED) l2r_shuffle_weights(w, l->seed, n, step);
}

/* Ẑ = z_all [rows × d]: the queued rows, then the batch; fixed [queued]: weights of the former. */
static enum l2r_status open_rows(l2r_real **z_all, double **fixed, int64_t *rows, struct l2r_learner *l,
                                 const l2r_real *z, int64_t n, struct l2r_error *error)
{
    int64_t queued = l2r_queue_rows(&l->queue, n);
    *rows = queued + n;
    *z_all = l2r_arena_alloc(&l->arena, (size_t)(*rows * l->d), sizeof **z_all);
    *fixed = l2r_arena_alloc(&l->arena, (size_t)queued, sizeof **fixed);
    if (!*z_all || !*fixed)
        return l2r_fail_memory(error, (size_t)(*rows * l->d) * sizeof **z_all, "the weights of a batch");
    stack_rows(*z_all, *fixed, l, z, queued, n);
    return L2R_OK;
}

/* The dependence over the queued rows and the batch. */
static enum l2r_status open_dependence(struct l2r_dependence *dep, double **fixed, struct l2r_learner *l,
                                       const l2r_real *z, int64_t n, uint64_t step, struct l2r_error *error)
{
    int64_t rows;
    l2r_real *z_all;
    struct l2r_rng rng = l2r_rng_at(l->seed, L2R_RANDOM_FOURIER, step);
    enum l2r_status status = open_rows(&z_all, fixed, &rows, l, z, n, error);
    if (status != L2R_OK) return status;
    struct l2r_dependence_options options = l->options.dependence;
    options.importance = l->importance;
    return l2r_dependence_init(dep, &l->arena, z_all, l->clusters.cluster, l->clusters.n_clusters, rows, l->d, &options,
                               &rng, error);
}

/* The HSIC between the blocks of the same rows. */
static enum l2r_status open_hsic(struct l2r_hsic *hsic, double **fixed, struct l2r_learner *l, const l2r_real *z,
                                 int64_t n, struct l2r_error *error)
{
    int64_t rows, blocks = l->options.hsic_blocks;
    l2r_real *z_all;
    enum l2r_status status = open_rows(&z_all, fixed, &rows, l, z, n, error);
    if (status != L2R_OK) return status;
    return l2r_hsic_init(hsic, &l->arena, z_all, rows, blocks, l->d / blocks, &l->options.hsic, error);
}

/* The objective of the weights, over the same rows. */
static enum l2r_status open_objective(struct l2r_objective *objective, double **fixed, struct l2r_learner *l,
                                      const l2r_real *z, int64_t n, uint64_t step, struct l2r_error *error)
{
    bool hsic = l->options.hsic_blocks > 0;
    enum l2r_status status;
    void *state = l2r_arena_alloc(&l->arena, 1, hsic ? sizeof(struct l2r_hsic) : sizeof(struct l2r_dependence));
    if (!state) return l2r_fail_memory(error, sizeof(struct l2r_dependence), "the weights of a batch");
    if (hsic)
        status = open_hsic(state, fixed, l, z, n, error);
    else
        status = open_dependence(state, fixed, l, z, n, step, error);
    if (status == L2R_OK) *objective = hsic ? l2r_hsic_objective(state) : l2r_dependence_objective(state);
    return status;
}

/* In some updates: the dependence under equal weights, these, and these in random order. The weights have fitted the
 * random features that they were learned from; these are drawn afresh. */
static enum l2r_status evaluate(struct l2r_learner *l, const double *w, const l2r_real *z, int64_t n, uint64_t step,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_objective objective;
    struct l2r_inner_report learned, shuffled;
    double *fixed, *order = l2r_arena_alloc(&l->arena, (size_t)n, sizeof *order);
    if ((int64_t)l->run.updates % EVALUATE_EVERY != 0) return L2R_OK;
    L2R_TRY(open_objective(&objective, &fixed, l, z, n, step | fresh, error));
    double *scratch =
        l2r_arena_alloc(&l->arena, (size_t)l2r_learn_weights_scratch(objective.n_rows, n), sizeof *scratch);
    if (!order || !scratch) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the dependence under the weights of a batch");
    memcpy(order, w, (size_t)n * sizeof *w);
    l2r_shuffle_weights(order, l->seed, n, step);
    l2r_evaluate_weights(&learned, w, &objective, fixed, n, scratch);
    l2r_evaluate_weights(&shuffled, order, &objective, fixed, n, scratch);
    l->run.evaluated++;
    l->run.before += learned.before;
    l->run.after += learned.after;
    l->run.shuffled += shuffled.after;
done:
    return status;
}

/* The classes of these graphs; false: out of memory. */
static bool open_strata(struct l2r_strata *strata, struct l2r_learner *l, const int32_t *graphs, int64_t n)
{
    int32_t count = l->labels ? l->n_classes + 1 : 1, *of = NULL;
    double *scratch = l2r_arena_alloc(&l->arena, 2 * (size_t)count, sizeof *scratch);
    if (l->labels) of = l2r_arena_alloc(&l->arena, (size_t)n, sizeof *of);
    for (int64_t i = 0; of && i < n; i++) of[i] = l2r_kept_class(l->labels[graphs[i]], l->n_classes);
    *strata = (struct l2r_strata){count, of, scratch};
    return scratch && (of || !l->labels);
}

/* Learns w [n] for the rows of this batch; the clusters have at least one pair that counts. */
static enum l2r_status learn(struct l2r_learner *l, double *w, const l2r_real *z, const int32_t *graphs,
                             const double *extra, int64_t n, uint64_t step, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_objective objective;
    struct l2r_inner_report report;
    double *fixed, *logits = l2r_arena_zeroed(&l->arena, (size_t)n, sizeof *logits);
    L2R_TRY(open_objective(&objective, &fixed, l, z, n, step, error));
    double *scratch =
        l2r_arena_alloc(&l->arena, (size_t)l2r_learn_weights_scratch(objective.n_rows, n), sizeof *scratch);
    struct l2r_strata strata;
    if (!open_strata(&strata, l, graphs, n) || !logits || !scratch)
        return l2r_fail_memory(error, (size_t)n * sizeof *logits, "the weights of a batch");
    if (l->known) {
        for (int64_t i = 0; i < n; i++) w[i] = (double)l->known[graphs[i]];
        l2r_evaluate_weights(&report, w, &objective, fixed, n, scratch);
    } else {
        for (int64_t i = 0; l->logits && i < n; i++) logits[i] = (double)l->logits[graphs[i]];
        l2r_learn_weights(w, logits, &report, &objective, fixed, extra, &strata, n, &l->options.inner, scratch);
        for (int64_t i = 0; l->logits && i < n; i++) l->logits[graphs[i]] = (l2r_real)logits[i];
    }
    if (report.moved) L2R_TRY(evaluate(l, w, z, n, step, error));
    l2r_learner_note(l, &report);
done:
    return status;
}

static bool will_learn(const struct l2r_learner *l, int64_t n, int64_t epoch)
{
    return n >= L2R_FEWEST_GRAPHS && epoch >= l->options.warmup_epochs && l->options.inner.steps > 0 && has_pairs(l);
}

enum l2r_status l2r_learner_slope(struct l2r_learner *l, l2r_real *d_z, double *value, bool *counts, const l2r_real *z,
                                  int64_t n, int64_t epoch, uint64_t step, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dependence dep;
    double *fixed;
    *counts = will_learn(l, n, epoch);
    if (!*counts) return L2R_OK;
    l2r_arena_reset(&l->arena);
    L2R_TRY(open_dependence(&dep, &fixed, l, z, n, step, error));
    int64_t queued = dep.n_rows - n;
    double *w = l2r_arena_alloc(&l->arena, (size_t)dep.n_rows, sizeof *w);
    l2r_real *slope = l2r_arena_alloc(&l->arena, (size_t)(dep.n_rows * l->d), sizeof *slope);
    if (!w || !slope)
        return l2r_fail_memory(error, (size_t)(dep.n_rows * l->d) * sizeof *slope, "the second-order term");
    for (int64_t i = 0; i < dep.n_rows; i++) w[i] = i < queued ? fixed[i] : 1;
    *value = l2r_dependence_value(&dep, NULL, w);
    if (!l2r_dependence_gradient_z(&dep, slope, w))
        return l2r_fail_memory(error, (size_t)dep.columns * 8, "the second-order term");
    memcpy(d_z, slope + queued * l->d, (size_t)(n * l->d) * sizeof *d_z);
done:
    return status;
}

enum l2r_status l2r_learner_weigh(struct l2r_learner *l, l2r_real *w, const l2r_real *z, const int32_t *graphs,
                                  const double *extra, int64_t n, int64_t epoch, uint64_t step, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    l2r_arena_reset(&l->arena);
    double *weights = l2r_arena_alloc(&l->arena, (size_t)n, sizeof *weights);
    if (!weights) return l2r_fail_memory(error, (size_t)n * sizeof *weights, "the weights of a batch");
    for (int64_t i = 0; i < n; i++) weights[i] = 1;
    if (will_learn(l, n, epoch))
        L2R_TRY(learn(l, weights, z, graphs, extra, n, step, error));
    else
        l->counts.idle++;
    if (n > l->most_rows) l->most_rows = n;
    apply_control(l, weights, n, step);
    for (int64_t i = 0; i < n; i++) w[i] = (l2r_real)weights[i];
    l2r_queue_push(&l->queue, z, weights, n);
done:
    return status;
}

void l2r_learner_observe(struct l2r_learner *l, const l2r_real *z, int64_t n)
{
    if (l->clusters.n_clusters > 1) l2r_clusters_observe(&l->clusters, z, n);
}

void l2r_learner_cluster(struct l2r_learner *l, int64_t place)
{
    l->counts.changed += l2r_clusters_refresh(&l->clusters, l->seed, (uint64_t)place);
    l->counts.clusterings++;
}

bool l2r_learner_possible(const struct l2r_learner *l)
{
    bool good = l->run.updates >= 0 && l->run.updates < 1e15 && l->clusters.seen >= 0 && l->queue.filled >= 0 &&
                l->queue.filled <= l->queue.n_groups;
    for (int64_t i = 0; i < l->d; i++)
        good &= l->clusters.cluster[i] >= 0 && l->clusters.cluster[i] < l->clusters.n_clusters;
    return good;
}

bool l2r_learner_state(struct l2r_learner *l, int i, struct l2r_state_array *array)
{
    struct l2r_clusters *c = &l->clusters;
    const struct l2r_state_array all[] = {
        {"seen", L2R_STATE_I64, &c->seen, 1},
        {"correlations", L2R_STATE_REAL, c->correlations, c->window * c->d * c->d},
        {"centres", L2R_STATE_REAL, c->centres, c->n_clusters * c->d},
        {"started", L2R_STATE_I32, &c->started, 1},
        {"clusters", L2R_STATE_I32, c->cluster, c->d},
        {"queue.filled", L2R_STATE_I64, &l->queue.filled, 1},
        {"queue.z", L2R_STATE_REAL, l->queue.z, l->queue.n_groups * l->queue.rows * l->queue.d},
        {"queue.w", L2R_STATE_REAL, l->queue.w, l->queue.n_groups * l->queue.rows},
        {"logits", L2R_STATE_REAL, l->logits, l->logits ? l->n_graphs : 0},
        {"totals", L2R_STATE_F64, &l->totals, sizeof l->totals / sizeof(double)},
        {"counts", L2R_STATE_I64, &l->counts, sizeof l->counts / sizeof(int64_t)},
        {"run", L2R_STATE_F64, &l->run, sizeof l->run / sizeof(double)}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].count > 0 && i-- == 0) {
            *array = all[k];
            return true;
        }
    return false;
}
