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

/* Mean and standard deviation of each task over the labelled training graphs; a constant target keeps its unit. */
static void target_scale(double *mean, double *sd, const struct l2r_dataset *data, const int32_t *train,
                         int64_t n_train)
{
    for (int32_t k = 0; k < data->n_tasks; k++) {
        double sum = 0, square = 0;
        int64_t n = 0;
        for (int64_t i = 0; i < n_train; i++) {
            float label = data->labels[(int64_t)train[i] * data->n_tasks + k];
            if (isnan(label)) continue;
            sum += (double)label;
            n++;
        }
        mean[k] = n ? sum / (double)n : 0;
        for (int64_t i = 0; i < n_train; i++) {
            float label = data->labels[(int64_t)train[i] * data->n_tasks + k];
            if (!isnan(label)) square += ((double)label - mean[k]) * ((double)label - mean[k]);
        }
        sd[k] = n && square > 0 ? sqrt(square / (double)n) : 1;
    }
}

enum l2r_status l2r_signature_copy(struct l2r_signature *copy, struct l2r_arena *arena, const struct l2r_signature *s,
                                   struct l2r_error *error)
{
    size_t tasks = (size_t)s->n_tasks;
    *copy = *s;
    copy->node_vocabulary = duplicate(arena, s->node_vocabulary, (size_t)s->n_node_columns, sizeof(int32_t));
    copy->edge_vocabulary = duplicate(arena, s->edge_vocabulary, (size_t)s->n_edge_columns, sizeof(int32_t));
    copy->class_value = duplicate(arena, s->class_value, (size_t)s->n_classes, sizeof(int64_t));
    copy->target_mean = duplicate(arena, s->target_mean, tasks, sizeof(double));
    copy->target_sd = duplicate(arena, s->target_sd, tasks, sizeof(double));
    if (!copy->node_vocabulary || !copy->edge_vocabulary || !copy->class_value || !copy->target_mean ||
        !copy->target_sd)
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
    if (data->task == L2R_TASK_REGRESSION) target_scale(mean, sd, data, train, n_train);
    struct l2r_signature view = {.task = data->task,
                                 .n_tasks = data->n_tasks,
                                 .n_classes = data->n_classes,
                                 .n_node_columns = data->nodes.n_columns,
                                 .n_edge_columns = data->arcs.n_columns,
                                 .n_node_reals = data->n_node_reals,
                                 .node_vocabulary = data->nodes.vocabulary,
                                 .edge_vocabulary = data->arcs.vocabulary,
                                 .class_value = data->class_value,
                                 .target_mean = mean,
                                 .target_sd = sd};
    return l2r_signature_copy(s, arena, &view, error);
}

static json_t *integers32(const int32_t *values, int32_t n)
{
    json_t *array = json_array();
    for (int32_t i = 0; i < n; i++) json_array_append_new(array, json_integer(values[i]));
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
    json_t *object = json_object(), *classes = json_array();
    for (int32_t k = 0; k < s->n_classes; k++) json_array_append_new(classes, json_integer(s->class_value[k]));
    json_object_set_new(object, "task", json_string(l2r_task_name(s->task)));
    json_object_set_new(object, "n_tasks", json_integer(s->n_tasks));
    json_object_set_new(object, "classes", classes);
    json_object_set_new(object, "node_vocabulary", integers32(s->node_vocabulary, s->n_node_columns));
    json_object_set_new(object, "edge_vocabulary", integers32(s->edge_vocabulary, s->n_edge_columns));
    json_object_set_new(object, "n_node_reals", json_integer(s->n_node_reals));
    json_object_set_new(object, "target_mean", reals(s->target_mean, s->n_tasks));
    json_object_set_new(object, "target_sd", reals(s->target_sd, s->n_tasks));
    return object;
}

/* Columns, classes and tasks that a file may claim: far above any data set, far below trouble. */
enum { MOST_COLUMNS = 1 << 16, MOST_VOCABULARY = 1 << 24 };

static bool read_vocabulary(const int32_t **out, int32_t *n, struct l2r_arena *arena, const json_t *array)
{
    size_t count = json_array_size(array);
    int32_t *values = count <= MOST_COLUMNS ? l2r_arena_alloc(arena, count, sizeof *values) : NULL;
    if (!json_is_array(array) || !values) return false;
    for (size_t i = 0; i < count; i++) {
        json_int_t value = json_integer_value(json_array_get(array, i));
        if (value < 1 || value > MOST_VOCABULARY) return false;
        values[i] = (int32_t)value;
    }
    *out = values;
    *n = (int32_t)count;
    return true;
}

