/* SPDX-License-Identifier: MIT
 * See signature.h. */
#include "nn/signature.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

static void *duplicate(struct l2r_arena *arena, const void *from, size_t count, size_t size)
{
    void *to = l2r_arena_alloc(arena, count, size);
    if (to && count) memcpy(to, from, count * size);
    return to;
}

/* ---- names of the tasks ---- The columns of the table that the model was trained on; data in other layouts have none.
 * In memory they are one text, each name ending with 0; in a file a JSON array of strings. */

enum { LONGEST_NAME = 1 << 12 };

const char *l2r_signature_task_name(const struct l2r_signature *s, int32_t task)
{
    return s->n_task_names == 0 ? NULL : l2r_names_at(s->task_names, task);
}

static int64_t class_names(const struct l2r_signature *s)
{
    return s->task == L2R_TASK_MULTICLASS ? s->n_classes : 2 * (int64_t)s->n_tasks;
}

const char *l2r_signature_class_name(const struct l2r_signature *s, int32_t task, int32_t c)
{
    int64_t at = s->task == L2R_TASK_MULTICLASS ? c : 2 * (int64_t)task + c;
    if (s->n_class_names == 0 || at < 0 || at >= class_names(s)) return NULL;
    const char *name = l2r_names_at(s->class_names, at);
    return *name ? name : NULL;
}

static json_t *names_to_json(const char *names, int64_t n)
{
    json_t *array = json_array();
    for (int64_t k = 0; k < n; k++, names += strlen(names) + 1) json_array_append_new(array, json_string(names));
    return array;
}

static enum l2r_status names_from_json(const char **names, int64_t *bytes, int64_t n, struct l2r_arena *arena,
                                       const json_t *array)
{
    size_t size = 0;
    if (!json_is_array(array) || json_array_size(array) != (size_t)n) return L2R_ERR_FORMAT;
    for (size_t k = 0; k < json_array_size(array); k++) {
        const char *name = json_string_value(json_array_get(array, k));
        if (!name || strlen(name) > LONGEST_NAME) return L2R_ERR_FORMAT;
        size += strlen(name) + 1;
    }
    char *text = l2r_arena_alloc(arena, size, 1);
    if (!text) return L2R_ERR_MEMORY;
    *names = text;
    *bytes = (int64_t)size;
    for (size_t k = 0; k < json_array_size(array); k++) {
        const char *name = json_string_value(json_array_get(array, k));
        memcpy(text, name, strlen(name) + 1);
        text += strlen(name) + 1;
    }
    return L2R_OK;
}

/* ---- made from data ---- */

/* The mean over the nodes of the training graphs of log(arcs + 1); 0 without nodes. */
static double mean_log_degree(const struct l2r_dataset *data, const int32_t *train, int64_t n_train)
{
    double sum = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < n_train; i++) {
        int64_t begin = data->node_start[train[i]], end = data->node_start[train[i] + 1];
        for (int64_t v = begin; v < end; v++) sum += log1p((double)(data->arc_start[v + 1] - data->arc_start[v]));
        n += end - begin;
    }
    return n ? sum / (double)n : 0;
}

enum l2r_status l2r_signature_copy(struct l2r_signature *copy, struct l2r_arena *arena, const struct l2r_signature *s,
                                   struct l2r_error *error)
{
    size_t tasks = (size_t)s->n_tasks;
    *copy = *s;
    copy->node_vocabulary = duplicate(arena, s->node_vocabulary, (size_t)s->n_node_columns, sizeof(int32_t));
    copy->edge_vocabulary = duplicate(arena, s->edge_vocabulary, (size_t)s->n_edge_columns, sizeof(int32_t));
    copy->node_value = duplicate(arena, s->node_value, (size_t)s->n_node_values, sizeof(int64_t));
    copy->edge_value = duplicate(arena, s->edge_value, (size_t)s->n_edge_values, sizeof(int64_t));
    copy->class_value = duplicate(arena, s->class_value, (size_t)s->n_classes, sizeof(int64_t));
    copy->task_names = duplicate(arena, s->task_names, (size_t)s->n_task_names, 1);
    copy->class_names = duplicate(arena, s->class_names, (size_t)s->n_class_names, 1);
    copy->target.mean = duplicate(arena, s->target.mean, tasks, sizeof(double));
    copy->target.sd = duplicate(arena, s->target.sd, tasks, sizeof(double));
    if (s->target.map) copy->target.map = l2r_signature_copy_maps(arena, s->target.map, s->n_tasks);
    bool seen = s->node_seen && s->edge_seen;
    if (seen) copy->node_seen = duplicate(arena, s->node_seen, (size_t)l2r_signature_node_categories(s), 1);
    if (seen) copy->edge_seen = duplicate(arena, s->edge_seen, (size_t)l2r_signature_edge_categories(s), 1);
    size_t weights = s->class_weight ? (size_t)l2r_signature_outputs(s) : 0;
    if (weights) copy->class_weight = duplicate(arena, s->class_weight, weights, sizeof(double));
    bool whole = l2r_signature_copy_features(&copy->features, arena, &s->features) &&
                 (!seen || (copy->node_seen && copy->edge_seen)) && (!weights || copy->class_weight);
    if (!whole || !copy->node_vocabulary || !copy->edge_vocabulary || !copy->node_value || !copy->edge_value ||
        !copy->class_value || !copy->task_names || !copy->class_names || !copy->target.mean || !copy->target.sd ||
        (s->target.map && !copy->target.map))
        return l2r_fail_memory(error, tasks * sizeof(double), "the model's view of the data");
    return L2R_OK;
}

