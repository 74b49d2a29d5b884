/* SPDX-License-Identifier: MIT
 * See spec.h. A misspelt key would silently change an experiment, so every key must be a known one. */
#include "reproduce/spec.h"

#include "base/memory.h"
#include "io/file.h"
#include "reproduce/placement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SEEDS = 1000, LONGEST_NAME = 100 };

static const char *const root_keys[] = {"name",    "title",         "note",   "seeds", "options", "rows",
                                        "columns", "needs_folders", "figure", "quick", NULL};
static const char *const row_keys[] = {"label", "model", "method", "backbone", "control", "cost",    "options",
                                       "at",    "paper", "figure", "reads",    "where",   "columns", NULL};
static const char *const column_keys[] = {"label", "data", "seeds", "baselines", "options", "figure", NULL};
static const char *const quick_keys[] = {"seeds", "options", "columns", NULL};

static enum l2r_status check_keys(const json_t *object, const char *const *known, const char *what, const char *where,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *key;
    json_t *value;
    if (!json_is_object(object)) L2R_FAIL(L2R_ERR_FORMAT, "%s: %s must be an object", where, what);
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        bool found = false;
        for (size_t i = 0; known[i] != NULL && !found; i++) found = strcmp(known[i], key) == 0;
        if (!found) L2R_FAIL(L2R_ERR_FORMAT, "%s: %s: there is no key \"%s\"", where, what, key);
    }
done:
    return status;
}

static enum l2r_status get_text(const char **text, const json_t *object, const char *key, const char *what,
                                const char *where, struct l2r_error *error)
{
    *text = json_string_value(json_object_get(object, key));
    if (*text != NULL && **text != '\0') return L2R_OK;
    return l2r_fail(error, L2R_ERR_FORMAT, "%s: %s needs \"%s\", a text", where, what, key);
}

/* An object, or nothing. */
static enum l2r_status get_object(const json_t **found, const json_t *object, const char *key, const char *where,
                                  struct l2r_error *error)
{
    *found = json_object_get(object, key);
    if (*found == NULL || json_is_object(*found)) return L2R_OK;
    return l2r_fail(error, L2R_ERR_FORMAT, "%s: \"%s\" must be an object", where, key);
}

static enum l2r_status get_seeds(int64_t *seeds, const json_t *object, const char *where, struct l2r_error *error)
{
    const json_t *value = json_object_get(object, "seeds");
    if (value == NULL) return L2R_OK;
    *seeds = json_integer_value(value);
    if (json_is_integer(value) && *seeds >= 1 && *seeds <= MOST_SEEDS) return L2R_OK;
    return l2r_fail(error, L2R_ERR_FORMAT, "%s: \"seeds\" is a number of seeds, 1 to %d", where, MOST_SEEDS);
}

/* A name becomes names of files in --out: letters, digits and "._-", a letter or digit first, so never a path. */
static enum l2r_status check_name(const char *name, const char *where, struct l2r_error *error)
{
    static const char known[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t length = strlen(name);
    if (strspn(name, known) == length && strchr("._-", *name) == NULL && length <= LONGEST_NAME) return L2R_OK;
    return l2r_fail(
        error, L2R_ERR_FORMAT,
        "%s: the name \"%.100s\" cannot name files: expected at most %d letters, digits and ._-, a letter or "
        "digit first",
        where, name, LONGEST_NAME);
}

/* Texts are one line each: tables, scripts and terminals have lines. Line breaks are allowed only in texts of figures.
 */
static bool is_plain(const char *text, bool lines)
{
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text, next = (unsigned char)text[1];
        if ((byte < ' ' && !(lines && byte == '\n')) || byte == 127) return false;
        if (byte == 0xC2 && next >= 0x80 && next < 0xA0) return false; /* control characters of two bytes */
    }
    return true;
}

static enum l2r_status check_texts(const json_t *value, bool lines, const char *where, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t i;
    const char *key, *bad = json_string_value(value);
    json_t *item;
    if (bad != NULL && !is_plain(bad, lines))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the text \"%.60s\" has a %s in it", where, bad,
                 strchr(bad, '\n') != NULL ? "line break" : "control character");
    json_array_foreach((json_t *)(uintptr_t)value, i, item) L2R_TRY(check_texts(item, lines, where, error));
    json_object_foreach((json_t *)(uintptr_t)value, key, item)
    {
        if (!is_plain(key, false)) L2R_FAIL(L2R_ERR_FORMAT, "%s: the key \"%.60s\" is not one line", where, key);
        L2R_TRY(check_texts(item, lines || strcmp(key, "figure") == 0, where, error));
    }
done:
    return status;
}

static enum l2r_status get_where(const json_t **numbers, const json_t *row, const char *label, const char *where,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *key;
    json_t *value;
    L2R_TRY(get_object(numbers, row, "where", where, error));
    if (*numbers != NULL && json_object_get(row, "reads") == NULL)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"where\" of %s needs \"reads\", the list that it chooses from", where, label);
    json_object_foreach((json_t *)(uintptr_t)*numbers, key, value) if (!json_is_number(value))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: \"%s\" in \"where\" of %s must be a number", where, key, label);
