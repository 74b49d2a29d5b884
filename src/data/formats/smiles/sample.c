/* SPDX-License-Identifier: MIT
 * See table_sample.h. */
#include "data/formats/smiles/sample.h"

#include "base/memory.h"

#include <ctype.h>
#include <string.h>

enum { ROWS = 50, LETTERS = 400, MOST_COLUMNS = 10000, MOST_RECORDS = 1000 };

/* Without blanks around it. */
static char *cut_copy(const struct l2r_csv_field *field)
{
    const char *text = field->text, *stop = text + field->length;
    while (text < stop && isspace((unsigned char)*text)) text++;
    while (text < stop && isspace((unsigned char)stop[-1])) stop--;
    size_t length = stop - text < LETTERS ? (size_t)(stop - text) : LETTERS;
    char *copy = l2r_alloc(length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

static enum l2r_status add_row(struct l2r_table_sample *s, const struct l2r_csv_record *r, const char *path,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (r->n_fields > MOST_COLUMNS)
        L2R_FAIL(L2R_ERR_FORMAT, "%s:%lld: %d columns exceed the limit of %d; is this a table of molecules?", path,
                 (long long)r->line, (int)r->n_fields, (int)MOST_COLUMNS);
    s->n_columns = r->n_fields;
    for (int32_t k = 0; k < r->n_fields; k++) {
        if (!l2r_reserve((void **)&s->cells, &s->capacity, s->n_cells + 1, sizeof *s->cells))
            return l2r_fail_memory(error, sizeof *s->cells, "the first rows of a table");
        s->cells[s->n_cells] = cut_copy(&r->fields[k]);
        if (!s->cells[s->n_cells++]) return l2r_fail_memory(error, LETTERS, "the first rows of a table");
    }
    s->n_rows++;
done:
    return status;
}

enum l2r_status l2r_table_sample_read(struct l2r_table_sample *s, struct l2r_csv *csv, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record = NULL;
    struct l2r_error first = {0}; /* what is wrong with the first record that is not sound */
    for (int i = 0; i < MOST_RECORDS && s->n_rows < ROWS; i++) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (!record) break;
        if (!record->problem)
            L2R_TRY(add_row(s, record, l2r_csv_path(csv), error));
        else if (!first.message[0])
            l2r_fail(&first, L2R_ERR_FORMAT, "%s:%lld: no row of the table can be read; here %s", l2r_csv_path(csv),
                     (long long)record->line, record->problem);
    }
    if (s->n_rows == 0 && first.message[0]) L2R_FAIL(L2R_ERR_FORMAT, "%s", first.message);
    if (s->n_rows == 0) L2R_FAIL(L2R_ERR_FORMAT, "%s: the table is empty", l2r_csv_path(csv));
done:
    return status;
}

void l2r_table_sample_clear(struct l2r_table_sample *s)
{
    for (size_t i = 0; i < s->n_cells; i++) l2r_free(s->cells[i]);
    l2r_free(s->cells);
    *s = (struct l2r_table_sample){0};
}