enum l2r_status l2r_signature_make(struct l2r_signature *s, struct l2r_arena *arena, const struct l2r_dataset *data,
                                   const int32_t *train, int64_t n_train, struct l2r_error *error)
{
    size_t tasks = (size_t)data->n_tasks;
    double *mean = l2r_arena_zeroed(arena, tasks, sizeof *mean), *sd = l2r_arena_alloc(arena, tasks, sizeof *sd);
    if (!mean || !sd) return l2r_fail_memory(error, tasks * sizeof *mean, "the model's view of the data");
    for (size_t k = 0; k < tasks; k++) sd[k] = 1;
    if (data->task == L2R_TASK_REGRESSION) l2r_signature_scale_targets(mean, sd, NULL, data, train, n_train);
    struct l2r_signature view = {.task = data->task,
                                 .n_tasks = data->n_tasks,
                                 .n_classes = data->n_classes,
                                 .n_node_columns = data->nodes.n_columns,
                                 .n_edge_columns = data->arcs.n_columns,
                                 .n_node_reals = data->n_node_reals,
                                 .n_edge_reals = data->arcs.n_reals,
                                 .node_vocabulary = data->nodes.vocabulary,
                                 .edge_vocabulary = data->arcs.vocabulary,
                                 .n_node_values = data->nodes.n_values,
                                 .n_edge_values = data->arcs.n_values,
                                 .node_value = data->nodes.value,
                                 .edge_value = data->arcs.value,
                                 .class_value = data->class_value,
                                 .n_task_names = data->n_task_names,
                                 .task_names = data->task_names,
                                 .n_class_names = data->n_class_names,
                                 .class_names = data->class_names,
                                 .target = {.mean = mean, .sd = sd},
                                 .mean_log_degree = mean_log_degree(data, train, n_train)};
    enum l2r_status status = l2r_signature_mark_seen(&view, arena, data, train, n_train, error);
    return status == L2R_OK ? l2r_signature_copy(s, arena, &view, error) : status;
}

/* "0110": a digit for each category. */
static json_t *digits(const uint8_t *seen, int64_t n)
{
    char *text = l2r_alloc((size_t)n + 1, 1);
    for (int64_t i = 0; text && i < n; i++) text[i] = seen[i] ? '1' : '0';
    json_t *value = text ? json_string(text) : NULL;
    l2r_free(text);
    return value;
}

static enum l2r_status read_digits(const uint8_t **out, int64_t n, struct l2r_arena *arena, const json_t *value)
{
    const char *text = json_string_value(value);
    if (!text || strlen(text) != (size_t)n || strspn(text, "01") != (size_t)n) return L2R_ERR_FORMAT;
    uint8_t *seen = l2r_arena_alloc(arena, (size_t)n, 1);
    if (!seen) return L2R_ERR_MEMORY;
    for (int64_t i = 0; i < n; i++) seen[i] = text[i] == '1';
    *out = seen;
    return L2R_OK;
}

static json_t *integers32(const int32_t *values, int32_t n)
{
    json_t *array = json_array();
    for (int32_t i = 0; i < n; i++) json_array_append_new(array, json_integer(values[i]));
    return array;
}

static json_t *integers64(const int64_t *values, int64_t n)
{
    json_t *array = json_array();
    for (int64_t i = 0; i < n; i++) json_array_append_new(array, json_integer(values[i]));
    return array;
}

static json_t *reals(const double *values, int32_t n)
{
    json_t *array = json_array();
    for (int32_t i = 0; i < n; i++) json_array_append_new(array, json_real(values[i]));
    return array;
}

