/* SPDX-License-Identifier: MIT
 *
 * The features in a model's signature (data/features.h): made from the training graphs, copied, and kept in its JSON:
 *
 *     {"blocks": {"morgan": [0, 1, 5, …], "descriptors": [0, 2, …], "columns": [0]},    places within each block
 *      "columns": ["dose"], "knots": [[…33 numbers], …]}                              a row for each column of numbers
 */
#include "nn/signature.h"

#include <string.h>

enum { MOST_OWN = 1 << 16, LONGEST_NAME = 1 << 12 };

static const char *block_name(int k)
{
    return k == L2R_FEATURE_COLUMNS ? "columns" : l2r_description_name((enum l2r_description)k);
}

static bool is_count(int k)
{
    return k != L2R_FEATURE_COLUMNS && l2r_description_is_count((enum l2r_description)k);
}

/* Columns that have knots. */
static int64_t numbers_of(const struct l2r_feature_scale *s)
{
    int64_t n = 0;
    for (int k = 0; k < L2R_FEATURE_BLOCKS; k++)
        if (!is_count(k)) n += s->first[k + 1] - s->first[k];
    return n;
}

enum l2r_status l2r_signature_add_features(struct l2r_signature *s, struct l2r_arena *arena, struct l2r_text *note,
                                           const struct l2r_dataset *data, const int32_t *train, int64_t n_train,
                                           unsigned blocks, struct l2r_error *error)
{
    return l2r_feature_scale_make(&s->features, arena, note, data, train, n_train, blocks, error);
}

static bool copy_array(const void **copy, struct l2r_arena *arena, const void *from, size_t n, size_t size)
{
    void *to = l2r_arena_alloc(arena, n, size);
    if (to && n > 0) memcpy(to, from, n * size);
    *copy = to;
    return to != NULL;
}

bool l2r_signature_copy_features(struct l2r_feature_scale *copy, struct l2r_arena *arena,
                                 const struct l2r_feature_scale *s)
{
    *copy = *s;
    return copy_array((const void **)&copy->column, arena, s->column, (size_t)s->n, sizeof *s->column) &&
           copy_array((const void **)&copy->knots, arena, s->knots, (size_t)numbers_of(s) * L2R_FEATURE_KNOTS,
                      sizeof *s->knots) &&
           copy_array((const void **)&copy->own_names, arena, s->own_names, (size_t)s->n_own_names, 1);
}

json_t *l2r_signature_features_to_json(const struct l2r_feature_scale *s)
{
    json_t *object = json_object(), *blocks = json_object(), *own = json_array(), *knots = json_array();
    const char *name = s->own_names;
    for (int k = 0; k < L2R_FEATURE_BLOCKS; k++) {
        json_t *columns = json_array();
        for (int32_t i = s->first[k]; i < s->first[k + 1]; i++)
            json_array_append_new(columns, json_integer(s->column[i]));
        if (s->blocks >> k & 1)
            json_object_set_new(blocks, block_name(k), columns);
        else
            json_decref(columns);
    }
    for (int32_t i = 0; i < s->n_own; i++, name += strlen(name) + 1) json_array_append_new(own, json_string(name));
    for (int64_t i = 0; i < numbers_of(s); i++) {
        json_t *row = json_array();
        for (int q = 0; q < L2R_FEATURE_KNOTS; q++)
            json_array_append_new(row, json_real((double)s->knots[i * L2R_FEATURE_KNOTS + q]));
        json_array_append_new(knots, row);
    }
    json_object_set_new(object, "blocks", blocks);
    json_object_set_new(object, "columns", own);
    json_object_set_new(object, "knots", knots);
    return object;
}

