/* SPDX-License-Identifier: MIT
 * The registry of models with the example, and with the two under which contract tests try readouts and activations:
 * all of them once more would take long. */
#include "nn/model.h"

extern const struct l2r_model_type l2r_model_gin, l2r_model_graphconv, l2r_model_sagpool;
const struct l2r_model_type *const l2r_models[] = {&l2r_model_gin, &l2r_model_graphconv, &l2r_model_sagpool, NULL};
