/* SPDX-License-Identifier: MIT
 *
 * See optimiser.h. Each kind is a loop over one chunk of the arrays; the scalars of a step (bias corrections, rates) are
 * worked out once in double and rounded once.
 */
#include "train/optimiser.h"

#include "base/memory.h"
#include "base/threads.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { CHUNK = 1 << 14 };  /* elements of a step's chunk: its four arrays fit a core's second-level cache */
enum { NORM_CHUNKS = 64 }; /* partial sums of a norm */
enum { LANES = 8 };        /* sums side by side within a chunk, so that the loop vectorises in a stated order */

const struct l2r_optimiser_kind l2r_optimiser_kinds[] = {{"adam", "Adam", 2, false},
                                                         {"adamw", "AdamW (decoupled weight decay)", 2, true},
                                                         {"sgd", "SGD with momentum", 1, false},
                                                         {0}};

static const struct l2r_optimiser_kind *find_kind(const char *name)
{
    for (const struct l2r_optimiser_kind *k = l2r_optimiser_kinds; k->name; k++) {
        if (strcmp(k->name, name) == 0) return k;
    }
    return NULL;
}

enum l2r_status l2r_optimiser_init(struct l2r_optimiser *opt, const char *kind, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *opt = (struct l2r_optimiser){.beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .n = n};
    opt->kind = find_kind(kind);
    if (!opt->kind) L2R_FAIL(L2R_ERR_ARGUMENT, "optimiser \"%s\" is unknown; choose adam, adamw or sgd", kind);
    if (n < 0) L2R_FAIL(L2R_ERR_ARGUMENT, "an optimiser of %lld parameters: expected 0 or more", (long long)n);
    opt->m = l2r_alloc((size_t)n, sizeof *opt->m);
    if (opt->kind->n_moments == 2) opt->v = l2r_alloc((size_t)n, sizeof *opt->v);
    if (!opt->m || (opt->kind->n_moments == 2 && !opt->v)) {
        status = l2r_fail_memory(error, (size_t)n * sizeof *opt->m, "an optimiser's moments");
        goto done;
    }
done:
    if (status != L2R_OK) l2r_optimiser_clear(opt);
    return status;
}

void l2r_optimiser_clear(struct l2r_optimiser *opt)
{
    l2r_free(opt->m);
    l2r_free(opt->v);
    *opt = (struct l2r_optimiser){0};
}

/* A step as the chunks see it. */
struct step {
    const struct l2r_optimiser *opt;
    l2r_real *value;
    const l2r_real *grad;
    int64_t n;
    l2r_real decay;     /* added to g times p (adam, sgd) */
    l2r_real keep;      /* p is multiplied with this first (adamw) */
    l2r_real rate;      /* lr, for Adam over 1-β1^t */
    l2r_real inv_root2; /* Adam: 1 / sqrt(1-β2^t) */
};

L2R_INLINE l2r_real root(l2r_real x)
{
#ifdef L2R_REAL_DOUBLE
    return sqrt(x);
#else
    return sqrtf(x);
#endif
}

L2R_CLONES static void adam_chunk(void *context, int64_t chunk)
{
    const struct step *s = context;
    const l2r_real b1 = (l2r_real)s->opt->beta1, c1 = (l2r_real)(1 - s->opt->beta1);
    const l2r_real b2 = (l2r_real)s->opt->beta2, c2 = (l2r_real)(1 - s->opt->beta2);
    const l2r_real eps = (l2r_real)s->opt->eps, decay = s->decay, keep = s->keep, rate = s->rate, inv = s->inv_root2;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, s->n, CHUNK, chunk);
    l2r_real *restrict p = s->value + begin, *restrict m = s->opt->m + begin, *restrict v = s->opt->v + begin;
    const l2r_real *restrict grad = s->grad + begin;
    for (int64_t i = 0; i < end - begin; i++) {
        l2r_real g = grad[i] + decay * p[i];
        m[i] = b1 * m[i] + c1 * g;
        v[i] = b2 * v[i] + c2 * g * g;
        p[i] = keep * p[i] - rate * m[i] / (root(v[i]) * inv + eps);
    }
}

