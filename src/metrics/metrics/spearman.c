/* SPDX-License-Identifier: MIT
 *
 * Spearman's ρ: the correlation between the ranks of outputs and labels, where equal values share the mean of their
 * ranks. It scores the order alone, so a constant offset or factor does not matter.
 */
#include "metrics/metrics.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* A value and the graph that it belongs to. */
struct place {
    float value;
    int64_t graph;
};

static int by_value(const void *left, const void *right)
{
    float a = ((const struct place *)left)->value, b = ((const struct place *)right)->value;
    return (a > b) - (a < b);
}

/* rank [n]: 1 .. n, minus their mean. Sorts `places`. */
static void rank(double *rank, struct place *places, int64_t n)
{
    qsort(places, (size_t)n, sizeof *places, by_value);
    for (int64_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && places[end].value == places[begin].value; end++) {
        }
        double shared = (double)(begin + 1 + end) / 2 - (double)(n + 1) / 2;
        for (int64_t i = begin; i < end; i++) rank[places[i].graph] = shared;
    }
}

/* places [n_graphs], ranks [2 × n_graphs]: room. */
static double of_task(struct place *places, double *ranks, const struct l2r_scores *s, int32_t task)
{
    int64_t n = 0;
    double *other = ranks + s->n_graphs, product = 0, square = 0, other_square = 0, distance;
    const float *columns[2] = {s->output, s->labels};
    for (int c = 0; c < 2; c++) {
        n = 0;
        for (int64_t g = 0; g < s->n_graphs; g++) {
            if (!l2r_scores_distance(&distance, s, g, task)) continue;
            places[n] = (struct place){columns[c][g * s->n_tasks + task], n};
            n++;
        }
        rank(c == 0 ? ranks : other, places, n);
    }
    for (int64_t i = 0; i < n; i++) {
        product += ranks[i] * other[i];
        square += ranks[i] * ranks[i];
        other_square += other[i] * other[i];
    }
    return square > 0 && other_square > 0 ? product / sqrt(square * other_square) : (double)NAN;
}

static enum l2r_status compute(double *value, const struct l2r_scores *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t n = (size_t)s->n_graphs;
    struct place *places = l2r_alloc_raw(n, sizeof *places);
    double *ranks = l2r_alloc_raw(2 * n, sizeof *ranks), sum = 0;
    int32_t defined = 0;
    if (!places || !ranks) {
        status = l2r_fail_memory(error, 2 * n * sizeof *ranks, "ranks");
        goto done;
    }
    for (int32_t task = 0; task < s->n_tasks; task++) {
        double one = of_task(places, ranks, s, task);
        if (isnan(one)) continue;
        sum += one;
        defined++;
    }
    *value = defined ? sum / defined : (double)NAN;
done:
    l2r_free(places);
    l2r_free(ranks);
    return status;
}

const struct l2r_metric l2r_metric_spearman = {.name = "spearman",
                                               .title = "Spearman's ρ",
                                               .higher_is_better = true,
                                               .tasks = L2R_METRIC_VALUES,
                                               .needs = "two labels that differ, and two outputs",
                                               .fn = compute,
                                               .brief = true};
