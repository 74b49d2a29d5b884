/* SPDX-License-Identifier: MIT
 *
 * One set of sample weights: see measure.h. Variable i of Z is a hidden cause, one of CAUSES, plus noise of the same
 * size. */
#include "base/clock.h"
#include "base/memory.h"
#include "bench/measure.h"
#include "reweight/dependence.h"
#include "reweight/weights.h"

enum { FEATURES = 5, STEPS = 20, CAUSES = 8, WARM_UP = 2 };

struct work {
    struct l2r_arena arena;
    l2r_real *z;      /* [rows × width] */
    int32_t *cluster; /* [width] */
    double *w, *logits, *scratch;
};

static void draw_rows(l2r_real *z, const struct l2r_reweight_shape *shape)
{
    struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, 0);
    for (int64_t n = 0; n < shape->rows; n++) {
        double cause[CAUSES];
        for (int i = 0; i < CAUSES; i++) cause[i] = l2r_rng_normal(&rng);
        for (int64_t i = 0; i < shape->width; i++)
            z[n * shape->width + i] = (l2r_real)(cause[i % CAUSES] + l2r_rng_normal(&rng));
    }
}

static enum l2r_status work_init(struct work *k, const struct l2r_reweight_shape *shape, struct l2r_error *error)
{
    size_t rows = (size_t)shape->rows, width = (size_t)shape->width;
    l2r_arena_init(&k->arena);
    k->z = l2r_alloc(rows * width, sizeof *k->z);
    k->cluster = l2r_alloc(width, sizeof *k->cluster);
    k->w = l2r_alloc(rows, sizeof *k->w);
    k->logits = l2r_alloc(rows, sizeof *k->logits);
    k->scratch = l2r_alloc((size_t)l2r_learn_weights_scratch(shape->rows, shape->rows), sizeof *k->scratch);
    if (!k->z || !k->cluster || !k->w || !k->logits || !k->scratch)
        return l2r_fail_memory(error, rows * width * sizeof *k->z, "rows to weigh");
    draw_rows(k->z, shape);
    for (int64_t i = 0; i < shape->width; i++) k->cluster[i] = shape->clusters ? (int32_t)(i % shape->clusters) : 0;
    return L2R_OK;
}

static void work_clear(struct work *k)
{
    l2r_arena_clear(&k->arena);
    l2r_free(k->z), l2r_free(k->cluster), l2r_free(k->w), l2r_free(k->logits), l2r_free(k->scratch);
}

static enum l2r_status learn(struct l2r_inner_report *report, struct work *k, const struct l2r_reweight_shape *shape,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dependence dep;
    struct l2r_rng rng = l2r_rng_at(2, L2R_RANDOM_FOURIER, 0);
    struct l2r_inner_options inner = {.steps = STEPS, .lr = 0.1};
    struct l2r_dependence_options options = {.n_f = FEATURES,
                                             .pairs = shape->clusters == 0 ? L2R_PAIRS_ALL : L2R_PAIRS_ACROSS,
                                             .scaled = true, /* as the peer */
                                             .expected_steps = STEPS + 2};
    int32_t n_clusters = shape->clusters == 0 ? 1 : (int32_t)shape->clusters;
    for (int64_t i = 0; i < shape->rows; i++) k->logits[i] = 0;
    l2r_arena_reset(&k->arena);
    L2R_TRY(l2r_dependence_init(&dep, &k->arena, k->z, k->cluster, n_clusters, shape->rows, shape->width, &options,
                                &rng, error));
    double sums[2];
    struct l2r_strata one_class = {1, NULL, sums};
    struct l2r_objective objective = l2r_dependence_objective(&dep);
    l2r_learn_weights(k->w, k->logits, report, &objective, NULL, NULL, &one_class, shape->rows, &inner, k->scratch);
done:
    return status;
}

enum l2r_status l2r_reweight_measure(struct l2r_reweight_time *time, const struct l2r_reweight_shape *shape,
                                     int64_t runs, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct work work = {0};
    struct l2r_inner_report report;
    double *seconds = l2r_alloc((size_t)runs, sizeof *seconds), *processor = l2r_alloc((size_t)runs, sizeof *processor);
    *time = (struct l2r_reweight_time){0};
    if (!seconds || !processor || runs < 1) L2R_FAIL(L2R_ERR_ARGUMENT, "%lld runs cannot be measured", (long long)runs);
    if (shape->clusters > shape->width)
        L2R_FAIL(L2R_ERR_ARGUMENT, "--clusters: %lld clusters of %lld variables; expected at most as many",
                 (long long)shape->clusters, (long long)shape->width);
    L2R_TRY(work_init(&work, shape, error));
    for (int64_t i = -WARM_UP; i < runs; i++) {
        double start = l2r_clock_seconds(), processor_start = l2r_clock_process_seconds();
        L2R_TRY(learn(&report, &work, shape, error));
        if (i < 0) continue;
        seconds[i] = l2r_clock_since(start);
        processor[i] = l2r_clock_process_seconds() - processor_start;
    }
    *time = (struct l2r_reweight_time){l2r_spread_of(seconds, runs), l2r_spread_of(processor, runs),
                                       report.after / report.before};
done:
    work_clear(&work);
    l2r_free(seconds);
    l2r_free(processor);
    return status;
}

json_t *l2r_reweight_to_json(const struct l2r_reweight_time *t, const struct l2r_reweight_shape *shape)
{
    return json_pack("{s:I, s:I, s:I, s:o, s:o, s:f}", "rows", (json_int_t)shape->rows, "width",
                     (json_int_t)shape->width, "clusters", (json_int_t)shape->clusters, "seconds",
                     l2r_spread_to_json(t->seconds), "cpu_seconds", l2r_spread_to_json(t->processor_seconds),
                     "dependence_left", t->left);
}
