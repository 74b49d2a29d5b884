/* SPDX-License-Identifier: MIT
 *
 * The options that a trained model keeps: those that build its network, and those by which its data was read and split.
 * Nothing of training is among them; a run keeps these and the others in its config.json (fit/options.h).
 */
#ifndef L2R_MODEL_MODEL_OPTIONS_H
#define L2R_MODEL_MODEL_OPTIONS_H

#include "base/config.h"

struct l2r_model_type;
struct l2r_method;

/* Tables that a run shares; all end with a zero row. */
extern const struct l2r_option l2r_source_option[];   /* data */
extern const struct l2r_option l2r_network_options[]; /* model, method, features */
extern const struct l2r_option l2r_epochs_option[];   /* of trees, which are divided among them */
extern const struct l2r_option l2r_scoring_option[];  /* eval-batch-size */

/* Fails with a list of the names that there are. */
enum l2r_status l2r_model_names_find(const struct l2r_model_type **type, const struct l2r_method **method,
                                     const char *model, const char *method_name, struct l2r_error *error);
/* At their defaults. */
enum l2r_status l2r_model_config_new(struct l2r_config **config, const char *model, const char *method,
                                     struct l2r_error *error);
/* From the options of a run, or of a model. */
enum l2r_status l2r_model_config_take(struct l2r_config **config, const struct l2r_config *from,
                                      struct l2r_error *error);
/* From JSON; keys that belong to a run alone are skipped. */
enum l2r_status l2r_model_config_read(struct l2r_config **config, const json_t *object, const char *where,
                                      struct l2r_error *error);

/* XXH3 of the options that change a number, as files have it: the same for runs of the same options. */
enum { L2R_OPTIONS_TEXT = 17 };
enum l2r_status l2r_options_fingerprint(char text[L2R_OPTIONS_TEXT], const struct l2r_config *config,
                                        struct l2r_error *error);

#endif
