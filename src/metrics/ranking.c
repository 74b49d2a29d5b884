/* SPDX-License-Identifier: MIT
 *
 * See ranking.h. Graphs of equal score are always taken as one step, so no result depends on the order in which qsort
 * left them. */
#include "metrics/ranking.h"

#include "base/memory.h"
#include "metrics/probability.h"

#include <math.h>
#include <stdlib.h>

/* Two confident graphs still rank in their right order. */
static double log_odds(const float *row, int32_t n_classes, int32_t k)
{
    return (double)(float)l2r_class_odds(row, n_classes, k);
}

static int by_falling_score(const void *left, const void *right)
{
    double a = ((const struct l2r_ranked *)left)->score, b = ((const struct l2r_ranked *)right)->score;
    return (a < b) - (a > b);
}

static void sort(struct l2r_ranking *r)
{
    qsort(r->items, (size_t)r->n, sizeof *r->items, by_falling_score);
}

/* Column c: task c of a binary set, or class c of a multi-class one. */
static void rank_column(struct l2r_ranking *r, const struct l2r_scores *s, int32_t column)
{
    bool multiclass = s->task == L2R_TASK_MULTICLASS;
    r->n = r->positives = 0;
    for (int64_t g = 0; g < s->n_graphs; g++) {
        float label = s->labels[g * s->n_tasks + (multiclass ? 0 : column)];
        if (isnan(label)) continue;
        struct l2r_ranked *item = &r->items[r->n++];
        item->positive = (int32_t)label == (multiclass ? column : 1);
        item->score = multiclass ? log_odds(s->output + g * s->n_classes, s->n_classes, column)
                                 : (double)s->output[g * s->n_tasks + column];
        r->positives += item->positive;
    }
    sort(r);
}

int64_t l2r_ranking_step(int64_t *positives, const struct l2r_ranking *r, int64_t i)
{
    double score = r->items[i].score;
    *positives = 0;
    for (; i < r->n && r->items[i].score == score; i++) *positives += r->items[i].positive;
    return i;
}

/* The share of pairs (positive, negative) in the right order, a tie counting half: twice that, to stay in integers. */
double l2r_ranking_auc(const struct l2r_ranking *r)
{
    int64_t above = 0, twice_right = 0; /* above: positives in earlier steps */
    for (int64_t i = 0, end, here; i < r->n; i = end) {
        end = l2r_ranking_step(&here, r, i);
        int64_t negatives = end - i - here;
        twice_right += negatives * (2 * above + here);
        above += here;
    }
    return (double)twice_right / 2 / ((double)r->positives * (double)(r->n - r->positives));
}

enum l2r_status l2r_mean_of_rankings(double *value, const struct l2r_scores *s,
                                     double (*measure)(const struct l2r_ranking *), struct l2r_error *error)
{
    int32_t n_columns = s->task == L2R_TASK_MULTICLASS ? s->n_classes : s->n_tasks;
    struct l2r_ranking r = {.items = l2r_alloc_raw((size_t)s->n_graphs, sizeof *r.items)};
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

/* One corner after each step; r has both classes. */
static void trace(struct l2r_roc *roc, const struct l2r_ranking *r)
{
    int64_t found = 0, here;
    roc->x[0] = roc->y[0] = 0;
    roc->n = 1;
    for (int64_t i = 0, end; i < r->n; i = end) {
        end = l2r_ranking_step(&here, r, i);
        found += here;
        roc->x[roc->n] = (double)(end - found) / (double)(r->n - r->positives);
        roc->y[roc->n++] = (double)found / (double)r->positives;
    }
    roc->area = l2r_ranking_auc(r);
}

enum l2r_status l2r_roc_make(struct l2r_roc *roc, const float *score, const float *label, int64_t n,
                             struct l2r_error *error)
{
    struct l2r_ranking r = {.items = l2r_alloc_raw((size_t)n, sizeof *r.items)};
    size_t corners = (size_t)n + 1;
    *roc = (struct l2r_roc){.x = l2r_alloc_raw(2 * corners, sizeof *roc->x), .area = NAN};
    if (!r.items || !roc->x) {
        l2r_free(r.items);
        l2r_roc_clear(roc);
        return l2r_fail_memory(error, 2 * corners * sizeof *roc->x, "a ROC curve");
    }
    roc->y = roc->x + corners;
    for (int64_t i = 0; i < n; i++) {
        if (isnan(label[i])) continue;
        r.items[r.n++] = (struct l2r_ranked){(double)score[i], label[i] > 0};
        r.positives += label[i] > 0;
    }
    sort(&r);
    if (r.positives > 0 && r.positives < r.n) trace(roc, &r);
    l2r_free(r.items);
    return L2R_OK;
}

void l2r_roc_clear(struct l2r_roc *roc)
{
    l2r_free(roc->x);
    *roc = (struct l2r_roc){0};
}
