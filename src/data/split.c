/* SPDX-License-Identifier: MIT
 * See split.h: chooses the rule that the config asks for and turns parts into sorted lists. */
#include "data/split.h"

#include "base/memory.h"
#include "data/split_rules.h"

#include <stdio.h>
#include <string.h>

const struct l2r_option l2r_split_options[] = {
    {.name = "split",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "auto",
     .choices = "auto|official|size|random|stratified|file",
     .group = "Split",
     .help = "which graphs train, validate and test; auto: official if there is one, size for PROTEINS, DD and COLLAB, "
             "else stratified"},
    {.name = "split-file", .kind = L2R_OPTION_TEXT, .value = "FILE", .help = "read the split from a JSON file"},
    {.name = "split-seed",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 9007199254740992.0,
     .help = "seed of the permutation behind a size, random or stratified split"},
    {.name = "valid-fraction",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.1",
     .min = 0,
     .max = 0.9,
     .help = "part that validates (size split: of the small graphs)"},
    {.name = "test-fraction",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.1",
     .min = 0,
     .max = 0.9,
     .help = "part that tests (random and stratified)"},
    {.name = "max-train-nodes",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 2147483647,
     .help = "largest training graph of a size split; 0: 35 for COLLAB, 25 for PROTEINS, 300 for DD"},
    {0}};

/* Sorted lists from parts; graphs without a part are left out. */
static enum l2r_status from_parts(struct l2r_split *split, const uint8_t *part, int64_t n, struct l2r_error *error)
{
    split->graphs = l2r_alloc_raw((size_t)n, sizeof *split->graphs);
    if (!split->graphs) return l2r_fail_memory(error, (size_t)n * sizeof *split->graphs, "a split");
    int64_t at = 0;
    for (int p = L2R_PART_TRAIN; p <= L2R_PART_TEST; p++) {
        split->start[p] = at;
        for (int64_t g = 0; g < n; g++)
            if (part[g] == p) split->graphs[at++] = (int32_t)g;
    }
    split->start[3] = at;
    return L2R_OK;
}

static const char *choose_rule(const struct l2r_dataset *data, const struct l2r_config *config)
{
    const char *rule = l2r_config_text(config, "split");
    if (strcmp(rule, "auto") != 0) return rule;
    if (l2r_config_text(config, "split-file")) return "file";
    if (data->official) return "official";
    return l2r_split_known_size(data->name) ? "size" : "stratified";
}

static enum l2r_status by_size(uint8_t *part, const struct l2r_dataset *data, struct l2r_split_rule *rule,
                               struct l2r_error *error)
{
    if (rule->max_train_nodes == 0) rule->max_train_nodes = l2r_split_known_size(data->name);
    if (rule->max_train_nodes == 0)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "--split size: the largest training graph is not known for data set \"%s\"; give it with "
                        "--max-train-nodes N",
                        data->name);
    if (!l2r_split_by_size(part, data, rule)) return l2r_fail_memory(error, (size_t)data->n_graphs * 4, "a split");
    return L2R_OK;
}

static enum l2r_status by_chance(uint8_t *part, const struct l2r_dataset *data, const struct l2r_split_rule *rule,
                                 bool stratified, struct l2r_error *error)
{
    if (rule->valid_fraction + rule->test_fraction >= 1)
        return l2r_fail(
            error, L2R_ERR_ARGUMENT,
            "--valid-fraction %g and --test-fraction %g leave nothing to train on; their sum must be below 1",
            rule->valid_fraction, rule->test_fraction);
    if (!l2r_split_by_chance(part, data, rule, stratified))
        return l2r_fail_memory(error, (size_t)data->n_graphs * 4, "a split");
    return L2R_OK;
}

static enum l2r_status apply(uint8_t *part, const struct l2r_dataset *data, const char *name,
                             struct l2r_split_rule *rule, struct l2r_error *error)
{
    if (strcmp(name, "size") == 0) return by_size(part, data, rule, error);
    if (strcmp(name, "official") != 0) return by_chance(part, data, rule, strcmp(name, "stratified") == 0, error);
    if (!data->official)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "--split official: data set \"%s\" came without a split; use size, random, stratified or file",
                        data->name);
    memcpy(part, data->official, (size_t)data->n_graphs);
    return L2R_OK;
}

static enum l2r_status from_file(struct l2r_split *split, const struct l2r_dataset *data,
                                 const struct l2r_config *config, struct l2r_error *error)
{
    const char *path = l2r_config_text(config, "split-file");
    if (!path) return l2r_fail(error, L2R_ERR_ARGUMENT, "--split file needs --split-file FILE");
    return l2r_split_read(split, path, data, error);
}

enum l2r_status l2r_split_make(struct l2r_split *split, const struct l2r_dataset *data, const struct l2r_config *config,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *name = choose_rule(data, config);
    struct l2r_split_rule rule = {.seed = (uint64_t)l2r_config_int(config, "split-seed"),
                                  .valid_fraction = l2r_config_real(config, "valid-fraction"),
                                  .test_fraction = l2r_config_real(config, "test-fraction"),
                                  .max_train_nodes = l2r_config_int(config, "max-train-nodes")};
    uint8_t *part = NULL;
    *split = (struct l2r_split){.seed = rule.seed, .n_graphs = data->n_graphs};
    if (strcmp(name, "file") == 0) return from_file(split, data, config, error);
    snprintf(split->rule, sizeof split->rule, "%s", name);
    part = l2r_alloc_raw((size_t)data->n_graphs, 1);
    if (!part) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split of %lld graphs", (long long)data->n_graphs);
    L2R_TRY(apply(part, data, name, &rule, error));
    L2R_TRY(from_parts(split, part, data->n_graphs, error));
    if (l2r_split_size(split, L2R_PART_TRAIN) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "the %s split of data set \"%s\" leaves no graph to train on", name, data->name);
done:
    l2r_free(part);
    if (status != L2R_OK) l2r_split_clear(split);
    return status;
}

void l2r_split_clear(struct l2r_split *split)
{
    l2r_free(split->graphs);
    *split = (struct l2r_split){0};
}
