/* SPDX-License-Identifier: MIT
 *
 * What each feature of a molecule adds to the answer of a model of trees (nn/trees.h), for `l2r explain`:
 *
 *     DIR/contributions.csv   graph,task,feature,value,contribution     the largest first, for each graph and output;
 *                                                                       the last row is the constant
 *
 * Contributions are SHAP values: with the constant they add up to the answer, a logit or, of a regression, a value in
 * standard deviations of the training targets. Of a committee they are the first member's.
 */
#ifndef L2R_CLI_CONTRIBUTIONS_H
#define L2R_CLI_CONTRIBUTIONS_H

#include "predict/predictor.h"

/* Writes the file, and a line for each graph to `out` with its strongest features; NULL: no lines. */
enum l2r_status cli_contributions_write(const char *dir, FILE *out, const struct l2r_predictor *predictor,
                                        const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                        struct l2r_error *error);

#endif
