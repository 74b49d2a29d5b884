/* SPDX-License-Identifier: MIT
 * See environments.h. */
#include "data/environments.h"

#include "base/array.h"
#include "base/memory.h"
#include "data/splits/split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 64, DEFAULT_BINS = 4 };

const struct l2r_option l2r_environment_options[] = {
    {.name = "environments",
     .kind = L2R_OPTION_CHOICE,
     .choices = "auto|none|given|split|scaffold|size|kmeans",
     .fallback = "auto",
     .group = "Environments",
     .help = "where graphs come from, for methods and scores that compare environments: as the data or the split "
             "says, scaffolds, bins of sizes, or clusters of a trained model's Z; auto: as the data or else the split "
             "says, if one does"},
    {.name = "n-environments",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 1e6,
     .help = "how many; 0: 4 for size and kmeans, one per scaffold"},
    {.name = "environments-from",
     .kind = L2R_OPTION_TEXT,
     .value = "RUN",
     .help = "kmeans: run or model whose representations are clustered"},
    {0}};

static enum l2r_status allocate(struct l2r_environments *e, const char *rule, int32_t n, int64_t n_graphs,
                                struct l2r_error *error)
{
    *e = (struct l2r_environments){.rule = rule,
                                   .n = n,
                                   .of_graph = l2r_alloc((size_t)n_graphs, sizeof *e->of_graph),
                                   .names = l2r_alloc((size_t)n, LONGEST_NAME)};
    if (!e->of_graph || !e->names)
        return l2r_fail_memory(error, (size_t)n_graphs * sizeof *e->of_graph, "environments");
    return L2R_OK;
}

enum l2r_status l2r_environments_init(struct l2r_environments *e, const char *rule, const char *prefix, int32_t n,
                                      int64_t n_graphs, struct l2r_error *error)
{
    enum l2r_status status = allocate(e, rule, n, n_graphs, error);
    char *at = e->names;
    for (int32_t k = 0; status == L2R_OK && k < n; k++)
        at += snprintf(at, LONGEST_NAME, "%.40s %d", prefix, (int)k) + 1;
    return status;
}

enum l2r_status l2r_environments_name_all(struct l2r_environments *e, const char *rule, const char *const *names,
                                          int32_t n, int64_t n_graphs, struct l2r_error *error)
{
    enum l2r_status status = allocate(e, rule, n, n_graphs, error);
    char *at = e->names;
    for (int32_t k = 0; status == L2R_OK && k < n; k++)
        at += snprintf(at, LONGEST_NAME, "%.*s", LONGEST_NAME - 1, names[k]) + 1;
    return status;
}

enum l2r_status l2r_environments_copy(struct l2r_environments *copy, const struct l2r_environments *e, int64_t n_graphs,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *copy = (struct l2r_environments){.rule = "none"};
    if (e->n == 0) return L2R_OK;
    const char **names = l2r_alloc((size_t)e->n, sizeof *names), *at = e->names;
    if (!names) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: environments");
    for (int32_t k = 0; k < e->n; k++, at += strlen(at) + 1) names[k] = at;
    L2R_TRY(l2r_environments_name_all(copy, e->rule, names, e->n, n_graphs, error));
    memcpy(copy->of_graph, e->of_graph, (size_t)n_graphs * sizeof *copy->of_graph);
done:
    l2r_free((void *)names);
    if (status != L2R_OK) l2r_environments_clear(copy);
    return status;
}

void l2r_environments_lend(const struct l2r_environments *e, struct l2r_dataset *data)
{
    const char *end = e->names;
    for (int32_t k = 0; k < e->n; k++) end += strlen(end) + 1;
    data->environment = e->of_graph;
    data->environment_names = e->names;
    data->n_environments = e->n;
    data->n_environment_names = end - e->names;
}

/* ---- as JSON ---- */

json_t *l2r_environments_to_json(const struct l2r_environments *e, int64_t n_graphs)
{
    json_t *names = json_array(), *of_graph = json_array();
    bool good = names && of_graph;
    for (int32_t k = 0; good && k < e->n; k++)
        good = json_array_append_new(names, l2r_json_name(l2r_environments_name(e, k))) == 0;
    for (int64_t g = 0; good && g < n_graphs; g++)
        good = json_array_append_new(of_graph, json_integer(e->of_graph[g])) == 0;
    json_t *object = good ? json_pack("{s:O, s:O}", "names", names, "of_graph", of_graph) : NULL;
    json_decref(names);
    json_decref(of_graph);
    return object;
}

