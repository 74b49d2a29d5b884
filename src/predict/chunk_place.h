/* SPDX-License-Identifier: MIT
 *
 * Room for one chunk of a table (table_chunks.h): its rows with their molecules, and the data set made of these.
 */
#ifndef L2R_PREDICT_CHUNK_PLACE_H
#define L2R_PREDICT_CHUNK_PLACE_H

#include "predict/table_chunks.h"

struct l2r_chunk_place {
    struct l2r_molecule_chunk molecules;
    struct l2r_table_row *rows; /* [L2R_CHUNK_ROWS] */
    int32_t *numbers;           /* [L2R_CHUNK_ROWS]: 0, 1, … */
    struct l2r_dataset *data;
    struct l2r_table_chunk chunk;
    enum l2r_status status;
    struct l2r_error error;
};

/* The table must outlive the place. To be cleared, also after a failure. */
enum l2r_status l2r_chunk_place_init(struct l2r_chunk_place *place, const struct l2r_molecule_table *table,
                                     struct l2r_error *error);
void l2r_chunk_place_clear(struct l2r_chunk_place *place);
/* Reads the next rows of the table; chunk.n is 0 at its end. Status and error are kept in the place. */
void l2r_chunk_place_fill(struct l2r_chunk_place *place, struct l2r_csv *csv);

#endif
