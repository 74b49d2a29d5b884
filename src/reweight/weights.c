/* SPDX-License-Identifier: MIT
 * See weights.h. */
#include "reweight/weights.h"

#include "base/array.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int32_t class_of(const struct l2r_strata *strata, int64_t i)
{
    return strata->of ? strata->of[i] : 0;
}

void l2r_softmax_weights(double *w, const double *s, double tau, const struct l2r_strata *strata, int64_t n)
{
    double top = s[0], *sum = strata->scratch, *size = sum + strata->count;
    memset(sum, 0, 2 * (size_t)strata->count * sizeof *sum);
    for (int64_t i = 1; i < n; i++) top = fmax(top, s[i]);
    for (int64_t i = 0; i < n; i++) {
        w[i] = fmax(exp(tau * (s[i] - top)), 1e-300); /* a class far below the top keeps a sum */
        sum[class_of(strata, i)] += w[i];
        size[class_of(strata, i)]++;
    }
    for (int64_t i = 0; i < n; i++) w[i] *= size[class_of(strata, i)] / sum[class_of(strata, i)];
}

double l2r_effective_sample_size(const double *w, int64_t n)
{
    double sum = 0, square = 0;
    for (int64_t i = 0; i < n; i++) sum += w[i], square += w[i] * w[i];
    return square > 0 ? sum * sum / ((double)n * square) : 0;
}

void l2r_shuffle_weights(double *w, uint64_t seed, int64_t n, uint64_t place)
{
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_CONTROL, place);
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)l2r_rng_below(&rng, (uint64_t)i + 1);
        double held = w[i];
        w[i] = w[j], w[j] = held;
    }
}

double l2r_find_strength(const double *s, double ess, const struct l2r_strata *strata, double *scratch, int64_t n)
{
    double low = 0, high = 1, least = s[0], most = s[0];
    for (int64_t i = 1; i < n; i++) least = fmin(least, s[i]), most = fmax(most, s[i]);
    if (!(most > least)) return 0;
    for (int i = 0; i < 60; i++) { /* ESS falls as τ grows: find a bracket, then halve it */
        l2r_softmax_weights(scratch, s, high, strata, n);
        if (l2r_effective_sample_size(scratch, n) <= ess) break;
        low = high;
        high *= 2;
    }
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        l2r_softmax_weights(scratch, s, middle, strata, n);
        if (l2r_effective_sample_size(scratch, n) > ess)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

void l2r_stepper_step(double *s, struct l2r_stepper *o, const double *gradient, int64_t n)
{
    const double beta1 = 0.9, beta2 = 0.999;
    double lr = o->options->lr;
    o->taken++;
    double first = 1 - pow(beta1, (double)o->taken), second = 1 - pow(beta2, (double)o->taken);
    for (int64_t i = 0; i < n; i++) {
        o->m[i] = beta1 * o->m[i] + (1 - beta1) * gradient[i];
        o->v[i] = beta2 * o->v[i] + (1 - beta2) * gradient[i] * gradient[i];
        s[i] -= lr * (o->m[i] / first) / (sqrt(o->v[i] / second) + 1e-8);
    }
}

void l2r_logits_gradient(double *gradient, const double *g, const double *w, const struct l2r_strata *strata, int64_t n)
{
    double *mean = strata->scratch, *size = mean + strata->count;
    memset(mean, 0, 2 * (size_t)strata->count * sizeof *mean);
    for (int64_t i = 0; i < n; i++) {
        mean[class_of(strata, i)] += w[i] * g[i];
        size[class_of(strata, i)]++;
    }
    for (int64_t i = 0; i < n; i++) gradient[i] = w[i] * (g[i] - mean[class_of(strata, i)] / size[class_of(strata, i)]);
}

static void describe(struct l2r_inner_report *report, const double *w, double *sorted, int64_t n)
{
    memcpy(sorted, w, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, l2r_compare_double);
    report->least = sorted[0];
    report->median = 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
    report->most = sorted[n - 1];
    report->ess = l2r_effective_sample_size(w, n);
}

int64_t l2r_learn_weights_scratch(int64_t n_rows, int64_t n)
{
    return 2 * n_rows + 4 * n;
}

void l2r_learn_weights(double *w, double *logits, struct l2r_inner_report *report,
                       const struct l2r_objective *objective, const double *fixed, const double *extra,
                       const struct l2r_strata *strata, int64_t n, const struct l2r_inner_options *options,
                       double *scratch)
{
    int64_t rows = objective->n_rows, before = rows - n;
    double *all = scratch, *slope = all + rows, *gradient = slope + rows, *sorted = gradient + n;
    struct l2r_stepper stepper = {options, sorted + n, sorted + 2 * n, 0};
    memset(stepper.m, 0, 2 * (size_t)n * sizeof *stepper.m);
    for (int64_t i = 0; i < before; i++) all[i] = fixed[i];
    for (int64_t i = 0; i < n; i++) all[before + i] = 1;
    double at_ones = objective->value(objective->state, NULL, all);
    *report = (struct l2r_inner_report){.before = at_ones, .after = at_ones};
    bool possible = at_ones > 0 && isfinite(at_ones) && options->steps > 0;
    for (int64_t step = 0; possible && step < options->steps; step++) {
        l2r_softmax_weights(all + before, logits, 1, strata, n);
        objective->value(objective->state, slope, all);
        for (int64_t i = 0; i < n; i++)
            slope[before + i] = slope[before + i] / at_ones + (extra ? extra[i] / (double)n : 0);
        l2r_logits_gradient(gradient, slope + before, all + before, strata, n);
        l2r_stepper_step(logits, &stepper, gradient, n);
    }
    double tau = !possible ? 0 : options->ess > 0 ? l2r_find_strength(logits, options->ess, strata, sorted, n) : 1;
    l2r_softmax_weights(w, logits, tau, strata, n);
    for (int64_t i = 0; possible && i < n; i++) logits[i] = log(fmax(w[i], 1e-30));
    memcpy(all + before, w, (size_t)n * sizeof *w);
    if (possible) report->after = objective->value(objective->state, NULL, all);
    report->moved = possible;
    describe(report, w, sorted, n);
}

void l2r_evaluate_weights(struct l2r_inner_report *report, const double *w, const struct l2r_objective *objective,
                          const double *fixed, int64_t n, double *scratch)
{
    int64_t before = objective->n_rows - n;
    for (int64_t i = 0; i < before; i++) scratch[i] = fixed[i];
    for (int64_t i = 0; i < n; i++) scratch[before + i] = 1;
    *report = (struct l2r_inner_report){.moved = true};
    report->before = objective->value(objective->state, NULL, scratch);
    memcpy(scratch + before, w, (size_t)n * sizeof *w);
    report->after = objective->value(objective->state, NULL, scratch);
    describe(report, w, scratch + objective->n_rows, n);
}
