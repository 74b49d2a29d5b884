/* SPDX-License-Identifier: MIT
 *
 * Temperature scaling (Guo et al. 2017): o / T, with the T > 0 that makes the labels most likely. A single number,
 * which changes no order; of several classes it divides all logits, so the most probable class stays.
 *
 * −log likelihood is convex in 1/T, hence has one minimum in log T, which a golden-section search between T = 1/100 and
 * T = 100 finds.
 */
#include "metrics/probability.h"
#include "model/calibrate.h"

#include <math.h>

/* What is summed over the graphs, of the slope 1/T. */
static double column_loss(double slope, const void *context)
{
    const struct l2r_logits *l = context;
    double sum = 0;
    for (int64_t i = 0; i < l->n; i++) sum += l2r_softplus(l->y[i] ? -slope * l->x[i] : slope * l->x[i]);
    return sum;
}

static double classes_loss(double slope, const void *context)
{
    const struct l2r_scores *s = context;
    double sum = 0;
    for (int64_t g = 0; g < s->n_graphs; g++) {
        const float *row = s->output + g * s->n_classes;
        if (isnan(s->labels[g])) continue;
        double top = slope * (double)row[0];
        for (int32_t k = 1; k < s->n_classes; k++) top = fmax(top, slope * (double)row[k]);
        double total = exp(slope * (double)row[0] - top);
        for (int32_t k = 1; k < s->n_classes; k++) total += exp(slope * (double)row[k] - top);
        sum += top + log(total) - slope * (double)row[(int32_t)s->labels[g]];
    }
    return sum;
}

static double search(double (*loss)(double, const void *), const void *context)
{
    const double golden = (sqrt(5) - 1) / 2;
    double low = -log(100), high = log(100);
    double x = high - golden * (high - low), y = low + golden * (high - low);
    double at_x = loss(exp(x), context), at_y = loss(exp(y), context);
    while (high - low > 1e-9) {
        if (at_x <= at_y) {
            high = y, y = x, at_y = at_x;
            x = high - golden * (high - low);
            at_x = loss(exp(x), context);
        } else {
            low = x, x = y, at_x = at_y;
            y = low + golden * (high - low);
            at_y = loss(exp(y), context);
        }
    }
    return exp((low + high) / 2);
}

static enum l2r_status fit(struct l2r_calibration_map *map, struct l2r_arena *arena, const struct l2r_logits *logits,
                           struct l2r_error *error)
{
    (void)arena, (void)error;
    map->slope = search(column_loss, logits);
    return L2R_OK;
}

static void fit_classes(struct l2r_calibration_map *map, const struct l2r_scores *scores)
{
    map->slope = search(classes_loss, scores);
}

const struct l2r_calibrator l2r_calibrator_temperature = {
    .name = "temperature", .title = "Temperature scaling", .fit = fit, .fit_classes = fit_classes};