json_t *l2r_signature_to_json(const struct l2r_signature *s)
{
    json_t *object = json_object();
    json_object_set_new(object, "task", json_string(l2r_task_name(s->task)));
    json_object_set_new(object, "n_tasks", json_integer(s->n_tasks));
    json_object_set_new(object, "classes", integers64(s->class_value, s->n_classes));
    json_object_set_new(object, "node_vocabulary", integers32(s->node_vocabulary, s->n_node_columns));
    json_object_set_new(object, "edge_vocabulary", integers32(s->edge_vocabulary, s->n_edge_columns));
    json_object_set_new(object, "node_values", integers64(s->node_value, s->n_node_values));
    json_object_set_new(object, "edge_values", integers64(s->edge_value, s->n_edge_values));
    json_object_set_new(object, "n_node_reals", json_integer(s->n_node_reals));
    json_object_set_new(object, "target_mean", reals(s->target.mean, s->n_tasks));
    json_object_set_new(object, "target_sd", reals(s->target.sd, s->n_tasks));
    if (s->target.map) json_object_set_new(object, "target_map", l2r_signature_maps_to_json(s->target.map, s->n_tasks));
    if (s->n_edge_reals > 0) json_object_set_new(object, "n_edge_reals", json_integer(s->n_edge_reals));
    if (s->n_task_names > 0) json_object_set_new(object, "task_names", names_to_json(s->task_names, s->n_tasks));
    if (s->n_class_names > 0) json_object_set_new(object, "class_names", names_to_json(s->class_names, class_names(s)));
    if (s->node_seen && s->edge_seen) {
        json_object_set_new(object, "node_seen", digits(s->node_seen, l2r_signature_node_categories(s)));
        json_object_set_new(object, "edge_seen", digits(s->edge_seen, l2r_signature_edge_categories(s)));
    }
    if (s->features.n > 0) json_object_set_new(object, "features", l2r_signature_features_to_json(&s->features));
    if (s->unlearned) json_object_set_new(object, "unlearned", json_true());
    if (s->class_weight) json_object_set_new(object, "class_weights", reals(s->class_weight, l2r_signature_outputs(s)));
    json_object_set_new(object, "mean_log_degree", json_real(s->mean_log_degree));
    return object;
}

/* Columns, classes and tasks that a file may claim: far above any data set, and still safe. */
enum { MOST_COLUMNS = 1 << 16, MOST_VOCABULARY = 1 << 24 };

static enum l2r_status read_vocabulary(const int32_t **out, int32_t *n, struct l2r_arena *arena, const json_t *array)
{
    size_t count = json_array_size(array);
    if (!json_is_array(array) || count > MOST_COLUMNS) return L2R_ERR_FORMAT;
    int32_t *values = l2r_arena_alloc(arena, count, sizeof *values);
    if (!values) return L2R_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        json_int_t value = json_integer_value(json_array_get(array, i));
        if (value < 1 || value > MOST_VOCABULARY) return L2R_ERR_FORMAT;
        values[i] = (int32_t)value;
    }
    *out = values;
    *n = (int32_t)count;
    return L2R_OK;
}

static enum l2r_status read_reals(const double **out, int32_t n, struct l2r_arena *arena, const json_t *array)
{
    if (json_array_size(array) != (size_t)n) return L2R_ERR_FORMAT;
    double *values = l2r_arena_alloc(arena, (size_t)n, sizeof *values);
    if (!values) return L2R_ERR_MEMORY;
    for (int32_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(array, (size_t)i);
        if (!json_is_number(item)) return L2R_ERR_FORMAT;
        values[i] = json_number_value(item);
    }
    *out = values;
    return L2R_OK;
}

static enum l2r_status read_integers(const int64_t **out, int64_t *n, struct l2r_arena *arena, const json_t *array)
{
    size_t count = json_array_size(array);
    if (!json_is_array(array) || count > MOST_VOCABULARY) return L2R_ERR_FORMAT;
    int64_t *values = l2r_arena_alloc(arena, count, sizeof *values);
    if (!values) return L2R_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        if (!json_is_integer(json_array_get(array, i))) return L2R_ERR_FORMAT;
        values[i] = json_integer_value(json_array_get(array, i));
    }
    *out = values;
    *n = (int64_t)count;
    return L2R_OK;
}

/* Either no values at all, or one for every category. */
static bool fits(int64_t n_values, const int32_t *vocabulary, int32_t n_columns)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < n_columns; k++) sum += vocabulary[k];
    return n_values == 0 || n_values == sum;
}

static bool read_task(enum l2r_task *task, const json_t *name)
{
    for (*task = L2R_TASK_MULTICLASS; *task <= L2R_TASK_REGRESSION; (*task)++)
        if (json_is_string(name) && strcmp(json_string_value(name), l2r_task_name(*task)) == 0) return true;
    return false;
}

