/* SPDX-License-Identifier: MIT
 * See rows.h. */
#include "serve/rows.h"

#include "base/json.h"

const char *l2r_answer_type(enum l2r_answer_format format)
{
    static const char *const types[] = {"application/json", "application/x-ndjson", "text/csv"};
    return types[format];
}

void l2r_row_writer_clear(struct l2r_row_writer *w)
{
    for (int k = 0; k < w->n; k++) l2r_shelf_put(w->models[k]);
    l2r_csv_fields_clear(&w->fields);
}

static char delimiter_of(const struct l2r_row_writer *w)
{
    return w->molecules->root ? ',' : w->molecules->table.delimiter;
}

/* The columns of model k, whose names begin with its own where there are several. */
static struct l2r_columns columns_of(char prefix[300], const struct l2r_row_writer *w, int k, const char *before)
{
    const struct l2r_served_model *m = w->models[k];
    snprintf(prefix, 300, "%s%s%s", before, w->n > 1 ? m->name : "", w->n > 1 ? "_" : "");
    return (struct l2r_columns){&m->question, delimiter_of(w), prefix};
}

static void put_names(FILE *out, const void *context, char delimiter, const char *before)
{
    const struct l2r_row_writer *w = context;
    char prefix[300];
    for (int k = 0; k < w->n; k++) {
        struct l2r_columns columns = columns_of(prefix, w, k, before);
        columns.delimiter = delimiter;
        l2r_columns_output_names(out, &columns);
        l2r_columns_domain_names(out, &columns);
    }
    fprintf(out, "%c%sproblem", delimiter, before);
}

static void begin_csv(FILE *out, struct l2r_row_writer *w)
{
    const struct l2r_request_molecules *m = w->molecules;
    if (m->root) {
        fputs("id,smiles", out);
        put_names(out, w, ',', "");
        fputc('\n', out);
    } else {
        l2r_csv_header(out, &m->table, m->header, m->header_length, put_names, w);
    }
}

void l2r_rows_begin(FILE *out, struct l2r_row_writer *w)
{
    if (w->format == L2R_ANSWER_CSV) begin_csv(out, w);
    if (w->format != L2R_ANSWER_JSON) return;
    fputs("{\"models\": [", out);
    for (int k = 0; k < w->n; k++) fprintf(out, "%s\"%s\"", k ? ", " : "", w->models[k]->name);
    fputs("], \"molecules\": [", out);
}

void l2r_rows_end(FILE *out, struct l2r_row_writer *w)
{
    if (w->format == L2R_ANSWER_JSON) fputs("]}\n", out);
}

/* NULL where the model's numbers for this graph are not finite. */
static const struct l2r_answers *answer_of(const struct l2r_row_writer *w, const struct l2r_row_answers *answers, int k,
                                           int32_t graph)
{
    if (graph < 0 || !l2r_answers_are_finite(&answers->of[k], &w->models[k]->question, graph)) return NULL;
    return &answers->of[k];
}

static void put_id(FILE *out, const json_t *id)
{
    if (json_is_integer(id))
        fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
    else
        l2r_csv_write_first(out, ',', id ? json_string_value(id) : "");
}

static void write_csv(FILE *out, struct l2r_row_writer *w, const struct l2r_molecule_row *row, size_t number,
                      const struct l2r_row_answers *answers, int32_t graph)
{
    const struct l2r_request_molecules *m = w->molecules;
    const char *smiles, *problem = graph < 0 ? row->reason : "";
    char prefix[300];
    if (m->root) {
        const json_t *id;
        l2r_request_molecule(&smiles, &id, m, number);
        put_id(out, id);
        l2r_csv_write_text(out, ',', smiles);
    } else {
        l2r_csv_row(out, &m->table, row->raw, row->raw_length);
    }
    for (int k = 0; k < w->n; k++) {
        const struct l2r_columns columns = columns_of(prefix, w, k, "");
        const struct l2r_answers *a = answer_of(w, answers, k, graph);
        if (graph >= 0 && !a) problem = l2r_not_finite;
        l2r_columns_output(out, &columns, a, graph);
        l2r_columns_domain(out, &columns, a, graph);
    }
    l2r_csv_write_text(out, delimiter_of(w), problem);
    fputc('\n', out);
}

static json_t *predictions(const struct l2r_row_writer *w, const struct l2r_row_answers *answers, int32_t graph)
{
    json_t *object = json_object();
    for (int k = 0; k < w->n; k++) {
        json_t *one = json_object();
        const struct l2r_columns columns = {&w->models[k]->question, ',', ""};
        const struct l2r_answers *a = answer_of(w, answers, k, graph);
        l2r_columns_json(one, &columns, a, graph, a ? NULL : l2r_not_finite);
        l2r_json_put(object, w->models[k]->name, one);
    }
    return object;
}

static void write_json(FILE *out, struct l2r_row_writer *w, const struct l2r_molecule_row *row, size_t number,
                       const struct l2r_row_answers *answers, int32_t graph)
{
    const struct l2r_request_molecules *m = w->molecules;
    json_t *object = json_object();
    const char *smiles = row->smiles;
    if (m->root) {
        const json_t *id;
        l2r_request_molecule(&smiles, &id, m, number);
        if (id) json_object_set(object, "id", (json_t *)(uintptr_t)id);
    } else {
        l2r_json_put(object, "columns", l2r_json_row(&w->fields, &m->table, row->raw, row->raw_length));
    }
    l2r_json_put(object, "smiles", smiles ? l2r_json_name(smiles) : json_null());
    l2r_json_put(object, "problem", graph < 0 ? l2r_json_name(row->reason) : json_null());
    l2r_json_put(object, "predictions", graph < 0 ? json_null() : predictions(w, answers, graph));
    if (w->format == L2R_ANSWER_JSON && w->any) fputs(", ", out);
    if (object) json_dumpf(object, out, JSON_COMPACT | JSON_REAL_PRECISION(9));
    if (w->format == L2R_ANSWER_NDJSON) fputc('\n', out);
    json_decref(object);
}

void l2r_rows_write(FILE *out, struct l2r_row_writer *w, const struct l2r_molecule_row *row, size_t number,
                    const struct l2r_row_answers *answers, int32_t graph)
{
    if (w->format == L2R_ANSWER_CSV)
        write_csv(out, w, row, number, answers, graph);
    else
        write_json(out, w, row, number, answers, graph);
    w->any = true;
}
