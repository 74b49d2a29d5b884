/* SPDX-License-Identifier: MIT
 *
 * Scores by group: graphs of one class (of the first label) in one environment, or of one environment in regression.
 * A model that takes a shortcut is good on average and bad in the groups where the shortcut misleads.
 *
 *     {"score": "accuracy", "worst": 0.31, "mean": 0.84, "n": 9,
 *      "worst_group": {"class": 2, "environment": "tree", "n": 664, "accuracy": 0.31},
 *      "groups": [{"class": 0, "environment": "tree", "n": 671, "accuracy": 0.99}, …]}
 *
 * A class is its name in the source or, where it has none, its number. worst and mean run over the groups that occur,
 * each counting once, however many graphs it has. The score is accuracy, or in regression the RMSE (NRMSE of several
 * tasks). With more than L2R_MOST_GROUPS groups there is no list: thousands of assays or scaffolds would only fill the
 * file.
 */
#ifndef L2R_MODEL_GROUP_SCORES_H
#define L2R_MODEL_GROUP_SCORES_H

#include "data/environments.h"
#include "model/scored.h"

enum { L2R_MOST_GROUPS = 200 };

/* scored: of graphs [n] of the data set. *groups: a new reference, NULL where no graph has a label. */
enum l2r_status l2r_group_scores(json_t **groups, const struct l2r_scored *scored, const struct l2r_dataset *data,
                                 const int32_t *graphs, int64_t n, const struct l2r_environments *environments,
                                 struct l2r_error *error);

/* Adds them to a report as "groups", where the data has environments. */
enum l2r_status l2r_report_groups(json_t *report, const struct l2r_scored *scored, const struct l2r_dataset *data,
                                  const int32_t *graphs, int64_t n, struct l2r_error *error);

#endif
