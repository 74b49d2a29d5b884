/* SPDX-License-Identifier: MIT
 *
 * Phases of a run, for methods that train twice (methods/method.h): the same loop and the same step, but at a phase
 * change
 *
 *     outputs of all training graphs ─► the method (begin_phase)
 *     parameters      as they stand, or initial ones again (fresh)
 *     optimiser, schedule, averages of the parameters, selection     begin anew
 *
 * A run (fit/fit.h) brings the best model of the phase before into place first. Most methods have one phase, so this
 * does nothing.
 */
#ifndef L2R_FIT_PHASES_H
#define L2R_FIT_PHASES_H

#include "fit/trainer.h"

/* Puts phase k in force, with a schedule of its own: at the start of a run, and where it resumes. L2R_ERR_FORMAT: the
 * method has no such phase. */
enum l2r_status l2r_phase_enter(struct l2r_trainer *trainer, int64_t k, struct l2r_error *error);
/* Is it over: by its epochs, or by early-stop? */
bool l2r_phase_is_over(const struct l2r_trainer *trainer);
bool l2r_phase_is_last(const struct l2r_trainer *trainer);
/* The change to the next one. */
enum l2r_status l2r_phase_advance(struct l2r_trainer *trainer, struct l2r_error *error);

/* --epochs, or fewer where --steps ends them sooner. Trees take no steps, and phases have lengths of their own. */
int64_t l2r_phase_epochs(const struct l2r_fit_options *options, const struct l2r_method *method,
                         const struct l2r_model_type *type, int64_t n_train);

#endif
