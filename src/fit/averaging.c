/* SPDX-License-Identifier: MIT
 * See averaging.h. */
#include "fit/averaging.h"

#include "base/memory.h"
#include "base/threads.h"
#include "nn/optimiser.h"

#include <math.h>
#include <string.h>

/* As published for SWAD: the number of epochs that confirm the start of a valley, the number that end it, and how far
 * these lie above its start. */
enum { FIRST_EPOCHS = 3, MOST_ABOVE = 6 };
static const double tolerance = 1.3;

enum l2r_status l2r_averaging_start(struct l2r_averaging *a, const struct l2r_fit_options *options,
                                    const struct l2r_params *params, struct l2r_error *error)
{
    double decay = options->ema;
    bool swa = options->swa;
    *a = (struct l2r_averaging){.decay = decay, .n_value = params->n_trainable, .n_buffer = params->n_buffer};
    if (swa && decay > 0)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`swa` and `ema` both average the parameters; choose one of them");
    if (!swa && !(decay > 0)) return L2R_OK;
    a->kind = swa ? L2R_AVERAGE_VALLEY : L2R_AVERAGE_EMA;
    size_t n = (size_t)(a->n_value + a->n_buffer);
    a->mean = l2r_alloc_raw(n, sizeof *a->mean);
    if (swa) a->epoch = l2r_alloc(n, sizeof *a->epoch);
    if (swa) a->valley = l2r_alloc(1, sizeof *a->valley);
    if (!a->mean || (swa && (!a->epoch || !a->valley)))
        return l2r_fail_memory(error, n * sizeof *a->mean, "averages of the model");
    memcpy(a->mean, params->value, (size_t)a->n_value * sizeof *a->mean);
    memcpy(a->mean + a->n_value, params->buffer, (size_t)a->n_buffer * sizeof *a->mean);
    return L2R_OK;
}

void l2r_averaging_clear(struct l2r_averaging *a)
{
    l2r_free(a->mean);
    l2r_free(a->epoch);
    l2r_free(a->valley);
    *a = (struct l2r_averaging){0};
}

struct approach {
    l2r_real *mean;
    const l2r_real *x;
    l2r_real rate;
    int64_t n;
};

L2R_CLONES(static, approach_chunk, (void *context, int64_t chunk), (context, chunk))
{
    const struct approach *s = context;
    int64_t begin, end;
    l2r_chunk_range(&begin, &end, s->n, L2R_OPTIMISER_CHUNK, chunk);
    l2r_real *restrict mean = s->mean;
    const l2r_real *restrict x = s->x;
    const l2r_real rate = s->rate;
    for (int64_t i = begin; i < end; i++) mean[i] += rate * (x[i] - mean[i]);
}

/* mean ← mean + rate (x − mean). A rate of 1 copies: the first value of a mean is exact, whatever was there before. */
static void approach(l2r_real *mean, const l2r_real *x, double rate, int64_t n)
{
    struct approach s = {mean, x, (l2r_real)rate, n};
    if (rate < 1)
        l2r_parallel(l2r_chunk_count(n, L2R_OPTIMISER_CHUNK), approach_chunk, &s);
    else if (n > 0)
        memcpy(mean, x, (size_t)n * sizeof *mean);
}

void l2r_averaging_step(struct l2r_averaging *a, const struct l2r_params *params, int64_t step)
{
    if (a->kind == L2R_AVERAGE_NONE) return;
    double warm = (1 + (double)step) / (10 + (double)step), rate = 1 - (warm < a->decay ? warm : a->decay);
    l2r_real *mean = a->mean;
    if (a->kind == L2R_AVERAGE_VALLEY) {
        rate = 1 / ++a->valley->epoch_steps;
        mean = a->epoch;
    }
    approach(mean, params->value, rate, a->n_value);
    approach(mean + a->n_value, params->buffer, rate, a->n_buffer);
}

void l2r_averaging_epoch(struct l2r_averaging *a, double loss)
{
    struct l2r_valley *v = a->valley;
    if (a->kind != L2R_AVERAGE_VALLEY || v->epoch_steps == 0) return;
    double steps = v->epoch_steps;
    v->epoch_steps = 0;
    if (v->above >= MOST_ABOVE) return;
    bool open = v->epochs >= FIRST_EPOCHS; /* its start is confirmed */
    if (v->epochs == 0 || (!open && !(loss >= v->lowest))) {
        *v = (struct l2r_valley){.lowest = isfinite(loss) ? loss : HUGE_VAL};
    } else if (open && !(loss <= tolerance * v->sum / FIRST_EPOCHS)) {
        v->above++;
        return;
    }
    v->above = 0;
    v->epochs++;
    if (!open) v->sum += loss;
    v->steps += steps;
    approach(a->mean, a->epoch, steps / v->steps, a->n_value + a->n_buffer);
}

static void swap(l2r_real *a, l2r_real *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        l2r_real kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

void l2r_averaging_swap(struct l2r_averaging *a, struct l2r_params *params)
{
    if (a->kind == L2R_AVERAGE_NONE) return;
    swap(a->mean, params->value, a->n_value);
    swap(a->mean + a->n_value, params->buffer, a->n_buffer);
}

bool l2r_averaging_array(const struct l2r_averaging *a, int i, struct l2r_state_array *array)
{
    int64_t n = a->n_value + a->n_buffer, n_valley = (int64_t)(sizeof *a->valley / sizeof(double));
    const struct l2r_state_array arrays[] = {
        {.name = "mean", .kind = L2R_STATE_REAL, .data = a->mean, .count = n},
        {.name = "epoch", .kind = L2R_STATE_REAL, .data = a->epoch, .count = n},
        {.name = "valley", .kind = L2R_STATE_F64, .data = a->valley, .count = n_valley},
    };
    int count = a->kind == L2R_AVERAGE_VALLEY ? 3 : a->kind == L2R_AVERAGE_EMA ? 1 : 0;
    if (i >= count) return false;
    *array = arrays[i];
    return true;
}

bool l2r_averaging_loaded(const struct l2r_averaging *a)
{
    const struct l2r_valley *v = a->valley;
    return !v || (v->steps >= 0 && v->epoch_steps >= 0 && v->epochs >= 0 && v->above >= 0);
}