enum l2r_status l2r_environments_from_json(struct l2r_environments *e, const json_t *object, const char *path,
                                           int64_t n_graphs, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const json_t *list = json_object_get(object, "names"), *of_graph = json_object_get(object, "of_graph");
    size_t n = json_array_size(list);
    const char **names = NULL;
    *e = (struct l2r_environments){.rule = "none"};
    if (n == 0 || n > INT32_MAX || json_array_size(of_graph) != (size_t)n_graphs)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"environments\" must have \"names\", and \"of_graph\" a number for each graph",
                 path);
    names = l2r_alloc(n, sizeof *names);
    if (!names) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: environments");
    for (size_t k = 0; k < n; k++) {
        names[k] = json_string_value(json_array_get(list, k));
        if (!names[k]) L2R_FAIL(L2R_ERR_FORMAT, "%s: name %zu of the environments is not a text", path, k);
    }
    L2R_TRY(l2r_environments_name_all(e, "split", names, (int32_t)n, n_graphs, error));
    for (int64_t g = 0; g < n_graphs; g++) {
        const json_t *value = json_array_get(of_graph, (size_t)g);
        if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) >= (json_int_t)n)
            L2R_FAIL(L2R_ERR_FORMAT, "%s: the environment of graph %lld is not one of 0..%zu", path, (long long)g,
                     n - 1);
        e->of_graph[g] = (int32_t)json_integer_value(value);
    }
done:
    l2r_free((void *)names);
    if (status != L2R_OK) l2r_environments_clear(e);
    return status;
}

void l2r_environments_clear(struct l2r_environments *e)
{
    l2r_free(e->of_graph);
    l2r_free(e->names);
    *e = (struct l2r_environments){.rule = "none"};
}

const char *l2r_environments_name(const struct l2r_environments *e, int32_t k)
{
    if (k < 0 || k >= e->n) return NULL;
    const char *name = e->names;
    for (; k > 0; k--) name += strlen(name) + 1;
    return name;
}

enum l2r_status l2r_environments_given(struct l2r_environments *e, const struct l2r_dataset *data,
                                       struct l2r_error *error)
{
    if (!data->environment)
        return l2r_fail(
            error, L2R_ERR_ARGUMENT,
            "`environments=given`: data set \"%s\" has no environments; `environment-column` takes them from a table",
            data->name);
    size_t bytes = (size_t)data->n_graphs * sizeof *e->of_graph, name_bytes = (size_t)data->n_environment_names;
    *e = (struct l2r_environments){.rule = "given",
                                   .n = data->n_environments,
                                   .of_graph = l2r_alloc_raw(bytes, 1),
                                   .names = l2r_alloc_raw(name_bytes, 1)};
    if (!e->of_graph || !e->names) return l2r_fail_memory(error, bytes + name_bytes, "environments");
    memcpy(e->of_graph, data->environment, bytes);
    memcpy(e->names, data->environment_names, name_bytes);
    return L2R_OK;
}

struct scaffold {
    int32_t number, environment;
    int64_t n_train;
};

static int most_trained_first(const void *a, const void *b)
{
    const struct scaffold *x = a, *y = b;
    if (x->n_train != y->n_train) return x->n_train > y->n_train ? -1 : 1;
    return x->number - y->number;
}

static int by_number(const void *a, const void *b)
{
    return ((const struct scaffold *)a)->number - ((const struct scaffold *)b)->number;
}

/* Each scaffold its own environment or, with `wanted` > 0, runs of scaffolds of like size, equally full of training
 * graphs. */
static void number_scaffolds(struct scaffold *scaffolds, int32_t n, int32_t wanted, int64_t n_train)
{
    int64_t before = 0;
    qsort(scaffolds, (size_t)n, sizeof *scaffolds, most_trained_first);
    for (int32_t k = 0; k < n; k++) {
        int64_t bin = n_train > 0 ? before * wanted / n_train : 0;
        scaffolds[k].environment = wanted == 0 ? scaffolds[k].number : bin < wanted ? (int32_t)bin : wanted - 1;
        before += scaffolds[k].n_train;
    }
    qsort(scaffolds, (size_t)n, sizeof *scaffolds, by_number);
}

static enum l2r_status take_scaffolds(struct l2r_environments *e, const struct l2r_dataset *data, const int32_t *train,
                                      int64_t n_train, int32_t wanted, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t n = 0;
    struct scaffold *scaffolds = NULL;
    if (!data->scaffold)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "`environments=scaffold`: data set \"%s\" is not a table of SMILES, so its scaffolds are unknown",
                 data->name);
    for (int64_t g = 0; g < data->n_graphs; g++)
        if (data->scaffold[g] >= n) n = data->scaffold[g] + 1;
    scaffolds = l2r_alloc((size_t)n, sizeof *scaffolds);
    if (!scaffolds) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: environments");
    for (int32_t k = 0; k < n; k++) scaffolds[k].number = k;
    for (int64_t i = 0; i < n_train; i++) scaffolds[data->scaffold[train[i]]].n_train++;
    number_scaffolds(scaffolds, n, wanted, n_train);
    L2R_TRY(l2r_environments_init(e, "scaffold", wanted > 0 ? "scaffolds" : "scaffold", wanted > 0 ? wanted : n,
                                  data->n_graphs, error));
    for (int64_t g = 0; g < data->n_graphs; g++) e->of_graph[g] = scaffolds[data->scaffold[g]].environment;
