/* SPDX-License-Identifier: MIT
 *
 * --refit: the validation graphs choose, then they train. When a run has chosen its epoch, the model is trained once
 * more from the beginning, on training and validation graphs together, for as many epochs as were chosen; this model
 * answers from then on. Where a split holds back whole scaffolds or sizes, the validation graphs are of kinds that no
 * training graph is, and to leave them out costs more than a tenth of the data.
 *
 *     DIR/chosen.safetensors   the model that validation chose. It has not seen the validation graphs: what is said
 *                              about these, scores, calibration and intervals, is said of it
 *     DIR/refit/               the second training, a run of its own
 *     DIR/best.safetensors     its model, with the calibration of the chosen one
 *
 * Each member of a committee is fitted again in its own folder, and the committee has both models, too. A run that is
 * stopped goes on where it was.
 */
#ifndef L2R_TRAIN_FINAL_FIT_H
#define L2R_TRAIN_FINAL_FIT_H

#include "model/predictor.h"
#include "train/epochs.h"

struct l2r_final_fit {
    bool done;
    struct l2r_result chosen; /* of the model that validation chose, without its training score */
    double seconds;           /* of the second training */
    int64_t n_graphs;         /* that it had */
};

/* Before anything is trained: can it be fitted again? Always without --refit. */
enum l2r_status l2r_final_fit_check(const struct l2r_config *config, struct l2r_error *error);
/* With --refit and validation graphs, when the run's model has its members and is calibrated: writes it as the one that
 * validation chose, trains, and puts the refitted model in its place, with its calibration. Nothing otherwise. */
enum l2r_status l2r_final_fit_train(struct l2r_final_fit *refit, struct l2r_run_state *run, const struct l2r_run *plan,
                                    struct l2r_error *error);
/* Puts the validation scores of the chosen model into the result, which the model after it has made, and
 * more.refit = {"graphs", "before": {"test": …}}. */
void l2r_final_fit_settle(struct l2r_result *result, const struct l2r_final_fit *refit);
void l2r_final_fit_clear(struct l2r_final_fit *refit);

#endif
