/* SPDX-License-Identifier: MIT
 *
 * The options of a run: those of training, of reading and splitting data, of the model and of the method. They depend
 * on the last two, so a config is declared for one model and one method.
 *
 *     l2r_run_declare  ──►  a config, by names  ──►  l2r_fit_options_fill  ──►  fields, which the sources read
 */
#ifndef L2R_FIT_OPTIONS_H
#define L2R_FIT_OPTIONS_H

#include "base/config.h"

/* What training, the recipe and the store read. Texts live as long as the config; -1: not set. */
struct l2r_fit_options {
    const char *model, *method, *members;
    unsigned features; /* bit k of block k (data/features.h) */
    int64_t seed, epochs, steps, batch_size, eval_batch_size;
    double clip, ema, mask_atoms;
    bool swa;
    const char *from;
    int32_t freeze, reset; /* 0: the one choice that there is */
    const char *metric, *calibrate;
    int32_t select, class_weights, transform, loss;
    int64_t early_stop;
    bool refit;
    double coverage;
    bool eval_train, eval_test, eval_test_epochs;
    double checkpoint_seconds;
};
enum { L2R_SELECT_OOD_VALID, L2R_SELECT_ID_VALID };
enum { L2R_TRANSFORM_NONE, L2R_TRANSFORM_LOG10, L2R_TRANSFORM_RANK, L2R_TRANSFORM_AUTO };
enum { L2R_LOSS_SQUARED, L2R_LOSS_ABSOLUTE, L2R_LOSS_HUBER, L2R_LOSS_AUTO };
enum { L2R_CLASS_WEIGHTS_NONE, L2R_CLASS_WEIGHTS_BALANCED, L2R_CLASS_WEIGHTS_LIMITED, L2R_CLASS_WEIGHTS_AUTO };

/* Declares every option of a run with this model and method; `l2r train --help` lists them. */
enum l2r_status l2r_run_declare(struct l2r_config *config, const char *model, const char *method,
                                struct l2r_error *error);
/* A config with every option of such a run, from the JSON that a checkpoint keeps; `where` names it in errors. */
enum l2r_status l2r_run_from_json(struct l2r_config **config, const json_t *object, const char *where,
                                  struct l2r_error *error);
/* Fails if the config lacks an option of the model and method that it names: it was declared for others. */
enum l2r_status l2r_run_check(const struct l2r_config *config, struct l2r_error *error);
/* Of a config that was declared for a run. */
void l2r_fit_options_fill(struct l2r_fit_options *options, const struct l2r_config *config);

#endif
