/* SPDX-License-Identifier: MIT
 * See csv_rows.h. */
#include "answers/csv_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The source's word for a label; NULL: it is a number, or missing. */
static const char *label_word(const struct l2r_dataset *data, int32_t task, float label)
{
    bool words = !isnan(label) && l2r_dataset_task(data) != L2R_TASK_REGRESSION;
    return words ? l2r_dataset_class_name(data, task, (int32_t)label) : NULL;
}

void l2r_csv_label(FILE *out, const struct l2r_dataset *data, int64_t graph, int32_t task)
{
    float label = l2r_dataset_labels(data)[graph * l2r_dataset_n_tasks(data) + task];
    const char *word = label_word(data, task, label);
    char number[L2R_CSV_FLOAT];
    if (isnan(label))
        fputc(',', out);
    else if (word != NULL)
        l2r_csv_write_text(out, ',', word);
    else if (l2r_dataset_task(data) == L2R_TASK_MULTICLASS)
        fprintf(out, ",%lld", (long long)l2r_dataset_class(data, (int32_t)label));
    else
        fprintf(out, ",%s%s", l2r_dataset_bound_sign(data, graph, task), l2r_csv_format_float(number, label));
}

static bool is_table(const struct l2r_dataset *data)
{
    return l2r_dataset_source_row(data, 0) >= 0 && l2r_dataset_smiles(data, 0) != NULL;
}

void l2r_csv_place_names(FILE *out, const struct l2r_dataset *data)
{
    if (is_table(data)) fputs(",line,name,smiles", out);
}

void l2r_csv_place(FILE *out, const struct l2r_dataset *data, int64_t graph)
{
    const char *name = l2r_dataset_row_name(data, graph);
    if (!is_table(data)) return;
    fprintf(out, ",%lld", (long long)l2r_dataset_source_row(data, graph));
    l2r_csv_write_text(out, ',', name != NULL ? name : "");
    l2r_csv_write_text(out, ',', l2r_dataset_smiles(data, graph));
}

void l2r_json_place(json_t *row, const struct l2r_dataset *data, int64_t graph)
{
    const char *name = l2r_dataset_row_name(data, graph);
    if (!is_table(data)) return;
    json_object_set_new(row, "line", json_integer(l2r_dataset_source_row(data, graph)));
    json_object_set_new(row, "name", name != NULL ? l2r_json_name(name) : json_null());
    json_object_set_new(row, "smiles", l2r_json_name(l2r_dataset_smiles(data, graph)));
}

static void name_label(char *out, size_t size, const struct l2r_dataset *data, int32_t task)
{
    const char *name = l2r_dataset_task_name(data, task);
    if (l2r_dataset_n_tasks(data) == 1)
        snprintf(out, size, "label");
    else if (name != NULL)
        snprintf(out, size, "label_%s", name);
    else
        snprintf(out, size, "label_%d", (int)task);
}

void l2r_csv_label_names(FILE *out, const struct l2r_dataset *data)
{
    char name[512];
    for (int32_t t = 0; t < l2r_dataset_n_tasks(data); t++) {
        name_label(name, sizeof name, data, t);
        l2r_csv_write_text(out, ',', name);
    }
}

void l2r_json_labels(json_t *row, const struct l2r_dataset *data, int64_t graph)
{
    char name[512];
    for (int32_t t = 0; t < l2r_dataset_n_tasks(data); t++) {
        float label = l2r_dataset_labels(data)[graph * l2r_dataset_n_tasks(data) + t];
        const char *word = label_word(data, t, label), *sign = l2r_dataset_bound_sign(data, graph, t);
        char bound[L2R_CSV_FLOAT + 1], number[L2R_CSV_FLOAT];
        snprintf(bound, sizeof bound, "%s%s", sign, l2r_csv_format_float(number, label));
        if (*sign) word = bound;
        name_label(name, sizeof name, data, t);
        json_object_set_new(row, name,
                            word != NULL ? l2r_json_name(word)
                            : l2r_dataset_task(data) == L2R_TASK_MULTICLASS && !isnan(label)
                                ? json_integer(l2r_dataset_class(data, (int32_t)label))
                                : l2r_json_real((double)label));
    }
}

static bool has_column(const struct l2r_molecule_table *table, const char *name)
{
    for (int32_t k = 0; table->has_header && k < table->n_columns; k++)
        if (strcmp(table->names[k], name) == 0) return true;
    return false;
}

