/* SPDX-License-Identifier: MIT
 *
 * Parameters as callers borrow them, of models and of trainings.
 */
#ifndef L2R_API_PARAMETERS_H
#define L2R_API_PARAMETERS_H

#include "nn/params.h"

#include <l2r/model.h>

/* gradients: of the last step, where there was one. */
enum l2r_status l2r_parameter_lend(struct l2r_parameter *parameter, const struct l2r_params *params, size_t i,
                                   bool gradients, struct l2r_error *error);
enum l2r_status l2r_parameter_find(size_t *i, const struct l2r_params *params, const char *name,
                                   struct l2r_error *error);

#endif
