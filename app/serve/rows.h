/* SPDX-License-Identifier: MIT
 *
 * Predictions as the rows of an answer:
 *
 *     json     {"models": ["esol"], "molecules": [ROW, …]}
 *     ndjson   ROW and a line feed
 *     csv      the columns of the table (of a list id and smiles), then those of answers/answers.h and `problem`; with
 *              several models each column begins with the model's name
 *
 *     ROW      {"id": "ethanol", "smiles": "CCO", "problem": null, "predictions": {"esol": {"value": 1.1, …}}}
 *              of a table with "columns": {…} in place of "id"; a molecule with a problem has no predictions
 */
#ifndef L2R_SERVE_ROWS_H
#define L2R_SERVE_ROWS_H

#include "answers/csv_rows.h"
#include "serve/models.h"
#include "serve/molecules.h"

enum l2r_answer_format { L2R_ANSWER_JSON, L2R_ANSWER_NDJSON, L2R_ANSWER_CSV };
const char *l2r_answer_type(enum l2r_answer_format format);

struct l2r_row_writer {
    enum l2r_answer_format format;
    struct l2r_served_model *models[L2R_MOST_SERVED]; /* [n], taken from the shelf */
    int n;
    const struct l2r_request_molecules *molecules;
    struct l2r_csv_fields fields;
    bool any; /* a row was written */
};
void l2r_row_writer_clear(struct l2r_row_writer *writer);

struct l2r_row_answers {
    struct l2r_answers of[L2R_MOST_SERVED]; /* [models] */
    int32_t *graph;                         /* [rows]: number among the molecules that are good; -1: it is not */
};

void l2r_rows_begin(FILE *out, struct l2r_row_writer *writer);
/* number: of a molecule in its list. */
void l2r_rows_write(FILE *out, struct l2r_row_writer *writer, const struct l2r_molecule_row *row, size_t number,
                    const struct l2r_row_answers *answers, int32_t graph);
void l2r_rows_end(FILE *out, struct l2r_row_writer *writer);

#endif
