/* SPDX-License-Identifier: MIT
 *
 * The line of results.jsonl that a finished run becomes (results.h).
 */
#ifndef L2R_RESULTS_RECORD_LINE_H
#define L2R_RESULTS_RECORD_LINE_H

#include "jobs/plan.h"
#include "jobs/queue.h"

/* folder: as it is to be written, relative to the results; dir: where it is. New reference; NULL: out of memory. */
json_t *l2r_record_line(const struct l2r_spec *spec, const struct l2r_planned *run, const struct l2r_queue_done *done,
                        const char *data, const char *folder, const char *dir);

/* Means over the epochs that learned weights, from DIR/metrics.jsonl; NaN where none did. */
void l2r_record_weights(double *ess, double *dependence_left, const char *dir);

/* "2026-01-31T12:00:00Z" */
void l2r_record_date(char out[32]);

#endif