/* Field by field; *field is the current one, named when the status is not L2R_OK. */
static enum l2r_status read_fields(struct l2r_signature *s, const char **field, struct l2r_arena *arena,
                                   const json_t *object)
{
    enum l2r_status status = L2R_OK;
    int64_t n_classes = 0, number;
#define FIELD(name) json_object_get(object, *field = (name))
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) return L2R_ERR_FORMAT;                                                                       \
    } while (0)
    REQUIRE(read_task(&s->task, FIELD("task")));
    number = json_integer_value(FIELD("n_tasks"));
    REQUIRE(number >= 1 && number <= MOST_COLUMNS);
    s->n_tasks = (int32_t)number;
    number = json_integer_value(FIELD("n_node_reals"));
    REQUIRE(number >= 0 && number <= MOST_COLUMNS);
    s->n_node_reals = (int32_t)number;
    number = json_integer_value(FIELD("n_edge_reals")); /* most data has none, and then the field is not there */
    REQUIRE(number >= 0 && number <= MOST_COLUMNS);
    s->n_edge_reals = (int32_t)number;
    L2R_TRY(read_vocabulary(&s->node_vocabulary, &s->n_node_columns, arena, FIELD("node_vocabulary")));
    L2R_TRY(read_vocabulary(&s->edge_vocabulary, &s->n_edge_columns, arena, FIELD("edge_vocabulary")));
    L2R_TRY(read_integers(&s->node_value, &s->n_node_values, arena, FIELD("node_values")));
    REQUIRE(fits(s->n_node_values, s->node_vocabulary, s->n_node_columns));
    L2R_TRY(read_integers(&s->edge_value, &s->n_edge_values, arena, FIELD("edge_values")));
    REQUIRE(fits(s->n_edge_values, s->edge_vocabulary, s->n_edge_columns));
    L2R_TRY(read_integers(&s->class_value, &n_classes, arena, FIELD("classes")));
    REQUIRE(n_classes <= MOST_COLUMNS && (s->task != L2R_TASK_MULTICLASS || (n_classes >= 1 && s->n_tasks == 1)));
    s->n_classes = (int32_t)n_classes;
    L2R_TRY(read_reals(&s->target.mean, s->n_tasks, arena, FIELD("target_mean")));
    L2R_TRY(read_reals(&s->target.sd, s->n_tasks, arena, FIELD("target_sd")));
    for (int32_t k = 0; k < s->n_tasks; k++) REQUIRE(s->target.sd[k] > 0);
    const json_t *maps = FIELD("target_map"); /* models with `transform` have it */
    REQUIRE(!maps || s->task == L2R_TASK_REGRESSION);
    if (maps) L2R_TRY(l2r_signature_maps_from_json(&s->target.map, s->n_tasks, arena, maps));
    const json_t *names = FIELD("task_names"); /* tables have them */
    if (names) L2R_TRY(names_from_json(&s->task_names, &s->n_task_names, s->n_tasks, arena, names));
    names = FIELD("class_names"); /* tables with words for classes have them */
    if (names) L2R_TRY(names_from_json(&s->class_names, &s->n_class_names, class_names(s), arena, names));
    const json_t *seen = FIELD("node_seen"); /* older files have neither */
    if (seen) L2R_TRY(read_digits(&s->node_seen, l2r_signature_node_categories(s), arena, seen));
    if (seen) L2R_TRY(read_digits(&s->edge_seen, l2r_signature_edge_categories(s), arena, FIELD("edge_seen")));
    L2R_TRY(l2r_signature_features_from_json(&s->features, arena, FIELD("features"))); /* none: a graph is all */
    int32_t outputs = l2r_signature_outputs(s);
    s->unlearned = json_is_true(FIELD("unlearned"));
    const json_t *weights = FIELD("class_weights"); /* models trained with --class-weights have them */
    if (weights) L2R_TRY(read_reals(&s->class_weight, outputs, arena, weights));
    for (int32_t k = 0; weights && k < outputs; k++) REQUIRE(s->class_weight[k] > 0 && isfinite(s->class_weight[k]));
    const json_t *degree = FIELD("mean_log_degree"); /* files of models before PNA have none */
    s->mean_log_degree = degree ? json_number_value(degree) : -1;
    REQUIRE(!degree || (json_is_number(degree) && s->mean_log_degree >= 0));
#undef FIELD
#undef REQUIRE
done:
    return status;
}

enum l2r_status l2r_signature_from_json(struct l2r_signature *s, struct l2r_arena *arena, const json_t *object,
                                        const char *where, struct l2r_error *error)
{
    const char *field = "";
    *s = (struct l2r_signature){0};
    enum l2r_status status = read_fields(s, &field, arena, object);
    if (status == L2R_ERR_MEMORY) return l2r_fail_memory(error, 0, field);
    if (status == L2R_OK) return L2R_OK;
    return l2r_fail(error, status, "%s: the field \"%s\" of the data signature is missing or out of range", where,
                    field);
}
