/* SPDX-License-Identifier: MIT
 *
 * The hooks of methods whose state is a struct l2r_reweighting: they differ in how it is initialised only.
 */
#ifndef L2R_METHODS_REWEIGHTED_H
#define L2R_METHODS_REWEIGHTED_H

#include "methods/method.h"
#include "reweight/reweighting.h"

static inline void reweighted_clear(void *state)
{
    l2r_reweighting_clear(state);
}

static inline int64_t reweighted_epoch_order(void *state, int32_t *order, int64_t n, int64_t epoch)
{
    (void)epoch;
    return l2r_reweighting_order(state, order, n);
}

static inline enum l2r_status reweighted_before_batch(void *state, const struct l2r_step *step, struct l2r_error *error)
{
    return l2r_reweighting_prepare(state, step->network, step->data, step->batch, step->epoch, step->step,
                                   step->learning_rate, error);
}

static inline const l2r_real *reweighted_sample_weights(void *state, const struct l2r_step *step, l2r_node z)
{
    return l2r_reweighting_weights(state, step->network, step->tape, z, step->batch, step->epoch, step->step);
}

static inline enum l2r_status reweighted_after_epoch(void *state, int64_t epoch, json_t *log, char note[256],
                                                     struct l2r_error *error)
{
    (void)error;
    l2r_reweighting_epoch(state, epoch, log, note);
    return L2R_OK;
}

static inline void reweighted_conclude(const void *state, json_t *about, char *sentence, size_t size)
{
    l2r_learner_conclude(&((const struct l2r_reweighting *)state)->learner, about, sentence, size);
}

static inline bool reweighted_state_array(void *state, int i, struct l2r_state_array *array)
{
    return l2r_reweighting_state(state, i, array);
}

static inline bool reweighted_loaded(const void *state)
{
    return l2r_learner_possible(&((const struct l2r_reweighting *)state)->learner);
}

#endif
