/* SPDX-License-Identifier: MIT
 *
 * Corrections of a model's outputs that were fitted on validation graphs, saved with the model and applied whenever it
 * predicts:
 *
 *     class weights   o ← o − log w              the weighted loss learns the odds of a set in which class k counts w_k
 *                                                times; this restores the odds of the original set, exactly
 *     calibration     o ← f(o)                   binary: a map for each task; multi-class: for each class, against the
 *                                                rest, or (joint) one for all logits
 *     intervals       ŷ ± h, h = the ⌈(n+1)c⌉-th smallest of the n distances |ŷ − y| on validation (split conformal):
 *                                                a new graph like these lies inside with probability c or more. Where
 *                                a map of the target is trained on (kernels/target_scale.h), of mapped values
 *
 * A map is a line, o ↦ a·o + b with a > 0, or steps of an isotonic regression: p between knots, linear in o. Outputs
 * stay logits, so that the sigmoid or softmax of what comes out is the calibrated probability.
 */
#ifndef L2R_MODEL_CALIBRATION_H
#define L2R_MODEL_CALIBRATION_H

#include "base/memory.h"
#include "data/dataset.h"
#include "kernels/target_scale.h"

#include <jansson.h>

struct l2r_calibration_map {
    double slope, offset;
    int32_t n;           /* knots; 0: the line */
    const double *x, *p; /* [n] ascending logits and their probabilities, which do not fall */
};

/* Distances of the validation graphs from their labels, of one target. */
struct l2r_residuals {
    int64_t n;          /* of so many */
    int32_t n_kept;     /* evenly spaced ones, the smallest and the largest among them; 0: no validation graph */
    const double *kept; /* ascending */
};
enum { L2R_RESIDUALS_KEPT = 1001 };

struct l2r_calibration {
    const char *method; /* "platt", …; "none" */
    bool joint;         /* maps[0] is for every class */
    int32_t n_maps;     /* 0: outputs stay as they are */
    const struct l2r_calibration_map *maps;
    double coverage;     /* of the intervals, unless asked for another; 0 < c < 1 */
    int32_t n_residuals; /* targets of a regression; 0: no intervals */
    const struct l2r_residuals *residuals;
};

/* output [n × n_outputs], logits, in place. NULL: they stay. */
void l2r_calibration_apply(float *output, const struct l2r_calibration *calibration, enum l2r_task task, int64_t n,
                           int32_t n_outputs);
/* Half the width of the interval of a target; infinite where the graphs are too few for this coverage, NaN without
 * any. */
double l2r_residuals_half(const struct l2r_residuals *residuals, double coverage);
/* Keeps distance [n], which is sorted in place. */
enum l2r_status l2r_residuals_keep(struct l2r_residuals *residuals, struct l2r_arena *arena, double *distance,
                                   int64_t n, struct l2r_error *error);

/* A copy in the arena; NULL: out of memory. */
const struct l2r_calibration *l2r_calibration_copy(struct l2r_arena *arena, const struct l2r_calibration *from);
/* New reference. */
json_t *l2r_calibration_to_json(const struct l2r_calibration *calibration);
/* L2R_ERR_FORMAT: numbers that no fit can produce, or not as many as there are outputs. */
enum l2r_status l2r_calibration_from_json(const struct l2r_calibration **calibration, struct l2r_arena *arena,
                                          const json_t *object, enum l2r_task task, int32_t n_outputs);

#endif
