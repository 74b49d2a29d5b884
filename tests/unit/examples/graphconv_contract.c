/* SPDX-License-Identifier: MIT
 * What tests/contract asks of every registered model, asked of examples/adding/graphconv.c. */
#include "../../../examples/adding/graphconv.c"

const struct l2r_model_type *const l2r_models[] = {&l2r_model_graphconv, NULL};

#include "../../contract/models.c"
