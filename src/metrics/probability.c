/* SPDX-License-Identifier: MIT
 * See probability.h. */
#include "metrics/probability.h"

#include <math.h>

double l2r_sigmoid(double x)
{
    return x > 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
}

double l2r_log_sum(const float *row, int32_t n)
{
    double top = (double)row[0], sum;
    for (int32_t k = 1; k < n; k++) top = fmax(top, (double)row[k]);
    sum = exp((double)row[0] - top); /* there is a class */
    for (int32_t k = 1; k < n; k++) sum += exp((double)row[k] - top);
    return top + log(sum);
}

/* From differences to the largest other logit, so that nothing overflows. */
double l2r_class_odds(const float *row, int32_t n_classes, int32_t k)
{
    if (n_classes < 2) return isnan(row[k]) ? (double)NAN : HUGE_VAL; /* there is no other */
    int32_t top = k == 0; /* the largest of the others; its own term in the sum is 1 */
    for (int32_t j = 0; j < n_classes; j++) {
        if (j != k && row[j] > row[top]) top = j;
    }
    double sum = 0;
    for (int32_t j = 0; j < n_classes; j++) {
        if (j != k && j != top) sum += exp((double)row[j] - (double)row[top]);
    }
    return (double)row[k] - (double)row[top] - log1p(sum);
}

static bool all_finite(const float *row, int32_t n)
{
    for (int32_t k = 0; k < n; k++)
        if (!isfinite(row[k])) return false;
    return true;
}

/* If one logit is NaN, the sum is undefined and so are the probabilities of all classes. */
static void softmax(float *row, int32_t n)
{
    double top = -INFINITY, sum = 0;
    bool sound = all_finite(row, n);
    for (int32_t k = 0; k < n; k++) top = fmax(top, (double)row[k]);
    for (int32_t k = 0; k < n; k++) sum += exp((double)row[k] - top);
    for (int32_t k = 0; k < n; k++) row[k] = sound ? (float)(exp((double)row[k] - top) / sum) : NAN;
}

void l2r_probabilities(float *output, enum l2r_task task, int64_t n, int32_t n_outputs)
{
    if (task == L2R_TASK_REGRESSION) return;
    for (int64_t i = 0; i < n; i++) {
        float *row = output + i * n_outputs;
        if (task == L2R_TASK_MULTICLASS) softmax(row, n_outputs);
        for (int32_t k = 0; task == L2R_TASK_BINARY && k < n_outputs; k++)
            row[k] = isfinite(row[k]) ? (float)(1 / (1 + exp(-(double)row[k]))) : NAN;
    }
}

/* ---- loss ---- */

double l2r_softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

/* −log p of the label, or the squared distance in standard deviations. */
static double loss_of(const struct l2r_scores *s, int64_t graph, int32_t task)
{
    double label = (double)s->labels[graph * s->n_tasks + task];
    if (s->task == L2R_TASK_MULTICLASS) {
        const float *row = s->output + graph * s->n_classes;
        return l2r_log_sum(row, s->n_classes) - (double)row[(int32_t)label];
    }
    double output = (double)s->output[graph * s->n_tasks + task];
    if (s->task == L2R_TASK_BINARY) return label * l2r_softplus(-output) + (1 - label) * l2r_softplus(output);
    double distance = l2r_scores_scaled_distance(s, graph, task);
    return distance * distance;
}

double l2r_scores_loss(const struct l2r_scores *s)
{
    double sum = 0;
    int64_t n = 0;
    for (int64_t g = 0; g < s->n_graphs; g++) {
        double of_graph = 0;
        int64_t known = 0;
        for (int32_t task = 0; task < s->n_tasks; task++) {
            if (isnan(s->labels[g * s->n_tasks + task])) continue;
            of_graph += loss_of(s, g, task);
            known++;
        }
        if (known > 0) sum += of_graph / (double)known;
        n += known > 0;
    }
    return n > 0 ? sum / (double)n : (double)NAN;
}

/* ---- reliability ---- */

/* The probability of the predicted class, and whether the prediction was right. */
static double predicted_probability(bool *hit, const struct l2r_scores *s, int64_t graph, int32_t task)
{
    float label = s->labels[graph * s->n_tasks + task];
    if (s->task == L2R_TASK_BINARY) {
        *hit = label > 0;
        return l2r_sigmoid((double)s->output[graph * s->n_tasks + task]);
    }
    const float *row = s->output + graph * s->n_classes;
    int32_t best = 0;
    for (int32_t k = 1; k < s->n_classes; k++)
        if (row[k] > row[best]) best = k;
    *hit = label == (float)best;
    return exp((double)row[best] - l2r_log_sum(row, s->n_classes));
}

void l2r_reliability_make(struct l2r_reliability *bins, const struct l2r_scores *s, int32_t task)
{
    *bins = (struct l2r_reliability){0};
    for (int64_t g = 0; g < s->n_graphs; g++) {
        bool hit;
        if (isnan(s->labels[g * s->n_tasks + task])) continue;
        double p = predicted_probability(&hit, s, g, task);
        int b = 0;
        while (b + 1 < L2R_RELIABILITY_BINS && p > (double)(b + 1) / L2R_RELIABILITY_BINS) b++;
        bins->n++;
        bins->count[b]++;
        bins->mean[b] += p;
        bins->share[b] += hit;
    }
    for (int b = 0; b < L2R_RELIABILITY_BINS; b++) {
        bins->mean[b] = bins->count[b] > 0 ? bins->mean[b] / (double)bins->count[b] : (double)NAN;
        bins->share[b] = bins->count[b] > 0 ? bins->share[b] / (double)bins->count[b] : (double)NAN;
    }
}
