/* SPDX-License-Identifier: MIT
 * See groups.h. */
#include "report/groups.h"

#include "base/config.h"
#include "base/memory.h"
#include "metrics/metrics.h"
#include "metrics/statistics.h"
#include "model/run_names.h"
#include "report/format.h"
#include "results/results.h"
#include "store/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_VALUE = 36 }; /* bytes of an option's value in a name: three of them fit */

static const char *const part_names[] = {"train", "valid", "test"};

/* "motif:mu=0.9,seed=3" -> "motif:mu=0.9": a generator's seed is one of the run's. */
static json_t *data_without_seed(const char *where)
{
    const char *colon = strchr(where, ':'), *seed = colon != NULL ? strstr(colon, "seed=") : NULL;
    if (seed == NULL || (seed[-1] != ':' && seed[-1] != ',')) return json_string(where);
    size_t before = (size_t)(seed - where), digits = strcspn(seed, ",");
    const char *after = seed + digits;
    if (*after == ',') return json_sprintf("%.*s%s", (int)before, where, after + 1);
    return json_sprintf("%.*s", (int)before - 1, where);
}

/* Options that change no number but matter to the reader: which data, and what the seconds were measured with. */
static bool is_shown(const char *name)
{
    return strcmp(name, "data") == 0 || strcmp(name, "eval-batch-size") == 0;
}

/* Takes out the other options that change no number: runs that differ only in them belong to one group. For an unknown
 * model or method all stay: the page then shows a few more rows. */
static enum l2r_status remove_neutral(json_t *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *model = json_string_value(json_object_get(config, "model"));
    const char *method = json_string_value(json_object_get(config, "method"));
    const struct l2r_option *option;
    struct l2r_config *options = NULL;
    if (model == NULL || method == NULL) return L2R_OK;
    L2R_TRY(l2r_config_new(&options, error));
    status = l2r_run_declare(options, model, method, error);
    for (size_t i = 0; status == L2R_OK && (option = l2r_config_option(options, i)) != NULL; i++)
        if (option->neutral && !is_shown(option->name)) json_object_del(config, option->name);
    if (status != L2R_ERR_MEMORY) status = L2R_OK;
done:
    l2r_config_free(options);
    return status;
}

/* Without what changes from seed to seed, or changes no number. */
static enum l2r_status without_seeds(json_t **config, const json_t *of, struct l2r_error *error)
{
    json_t *copy = json_copy((json_t *)(uintptr_t)of); /* jansson takes no const */
    const char *where = json_string_value(json_object_get(of, "data"));
    *config = copy;
    if (copy == NULL) return l2r_fail_memory(error, 0, "the config of a run");
    json_object_del(copy, "seed");
    json_object_del(copy, "split-seed");
    json_object_del(copy, "fold");
    if (where != NULL && json_object_set_new(copy, "data", data_without_seed(where)) != 0)
        return l2r_fail_memory(error, 0, "the config of a run");
    return remove_neutral(copy, error);
}

/* The last part of a path. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static enum l2r_status place(struct l2r_run_groups *groups, const struct l2r_run_files *run, size_t number,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *config = NULL;
    size_t k = 0;
    L2R_TRY(without_seeds(&config, run->config, error));
    while (k < groups->n && !json_equal(groups->items[k].config, config)) k++;
    if (k == groups->n) {
        if (!l2r_reserve((void **)&groups->items, &groups->capacity, k + 1, sizeof *groups->items))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a list of runs");
        groups->items[groups->n++] = (struct l2r_run_group){.config = json_incref(config), .baseline = L2R_NO_GROUP};
        if (run->dir != NULL) (void)l2r_sibling_of_folder(&groups->items[k].kind, name_of(run->dir));
        if (l2r_line_number(config, "folds") > 0) groups->items[k].kind = L2R_SIBLING_FOLD;
    }
    struct l2r_run_group *group = &groups->items[k];
    if (!l2r_reserve((void **)&group->runs, &group->capacity, group->n + 1, sizeof *group->runs))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a list of runs");
    group->runs[group->n++] = number;
    if (run->result != NULL) {
        group->n_finished++;
        group->metric = json_string_value(json_object_get(run->result, "metric"));
    }
done:
    json_decref(config);
    return status;
}

double l2r_run_ess(const struct l2r_run_files *run)
{
    size_t n = json_array_size(run->epochs);
    double best = l2r_line_number(run->result, "best_epoch");
    size_t line = best >= 1 && best <= (double)n ? (size_t)best : n;
    return n == 0 ? (double)NAN
                  : l2r_line_number(json_object_get(json_array_get(run->epochs, line - 1), "reweight"), "ess");
}

/* Means over the runs that have the number. */
static void average(double *mean, double *sd, const struct l2r_run_group *group, const struct l2r_run_list *list,
                    const char *key, double *values /* [n] */)
{
    int64_t n = 0;
    double unused;
    for (size_t i = 0; i < group->n; i++) {
        const struct l2r_run_files *run = &list->runs[group->runs[i]];
        double value = strcmp(key, "ess") == 0 ? l2r_run_ess(run) : l2r_line_number(run->result, key);
        if (!isnan(value)) values[n++] = value;
    }
    l2r_mean_sd(mean, sd != NULL ? sd : &unused, values, n);
}

