/* SPDX-License-Identifier: MIT
 *
 * Translates another data set into a model's numbers (l2r_signature_view). Feature rows are few (distinct ones only),
 * so they are translated in a copy; everything per node stays where it is.
 */
#include "nn/signature.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* The place of `value` in an ascending list, or -1. */
static int64_t find(const int64_t *values, int64_t n, int64_t value)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && values[low] == value ? low : -1;
}

struct columns {
    const char *what; /* "node", "edge" */
    int32_t n;
    const int32_t *vocabulary;
    int64_t n_values;
    const int64_t *value;
};

/* Rows whose numbers are places in the source's list of values: translated by value. */
static enum l2r_status translate(int32_t *rows, const struct columns *model, const struct l2r_categories *data,
                                 struct l2r_error *error)
{
    const int64_t *model_value = model->value, *data_value = data->value;
    for (int32_t k = 0; k < model->n; k++) {
        for (int64_t i = k; i < (int64_t)data->n_types * model->n; i += model->n) {
            int64_t value = data_value[data->rows[i]], place = find(model_value, model->vocabulary[k], value);
            if (place < 0)
                return l2r_fail(error, L2R_ERR_ARGUMENT,
                                "%s label %lld does not occur in the data that the model was trained on", model->what,
                                (long long)value);
            rows[i] = (int32_t)place;
        }
        model_value += model->vocabulary[k];
        data_value += data->vocabulary[k];
    }
    return L2R_OK;
}

static enum l2r_status view_columns(struct l2r_categories *view, struct l2r_arena *arena, const struct columns *model,
                                    const struct l2r_categories *data, struct l2r_error *error)
{
    if (model->n != data->n_columns)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "the model was trained on %d categorical %s features per row, the data has %d", model->n,
                        model->what, data->n_columns);
    if ((model->n_values > 0) != (data->n_values > 0))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "the %s features of the data are %s, those that the model was trained on %s", model->what,
                        data->n_values > 0 ? "labels" : "degrees or fixed categories",
                        model->n_values > 0 ? "labels" : "degrees or fixed categories");
    size_t count = (size_t)data->n_types * (size_t)model->n;
    int32_t *rows = l2r_arena_alloc(arena, count, sizeof *rows);
    if (!rows) return l2r_fail_memory(error, count * sizeof *rows, "the feature rows");
    if (count) memcpy(rows, data->rows, count * sizeof *rows);
    view->rows = rows;
    view->vocabulary = model->vocabulary;
    if (model->n_values > 0) return translate(rows, model, data, error);
    for (size_t i = 0; i < count; i++)
        if (rows[i] >= model->vocabulary[i % (size_t)model->n])
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "%s feature column %d holds the value %d, but the model was trained with values below %d",
                            model->what, (int)(i % (size_t)model->n), rows[i], model->vocabulary[i % (size_t)model->n]);
    return L2R_OK;
}

/* The model's number of the data's class c, by its name where both have names; -1: it has none. */
static int64_t class_place(const struct l2r_signature *s, const struct l2r_dataset *data, int32_t c)
{
    const char *name = l2r_dataset_class_name(data, 0, c);
    if (!name || s->n_class_names == 0) return find(s->class_value, s->n_classes, data->class_value[c]);
    for (int32_t k = 0; k < s->n_classes; k++)
        if (strcasecmp(l2r_signature_class_name(s, 0, k), name) == 0) return k;
    return -1;
}

/* Class numbers in the model's order; a class that the model does not have becomes a missing label. */
static enum l2r_status view_classes(struct l2r_dataset *view, struct l2r_arena *arena, const struct l2r_signature *s,
                                    const struct l2r_dataset *data, struct l2r_error *error)
{
    float *labels = l2r_arena_alloc(arena, (size_t)data->n_graphs, sizeof *labels);
    if (!labels) return l2r_fail_memory(error, (size_t)data->n_graphs * sizeof *labels, "the labels");
    for (int64_t i = 0; i < data->n_graphs; i++) {
        labels[i] = data->labels[i];
        if (isnan(labels[i])) continue;
        int64_t place = class_place(s, data, (int32_t)labels[i]);
        labels[i] = place < 0 ? NAN : (float)place;
    }
    view->labels = labels;
    view->n_classes = s->n_classes;
    view->class_value = s->class_value;
    view->class_names = s->n_class_names > 0 ? s->class_names : NULL;
    view->n_class_names = s->n_class_names;
    return L2R_OK;
}

