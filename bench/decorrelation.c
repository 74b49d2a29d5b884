/* SPDX-License-Identifier: MIT
 *
 * How long does one set of sample weights take?   bench_decorrelation
 *
 * Answers the questions on its standard input, one line each, until it ends, so that a script can let it and another
 * program take turns (bench/peer/decorrelation):
 *
 *     ROWS D CLUSTERS THREADS        →        SECONDS PROCESSOR-SECONDS SHARE
 *
 * Timed is what training does for a mini-batch with its queues: from Z [ROWS × D] standardise, draw 5 random Fourier
 * features of each variable, prepare the dependence, take 20 steps of Adam on the softmax weights of all rows, and
 * evaluate the dependence before and after them. CLUSTERS 0 counts all pairs of variables, otherwise those in different
 * clusters. The answer is the median of several runs, after two that let the arena find its size, as the first batches of a
 * training run do. SHARE is the dependence afterwards divided by the one before: a program that does the same work finds about
 * the same.
 */
#include "reweight/decorrelation.h"
#include "base/memory.h"
#include "base/threads.h"
#include "reweight/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FEATURES = 5, STEPS = 20, CAUSES = 8, WARM_UP = 2, RUNS = 7 };

struct question {
    int rows, d, clusters, threads;
};

static double now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *room(size_t count, size_t size)
{
    void *block = l2r_alloc(count, size);
    if (!block) {
        fprintf(stderr, "bench_decorrelation: out of memory\n");
        exit(1);
    }
    return block;
}

/* Variable i is a hidden cause, one of CAUSES, and noise of the same size. */
static l2r_real *draw_rows(int64_t rows, int64_t d)
{
    struct l2r_rng rng = l2r_rng_at(1, L2R_RANDOM_TEST, 0);
    l2r_real *z = room((size_t)(rows * d), sizeof *z);
    for (int64_t n = 0; n < rows; n++) {
        double cause[CAUSES];
        for (int i = 0; i < CAUSES; i++) cause[i] = l2r_rng_normal(&rng);
        for (int64_t i = 0; i < d; i++) z[n * d + i] = (l2r_real)(cause[i % CAUSES] + l2r_rng_normal(&rng));
    }
    return z;
}

struct work {
    struct l2r_arena arena;
    l2r_real *z;      /* [rows × d] */
    int32_t *cluster; /* [d] */
    double *w, *logits, *scratch;
};

static void learn(struct l2r_inner_report *report, struct work *k, struct question q)
{
    struct l2r_error error;
    struct l2r_dependence dep;
    struct l2r_rng rng = l2r_rng_at(2, L2R_RANDOM_FOURIER, 0);
    struct l2r_inner_options inner = {.steps = STEPS, .lr = 0.1};
    struct l2r_dependence_options options = {.n_f = FEATURES,
                                             .pairs = q.clusters == 0 ? L2R_PAIRS_ALL : L2R_PAIRS_ACROSS,
                                             .scaled = true, /* as the peer */
                                             .expected_steps = STEPS + 2};
    int32_t n_clusters = q.clusters == 0 ? 1 : q.clusters;
    for (int i = 0; i < q.rows; i++) k->logits[i] = 0;
    l2r_arena_reset(&k->arena);
    if (l2r_dependence_init(&dep, &k->arena, k->z, k->cluster, n_clusters, q.rows, q.d, &options, &rng, &error) !=
        L2R_OK) {
        fprintf(stderr, "bench_decorrelation: %s\n", error.message);
        exit(1);
    }
    double sums[2];
    struct l2r_strata one_class = {1, NULL, sums};
    struct l2r_objective objective = l2r_dependence_objective(&dep);
    l2r_learn_weights(k->w, k->logits, report, &objective, NULL, NULL, &one_class, q.rows, &inner, k->scratch);
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void answer(struct question q)
{
    struct l2r_inner_report report;
    double seconds[WARM_UP + RUNS], cpu[WARM_UP + RUNS];
    struct work k = {.z = draw_rows(q.rows, q.d),
                     .cluster = room((size_t)q.d, sizeof *k.cluster),
                     .w = room((size_t)q.rows, sizeof *k.w),
                     .logits = room((size_t)q.rows, sizeof *k.logits),
                     .scratch = room((size_t)l2r_learn_weights_scratch(q.rows, q.rows), sizeof *k.scratch)};
    l2r_arena_init(&k.arena);
    l2r_threads_set(q.threads);
    for (int i = 0; i < q.d; i++) k.cluster[i] = q.clusters ? i % q.clusters : 0;
    for (int i = 0; i < WARM_UP + RUNS; i++) {
        double start = now(CLOCK_MONOTONIC), cpu_start = now(CLOCK_PROCESS_CPUTIME_ID);
        learn(&report, &k, q);
        seconds[i] = now(CLOCK_MONOTONIC) - start;
        cpu[i] = now(CLOCK_PROCESS_CPUTIME_ID) - cpu_start;
    }
    qsort(seconds + WARM_UP, RUNS, sizeof *seconds, ascending);
    qsort(cpu + WARM_UP, RUNS, sizeof *cpu, ascending);
    printf("%.6f %.6f %.6f\n", seconds[WARM_UP + RUNS / 2], cpu[WARM_UP + RUNS / 2], report.after / report.before);
    fflush(stdout);
    l2r_arena_clear(&k.arena);
    l2r_free(k.z), l2r_free(k.cluster), l2r_free(k.w), l2r_free(k.logits), l2r_free(k.scratch);
}

int main(void)
{
    struct question q;
    int read;
    while ((read = scanf("%d %d %d %d", &q.rows, &q.d, &q.clusters, &q.threads)) == 4) {
        if (q.rows < 2 || q.d < 2 || q.clusters < 0 || q.clusters > q.d || q.threads < 0) break;
        answer(q);
    }
    if (read == EOF) return 0;
    fprintf(stderr, "usage: lines of ROWS D CLUSTERS THREADS on standard input; CLUSTERS 0: all pairs\n");
    return 2;
}
