/* SPDX-License-Identifier: MIT
 *
 * Evidence that one model is better than another on the same graphs. Both are scored on the same bootstrap samples of
 * these graphs:
 *
 *     difference   metric of the one minus that of the other; positive means better, also for errors
 *     error        standard deviation of the difference over the samples
 *
 * A difference of more than L2R_EVIDENT errors counts as evidence.
 */
#ifndef L2R_FIT_EVIDENCE_H
#define L2R_FIT_EVIDENCE_H

#include "metrics/metrics.h"

#define L2R_EVIDENT 2.0

struct l2r_evidence {
    double value, other;      /* the metric of the one, and of the other */
    double difference, error; /* NaN: undefined */
};

/* 200 samples, fewer where outputs are very many. A sample on which the metric is undefined (one class only) is
 * skipped. Both have the same labels. */
enum l2r_status l2r_evidence_find(struct l2r_evidence *evidence, const struct l2r_scores *one,
                                  const struct l2r_scores *other, const struct l2r_metric *metric, uint64_t seed,
                                  struct l2r_error *error);

static inline bool l2r_evidence_is_clear(const struct l2r_evidence *e)
{
    return e->difference > 0 && e->difference > L2R_EVIDENT * e->error;
}

#endif