static bool names_differ(const struct l2r_run_groups *groups, const char *key)
{
    json_t *first = NULL;
    for (size_t k = 0; k < groups->n; k++) {
        json_t *value = json_object_get(groups->items[k].config, key);
        if (value != NULL && first != NULL && !json_equal(first, value)) return true;
        if (first == NULL) first = value;
    }
    return false;
}

/* "none", false and no folds are left out of the name. */
static bool is_absence(const char *key, const json_t *value)
{
    return json_is_false(value) || (json_is_string(value) && strcmp(json_string_value(value), "none") == 0) ||
           (strcmp(key, "folds") == 0 && json_number_value(value) == 0);
}

/* The common prefix of texts such as paths of data, up to the last '/', which is left out of names. */
static size_t shared_path(const struct l2r_run_groups *groups, const char *key)
{
    const char *first = NULL;
    size_t shared = 0;
    for (size_t k = 0; k < groups->n; k++) {
        const char *text = json_string_value(json_object_get(groups->items[k].config, key));
        size_t same = 0, slash = 0;
        if (text == NULL) continue;
        if (first == NULL) {
            const char *last = strrchr(first = text, '/');
            shared = last != NULL ? (size_t)(last + 1 - text) : 0;
        }
        for (; same < shared && text[same] == first[same]; same++)
            if (text[same] == '/') slash = same + 1;
        shared = slash;
    }
    return shared;
}

/* One option of a name: "lr 0.01", "5 folds", "residual". */
static size_t add_option(char *out, size_t size, const struct l2r_run_groups *groups, const char *key,
                         const json_t *value, bool first)
{
    const char *point = first ? "" : " · ";
    if (json_is_true(value)) return (size_t)snprintf(out, size, "%s%s", point, key);
    if (strcmp(key, "folds") == 0)
        return (size_t)snprintf(out, size, "%s%lld folds", point, (long long)json_integer_value(value));
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(5));
    const char *words = json_is_string(value) ? json_string_value(value) + shared_path(groups, key)
                        : text != NULL        ? text
                                              : "?";
    size_t length = strlen(words), most = length;
    if (length > LONGEST_VALUE) /* whole characters */
        for (most = LONGEST_VALUE; most > 0 && ((unsigned char)words[most] & 0xC0) == 0x80;) most--;
    size_t n = (size_t)snprintf(out, size, "%s%s %.*s%s", point, strcmp(key, "data") == 0 ? "on" : key, (int)most,
                                words, most < length ? "…" : "");
    free(text);
    return n;
}

const char *l2r_run_model(char out[64], const json_t *config)
{
    const char *members = json_string_value(json_object_get(config, "members"));
    const char *model = l2r_text_of(config, "model");
    if (members == NULL || strcmp(members, "1") == 0 || *members == '\0')
        snprintf(out, 64, "%.60s", model);
    else if (strspn(members, "0123456789") == strlen(members))
        snprintf(out, 64, "%.8s × %.48s", members, model);
    else
        l2r_committee_name(out, 64, members, "+", "+");
    return out;
}

/* Model and method where they distinguish groups or nothing else does, then up to three options that differ between the
 * groups that have them. */
static void name_group(struct l2r_run_group *group, const struct l2r_run_groups *groups)
{
    const char *key;
    json_t *value;
    int shown = 0;
    bool alike = groups->n > 1 && !names_differ(groups, "model") && !names_differ(groups, "method");
    size_t n = 0, size = sizeof group->name;
    char model[64];
    l2r_run_model(model, group->config);
    if (!alike) n = (size_t)snprintf(group->name, size, "%s · %s", model, l2r_text_of(group->config, "method"));
    json_object_foreach(group->config, key, value)
    {
        if (strcmp(key, "model") == 0 || strcmp(key, "method") == 0 || !names_differ(groups, key)) continue;
        if (is_absence(key, value) || (!alike && strcmp(key, "members") == 0)) continue;
        if (shown++ == 3 || n >= size) break;
        n += add_option(group->name + n, size - n, groups, key, value, n == 0);
    }
    if (n == 0) snprintf(group->name, size, "%s · %s", model, l2r_text_of(group->config, "method"));
}

static bool is_erm(const struct l2r_run_group *group)
{
    return strcmp(l2r_text_of(group->config, "method"), "erm") == 0;
}