static bool read_reals(const double **out, int32_t n, struct l2r_arena *arena, const json_t *array)
{
    double *values = l2r_arena_alloc(arena, (size_t)n, sizeof *values);
    if (!values || json_array_size(array) != (size_t)n) return false;
    for (int32_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(array, (size_t)i);
        if (!json_is_number(item)) return false;
        values[i] = json_number_value(item);
    }
    *out = values;
    return true;
}

static bool read_classes(struct l2r_signature *s, struct l2r_arena *arena, const json_t *array)
{
    size_t count = json_array_size(array);
    int64_t *values = count <= MOST_COLUMNS ? l2r_arena_alloc(arena, count, sizeof *values) : NULL;
    if (!json_is_array(array) || !values) return false;
    for (size_t i = 0; i < count; i++) values[i] = json_integer_value(json_array_get(array, i));
    s->class_value = values;
    s->n_classes = (int32_t)count;
    return true;
}

static bool read_task(enum l2r_task *task, const json_t *name)
{
    for (*task = L2R_TASK_MULTICLASS; *task <= L2R_TASK_REGRESSION; (*task)++)
        if (json_is_string(name) && strcmp(json_string_value(name), l2r_task_name(*task)) == 0) return true;
    return false;
}

enum l2r_status l2r_signature_from_json(struct l2r_signature *s, struct l2r_arena *arena, const json_t *object,
                                        const char *where, struct l2r_error *error)
{
    *s = (struct l2r_signature){0};
    json_int_t tasks = json_integer_value(json_object_get(object, "n_tasks"));
    json_int_t n_reals = json_integer_value(json_object_get(object, "n_node_reals"));
    const char *bad = NULL;
    if (!read_task(&s->task, json_object_get(object, "task")))
        bad = "task";
    else if (tasks < 1 || tasks > MOST_COLUMNS)
        bad = "n_tasks";
    else if (n_reals < 0 || n_reals > MOST_COLUMNS)
        bad = "n_node_reals";
    s->n_tasks = (int32_t)tasks;
    s->n_node_reals = (int32_t)n_reals;
    if (bad) {
    } else if (!read_vocabulary(&s->node_vocabulary, &s->n_node_columns, arena,
                                json_object_get(object, "node_vocabulary")))
        bad = "node_vocabulary";
    else if (!read_vocabulary(&s->edge_vocabulary, &s->n_edge_columns, arena,
                              json_object_get(object, "edge_vocabulary")))
        bad = "edge_vocabulary";
    else if (!read_classes(s, arena, json_object_get(object, "classes")))
        bad = "classes";
    else if (!read_reals(&s->target_mean, s->n_tasks, arena, json_object_get(object, "target_mean")))
        bad = "target_mean";
    else if (!read_reals(&s->target_sd, s->n_tasks, arena, json_object_get(object, "target_sd")))
        bad = "target_sd";
    else if (s->task == L2R_TASK_MULTICLASS && (s->n_classes < 1 || s->n_tasks != 1))
        bad = "classes";
    if (bad)
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: the field \"%s\" of the data signature is missing or out of range",
                        where, bad);
    return L2R_OK;
}

static enum l2r_status same_columns(const char *what, int32_t n, const int32_t *vocabulary,
                                    const struct l2r_categories *data, struct l2r_error *error)
{
    if (n != data->n_columns)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "the model was trained on %d categorical %s features a row, the data has %d", n, what,
                        data->n_columns);
    for (int64_t i = 0; i < (int64_t)data->n_types * n; i++)
        if (data->rows[i] >= vocabulary[i % n])
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "%s feature column %d holds the value %d, but the model was trained with values below %d",
                            what, (int)(i % n), data->rows[i], vocabulary[i % n]);
    return L2R_OK;
}

enum l2r_status l2r_signature_accepts(const struct l2r_signature *s, const struct l2r_dataset *data,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(same_columns("node", s->n_node_columns, s->node_vocabulary, &data->nodes, error));
    L2R_TRY(same_columns("edge", s->n_edge_columns, s->edge_vocabulary, &data->arcs, error));
    if (s->n_node_reals != data->n_node_reals)
        L2R_FAIL(L2R_ERR_ARGUMENT, "the model was trained on %d real node attributes, the data has %d", s->n_node_reals,
                 data->n_node_reals);
done:
    return status;
}
