/* SPDX-License-Identifier: MIT
 *
 * Room for one chunk of a table (table_chunks.h): the text of its rows, their molecules, and the data set made of these.
 */
#ifndef L2R_PREDICT_CHUNK_PLACE_H
#define L2R_PREDICT_CHUNK_PLACE_H

#include "data/formats/smiles/molecules.h"
#include "io/csv.h"
#include "predict/table_chunks.h"

struct l2r_chunk_place {
    char *text; /* raw bytes, SMILES and problems, behind each other */
    size_t used, capacity;
    struct l2r_table_row *rows;         /* [L2R_CHUNK_ROWS] */
    struct l2r_molecule_row *molecules; /* [L2R_CHUNK_ROWS] */
    int32_t *graph;                     /* [L2R_CHUNK_ROWS]: of each row */
    int32_t *numbers;                   /* [L2R_CHUNK_ROWS]: 0, 1, … */
    struct l2r_dataset *data;
    struct l2r_table_chunk chunk;
    enum l2r_status status;
    struct l2r_error error;
};

enum l2r_status l2r_chunk_place_init(struct l2r_chunk_place *place, struct l2r_error *error);
void l2r_chunk_place_clear(struct l2r_chunk_place *place);
/* Reads the next rows of the table; chunk.n is 0 at its end. Status and error are kept in the place. */
void l2r_chunk_place_fill(struct l2r_chunk_place *place, struct l2r_csv *csv, int32_t smiles_column);

/* Passes over the rows that a fill would have read, without making molecules of them. */
enum l2r_status l2r_chunk_skip(struct l2r_csv *csv, int32_t smiles_column, struct l2r_error *error);

#endif