done:
    return status;
}

static enum l2r_status read_row(struct l2r_spec_row *row, const json_t *object, const char *where,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(check_keys(object, row_keys, "a row", where, error));
    L2R_TRY(get_text(&row->label, object, "label", "a row", where, error));
    L2R_TRY(get_text(&row->model, object, "model", row->label, where, error));
    L2R_TRY(get_text(&row->method, object, "method", row->label, where, error));
    L2R_TRY(get_object(&row->options, object, "options", where, error));
    L2R_TRY(get_object(&row->at, object, "at", where, error));
    L2R_TRY(get_object(&row->paper, object, "paper", where, error));
    L2R_TRY(get_where(&row->where, object, row->label, where, error));
    row->backbone = json_string_value(json_object_get(object, "backbone"));
    row->reads = json_string_value(json_object_get(object, "reads"));
    row->figure = json_object_get(object, "figure");
    row->columns = json_object_get(object, "columns");
    row->control = json_is_true(json_object_get(object, "control"));
    row->cost = json_number_value(json_object_get(object, "cost"));
    if (!(row->cost > 0)) row->cost = 1;
done:
    return status;
}

static enum l2r_status read_column(struct l2r_spec_column *column, const json_t *object, const char *where,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(check_keys(object, column_keys, "a column", where, error));
    L2R_TRY(get_text(&column->label, object, "label", "a column", where, error));
    L2R_TRY(get_text(&column->data, object, "data", column->label, where, error));
    L2R_TRY(get_seeds(&column->seeds, object, where, error));
    L2R_TRY(get_object(&column->options, object, "options", where, error));
    column->figure = json_object_get(object, "figure");
    column->baselines = json_is_true(json_object_get(object, "baselines"));
done:
    return status;
}

