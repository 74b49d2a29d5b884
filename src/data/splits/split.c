/* SPDX-License-Identifier: MIT
 *
 * See split.h: finds the rule of the config, turns its parts into sorted lists, stores these as JSON. The lists are
 * sorted whatever the rule drew, so a split is a set of graphs and its fingerprint does not depend on how it came
 * about. Every number of a file is checked: lists ascend, name graphs that exist, and share none. */
#include "data/splits/split.h"

#include "base/memory.h"
#include "base/rng.h"
#include "data/splits/rule.h"
#include "io/json_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

extern const char l2r_split_choices[]; /* "auto|official|…", written by the build like l2r_split_rules */

static const struct l2r_option shared_options[] = {
    {.name = "split",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "auto",
     .choices = l2r_split_choices,
     .group = "Split",
     .help = "how graphs are divided into training, validation and test (l2r list splits); auto: official if there is "
             "one, `split-column` if it is given, scaffold for tables of SMILES, size for PROTEINS, DD and COLLAB, "
             "else stratified"},
    {.name = "split-seed",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 9007199254740992.0,
     .help = "random seed of a scaffold-balanced, size, random or stratified split"},
    {.name = "valid-fraction",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.1",
     .min = 0,
     .max = 0.9,
     .help = "fraction used for validation (size split: of the small graphs)"},
    {.name = "test-fraction",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.1",
     .min = 0,
     .max = 0.9,
     .help = "fraction used for testing"},
    {.name = "folds",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 1000,
     .help = "cross-validation: so many folds (3 or more) in place of the fractions, by a random, stratified, "
             "scaffold-balanced or column split; 0: none"},
    {.name = "fold",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 999,
     .help = "the fold that tests, from 0; the next one validates, the others train"},
    {0}};

const struct l2r_option *l2r_split_option(size_t i)
{
    const struct l2r_option *option = shared_options;
    for (size_t rule = 0;; rule++) {
        for (; option && option->name; option++, i--)
            if (i == 0) return option;
        if (!l2r_split_rules[rule]) return NULL;
        option = l2r_split_rules[rule]->options;
    }
}

enum l2r_status l2r_split_declare(struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_config_declare(config, shared_options, error));
    for (size_t i = 0; l2r_split_rules[i]; i++)
        if (l2r_split_rules[i]->options) L2R_TRY(l2r_config_declare(config, l2r_split_rules[i]->options, error));
done:
    return status;
}

enum l2r_status l2r_split_options_copy(struct l2r_config *to, const struct l2r_config *from, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_option *o;
    for (size_t i = 0; (o = l2r_split_option(i)); i++)
        if (l2r_config_has(from, o->name) && l2r_config_was_set(from, o->name))
            L2R_TRY(l2r_config_set(to, o->name, l2r_config_text(from, o->name), error));
done:
    return status;
}

/* Room for the lists of n graphs. */
static enum l2r_status make_room(struct l2r_split *split, int64_t n, struct l2r_error *error)
{
    split->graphs = l2r_alloc_raw((size_t)n, sizeof *split->graphs);
    split->numbers = l2r_alloc_raw((size_t)n, sizeof *split->numbers);
    if (split->graphs && split->numbers) return L2R_OK;
    return l2r_fail_memory(error, (size_t)n * sizeof *split->numbers, "a split");
}

static void number(struct l2r_split *split)
{
    for (int64_t i = 0; i < split->start[L2R_N_PARTS]; i++) split->numbers[i] = split->graphs[i];
}

enum l2r_status l2r_split_fill(struct l2r_split *split, const uint8_t *part, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = make_room(split, n, error);
    if (status != L2R_OK) return status;
    int64_t at = 0;
    for (int p = 0; p < L2R_N_PARTS; p++) {
        split->start[p] = at;
        for (int64_t g = 0; g < n; g++)
            if (part[g] == p) split->graphs[at++] = (int32_t)g;
    }
    split->start[L2R_N_PARTS] = at;
    number(split);
    return L2R_OK;
}

/* The choice of "auto", the only place that names rules. */
static const char *choose_rule(const struct l2r_dataset *data, const struct l2r_config *config)
{
    if (l2r_config_text(config, "split-file")) return "file";
    if (l2r_config_has(config, "split-column") && l2r_config_text(config, "split-column")) return "column";
    if (data->official) return "official";
    if (data->scaffold) return "scaffold";
    return l2r_split_known_size(data->name) ? "size" : "stratified";
}