bool l2r_run_groups_compare(const struct l2r_run_group *a, const struct l2r_run_group *b)
{
    static const char *const keys[] = {"data", "split", "folds", "valid-fraction", "test-fraction", "split-file"};
    if (a->metric == NULL || b->metric == NULL || strcmp(a->metric, b->metric) != 0) return false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *mine = json_object_get(a->config, keys[i]), *theirs = json_object_get(b->config, keys[i]);
        if (mine != theirs && !json_equal(mine, theirs)) return false;
    }
    return true;
}

/* In how many options do they differ that both have? SIZE_MAX: they cannot be compared. */
static size_t distance(const struct l2r_run_group *group, const struct l2r_run_group *other)
{
    const char *key;
    json_t *value;
    size_t n = 0;
    if (other == group || !l2r_run_groups_compare(group, other)) return SIZE_MAX;
    json_object_foreach(group->config, key, value)
    {
        json_t *theirs = json_object_get(other->config, key);
        if (theirs != NULL && !json_equal(value, theirs)) n += strcmp(key, "model") == 0 ? 1000 : 1;
    }
    return n;
}

/* The nearest erm for any other method, the first one for erm; without erm the first group on the data. */
static void find_baseline(struct l2r_run_group *group, const struct l2r_run_groups *groups)
{
    size_t least = SIZE_MAX, before = (size_t)(group - groups->items);
    for (size_t k = 0; k < (is_erm(group) ? before : groups->n); k++) {
        size_t far = is_erm(&groups->items[k]) ? distance(group, &groups->items[k]) : SIZE_MAX;
        if (far >= least) continue;
        group->baseline = k;
        least = is_erm(group) ? 0 : far;
    }
    for (size_t k = 0; k < before && !is_erm(group) && group->baseline == L2R_NO_GROUP; k++)
        if (distance(group, &groups->items[k]) != SIZE_MAX) group->baseline = k;
}

static bool same_draw(const struct l2r_run_files *a, const struct l2r_run_files *b)
{
    static const char *const keys[] = {"seed", "split-seed", "fold", "data"};
    for (int i = 0; i < 4; i++) {
        json_t *mine = json_object_get(a->config, keys[i]), *theirs = json_object_get(b->config, keys[i]);
        if (mine != theirs && !json_equal(mine, theirs)) return false;
    }
    return true;
}

static void compare(struct l2r_run_group *group, const struct l2r_run_groups *groups, const struct l2r_run_list *list,
                    double *values /* [n] */)
{
    const struct l2r_run_group *base = group->baseline != L2R_NO_GROUP ? &groups->items[group->baseline] : NULL;
    int64_t n = 0;
    for (size_t i = 0; base != NULL && i < group->n; i++) {
        const struct l2r_run_files *run = &list->runs[group->runs[i]];
        size_t j = 0;
        while (j < base->n && !same_draw(run, &list->runs[base->runs[j]])) j++;
        if (j == base->n) continue;
        double change =
            l2r_line_number(run->result, "test") - l2r_line_number(list->runs[base->runs[j]].result, "test");
        if (!isnan(change)) values[n++] = change;
    }
    group->gain = l2r_interval_of(values, n);
}

enum l2r_status l2r_run_groups_make(struct l2r_run_groups *groups, const struct l2r_run_list *list,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double *values = l2r_alloc(list->n, sizeof *values);
    if (values == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the scores of %zu runs", list->n);
    for (size_t i = 0; i < list->n; i++) L2R_TRY(place(groups, &list->runs[i], i, error));
    for (size_t k = 0; k < groups->n; k++) {
        struct l2r_run_group *group = &groups->items[k];
        name_group(group, groups);
        for (int p = 0; p < 3; p++) average(&group->mean[p], &group->sd[p], group, list, part_names[p], values);
        average(&group->ess, NULL, group, list, "ess", values);
        average(&group->seconds, NULL, group, list, "seconds", values);
    }
    for (size_t k = 0; k < groups->n; k++) {
        find_baseline(&groups->items[k], groups);
        compare(&groups->items[k], groups, list, values);
    }
done:
    l2r_free(values);
    return status;
}

void l2r_run_groups_clear(struct l2r_run_groups *groups)
{
    for (size_t k = 0; k < groups->n; k++) {
        json_decref(groups->items[k].config);
        l2r_free(groups->items[k].runs);
    }
    l2r_free(groups->items);
    *groups = (struct l2r_run_groups){0};
}

const char *l2r_run_group_count(char out[64], const struct l2r_run_group *group)
{
    const char *what = group->n > 1 || group->kind != L2R_SIBLING_SEED ? l2r_sibling_names[group->kind] : "run";
    snprintf(out, 64, "%zu %s%s", group->n_finished, what, group->n_finished == 1 ? "" : "s");
    return out;
}

bool l2r_run_group_rises(const struct l2r_run_group *group)
{
    const struct l2r_metric *metric = group->metric != NULL ? l2r_metric_find(group->metric) : NULL;
    return metric == NULL || metric->higher_is_better;
}
