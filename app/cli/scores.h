/* SPDX-License-Identifier: MIT
 *
 * Scores for people: the report of a model (model/score.h) as tables, all tasks together and one row for each.
 */
#ifndef L2R_CLI_SCORES_H
#define L2R_CLI_SCORES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum { CLI_TASK_NAME = 64 };

/* Of binary tasks: above which p a graph is of class 1, as a line after `before`; nothing for other tasks. */
void cli_thresholds_print(FILE *stream, const json_t *report, const char *before);
/* Every metric of the report, then a row for each of several tasks, in as many columns as fit; all: with every metric
 * that the report has. */
void cli_report_print(FILE *stream, const json_t *report, bool all);
/* From the JSON of l2r_result_json: the selection metric of each task on every part; of many tasks the worst, the
 * median and the best on the last part that was scored. dir: the folder with the others. */
void cli_result_tasks_print(FILE *stream, const json_t *result, const char *dir);
/* Scores by class and environment (model/group_scores.h), the worst group and the mean; NULL: nothing. */
void cli_groups_print(FILE *stream, const json_t *groups, const char *part);
/* The name of a task of a report, or its number. */
const char *cli_task_name(char out[CLI_TASK_NAME], const json_t *task);

#endif
