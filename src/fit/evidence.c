/* SPDX-License-Identifier: MIT
 * See evidence.h. */
#include "fit/evidence.h"

#include "base/memory.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

enum { MOST_SAMPLES = 200, FEWEST_SAMPLES = 30 };
static const double most_numbers = 1e9; /* of outputs, over all samples */

/* The metric of the rows [n] of what was scored; room holds outputs, then labels. */
static double value_of(const struct l2r_scores *s, const struct l2r_metric *metric, const int64_t *rows, float *room)
{
    struct l2r_error ignored;
    struct l2r_scores some = *s;
    int64_t outputs = l2r_scores_outputs(s);
    float *labels = room + s->n_graphs * outputs;
    double value;
    for (int64_t i = 0; i < s->n_graphs; i++) {
        memcpy(room + i * outputs, s->output + rows[i] * outputs, (size_t)outputs * sizeof *room);
        memcpy(labels + i * s->n_tasks, s->labels + rows[i] * s->n_tasks, (size_t)s->n_tasks * sizeof *room);
    }
    some.output = room;
    some.labels = labels;
    return l2r_metric_compute(&value, metric, &some, &ignored) == L2R_OK ? value : (double)NAN;
}

enum l2r_status l2r_evidence_find(struct l2r_evidence *e, const struct l2r_scores *one, const struct l2r_scores *other,
                                  const struct l2r_metric *metric, uint64_t seed, struct l2r_error *error)
{
    int64_t n = one->n_graphs, width = one->n_tasks + l2r_scores_outputs(one);
    double sum = 0, square = 0, count = 0, sign = metric->higher_is_better ? 1 : -1;
    int samples = (int)fmin(MOST_SAMPLES, fmax(FEWEST_SAMPLES, most_numbers / fmax(1, (double)(n * width))));
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_CONTROL, UINT64_C(1) << 63);
    int64_t *rows = l2r_alloc((size_t)n, sizeof *rows);
    float *room = l2r_alloc((size_t)(n * width), sizeof *room);
    *e = (struct l2r_evidence){NAN, NAN, NAN, NAN};
    for (int draw = -1; rows && room && draw < samples; draw++) { /* -1: all graphs as they are */
        for (int64_t i = 0; i < n; i++) rows[i] = draw < 0 ? i : (int64_t)l2r_rng_below(&rng, (uint64_t)n);
        double first = value_of(one, metric, rows, room), second = value_of(other, metric, rows, room);
        double difference = sign * (first - second);
        if (draw < 0) *e = (struct l2r_evidence){first, second, difference, NAN};
        if (draw < 0 || !isfinite(difference)) continue;
        count++;
        sum += difference;
        square += difference * difference;
    }
    if (count > 1) e->error = sqrt(fmax(0, square - sum * sum / count) / (count - 1));
    bool memory = rows && room;
    l2r_free(rows);
    l2r_free(room);
    return memory ? L2R_OK : l2r_fail_memory(error, (size_t)(n * width) * sizeof *room, "the comparison of two models");
}