/* The model's number of the data's class c of a binary task: by its name or, where the data has numbers, c itself; -1:
 * the model has no such name. */
static int binary_place(const struct l2r_signature *s, const struct l2r_dataset *data, int32_t task, int32_t c)
{
    const char *name = l2r_dataset_class_name(data, task, c);
    if (!name) return c;
    for (int32_t k = 0; k < 2; k++) {
        const char *own = l2r_signature_class_name(s, task, k);
        if (own && strcasecmp(own, name) == 0) return k;
    }
    return -1;
}

/* The same for binary tasks where the data has words: 0 and 1 are the model's. */
static enum l2r_status view_words(struct l2r_dataset *view, struct l2r_arena *arena, const struct l2r_signature *s,
                                  const struct l2r_dataset *data, struct l2r_error *error)
{
    size_t n = (size_t)data->n_graphs * (size_t)data->n_tasks;
    float *labels = l2r_arena_alloc(arena, n, sizeof *labels);
    if (!labels) return l2r_fail_memory(error, n * sizeof *labels, "the labels");
    for (size_t i = 0; i < n; i++) {
        labels[i] = data->labels[i];
        if (isnan(labels[i])) continue;
        int place = binary_place(s, data, (int32_t)(i % (size_t)data->n_tasks), labels[i] == 1);
        labels[i] = place < 0 ? NAN : (float)place;
    }
    view->labels = labels;
    view->class_names = s->n_class_names > 0 ? s->class_names : NULL;
    view->n_class_names = s->n_class_names;
    return L2R_OK;
}

enum l2r_status l2r_signature_view(struct l2r_dataset *view, struct l2r_arena *arena, const struct l2r_signature *s,
                                   const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset detailed;
    struct columns nodes = {"node", s->n_node_columns, s->node_vocabulary, s->n_node_values, s->node_value};
    struct columns edges = {"edge", s->n_edge_columns, s->edge_vocabulary, s->n_edge_values, s->edge_value};
    if (l2r_signature_has_details(s) && data->nodes.n_columns != s->n_node_columns) {
        L2R_TRY(l2r_signature_detail(&detailed, arena, data, error));
        data = &detailed;
    }
    *view = *data;
    L2R_TRY(view_columns(&view->nodes, arena, &nodes, &data->nodes, error));
    L2R_TRY(view_columns(&view->arcs, arena, &edges, &data->arcs, error));
    if (s->n_node_reals != data->n_node_reals)
        L2R_FAIL(L2R_ERR_ARGUMENT, "the model was trained on %d real node attributes, the data has %d", s->n_node_reals,
                 data->n_node_reals);
    if (s->n_edge_reals != data->arcs.n_reals)
        L2R_FAIL(L2R_ERR_ARGUMENT, "the model was trained on %d real edge attributes, the data has %d", s->n_edge_reals,
                 data->arcs.n_reals);
    view->scale = s->features.n > 0 ? &s->features : NULL;
    if (view->scale) L2R_TRY(l2r_feature_scale_check(view->scale, data, error));
    if (s->task == L2R_TASK_MULTICLASS && data->task == L2R_TASK_MULTICLASS)
        L2R_TRY(view_classes(view, arena, s, data, error));
    if (s->task == L2R_TASK_BINARY && data->task == L2R_TASK_BINARY && s->n_tasks == data->n_tasks && data->class_names)
        L2R_TRY(view_words(view, arena, s, data, error));
done:
    return status;
}