/* Does the table have one of these names (one per line)? */
static bool has_any(const struct l2r_molecule_table *table, char *lines)
{
    char *rest = NULL;
    for (char *name = strtok_r(lines, "\n", &rest); name != NULL; name = strtok_r(NULL, "\n", &rest))
        if (has_column(table, name)) return true;
    return false;
}

void l2r_csv_prefix(char prefix[L2R_CSV_PREFIX], const struct l2r_molecule_table *table, l2r_names_fn *names,
                    const void *context)
{
    bool taken = true;
    prefix[0] = '\0';
    for (int round = 1; taken && round < 1000; round++) {
        char *lines = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&lines, &size);
        if (stream == NULL) return;
        names(stream, context, '\n', prefix);
        fclose(stream);
        taken = lines != NULL && has_any(table, lines);
        free(lines);
        if (taken && round == 1) snprintf(prefix, L2R_CSV_PREFIX, "l2r_");
        if (taken && round > 1) snprintf(prefix, L2R_CSV_PREFIX, "l2r_%d_", round);
    }
}

/* A row with more fields than the table has columns: the last column takes all that is left, as one quoted field. */
static void write_surplus(FILE *out, const struct l2r_molecule_table *table, const char *raw, size_t length)
{
    size_t kept = 0, end = length; /* bytes of the fields before the last column: the count only rises, so halve */
    bool open;
    while (kept < end) {
        size_t middle = kept + (end - kept) / 2;
        if (l2r_csv_count_fields(&open, raw, middle, table->delimiter) < table->n_columns)
            kept = middle + 1;
        else
            end = middle;
    }
    fwrite(raw, 1, kept, out);
    fputc('"', out);
    for (size_t i = kept; i < length; i++) {
        if (raw[i] == '"') fputc('"', out);
        fputc(raw[i], out);
    }
    fputc('"', out);
}

/* "CCO", "acetic acid" out of "CCO  acetic acid": the length of the first, and where the second begins. */
static size_t split_name(const char **name, const char *text)
{
    size_t length = strcspn(text, " \t");
    *name = text + length + strspn(text + length, " \t");
    return length;
}

/* A SMILES, blanks and a name become two fields, because answers follow. */
static void write_named(FILE *out, const struct l2r_molecule_table *table, const char *raw, size_t length)
{
    const char *name;
    char *text = strndup(raw, length);
    size_t end = split_name(&name, text != NULL ? text : "");
    fwrite(raw, 1, end, out);
    l2r_csv_write_text(out, table->delimiter, name);
    free(text);
}

json_t *l2r_json_row(struct l2r_csv_fields *fields, const struct l2r_molecule_table *table, const char *raw,
                     size_t length)
{
    json_t *row = json_object();
    char delimiter = table->named ? L2R_CSV_WHOLE_LINES : table->delimiter;
    if (row == NULL || !l2r_csv_split(fields, raw, length, delimiter)) return row;
    for (int32_t k = 0; k < table->n_columns; k++) {
        const char *text = k < fields->n ? fields->field[k].text : NULL, *name = NULL;
        const char *key = table->has_header || k != table->smiles ? table->names[k] : "smiles";
        size_t end = table->named && text != NULL ? split_name(&name, text) : 0;
        json_object_set_new(row, key,
                            name != NULL   ? json_stringn(text, end)
                            : text != NULL ? l2r_json_name(text)
                                           : json_null());
        if (table->named) json_object_set_new(row, "name", name != NULL ? l2r_json_name(name) : json_null());
    }
    return row;
}

void l2r_csv_row(FILE *out, const struct l2r_molecule_table *table, const char *raw, size_t length)
{
    if (table->named) {
        write_named(out, table, raw, length);
        return;
    }
    bool open;
    int32_t n = l2r_csv_count_fields(&open, raw, length, table->delimiter);
    if (n > table->n_columns && table->n_columns > 0) {
        write_surplus(out, table, raw, length);
        return;
    }
    fwrite(raw, 1, length, out);
    if (open) fputc('"', out);
    for (; n < table->n_columns; n++) fputc(table->delimiter, out);
}

void l2r_csv_header(FILE *out, const struct l2r_molecule_table *table, const char *header, size_t length,
                    l2r_names_fn *names, const void *context)
{
    char prefix[L2R_CSV_PREFIX];
    if (header == NULL) return;
    l2r_csv_prefix(prefix, table, names, context);
    l2r_csv_row(out, table, header, length);
    names(out, context, table->delimiter, prefix);
    fputc('\n', out);
}
