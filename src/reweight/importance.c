/* SPDX-License-Identifier: MIT
 * See importance.h. */
#include "reweight/importance.h"

#include <math.h>
#include <string.h>

void l2r_importance_init(struct l2r_importance *im, bool wanted)
{
    *im = (struct l2r_importance){.wanted = wanted};
    l2r_tape_init(&im->tape);
    l2r_arena_init(&im->arena);
}

void l2r_importance_clear(struct l2r_importance *im)
{
    l2r_tape_clear(&im->tape);
    l2r_arena_clear(&im->arena);
    *im = (struct l2r_importance){0};
}

/* What the passes through the head share. */
struct head {
    const struct l2r_network *network;
    struct l2r_tape *tape;
    l2r_real *z, *d_z; /* [n × d] */
    l2r_real *seed;    /* [n × outputs]: d output k / d outputs, in every row */
    double *square;    /* [n × d]: Σ_k of the squared slopes */
    int64_t n, d, outputs;
    bool centred;
};

/* Adds the squared slopes of output k, less the mean of all outputs where they are classes. */
static enum l2r_status add_output(struct head *h, int64_t k, struct l2r_error *error)
{
    for (int64_t i = 0; i < h->n * h->outputs; i++) {
        double one = i % h->outputs == k, mean = h->centred ? 1 / (double)h->outputs : 0;
        h->seed[i] = (l2r_real)(one - mean);
    }
    memset(h->d_z, 0, (size_t)(h->n * h->d) * sizeof *h->d_z);
    l2r_tape_reset(h->tape);
    l2r_tape_mode_explain(h->tape);
    l2r_node z = l2r_leaf(h->tape, h->z, h->d_z, h->n, h->d);
    l2r_tape_backward_from(h->tape, l2r_network_output(h->network, h->tape, NULL, z), h->seed);
    if (h->tape->status != L2R_OK) return l2r_fail(error, h->tape->status, "%s", h->tape->error.message);
    for (int64_t i = 0; i < h->n * h->d; i++) h->square[i] += (double)h->d_z[i] * (double)h->d_z[i];
    return L2R_OK;
}

static double standard_deviation(const l2r_real *z, int64_t n, int64_t d)
{
    double mean = 0, square = 0;
    for (int64_t r = 0; r < n; r++) mean += (double)z[r * d] / (double)n;
    for (int64_t r = 0; r < n; r++) square += ((double)z[r * d] - mean) * ((double)z[r * d] - mean);
    return sqrt(square / (double)n);
}

/* a, and its mean square before it is scaled. */
static double combine(double *a, const struct head *h)
{
    double sum = 0;
    for (int64_t i = 0; i < h->d; i++) {
        double slope = 0;
        for (int64_t r = 0; r < h->n; r++) slope += sqrt(h->square[r * h->d + i]) / (double)h->n;
        a[i] = slope * standard_deviation(h->z + i, h->n, h->d);
        sum += a[i] * a[i];
    }
    return sum / (double)h->d;
}

enum l2r_status l2r_importance_find(const l2r_real **out, struct l2r_importance *im, const struct l2r_network *network,
                                    const l2r_real *z, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t outputs = l2r_signature_outputs(&network->signature);
    struct head h = {.network = network,
                     .tape = &im->tape,
                     .n = n,
                     .d = network->width,
                     .outputs = outputs,
                     .centred = network->signature.task == L2R_TASK_MULTICLASS && outputs > 1};
    size_t size = (size_t)(n * h.d);
    *out = NULL;
    if (!im->wanted) return L2R_OK;
    l2r_arena_reset(&im->arena);
    h.z = l2r_arena_alloc(&im->arena, size, sizeof *h.z);
    h.d_z = l2r_arena_alloc(&im->arena, size, sizeof *h.d_z);
    h.seed = l2r_arena_alloc(&im->arena, (size_t)(n * outputs), sizeof *h.seed);
    h.square = l2r_arena_zeroed(&im->arena, size, sizeof *h.square);
    double *a = l2r_arena_alloc(&im->arena, (size_t)h.d, sizeof *a);
    l2r_real *scaled = l2r_arena_alloc(&im->arena, (size_t)h.d, sizeof *scaled);
    if (!h.z || !h.d_z || !h.seed || !h.square || !a || !scaled)
        return l2r_fail_memory(error, 4 * size * sizeof *h.z, "the use that the head makes of the variables");
    memcpy(h.z, z, size * sizeof *h.z);
    for (int64_t k = 0; k < outputs; k++) L2R_TRY(add_output(&h, k, error));
    double square = combine(a, &h);
    if (!(square > 0) || !isfinite(square)) goto done;
    for (int64_t i = 0; i < h.d; i++) scaled[i] = (l2r_real)(a[i] / sqrt(square));
    *out = scaled;
done:
    return status;
}
