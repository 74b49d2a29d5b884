/* SPDX-License-Identifier: MIT
 * stratified: at random, with every class (of the first task) spread over the parts in proportion. Graphs without a
 * label are a class of their own; a regression has one stratum. */
#include "data/splits/rule.h"

#include <math.h>

static int32_t n_labels(const struct l2r_dataset *data)
{
    return data->n_classes > 2 ? data->n_classes : 2;
}

static int32_t class_of(const struct l2r_dataset *data, int64_t graph)
{
    float label = data->labels[graph * data->n_tasks];
    if (data->task == L2R_TASK_REGRESSION) return 0;
    return isnan(label) ? n_labels(data) : (int32_t)label;
}

static enum l2r_status split(struct l2r_splitting *s, struct l2r_error *error)
{
    return l2r_split_by_chance(s, class_of, n_labels(s->data) + 1, error);
}

const struct l2r_split_rule l2r_split_rule_stratified = {
    .name = "stratified", .help = "at random, keeping the proportions of the classes", .split = split};