static enum l2r_status read_own(struct l2r_feature_scale *s, struct l2r_arena *arena, const json_t *array)
{
    size_t n = json_array_size(array), bytes = 0;
    if (!json_is_array(array) || n > MOST_OWN) return L2R_ERR_FORMAT;
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(array, i));
        if (!name || strlen(name) > LONGEST_NAME) return L2R_ERR_FORMAT;
        bytes += strlen(name) + 1;
    }
    char *text = l2r_arena_alloc(arena, bytes, 1);
    if (!text) return L2R_ERR_MEMORY;
    s->n_own = (int32_t)n;
    s->n_own_names = (int64_t)bytes;
    s->own_names = text;
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(array, i));
        memcpy(text, name, strlen(name) + 1);
        text += strlen(name) + 1;
    }
    return L2R_OK;
}

/* Places ascend and lie within their block. */
static enum l2r_status read_columns(int32_t *column, const struct l2r_feature_scale *s, int k, const json_t *array)
{
    json_int_t width = k == L2R_FEATURE_COLUMNS ? s->n_own : l2r_description_width((enum l2r_description)k),
               before = -1;
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_int_t place = json_integer_value(json_array_get(array, i));
        if (!json_is_integer(json_array_get(array, i)) || place <= before || place >= width) return L2R_ERR_FORMAT;
        column[i] = (int32_t)(before = place);
    }
    return L2R_OK;
}

static enum l2r_status read_knots(struct l2r_feature_scale *s, struct l2r_arena *arena, const json_t *array)
{
    int64_t n = numbers_of(s);
    if (!json_is_array(array) || json_array_size(array) != (size_t)n) return L2R_ERR_FORMAT;
    float *knots = l2r_arena_alloc(arena, (size_t)n * L2R_FEATURE_KNOTS, sizeof *knots);
    if (!knots) return L2R_ERR_MEMORY;
    s->knots = knots;
    for (int64_t i = 0; i < n; i++) {
        const json_t *row = json_array_get(array, (size_t)i);
        float *at = knots + i * L2R_FEATURE_KNOTS;
        if (json_array_size(row) != L2R_FEATURE_KNOTS) return L2R_ERR_FORMAT;
        for (int q = 0; q < L2R_FEATURE_KNOTS; q++) {
            const json_t *number = json_array_get(row, (size_t)q);
            at[q] = (float)json_number_value(number);
            if (!json_is_number(number) || (q > 0 && !(at[q] >= at[q - 1]))) return L2R_ERR_FORMAT;
        }
        if (!(at[0] < at[L2R_FEATURE_KNOTS - 1])) return L2R_ERR_FORMAT;
    }
    return L2R_OK;
}

enum l2r_status l2r_signature_features_from_json(struct l2r_feature_scale *s, struct l2r_arena *arena,
                                                 const json_t *object)
{
    enum l2r_status status = L2R_OK;
    const json_t *blocks = json_object_get(object, "blocks");
    *s = (struct l2r_feature_scale){0};
    if (!object) return L2R_OK;
    if (!json_is_object(blocks)) return L2R_ERR_FORMAT;
    L2R_TRY(read_own(s, arena, json_object_get(object, "columns")));
    for (int k = 0; k < L2R_FEATURE_BLOCKS; k++) {
        const json_t *columns = json_object_get(blocks, block_name(k));
        size_t most = (size_t)(k == L2R_FEATURE_COLUMNS ? s->n_own : l2r_description_width((enum l2r_description)k));
        if (json_array_size(columns) > most) return L2R_ERR_FORMAT;
        s->first[k + 1] = s->first[k] + (int32_t)json_array_size(columns);
        if (columns) s->blocks |= 1U << k;
    }
    s->n = s->first[L2R_FEATURE_BLOCKS];
    int32_t *column = l2r_arena_alloc(arena, (size_t)s->n, sizeof *column);
    if (!column) return L2R_ERR_MEMORY;
    s->column = column;
    for (int k = 0; k < L2R_FEATURE_BLOCKS; k++)
        L2R_TRY(read_columns(column + s->first[k], s, k, json_object_get(blocks, block_name(k))));
    L2R_TRY(read_knots(s, arena, json_object_get(object, "knots")));
done:
    return status;
}
