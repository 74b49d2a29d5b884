/* SPDX-License-Identifier: MIT
 *
 * What `l2r explain` prints: means over the graphs, by class, and the fragments that matter most; or both as JSON.
 */
#ifndef L2R_CLI_EXPLANATION_SUMMARY_H
#define L2R_CLI_EXPLANATION_SUMMARY_H

#include "explain/explainer.h"
#include "explain/fragments.h"

/* fragments: NULL: none were requested. */
enum l2r_status cli_explanations_print(const struct l2r_explained *all, const struct l2r_fragments *fragments,
                                       bool json, struct l2r_error *error);

#endif
