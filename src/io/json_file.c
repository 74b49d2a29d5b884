/* SPDX-License-Identifier: MIT
 *
 * See json_file.h. Writing is done here and not by jansson, for two reasons: numbers come out as the shortest decimal
 * that reads back as the same bits (0.1, not 0.10000000000000001), and long lists of numbers fill lines of 100 columns
 * instead of taking one line each:
 *
 *     {
 *       "lr": 0.001,
 *       "train": [0, 3, 4, 9,
 *         11, 12]
 *     }
 */
#include "io/json_file.h"

#include "base/memory.h"
#include "io/file.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { LARGEST_FILE = 256 << 20, LINE_WIDTH = 100 };

enum l2r_status l2r_json_read(json_t **root, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char *text = NULL;
    size_t length = 0;
    *root = NULL;
    L2R_TRY(l2r_file_read(&text, &length, path, LARGEST_FILE, error));
    L2R_TRY(l2r_json_parse(root, text, length, path, error));
done:
    l2r_free(text);
    return status;
}

struct printer {
    FILE *out;
    bool failed; /* jansson ran out of memory */
};

static void write_value(struct printer *to, json_t *value, int depth);

static void write_plain(struct printer *to, const json_t *value)
{
    if (!value || json_dumpf(value, to->out, JSON_ENCODE_ANY) != 0) to->failed = true;
}

static void write_object(struct printer *to, json_t *object, int depth)
{
    const char *key, *comma = "";
    json_t *value;
    fputc('{', to->out);
    json_object_foreach(object, key, value)
    {
        json_t *name = json_string(key);
        fprintf(to->out, "%s\n%*s", comma, 2 * depth + 2, "");
        write_plain(to, name);
        fputs(": ", to->out);
        write_value(to, value, depth + 1);
        json_decref(name);
        comma = ",";
    }
    if (*comma) fprintf(to->out, "\n%*s", 2 * depth, "");
    fputc('}', to->out);
}

/* Lists of plain values fill lines; lists that hold objects or lists give each element its own. */
static void write_array(struct printer *to, const json_t *array, int depth)
{
    bool flat = true;
    size_t i;
    json_t *value;
    json_array_foreach(array, i, value) flat = flat && !json_is_object(value) && !json_is_array(value);
    long line_start = ftell(to->out);
    fputc('[', to->out);
    json_array_foreach(array, i, value)
    {
        if (i > 0) fputc(',', to->out);
        if (!flat || ftell(to->out) - line_start > LINE_WIDTH) {
            line_start = ftell(to->out);
            fprintf(to->out, "\n%*s", 2 * depth + 2, "");
        } else if (i > 0) {
            fputc(' ', to->out);
        }
        write_value(to, value, depth + 1);
    }
    if (!flat) fprintf(to->out, "\n%*s", 2 * depth, "");
    fputc(']', to->out);
}

static void write_value(struct printer *to, json_t *value, int depth)
{
    char number[32];
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        write_object(to, value, depth);
        break;
    case JSON_ARRAY:
        write_array(to, value, depth);
        break;
    case JSON_REAL:
        l2r_json_number(number, json_real_value(value));
        fputs(number, to->out);
        break;
    default:
        write_plain(to, value);
    }
}

enum l2r_status l2r_json_write(const json_t *root, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic writer = {.stream = NULL};
    if (!root) return l2r_fail_memory(error, 0, path); /* what jansson's constructors give when out of memory */
    L2R_TRY(l2r_atomic_open(&writer, path, error));
    struct printer to = {.out = writer.stream};
    write_value(&to, (json_t *)(uintptr_t)root, 0); /* jansson's iterators take no const */
    fputc('\n', writer.stream);
    if (to.failed) L2R_TRY(l2r_fail_memory(error, 0, path));
done:
    return l2r_atomic_close(&writer, status, error);
}