L2R_CLONES static void sgd_chunk(void *context, int64_t chunk)
{
    const struct step *s = context;
    const l2r_real momentum = (l2r_real)s->opt->momentum, decay = s->decay, rate = s->rate;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, s->n, CHUNK, chunk);
    l2r_real *restrict p = s->value + begin, *restrict m = s->opt->m + begin;
    const l2r_real *restrict grad = s->grad + begin;
    for (int64_t i = 0; i < end - begin; i++) {
        m[i] = momentum * m[i] + (grad[i] + decay * p[i]);
        p[i] -= rate * m[i];
    }
}

void l2r_optimiser_step(struct l2r_optimiser *opt, l2r_real *value, const l2r_real *grad, int64_t n, double lr)
{
    assert(n == opt->n);
    opt->steps++;
    struct step s = {.opt = opt, .grad = grad, .n = n, .keep = 1, .rate = (l2r_real)lr};
    s.value = value;
    bool adam = opt->kind->n_moments == 2;
    if (opt->kind->decoupled) {
        s.keep = (l2r_real)(1 - lr * opt->weight_decay);
    } else {
        s.decay = (l2r_real)opt->weight_decay;
    }
    if (adam) {
        s.rate = (l2r_real)(lr / (1 - pow(opt->beta1, (double)opt->steps)));
        s.inv_root2 = (l2r_real)(1 / sqrt(1 - pow(opt->beta2, (double)opt->steps)));
    }
    l2r_parallel(l2r_chunk_count(n, CHUNK), adam ? adam_chunk : sgd_chunk, &s);
}

struct norm {
    const l2r_real *grad;
    int64_t n, size; /* size: elements of a chunk */
    double partial[NORM_CHUNKS];
};

L2R_CLONES static void norm_chunk(void *context, int64_t chunk)
{
    struct norm *norm = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, norm->n, norm->size, chunk);
    double lane[LANES] = {0}, sum = 0;
    int64_t i = begin;
    for (; i + LANES <= end; i += LANES) {
        for (int k = 0; k < LANES; k++) lane[k] += (double)norm->grad[i + k] * (double)norm->grad[i + k];
    }
    for (; i < end; i++) sum += (double)norm->grad[i] * (double)norm->grad[i];
    for (int k = 0; k < LANES; k++) sum += lane[k];
    norm->partial[chunk] = sum;
}

double l2r_grad_norm(const l2r_real *grad, int64_t n)
{
    struct norm norm = {.grad = grad, .n = n};
    norm.size = l2r_chunk_count(n, NORM_CHUNKS) > CHUNK ? l2r_chunk_count(n, NORM_CHUNKS) : CHUNK;
    int64_t n_chunks = l2r_chunk_count(n, norm.size);
    l2r_parallel(n_chunks, norm_chunk, &norm);
    double sum = 0;
    for (int64_t c = 0; c < n_chunks; c++) sum += norm.partial[c];
    return sqrt(sum);
}

struct scale {
    l2r_real *grad, factor;
    int64_t n;
};

L2R_CLONES static void scale_chunk(void *context, int64_t chunk)
{
    const struct scale *s = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, s->n, CHUNK, chunk);
    l2r_real *restrict grad = s->grad;
    const l2r_real factor = s->factor;
    for (int64_t i = begin; i < end; i++) grad[i] *= factor;
}

double l2r_grad_clip(l2r_real *grad, int64_t n, double max_norm)
{
    double norm = l2r_grad_norm(grad, n), factor = max_norm / (norm + 1e-6);
    if (isfinite(norm) && factor < 1) {
        struct scale s = {.grad = grad, .factor = (l2r_real)factor, .n = n};
        l2r_parallel(l2r_chunk_count(n, CHUNK), scale_chunk, &s);
    }
    return norm;
}