static enum l2r_status read_rows(struct l2r_spec *spec, const char *where, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const json_t *rows = json_object_get(spec->root, "rows");
    size_t n = json_array_size(rows);
    if (n == 0) L2R_FAIL(L2R_ERR_FORMAT, "%s: \"rows\" must be a list of systems", where);
    spec->rows = l2r_alloc(n, sizeof *spec->rows);
    if (spec->rows == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the rows of %s", where);
    for (size_t i = 0; i < n; i++) {
        L2R_TRY(read_row(&spec->rows[i], json_array_get(rows, i), where, error));
        if (l2r_spec_row_find(spec, spec->rows[i].label) >= 0)
            L2R_FAIL(L2R_ERR_FORMAT, "%s: the row \"%s\" appears twice", where, spec->rows[i].label);
        spec->n_rows++;
    }
    for (size_t i = 0; i < n; i++)
        if (spec->rows[i].backbone != NULL && l2r_spec_row_find(spec, spec->rows[i].backbone) < 0)
            L2R_FAIL(L2R_ERR_FORMAT, "%s: %s: there is no row \"%s\" to be its backbone", where, spec->rows[i].label,
                     spec->rows[i].backbone);
done:
    return status;
}

bool l2r_spec_row_runs_on(const struct l2r_spec_row *row, const struct l2r_spec_column *column)
{
    for (size_t i = 0; i < json_array_size(row->columns); i++) {
        const char *label = json_string_value(json_array_get(row->columns, i));
        if (label != NULL && strcmp(label, column->label) == 0) return true;
    }
    return row->columns == NULL;
}

/* A misspelt label would silently leave cells empty. The columns of --quick have labels of their own. */
static enum l2r_status check_row_columns(const struct l2r_spec *spec, const char *where, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (size_t r = 0; r < spec->n_rows; r++) {
        const json_t *list = spec->rows[r].columns;
        if (list != NULL && !json_is_array(list))
            L2R_FAIL(L2R_ERR_FORMAT, "%s: %s: \"columns\" must be a list of labels", where, spec->rows[r].label);
        for (size_t i = 0; !spec->quick && i < json_array_size(list); i++) {
            const char *label = json_string_value(json_array_get(list, i));
            if (label == NULL || l2r_spec_column_find(spec, label) < 0)
                L2R_FAIL(L2R_ERR_FORMAT, "%s: %s: there is no column \"%s\"", where, spec->rows[r].label,
                         label != NULL ? label : "");
        }
    }
done:
    return status;
}

static enum l2r_status read_columns(struct l2r_spec *spec, const json_t *columns, const char *where,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t n = json_array_size(columns);
    if (n == 0) L2R_FAIL(L2R_ERR_FORMAT, "%s: \"columns\" must be a list of data sets", where);
    spec->columns = l2r_alloc(n, sizeof *spec->columns);
    if (spec->columns == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the columns of %s", where);
    for (size_t i = 0; i < n; i++) {
        L2R_TRY(read_column(&spec->columns[i], json_array_get(columns, i), where, error));
        if (l2r_spec_column_find(spec, spec->columns[i].label) >= 0)
            L2R_FAIL(L2R_ERR_FORMAT, "%s: the column \"%s\" appears twice", where, spec->columns[i].label);
        spec->n_columns++;
    }
done:
    return status;
}

enum l2r_status l2r_spec_parse(struct l2r_spec *spec, const char *text, size_t length, const char *where, bool quick,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *spec = (struct l2r_spec){.seeds = 1, .quick = quick};
    L2R_TRY(l2r_json_parse(&spec->root, text, length, where, error));
    const json_t *small = quick ? json_object_get(spec->root, "quick") : NULL;
    const json_t *columns = json_object_get(small, "columns");
    L2R_TRY(check_keys(spec->root, root_keys, "the file", where, error));
    if (quick && small == NULL) L2R_FAIL(L2R_ERR_FORMAT, "%s: there is no quick version", where);
    if (small != NULL) L2R_TRY(check_keys(small, quick_keys, "\"quick\"", where, error));
    L2R_TRY(check_texts(spec->root, false, where, error));
    L2R_TRY(get_text(&spec->name, spec->root, "name", "the file", where, error));
    L2R_TRY(check_name(spec->name, where, error));
    L2R_TRY(get_text(&spec->title, spec->root, "title", "the file", where, error));
    spec->note = json_string_value(json_object_get(spec->root, "note"));
    spec->needs_folders = json_is_true(json_object_get(spec->root, "needs_folders"));
    spec->figure = json_object_get(spec->root, "figure");
    L2R_TRY(l2r_placement_check(spec->root, where, error));
    L2R_TRY(get_seeds(&spec->seeds, spec->root, where, error));
    L2R_TRY(get_seeds(&spec->seeds, small, where, error));
    L2R_TRY(get_object(&spec->options, spec->root, "options", where, error));
    L2R_TRY(get_object(&spec->quick_options, small, "options", where, error));
    L2R_TRY(read_rows(spec, where, error));
    L2R_TRY(read_columns(spec, columns != NULL ? columns : json_object_get(spec->root, "columns"), where, error));
    L2R_TRY(check_row_columns(spec, where, error));
done:
    return status;
}

static bool is_path(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

enum l2r_status l2r_spec_load(struct l2r_spec *spec, const char *name, bool quick, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char *text = NULL;
    size_t length = 0;
    *spec = (struct l2r_spec){0};
    if (is_path(name)) {
        L2R_TRY(l2r_file_read(&text, &length, name, (size_t)1 << 24, error));
        L2R_TRY(l2r_spec_parse(spec, text, length, name, quick, error));
        goto done;
    }
    for (const struct l2r_spec_text *own = l2r_spec_texts; own->name != NULL; own++)
        if (strcmp(own->name, name) == 0) {
            L2R_TRY(l2r_spec_parse(spec, (const char *)own->text, own->length, name, quick, error));
            goto done;
        }
    L2R_FAIL(L2R_ERR_ARGUMENT, "cannot reproduce '%s'; 'l2r reproduce' lists what can be reproduced", name);
done:
    l2r_free(text);
    return status;
}

void l2r_spec_clear(struct l2r_spec *spec)
{
    l2r_free(spec->rows);
    l2r_free(spec->columns);
    json_decref(spec->root);
    *spec = (struct l2r_spec){0};
}

int l2r_spec_row_find(const struct l2r_spec *spec, const char *label)
{
    for (size_t i = 0; i < spec->n_rows; i++)
        if (strcmp(spec->rows[i].label, label) == 0) return (int)i;
    return -1;
}

int l2r_spec_column_find(const struct l2r_spec *spec, const char *label)
{
    for (size_t i = 0; i < spec->n_columns; i++)
        if (strcmp(spec->columns[i].label, label) == 0) return (int)i;
    return -1;
}

/* The one object of the list that has these numbers. */
static const json_t *entry_where(const json_t *list, const json_t *where)
{
    const json_t *found = NULL;
    size_t i;
    json_t *item, *wanted;
    const char *key;
    json_array_foreach((json_t *)(uintptr_t)list, i, item)
    {
        bool fits = true;
        json_object_foreach((json_t *)(uintptr_t)where, key, wanted)
        {
            const json_t *value = json_object_get(item, key);
            fits = fits && json_is_number(value) && fabs(json_number_value(value) - json_number_value(wanted)) <= 1e-9;
        }
        if (fits && found != NULL) return NULL;
        if (fits) found = item;
    }
    return found;
}

const json_t *l2r_spec_scores(const struct l2r_spec_row *row, const json_t *line)
{
    char key[64];
    if (row->reads == NULL || line == NULL) return line;
    line = json_object_get(line, "head");
    for (const char *at = row->reads; line != NULL && *at != '\0';) {
        size_t length = strcspn(at, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, at);
        line = json_object_get(line, key);
        at += length + (at[length] == '.');
    }
    return row->where != NULL ? entry_where(line, row->where) : line;
}
