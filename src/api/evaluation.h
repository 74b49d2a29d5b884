/* SPDX-License-Identifier: MIT
 *
 * Scores that are handed to a caller: a report (model/scored.h) behind the calls l2r_evaluation_….
 */
#ifndef L2R_API_EVALUATION_H
#define L2R_API_EVALUATION_H

#include <l2r/model.h>

#include <jansson.h>

/* Takes the report over, also after a failure; NULL: memory was short. */
enum l2r_status l2r_evaluation_new(struct l2r_evaluation **evaluation, json_t *report, struct l2r_error *error);

#endif
