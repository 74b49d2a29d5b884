/* SPDX-License-Identifier: MIT
 * See json.h. Reading is jansson's. */
#include "base/json.h"

#include "base/decimal.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* jansson quotes the offending text, which may hold line breaks; a message is one line. */
static enum l2r_status fail_at_line(struct l2r_error *error, const char *where, json_error_t *problem)
{
    if (json_error_code(problem) == json_error_out_of_memory || !*problem->text)
        return l2r_fail_memory(error, 0, where);
    for (char *c = problem->text; *c; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
    return l2r_fail(error, L2R_ERR_FORMAT, "%s:%d: not valid JSON: %s", where, problem->line > 0 ? problem->line : 1,
                    problem->text);
}

enum l2r_status l2r_json_parse(json_t **root, const char *text, size_t length, const char *where,
                               struct l2r_error *error)
{
    json_error_t problem;
    *root = NULL;
    /* jansson's parser is not safe when memory runs out: it loses characters, or aborts. So it starts only if a block
     * as large as all it may need could be allocated. */
    void *enough = l2r_alloc_raw(length + 1024, 16);
    if (!enough) return l2r_fail_memory(error, 16 * length, where);
    l2r_free(enough);
    *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    return *root ? L2R_OK : fail_at_line(error, where, &problem);
}

json_t *l2r_json_name(const char *text)
{
    struct l2r_text repaired = {0};
    while (*text) {
        int64_t bad = l2r_utf8_check(text, strlen(text));
        l2r_text_add(&repaired, text, bad < 0 ? strlen(text) : (size_t)bad);
        if (bad < 0) break;
        l2r_text_puts(&repaired, "\xEF\xBF\xBD");
        text += bad + 1;
    }
    json_t *string = repaired.failed ? NULL : json_string(repaired.text ? repaired.text : "");
    l2r_text_clear(&repaired);
    return string;
}

void l2r_json_number(char out[32], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        l2r_decimal_print(out, 32, "%.*g", digits, value);
        if (l2r_decimal_read(out, NULL) == value) break;
    }
    if (isfinite(value) && !strpbrk(out, ".e")) strcat(out, ".0"); /* stays a real when it is read again */
}

bool l2r_json_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0) return true;
    l2r_work_fail();
    return false;
}

bool l2r_json_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0) return true;
    l2r_work_fail();
    return false;
}

enum l2r_status l2r_json_set(json_t *object, const char *key, json_t *value, struct l2r_error *error)
{
    if (json_object_set_new(object, key, value) == 0) return L2R_OK;
    return l2r_fail(error, L2R_ERR_MEMORY, "out of memory: \"%s\" of a record", key);
}

enum l2r_status l2r_json_add(json_t *array, json_t *value, struct l2r_error *error)
{
    if (json_array_append_new(array, value) == 0) return L2R_OK;
    return l2r_fail(error, L2R_ERR_MEMORY, "out of memory: a list of a record");
}

json_t *l2r_json_copy(const json_t *object)
{
    json_t *copy = json_copy((json_t *)(uintptr_t)object);
    if (copy && json_object_size(copy) == json_object_size(object)) return copy;
    json_decref(copy);
    return NULL;
}

json_t *l2r_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

char *l2r_json_dump(const json_t *value, size_t flags)
{
    size_t size = json_dumpb(value, NULL, 0, flags);
    char *text = size > 0 ? l2r_alloc(size + 1, 1) : NULL;
    if (!text || json_dumpb(value, text, size, flags) == size) return text;
    l2r_free(text);
    return NULL;
}

enum l2r_status l2r_json_text(char **text, json_t *value, struct l2r_error *error)
{
    *text = value ? l2r_json_dump(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(value);
    return *text ? L2R_OK : l2r_fail_memory(error, 0, "JSON text");
}
