/* SPDX-License-Identifier: MIT
 *
 * The contribution of each feature of a molecule to the prediction of trees (nn/trees.h, nn/forest.h), alone or as
 * members of a committee, for `l2r explain`:
 *
 *     DIR/contributions.csv   graph,task,feature,value,contribution,member,unit
 *
 * The strongest 20 features of each graph and output, then "other features" and "constant": these rows add up to the
 * model's prediction. value is that of the feature for the molecule. Contributions of boosted trees are SHAP values of
 * the logit; those of a forest are the steps of its trees from node to node, of the probability (Saabas 2014); of a
 * regression both are in the units of the target.
 */
#ifndef L2R_CLI_CONTRIBUTIONS_H
#define L2R_CLI_CONTRIBUTIONS_H

#include "model/predictor.h"

/* Names the members with contributions: "members 4 (boost) and 5 (forest)" of a committee, "boost" of a single model.
 * Returns their number. */
int32_t cli_contributions_members(char *out, size_t size, const struct l2r_committee *model);

/* Writes the file, and for a model that is no committee a line for each graph to `out` with its strongest features;
 * NULL: no lines. task: of several; negative: all. */
enum l2r_status cli_contributions_write(const char *dir, FILE *out, const struct l2r_predictor *predictor,
                                        const struct l2r_dataset *data, const int64_t *graphs, int64_t n, int32_t task,
                                        struct l2r_error *error);

#endif
