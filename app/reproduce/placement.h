/* SPDX-License-Identifier: MIT
 *
 * A spec with a "figure" (figure/figure.h) is drawn from its results. The place of a run in it is
 * given by "figure" of its row and column:
 *
 *     {"label": "L2R-GCN", …, "figure": {"panel": "GCN", "series": "learned weights"}}
 *     {"label": "default", …, "figure": [{"panel": "clusters", "x": "4", "default": true}, {"panel": "queues", …}]}
 *
 *     panel     title of its panel; none unless given
 *     series    its name in the legend, or of its row of dots; the row's label unless given
 *     x         the value that it stands for; the column's label unless given
 *     reference true: a rule to compare with
 *     default   true: its value is the default one
 *
 * A list places a run several times. Keys that the row lacks are taken from the column.
 */
#ifndef L2R_REPRODUCE_PLACEMENT_H
#define L2R_REPRODUCE_PLACEMENT_H

#include "reproduce/reproduction.h"

/* Refuses unknown keys in "figure" of rows and columns, and in the spec's own. Fine when there is none. */
enum l2r_status l2r_placement_check(const json_t *root, const char *where, struct l2r_error *error);

/* Draws into the folder of the job from all finished runs. partial: some may be missing, and no run at all is no
 * error. */
enum l2r_status l2r_placement_draw(const struct l2r_reproduce *job, bool partial, struct l2r_error *error);

#endif
