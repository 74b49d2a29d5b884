/* SPDX-License-Identifier: MIT
 *
 * Fits what model/calibration.h applies, on the validation graphs of a trained model.
 *
 *     --calibrate NAME    src/model/calibrators/NAME.c defines `const struct l2r_calibrator l2r_calibrator_NAME`
 *     --coverage C        of the intervals of a regression
 *
 * Validation graphs chose the epoch but trained no parameter, so the errors on them are about those on new graphs. A
 * task whose validation labels are all equal cannot be calibrated: its probabilities stay as they are.
 */
#ifndef L2R_MODEL_CALIBRATE_H
#define L2R_MODEL_CALIBRATE_H

#include "metrics/metrics.h"
#include "model/committee.h"

/* Logits of one task (or of one class against the rest) with their labels, which are not all alike. */
struct l2r_logits {
    const double *x;   /* [n] */
    const uint8_t *y;  /* [n]: 1, 0 */
    int64_t n, n_ones; /* 0 < n_ones < n */
};

struct l2r_calibrator {
    const char *name, *title;
    /* A map that does not change the order of the logits. Memory from the arena. */
    enum l2r_status (*fit)(struct l2r_calibration_map *map, struct l2r_arena *arena, const struct l2r_logits *logits,
                           struct l2r_error *error);
    /* Multi-class: one map for all logits. NULL: `fit` for each class against the rest. */
    void (*fit_classes)(struct l2r_calibration_map *map, const struct l2r_scores *scores);
};
extern const struct l2r_calibrator *const l2r_calibrators[]; /* NULL at the end */
extern const char l2r_calibrator_choices[];                  /* "none|platt|…" */

/* Fits the calibrator of that name to scores (outputs without calibration, labels). *n_left_out: tasks or classes whose
 * labels are all alike. Memory from the arena. */
enum l2r_status l2r_calibration_fit(struct l2r_calibration *calibration, int32_t *n_left_out, struct l2r_arena *arena,
                                    const char *method, double coverage, const struct l2r_scores *scores,
                                    struct l2r_error *error);

/* The same for a committee on these graphs, its own calibration left aside. *calibration is NULL where there is nothing
 * to keep: method "none" and no regression, no graph, or outputs that are not finite. Memory from the arena; the tape
 * is reset; all ranks make the call. */
enum l2r_status l2r_committee_calibrate(const struct l2r_calibration **calibration, int32_t *n_left_out,
                                        struct l2r_arena *arena, const struct l2r_committee *committee,
                                        const char *method, double coverage, struct l2r_tape *tape,
                                        const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                        int64_t batch_size, struct l2r_error *error);

#endif