/* Scaffolds are too few, or one holds too many molecules, to learn anything from such a split. */
static bool is_poor(const struct l2r_splitting *s)
{
    int64_t n = s->data->n_graphs, count[L2R_N_PARTS + 1] = {0};
    for (int64_t g = 0; g < n; g++) count[s->part[g]]++;
    return 2 * count[L2R_PART_TRAIN] < n || (count[L2R_PART_VALID] == 0 && s->valid_fraction > 0) ||
           (count[L2R_PART_TEST] == 0 && s->test_fraction > 0);
}

/* Runs the rule of that name. s->part is filled anew, whatever an earlier rule left there. */
static enum l2r_status apply(const struct l2r_split_rule **rule, struct l2r_splitting *s, const char *name,
                             struct l2r_error *error)
{
    *rule = l2r_split_rule_find(name); /* there is one: the option accepts no other name */
    s->rule = (*rule)->name;
    return (*rule)->split(s, error);
}

enum l2r_status l2r_split_make(struct l2r_split *split, const struct l2r_dataset *data, const struct l2r_config *config,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool is_auto = l2r_config_is(config, "split", "auto");
    const char *name = is_auto ? choose_rule(data, config) : l2r_config_text(config, "split");
    const struct l2r_split_rule *rule;
    struct l2r_splitting s = {.data = data,
                              .config = config,
                              .seed = (uint64_t)l2r_config_int(config, "split-seed"),
                              .valid_fraction = l2r_config_real(config, "valid-fraction"),
                              .test_fraction = l2r_config_real(config, "test-fraction"),
                              .part = l2r_alloc_raw((size_t)data->n_graphs, 1),
                              .environments = &split->environments};
    *split = (struct l2r_split){.n_graphs = data->n_graphs};
    if (!s.part) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split of %lld graphs", (long long)data->n_graphs);
    if (l2r_config_int(config, "folds") > 0) {
        L2R_TRY(l2r_split_deal_folds(&s, split->note, sizeof split->note, is_auto ? NULL : name, error));
        snprintf(split->rule, sizeof split->rule, "%s", s.rule);
        split->seed = s.seed;
        L2R_TRY(l2r_split_fill(split, s.part, data->n_graphs, error));
        goto done;
    }
    L2R_TRY(apply(&rule, &s, name, error));
    if (is_auto && strcmp(name, "scaffold") == 0 && is_poor(&s)) {
        snprintf(split->note, sizeof split->note, "too few scaffolds to split by them");
        L2R_TRY(apply(&rule, &s, "stratified", error));
    }
    if (s.note) snprintf(split->note, sizeof split->note, "%s", s.note);
    snprintf(split->rule, sizeof split->rule, "%s", s.rule);
    split->seed = s.seed;
    L2R_TRY(l2r_split_fill(split, s.part, data->n_graphs, error));
    if (l2r_split_size(split, L2R_PART_TRAIN) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "the %s split of data set \"%s\" leaves no graph to train on%s", rule->name,
                 data->name, rule->when_empty ? rule->when_empty : "");
done:
    l2r_free(s.part);
    if (status != L2R_OK) l2r_split_clear(split);
    return status;
}

static int32_t class_of(const struct l2r_dataset *data, int64_t graph)
{
    float label = data->labels[graph * data->n_tasks];
    return data->task == L2R_TASK_REGRESSION || isnan(label) ? 0 : (int32_t)label + 1;
}

