/* SPDX-License-Identifier: MIT
 *
 * Names of a model's tasks: the columns of the table that it was trained on. Data in other layouts have none. In memory they are one
 * text, each name ending with 0; in a file a JSON array of strings.
 */
#include "nn/signature.h"

#include <string.h>

enum { LONGEST = 1 << 12 };

const char *l2r_signature_task_name(const struct l2r_signature *s, int32_t task)
{
    const char *name = s->task_names;
    if (s->n_task_names == 0) return NULL;
    for (int32_t k = 0; k < task; k++) name += strlen(name) + 1;
    return name;
}

json_t *l2r_signature_names_to_json(const struct l2r_signature *s)
{
    json_t *array = json_array();
    for (int32_t k = 0; k < s->n_tasks; k++) json_array_append_new(array, json_string(l2r_signature_task_name(s, k)));
    return array;
}

enum l2r_status l2r_signature_names_from_json(struct l2r_signature *s, struct l2r_arena *arena, const json_t *array)
{
    size_t size = 0;
    if (!json_is_array(array) || json_array_size(array) != (size_t)s->n_tasks) return L2R_ERR_FORMAT;
    for (size_t k = 0; k < json_array_size(array); k++) {
        const char *name = json_string_value(json_array_get(array, k));
        if (!name || strlen(name) > LONGEST) return L2R_ERR_FORMAT;
        size += strlen(name) + 1;
    }
    char *text = l2r_arena_alloc(arena, size, 1);
    if (!text) return L2R_ERR_MEMORY;
    s->task_names = text;
    s->n_task_names = (int64_t)size;
    for (size_t k = 0; k < json_array_size(array); k++) {
        const char *name = json_string_value(json_array_get(array, k));
        memcpy(text, name, strlen(name) + 1);
        text += strlen(name) + 1;
    }
    return L2R_OK;
}
