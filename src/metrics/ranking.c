/* SPDX-License-Identifier: MIT
 *
 * The metrics that look only at the order in which the outputs put the graphs: ROC-AUC and average precision.
 *
 * Sorted by falling score, graphs of equal score form one step of the curve:
 *
 *     score      3.1   2.0  2.0  2.0   0.7   -1  -1
 *     label       1     1    0    1     0     0   1
 *     step       |--|  |----------|   |--|   |------|
 *
 *     ROC-AUC            (pairs ranked right + pairs tied / 2) / (positives × negatives): exact in integers, and the same
 *                        number as the one from mid-ranks
 *     average precision  sum over steps of (recall gained in the step) × (precision after the step)
 *
 * A multi-class output is ranked once a class, that class against the rest, by its log-odds
 * logit_k - log(sum over j != k of exp(logit_j)), which orders the graphs as the softmax probability of class k does.
 * The result is rounded to float: rows that are permutations of each other tie, whatever the order of the sum.
 */
#include "base/memory.h"
#include "metrics/metrics.h"

#include <math.h>
#include <stdlib.h>

struct ranked {
    double score;
    bool positive;
};

/* One column, sorted by falling score. */
struct ranking {
    struct ranked *items; /* [n] */
    int64_t n, positives;
};

static double log_odds(const float *row, int32_t n_classes, int32_t k)
{
    int32_t top = k == 0; /* the largest of the others; its own term in the sum is 1 */
    for (int32_t j = 0; j < n_classes; j++) {
        if (j != k && row[j] > row[top]) top = j;
    }
    double sum = 0;
    for (int32_t j = 0; j < n_classes; j++) {
        if (j != k && j != top) sum += exp((double)row[j] - (double)row[top]);
    }
    return (double)(float)((double)row[k] - (double)row[top] - log1p(sum));
}

static int by_falling_score(const void *left, const void *right)
{
    double a = ((const struct ranked *)left)->score, b = ((const struct ranked *)right)->score;
    return (a < b) - (a > b);
}

/* Column c: task c of a binary set, or class c of a multi-class one. */
static void rank_column(struct ranking *r, const struct l2r_scores *s, int32_t column)
{
    bool multiclass = s->task == L2R_TASK_MULTICLASS;
    r->n = r->positives = 0;
    for (int64_t g = 0; g < s->n_graphs; g++) {
        float label = s->labels[g * s->n_tasks + (multiclass ? 0 : column)];
        if (isnan(label)) continue;
        struct ranked *item = &r->items[r->n++];
        item->positive = (int32_t)label == (multiclass ? column : 1);
        item->score = multiclass ? log_odds(s->output + g * s->n_classes, s->n_classes, column)
                                 : (double)s->output[g * s->n_tasks + column];
        r->positives += item->positive;
    }
    qsort(r->items, (size_t)r->n, sizeof *r->items, by_falling_score);
}

/* The end of the step that starts at `i`; *positives: those inside it. */
static int64_t step_end(int64_t *positives, const struct ranking *r, int64_t i)
{
    double score = r->items[i].score;
    *positives = 0;
    for (; i < r->n && r->items[i].score == score; i++) *positives += r->items[i].positive;
    return i;
}

static double ranking_rocauc(const struct ranking *r)
{
    int64_t above = 0, twice_right = 0; /* above: positives in earlier steps */
    for (int64_t i = 0, end, here; i < r->n; i = end) {
        end = step_end(&here, r, i);
        int64_t negatives = end - i - here;
        twice_right += negatives * (2 * above + here);
        above += here;
    }
    return (double)twice_right / 2 / ((double)r->positives * (double)(r->n - r->positives));
}

static double ranking_ap(const struct ranking *r)
{
    double sum = 0;
    int64_t found = 0;
    for (int64_t i = 0, end, here; i < r->n; i = end) {
        end = step_end(&here, r, i);
        found += here;
        sum += (double)here * ((double)found / (double)end);
    }
    return sum / (double)r->positives;
}

/* The mean of a measure over the columns that have both classes. */
static enum l2r_status mean_of_rankings(double *value, const struct l2r_scores *s,
                                        double (*measure)(const struct ranking *), struct l2r_error *error)
{
    int32_t n_columns = s->task == L2R_TASK_MULTICLASS ? s->n_classes : s->n_tasks;
    struct ranking r = {.items = l2r_alloc_raw((size_t)s->n_graphs, sizeof *r.items)};
    if (!r.items) return l2r_fail_memory(error, (size_t)s->n_graphs * sizeof *r.items, "a ranking");
    double sum = 0;
    int32_t defined = 0;
    for (int32_t column = 0; column < n_columns; column++) {
        rank_column(&r, s, column);
        if (r.positives == 0 || r.positives == r.n) continue;
        sum += measure(&r);
        defined++;
    }
    *value = defined ? sum / defined : (double)NAN;
    l2r_free(r.items);
    return L2R_OK;
}

enum l2r_status l2r_metric_rocauc(double *value, const struct l2r_scores *s, struct l2r_error *error)
{
    return mean_of_rankings(value, s, ranking_rocauc, error);
}

enum l2r_status l2r_metric_ap(double *value, const struct l2r_scores *s, struct l2r_error *error)
{
    return mean_of_rankings(value, s, ranking_ap, error);
}
