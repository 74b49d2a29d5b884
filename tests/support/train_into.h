/* SPDX-License-Identifier: MIT
 * A run into a folder, in one line. */
#ifndef L2R_TESTS_TRAIN_INTO_H
#define L2R_TESTS_TRAIN_INTO_H

#include "store/run.h"

/* callbacks may be NULL. */
static inline enum l2r_status train_into(struct l2r_result *result, const struct l2r_config *config, const char *dir,
                                         bool resume, const struct l2r_callbacks *callbacks, struct l2r_error *error)
{
    const struct l2r_run run = {.config = config, .out = dir, .resume = resume, .callbacks = callbacks};
    return l2r_run_train(result, NULL, &run, error);
}

#endif
