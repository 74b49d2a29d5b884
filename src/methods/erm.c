/* SPDX-License-Identifier: MIT
 *
 * ERM, empirical risk minimisation: every graph counts the same. The train step without hooks, and the baseline that
 * every other method is compared with.
 */
#include "methods/method.h"

static const struct l2r_option options[] = {{0}};

const struct l2r_method l2r_method_erm = {
    .name = "erm",
    .title = "Empirical risk minimisation",
    .paper = "Vapnik 1992",
    .objective = "(1/B) sum over graphs n of loss_n",
    .options = options,
};
