/* SPDX-License-Identifier: MIT
 * file: the lists of a JSON file, --split-file, as `l2r data split` and every run write it (split.h). */
#include "data/splits/rule.h"

#include <string.h>

static const struct l2r_option options[] = {
    {.name = "split-file", .kind = L2R_OPTION_TEXT, .value = "FILE", .help = "read the split from a JSON file"}, {0}};

static enum l2r_status split(struct l2r_splitting *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_split read = {0};
    const char *path = l2r_config_text(s->config, "split-file");
    if (!path) L2R_FAIL(L2R_ERR_ARGUMENT, "`split=file` needs `split-file=FILE`");
    L2R_TRY(l2r_split_read(&read, path, s->data, error));
    memset(s->part, L2R_PART_NONE, (size_t)s->data->n_graphs);
    for (int p = 0; p < L2R_N_PARTS; p++)
        for (int64_t i = 0; i < l2r_split_size(&read, p); i++) s->part[l2r_split_part(&read, p)[i]] = (uint8_t)p;
    const struct l2r_split_rule *made_by = l2r_split_rule_find(read.rule);
    if (made_by) s->rule = made_by->name;
    s->seed = read.seed;
    L2R_TRY(l2r_environments_copy(s->environments, &read.environments, s->data->n_graphs, error));
done:
    l2r_split_clear(&read);
    return status;
}

const struct l2r_split_rule l2r_split_rule_file = {
    .name = "file", .help = "the lists of `split-file`", .options = options, .split = split};
