/* SPDX-License-Identifier: MIT
 *
 * What a reader has to say about a data set besides its graphs: how it understood the file, which rows it left out. The
 * text is part of the data set (and of its cache file), a line each.
 *
 *     my.csv: 2039 molecules of column "smiles"; binary labels of column "p_np"
 *     my.csv: 2 of 2041 rows are left out
 *     my.csv:61: not a valid SMILES
 *     my.csv:393: the SMILES is empty
 */
#ifndef L2R_DATA_NOTES_H
#define L2R_DATA_NOTES_H

#include "base/text.h"
#include "data/dataset.h"

/* Zero it before the first use. */
struct l2r_notes {
    struct l2r_text text;
    int64_t n_rows; /* rows left out, whether they have a line or not */
};

/* A line (printf style); false when out of memory. */
bool l2r_notes_add(struct l2r_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The line of a row that was left out; beyond some thousands they are only counted. */
bool l2r_notes_add_row(struct l2r_notes *notes, const char *path, int64_t line, const char *reason);
void l2r_notes_clear(struct l2r_notes *notes);

/* Hands the lines of a data set to `tell`, of the rows at most `most` (0: all that are listed) and then how many more
 * there are. */
void l2r_notes_tell(const struct l2r_dataset *data, int64_t most, void (*tell)(void *context, const char *line),
                    void *context);

/* How many rows were left out. Of row i, if it is listed: its line (else -1) and why; the last three may be NULL. */
int64_t l2r_notes_dropped(const struct l2r_dataset *data, int64_t i, int64_t *line, char *reason, size_t size);

#endif
