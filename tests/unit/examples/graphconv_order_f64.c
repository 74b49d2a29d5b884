/* SPDX-License-Identifier: MIT
 * The order of nodes and edges means nothing to examples/adding/graphconv.c, as tests/contract asks of registered
 * models. */
#include "../../../examples/adding/graphconv.c"

const struct l2r_model_type *const l2r_models[] = {&l2r_model_graphconv, NULL};

#include "../../contract/models_order_f64.c"