enum l2r_status l2r_split_make_fold(struct l2r_split *split, const struct l2r_dataset *data, int32_t k, int32_t n_folds,
                                    uint64_t seed, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t n = data->n_graphs, dealt = 0;
    int32_t n_strata = (data->task == L2R_TASK_MULTICLASS ? data->n_classes : 2) + 1;
    int32_t *order = l2r_alloc_raw((size_t)n, sizeof *order);
    uint8_t *part = l2r_alloc_raw((size_t)n, 1);
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_SPLIT, (uint64_t)n_folds);
    *split = (struct l2r_split){.n_graphs = n, .rule = "fold", .seed = seed};
    if (!order || !part) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split of %lld graphs", (long long)n);
    for (int64_t g = 0; g < n; g++) order[g] = (int32_t)g;
    l2r_rng_shuffle(&rng, order, (size_t)n);
    for (int32_t stratum = 0; stratum < n_strata; stratum++)
        for (int64_t i = 0; i < n; i++) {
            if (class_of(data, order[i]) != stratum) continue;
            int64_t fold = (dealt++ + n_folds - k) % n_folds;
            part[order[i]] = fold == 0 ? L2R_PART_TEST : fold == 1 ? L2R_PART_VALID : L2R_PART_TRAIN;
        }
    L2R_TRY(l2r_split_fill(split, part, n, error));
    if (l2r_split_size(split, L2R_PART_TRAIN) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%lld graphs are too few for %d folds", (long long)n, (int)n_folds);
done:
    l2r_free(order);
    l2r_free(part);
    if (status != L2R_OK) l2r_split_clear(split);
    return status;
}

enum l2r_status l2r_split_copy(struct l2r_split *copy, const struct l2r_split *split, struct l2r_error *error)
{
    size_t n = (size_t)split->start[L2R_N_PARTS];
    *copy = *split;
    copy->environments = (struct l2r_environments){.rule = "none"};
    enum l2r_status status = make_room(copy, (int64_t)n, error);
    if (status == L2R_OK && n > 0) memcpy(copy->graphs, split->graphs, n * sizeof *copy->graphs);
    if (status == L2R_OK) number(copy);
    if (status == L2R_OK)
        status = l2r_environments_copy(&copy->environments, &split->environments, split->n_graphs, error);
    if (status != L2R_OK) l2r_split_clear(copy);
    return status;
}

enum l2r_status l2r_split_keep_environments(struct l2r_split *split, const struct l2r_environments *e,
                                            struct l2r_error *error)
{
    struct l2r_environments kept;
    bool derived = e->n > 0 && strcmp(e->rule, "given") != 0;
    const struct l2r_environments none = {.rule = "none"};
    enum l2r_status status = l2r_environments_copy(&kept, derived ? e : &none, split->n_graphs, error);
    if (status != L2R_OK) return status;
    l2r_environments_clear(&split->environments);
    split->environments = kept;
    return L2R_OK;
}

void l2r_split_clear(struct l2r_split *split)
{
    l2r_environments_clear(&split->environments);
    l2r_free(split->graphs);
    l2r_free(split->numbers);
    *split = (struct l2r_split){0};
}

int l2r_split_parts(const struct l2r_split *split)
{
    return split->start[L2R_N_PARTS] > split->start[L2R_PART_TEST + 1] ? L2R_N_PARTS : L2R_PART_TEST + 1;
}

void l2r_split_describe(char *text, size_t size, const struct l2r_split *split)
{
    size_t used = 0;
    if (!text || size == 0) return;
    text[0] = '\0';
    if (!split) return;
    for (int p = 0; p < l2r_split_parts(split) && used < size; p++)
        used += (size_t)snprintf(text + used, size - used, "%s%lld %s", p > 0 ? ", " : "",
                                 (long long)l2r_split_size(split, p), l2r_part_name(p));
}

uint64_t l2r_split_fingerprint(const struct l2r_split *split)
{
    /* Three parts as they were hashed before there could be more. */
    const int64_t *start = split->start;
    uint64_t hash = XXH3_64bits(start, 4 * sizeof *start);
    hash = XXH3_64bits_withSeed(split->graphs, (size_t)start[3] * sizeof *split->graphs, hash);
    if (l2r_split_parts(split) == 3) return hash;
    hash = XXH3_64bits_withSeed(start + 4, (L2R_N_PARTS - 3) * sizeof *start, hash);
    return XXH3_64bits_withSeed(split->graphs + start[3], (size_t)(start[L2R_N_PARTS] - start[3]) * 4, hash);
}

/* Splits as JSON. */

enum { VERSION = 1 };

