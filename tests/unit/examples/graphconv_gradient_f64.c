/* SPDX-License-Identifier: MIT
 * The gradients of examples/adding/graphconv.c against central differences, as tests/contract does for registered
 * models. */
#include "../../../examples/adding/graphconv.c"

const struct l2r_model_type *const l2r_models[] = {&l2r_model_graphconv, NULL};

#include "../../contract/models_f64.c"
