/* SPDX-License-Identifier: MIT
 * See counts.h. */
#include "metrics/counts.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static int32_t guessed_class(const struct l2r_scores *s, int64_t graph, int32_t task)
{
    const float *row = s->output + graph * l2r_scores_outputs(s);
    if (s->task == L2R_TASK_BINARY) return row[task] > 0;
    int32_t best = 0;
    for (int32_t k = 1; k < s->n_classes; k++) {
        if (row[k] > row[best]) best = k;
    }
    return best;
}

static void count_column(struct l2r_class_counts *t, const struct l2r_scores *s, int32_t task)
{
    t->n = 0;
    memset(t->hit, 0, sizeof *t->hit * 3 * (size_t)t->n_classes);
    for (int64_t g = 0; g < s->n_graphs; g++) {
        float label = s->labels[g * s->n_tasks + task];
        if (isnan(label)) continue;
        int32_t truth = (int32_t)label, guess = guessed_class(s, g, task);
        t->n++;
        t->truth[truth]++;
        t->guess[guess]++;
        t->hit[truth] += truth == guess;
    }
}

enum l2r_status l2r_mean_of_counts(double *value, const struct l2r_scores *s,
                                   double (*formula)(const struct l2r_class_counts *), struct l2r_error *error)
{
    bool binary = s->task == L2R_TASK_BINARY;
    struct l2r_class_counts t = {.n_classes = binary ? 2 : s->n_classes, .binary = binary};
    t.hit = l2r_alloc(3 * (size_t)t.n_classes, sizeof *t.hit);
    if (!t.hit) return l2r_fail_memory(error, 3 * (size_t)t.n_classes * sizeof *t.hit, "class counts");
    t.truth = t.hit + t.n_classes;
    t.guess = t.truth + t.n_classes;
    double sum = 0;
    int32_t defined = 0;
    for (int32_t task = 0; task < s->n_tasks; task++) {
        count_column(&t, s, task);
        if (t.n == 0) continue;
        sum += formula(&t);
        defined++;
    }
    *value = defined ? sum / defined : (double)NAN;
    l2r_free(t.hit);
    return L2R_OK;
}