static enum l2r_status check_head(const json_t *root, const char *path, const struct l2r_dataset *data,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *version = json_object_get(root, "version"), *n_graphs = json_object_get(root, "n_graphs");
    if (!format || strcmp(format, "l2r-split") != 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: this is not a split; expected an object with \"format\": \"l2r-split\"", path);
    if (!json_is_integer(version) || json_integer_value(version) != VERSION)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"version\" must be %d", path, (int)VERSION);
    if (!json_is_integer(n_graphs) || json_integer_value(n_graphs) != data->n_graphs)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the split is for %lld graphs, but data set \"%s\" has %lld", path,
                 (long long)json_integer_value(n_graphs), data->name, (long long)data->n_graphs);
done:
    return status;
}

/* Appends one list; `taken` says which graphs earlier lists have. */
static enum l2r_status read_list(struct l2r_split *split, uint8_t *taken, const json_t *root, int part,
                                 const char *path, int64_t n_graphs, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *name = l2r_part_name(part);
    const json_t *list = json_object_get(root, name);
    int64_t before = -1, at = split->start[part];
    split->start[part + 1] = at;
    if (!list && part > L2R_PART_TEST) return L2R_OK;
    if (!json_is_array(list)) L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" must be a list of graph numbers", path, name);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_integer(item)) L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" number %zu is not an integer", path, name, i);
        int64_t graph = json_integer_value(item);
        if (graph < 0 || graph >= n_graphs)
            L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" names graph %lld, outside 0..%lld", path, name, (long long)graph,
                     (long long)n_graphs - 1);
        if (graph <= before)
            L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" must be ascending, but %lld follows %lld", path, name,
                     (long long)graph, (long long)before);
        if (taken[graph])
            L2R_FAIL(L2R_ERR_FORMAT, "%s: graph %lld is in \"%s\" and in another part", path, (long long)graph, name);
        taken[graph] = 1;
        split->graphs[at++] = (int32_t)graph;
        before = graph;
    }
    split->start[part + 1] = at;
done:
    return status;
}

enum l2r_status l2r_split_read(struct l2r_split *split, const char *path, const struct l2r_dataset *data,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *root = NULL;
    uint8_t *taken = NULL;
    *split = (struct l2r_split){.n_graphs = data->n_graphs};
    L2R_TRY(l2r_json_read(&root, path, error));
    L2R_TRY(check_head(root, path, data, error));
    const char *rule = json_string_value(json_object_get(root, "rule"));
    const json_t *seed = json_object_get(root, "seed");
    snprintf(split->rule, sizeof split->rule, "%s", rule && l2r_split_rule_find(rule) ? rule : "file");
    if (json_is_integer(seed) && json_integer_value(seed) >= 0) split->seed = (uint64_t)json_integer_value(seed);
    L2R_TRY(make_room(split, data->n_graphs, error));
    taken = l2r_alloc((size_t)data->n_graphs, 1);
    if (!taken) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split");
    for (int p = 0; p < L2R_N_PARTS; p++) L2R_TRY(read_list(split, taken, root, p, path, data->n_graphs, error));
    if (l2r_split_size(split, L2R_PART_TRAIN) == 0) L2R_FAIL(L2R_ERR_FORMAT, "%s: \"train\" is empty", path);
    const json_t *environments = json_object_get(root, "environments");
    if (environments)
        L2R_TRY(l2r_environments_from_json(&split->environments, environments, path, data->n_graphs, error));
    number(split);
done:
    l2r_free(taken);
    json_decref(root);
    if (status != L2R_OK) l2r_split_clear(split);
    return status;
}

enum l2r_status l2r_split_write(const struct l2r_split *split, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *root = json_pack("{s:s, s:i, s:s, s:I, s:I}", "format", "l2r-split", "version", (int)VERSION, "rule",
                             split->rule, "seed", (json_int_t)split->seed, "n_graphs", (json_int_t)split->n_graphs);
    if (!root) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split");
    for (int p = 0; p < l2r_split_parts(split); p++) {
        json_t *list = json_array();
        if (!list || json_object_set_new(root, l2r_part_name(p), list) != 0)
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split");
        for (int64_t i = split->start[p]; i < split->start[p + 1]; i++)
            if (json_array_append_new(list, json_integer(split->graphs[i])) != 0)
                L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split");
    }
    if (split->environments.n > 0 &&
        json_object_set_new(root, "environments", l2r_environments_to_json(&split->environments, split->n_graphs)) != 0)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a split");
    L2R_TRY(l2r_json_write(root, path, error));
done:
    json_decref(root);
    return status;
}
