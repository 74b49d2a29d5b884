/* SPDX-License-Identifier: MIT
 * See optimiser.h. */
#include "nn/optimiser.h"

#include "base/memory.h"
#include "base/threads.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { NORM_CHUNKS = 64 }; /* partial sums of a norm */
enum { LANES = 8 };        /* sums side by side within a chunk, so that the loop vectorises in a stated order */

static const struct l2r_optimiser_type *find_type(const char *name)
{
    for (size_t i = 0; l2r_optimisers[i]; i++)
        if (strcmp(l2r_optimisers[i]->name, name) == 0) return l2r_optimisers[i];
    return NULL;
}

enum l2r_status l2r_optimiser_init(struct l2r_optimiser *opt, const char *name, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *opt = (struct l2r_optimiser){.type = find_type(name), .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .n = n};
    if (!opt->type)
        L2R_FAIL(L2R_ERR_ARGUMENT, "optimiser \"%s\" is unknown; choose one of %s", name, l2r_optimiser_choices);
    if (n < 0) L2R_FAIL(L2R_ERR_ARGUMENT, "an optimiser of %lld parameters: expected 0 or more", (long long)n);
    opt->m = l2r_alloc((size_t)n, sizeof *opt->m);
    if (opt->type->n_moments == 2) opt->v = l2r_alloc((size_t)n, sizeof *opt->v);
    if (!opt->m || (opt->type->n_moments == 2 && !opt->v))
        status = l2r_fail_memory(error, (size_t)n * sizeof *opt->m, "an optimiser's moments");
done:
    if (status != L2R_OK) l2r_optimiser_clear(opt);
    return status;
}

enum l2r_status l2r_optimiser_start(struct l2r_optimiser *opt, const struct l2r_config *config, int64_t n,
                                    struct l2r_error *error)
{
    enum l2r_status status = l2r_optimiser_init(opt, l2r_config_text(config, "optimiser"), n, error);
    if (status != L2R_OK) return status;
    opt->weight_decay = l2r_config_real(config, "weight-decay");
    if (opt->type->configure) opt->type->configure(opt, config);
    return L2R_OK;
}

void l2r_optimiser_clear(struct l2r_optimiser *opt)
{
    l2r_free(opt->m);
    l2r_free(opt->v);
    *opt = (struct l2r_optimiser){0};
}

void l2r_optimiser_step(struct l2r_optimiser *opt, l2r_real *value, const l2r_real *grad, int64_t n, double lr)
{
    assert(n == opt->n);
    (void)n;
    opt->steps++;
    opt->type->step(opt, value, grad, lr);
}

void l2r_optimiser_step_from(struct l2r_optimiser *opt, l2r_real *value, const l2r_real *grad, int64_t first, int64_t n,
                             double lr)
{
    struct l2r_optimiser rest = *opt;
    rest.m += first;
    if (rest.v) rest.v += first;
    rest.n -= first;
    l2r_optimiser_step(&rest, value + first, grad + first, n - first, lr);
    opt->steps = rest.steps;
}

struct norm {
    const l2r_real *grad;
    int64_t n, size; /* size: elements of a chunk */
    double partial[NORM_CHUNKS];
};

L2R_CLONES(static, norm_chunk, (void *context, int64_t chunk), (context, chunk))
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
    norm.size =
        l2r_chunk_count(n, NORM_CHUNKS) > L2R_OPTIMISER_CHUNK ? l2r_chunk_count(n, NORM_CHUNKS) : L2R_OPTIMISER_CHUNK;
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

L2R_CLONES(static, scale_chunk, (void *context, int64_t chunk), (context, chunk))
{
    const struct scale *s = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, s->n, L2R_OPTIMISER_CHUNK, chunk);
    l2r_real *restrict grad = s->grad;
    const l2r_real factor = s->factor;
    for (int64_t i = begin; i < end; i++) grad[i] *= factor;
}

double l2r_grad_clip(l2r_real *grad, int64_t n, double max_norm)
{
    double norm = l2r_grad_norm(grad, n), factor = max_norm / (norm + 1e-6);
    if (isfinite(norm) && factor < 1) {
        struct scale s = {.grad = grad, .factor = (l2r_real)factor, .n = n};
        l2r_parallel(l2r_chunk_count(n, L2R_OPTIMISER_CHUNK), scale_chunk, &s);
    }
    return norm;
}
