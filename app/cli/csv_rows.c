/* SPDX-License-Identifier: MIT
 * See csv_rows.h. */
#include "cli/csv_rows.h"

#include "io/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cli_csv_label(FILE *out, const struct l2r_dataset *data, int64_t graph, int32_t task)
{
    float label = l2r_dataset_labels(data)[graph * l2r_dataset_tasks(data) + task];
    if (isnan(label))
        fputc(',', out);
    else if (l2r_dataset_task(data) == L2R_TASK_MULTICLASS)
        fprintf(out, ",%lld", (long long)l2r_dataset_class(data, (int32_t)label));
    else
        l2r_csv_write_float(out, ',', label);
}

enum { PREFIX = 24 };

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

static void choose_prefix(char prefix[PREFIX], const struct l2r_molecule_table *table, cli_names_fn *names,
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
        if (taken && round == 1) snprintf(prefix, PREFIX, "l2r_");
        if (taken && round > 1) snprintf(prefix, PREFIX, "l2r_%d_", round);
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

void cli_csv_row(FILE *out, const struct l2r_molecule_table *table, const char *raw, size_t length)
{
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

void cli_csv_header(FILE *out, const struct l2r_molecule_table *table, const char *header, size_t length,
                    cli_names_fn *names, const void *context)
{
    char prefix[PREFIX];
    if (header == NULL) return;
    choose_prefix(prefix, table, names, context);
    cli_csv_row(out, table, header, length);
    names(out, context, table->delimiter, prefix);
    fputc('\n', out);
}