done:
    l2r_free(scaffolds);
    return status;
}

/* Borders are sizes at the quantiles of the training graphs: graphs of one size stay together, so that bins may be
 * fewer than wanted. */
static enum l2r_status take_sizes(struct l2r_environments *e, const struct l2r_dataset *data, const int32_t *train,
                                  int64_t n_train, int32_t wanted, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t n = 0;
    int64_t *sizes = l2r_alloc_raw((size_t)n_train + 1, sizeof *sizes);
    int64_t *last = l2r_alloc_raw((size_t)wanted, sizeof *last); /* [n]: largest size of each bin */
    if (!sizes || !last) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: environments");
    for (int64_t i = 0; i < n_train; i++) sizes[i] = l2r_dataset_nodes_of(data, train[i]);
    qsort(sizes, (size_t)n_train, sizeof *sizes, l2r_compare_i64);
    for (int32_t k = 1; k < wanted; k++) {
        int64_t border = sizes[n_train * k / wanted] - 1;
        if (border >= sizes[0] && (n == 0 || border > last[n - 1])) last[n++] = border;
    }
    last[n++] = INT64_MAX;
    L2R_TRY(l2r_environments_init(e, "size", "", n, data->n_graphs, error));
    char *at = e->names;
    for (int32_t k = 0; k < n; k++) {
        if (n == 1)
            at += snprintf(at, LONGEST_NAME, "all sizes") + 1;
        else if (k + 1 == n)
            at += snprintf(at, LONGEST_NAME, "%lld nodes or more", (long long)last[k - 1] + 1) + 1;
        else
            at += snprintf(at, LONGEST_NAME, "up to %lld nodes", (long long)last[k]) + 1;
    }
    for (int64_t g = 0; g < data->n_graphs; g++)
        while (l2r_dataset_nodes_of(data, g) > last[e->of_graph[g]]) e->of_graph[g]++;
done:
    l2r_free(sizes);
    l2r_free(last);
    return status;
}

static enum l2r_status take_split(struct l2r_environments *e, const struct l2r_dataset *data,
                                  const struct l2r_split *split, struct l2r_error *error)
{
    if (split->environments.n > 0) return l2r_environments_copy(e, &split->environments, data->n_graphs, error);
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "`environments=split`: the %s split has none; `split=good` and some split files do", split->rule);
}

enum l2r_status l2r_environments_make(struct l2r_environments *e, const struct l2r_config *config,
                                      const struct l2r_dataset *data, const struct l2r_split *split,
                                      struct l2r_error *error)
{
    const int32_t *train = l2r_split_part(split, L2R_PART_TRAIN);
    int64_t n_train = l2r_split_size(split, L2R_PART_TRAIN);
    const char *rule = l2r_config_text(config, "environments");
    int32_t wanted = (int32_t)l2r_config_int(config, "n-environments");
    *e = (struct l2r_environments){.rule = "none"};
    if (strcmp(rule, "auto") == 0) rule = data->environment ? "given" : split->environments.n > 0 ? "split" : "none";
    if (wanted > 0 && (strcmp(rule, "given") == 0 || strcmp(rule, "split") == 0 || strcmp(rule, "none") == 0))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`n-environments` has no effect here; it goes with `environments=scaffold`, size or kmeans");
    if (strcmp(rule, "given") == 0) return l2r_environments_given(e, data, error);
    if (strcmp(rule, "split") == 0) return take_split(e, data, split, error);
    if (strcmp(rule, "scaffold") == 0) return take_scaffolds(e, data, train, n_train, wanted, error);
    if (strcmp(rule, "size") == 0)
        return take_sizes(e, data, train, n_train, wanted > 0 ? wanted : DEFAULT_BINS, error);
    return L2R_OK;
}

enum l2r_status l2r_environments_need(const struct l2r_environments *e, const struct l2r_dataset *data,
                                      const int32_t *train, int64_t n_train, const char *method,
                                      struct l2r_error *error)
{
    for (int64_t i = 1; i < n_train; i++)
        if (l2r_environment_of(e, train[i]) != l2r_environment_of(e, train[0])) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "`method=%s` compares environments, but the training graphs of data set \"%s\" %s; "
                    "`environments=size`, scaffold or kmeans makes some",
                    method, data->name, e->n > 0 ? "are all of one" : "have none");
}

int32_t l2r_dataset_label_classes(const struct l2r_dataset *data)
{
    if (data->task == L2R_TASK_REGRESSION) return 1;
    return data->task == L2R_TASK_BINARY ? 2 : data->n_classes;
}

int32_t l2r_dataset_label_class(const struct l2r_dataset *data, int64_t graph)
{
    float label = data->labels[graph * data->n_tasks];
    if (isnan(label)) return -1;
    return data->task == L2R_TASK_REGRESSION ? 0 : (int32_t)label;
}
