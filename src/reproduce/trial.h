/* SPDX-License-Identifier: MIT
 *
 * A run as an entry of a table knows it: model, method and the options that differ from their defaults.
 */
#ifndef L2R_REPRODUCE_TRIAL_H
#define L2R_REPRODUCE_TRIAL_H

#include "reproduce/reproduction.h"

enum { L2R_TRIAL_PATH = 4096 };

struct l2r_trial {
    const char *name; /* of its folder, and what progress calls it */
    const char *model, *method;
    const char *const *options; /* name, value, name, value, …, NULL: for all trials of a table */
    const char *const *own;     /* the same for this one; or NULL */
};

/* Trains into DIR/NAME, or takes what is there already. path: that folder. The result is to be cleared. */
enum l2r_status l2r_trial_run(struct l2r_result *result, char path[L2R_TRIAL_PATH], const struct l2r_trial *trial,
                              const struct l2r_reproduce *job, struct l2r_error *error);

#endif
