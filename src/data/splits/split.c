/* SPDX-License-Identifier: MIT
 * See split.h: chooses the rule that the config asks for and turns parts into sorted lists. */
#include "data/splits/split.h"

#include "base/memory.h"
#include "data/splits/split_groups.h"

#include <stdio.h>
#include <string.h>

const struct l2r_option l2r_split_options[] = {
    {.name = "split",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "auto",
     .choices = "auto|official|scaffold|scaffold-balanced|size|random|stratified|column|file",
     .group = "Split",
     .help = "which graphs train, validate and test; auto: official if there is one, --split-column if it is given, "
             "scaffold for tables of SMILES, size for PROTEINS, DD and COLLAB, else stratified"},
    {.name = "split-file", .kind = L2R_OPTION_TEXT, .value = "FILE", .help = "read the split from a JSON file"},
    {.name = "split-seed",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 9007199254740992.0,
     .help = "seed of the permutation behind a scaffold-balanced, size, random or stratified split"},
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
     .help = "part that tests"},
    {.name = "max-train-nodes",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 2147483647,
     .help = "largest training graph of a size split; 0: 35 for COLLAB, 25 for PROTEINS, 300 for DD; for others the "
             "smallest graphs train and the largest test, by the fractions above"},
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

/* --split-column, where there is such an option. */
static const char *column_of(const struct l2r_config *config)
{
    return l2r_config_has(config, "split-column") ? l2r_config_text(config, "split-column") : NULL;
}

static const char *choose_rule(const struct l2r_dataset *data, const struct l2r_config *config)
{
    const char *rule = l2r_config_text(config, "split");
    if (strcmp(rule, "auto") != 0) return rule;
    if (l2r_config_text(config, "split-file")) return "file";
    if (column_of(config)) return "column";
    if (data->official) return "official";
    if (data->scaffold) return "scaffold";
    return l2r_split_known_size(data->name) ? "size" : "stratified";
}

/* Has the data what the rule needs? */
static enum l2r_status check_data(const struct l2r_dataset *data, const char *name, const char *column,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (strcmp(name, "official") == 0 && !data->official)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "--split official: data set \"%s\" came without a split; use size, random, stratified or file",
                 data->name);
    if (strncmp(name, "scaffold", 8) == 0 && !data->scaffold)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "--split %s: data set \"%s\" is no table of SMILES, so that scaffolds are not known; use another rule",
                 name, data->name);
    if (strcmp(name, "column") != 0) goto done;
    if (!column) L2R_FAIL(L2R_ERR_ARGUMENT, "--split column needs --split-column NAME");
    if (!data->scaffold || (!data->official && !data->rank))
        L2R_FAIL(L2R_ERR_ARGUMENT, "--split-column: data set \"%s\" is no table of SMILES and has no columns",
                 data->name);
done:
    return status;
}

static bool is_by_fractions(const char *name, const struct l2r_dataset *data, const struct l2r_split_rule *rule)
{
    if (strcmp(name, "official") == 0) return false;
    if (strcmp(name, "column") == 0) return !data->official;
    return strcmp(name, "size") != 0 || rule->max_train_nodes == 0;
}

static enum l2r_status apply(uint8_t *part, const struct l2r_dataset *data, const char *name,
                             const struct l2r_split_rule *rule, struct l2r_error *error)
{
    bool made = true;
    int64_t n = data->n_graphs;
    if (is_by_fractions(name, data, rule) && rule->valid_fraction + rule->test_fraction >= 1)
        return l2r_fail(
            error, L2R_ERR_ARGUMENT,
            "--valid-fraction %g and --test-fraction %g leave nothing to train on; their sum must be below 1",
            rule->valid_fraction, rule->test_fraction);
    if (strcmp(name, "size") == 0)
        made = rule->max_train_nodes > 0 ? l2r_split_by_size(part, data, rule) : l2r_split_by_order(part, data, rule);
    else if (strcmp(name, "scaffold") == 0)
        made = l2r_split_by_group(part, data->scaffold, n, rule);
    else if (strcmp(name, "scaffold-balanced") == 0)
        made = l2r_split_by_group_balanced(part, data->scaffold, n, rule);
    else if (strcmp(name, "official") == 0 || (strcmp(name, "column") == 0 && data->official))
        memcpy(part, data->official, (size_t)n);
    else if (strcmp(name, "column") == 0)
        made = l2r_split_by_rank(part, data->rank, n, rule);
    else
        made = l2r_split_by_chance(part, data, rule, strcmp(name, "stratified") == 0);
    return made ? L2R_OK : l2r_fail_memory(error, (size_t)n * 4, "a split");
}

/* Nobody asked for scaffolds by name, and they are too few, or one holds too many molecules, to learn anything from such a split. */
static bool is_poor(const uint8_t *part, int64_t n, const struct l2r_split_rule *rule)
{
    int64_t count[4] = {0};
    for (int64_t g = 0; g < n; g++) count[part[g]]++;
    return 2 * count[L2R_PART_TRAIN] < n || (count[L2R_PART_VALID] == 0 && rule->valid_fraction > 0) ||
           (count[L2R_PART_TEST] == 0 && rule->test_fraction > 0);
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
    if (rule.max_train_nodes == 0) rule.max_train_nodes = l2r_split_known_size(data->name);
    uint8_t *part = NULL;
    *split = (struct l2r_split){.seed = rule.seed, .n_graphs = data->n_graphs};
    if (strcmp(name, "file") == 0) return from_file(split, data, config, error);
    L2R_TRY(check_data(data, name, column_of(config), error));
    part = l2r_alloc_raw((size_t)data->n_graphs, 1);
    if (!part) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split of %lld graphs", (long long)data->n_graphs);
    L2R_TRY(apply(part, data, name, &rule, error));
    if (strcmp(name, "scaffold") == 0 && l2r_config_is(config, "split", "auto") &&
        is_poor(part, data->n_graphs, &rule)) {
        name = "stratified";
        snprintf(split->note, sizeof split->note, "too few scaffolds to split by them");
        L2R_TRY(apply(part, data, name, &rule, error));
    }
    snprintf(split->rule, sizeof split->rule, "%s", name);
    L2R_TRY(from_parts(split, part, data->n_graphs, error));
    if (l2r_split_size(split, L2R_PART_TRAIN) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "the %s split of data set \"%s\" leaves no graph to train on%s", name, data->name,
                 strncmp(name, "scaffold", 8) == 0 ? ": one scaffold holds too many; use another --split"
                 : data->rank                      ? ": --split-column has too few different values"
                                                   : "");
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
