/* SPDX-License-Identifier: MIT
 *
 * How data gets in. A reader turns one file format into a data set: src/data/formats/NAME/NAME.c defines
 * `l2r_reader_NAME`, with all that belongs to the format beside it in its folder. A generator makes graphs instead of
 * reading them and is selected by "NAME:key=value,key=value": src/data/generators/NAME.c, `l2r_generator_NAME`. The
 * build writes both lists from the names.
 *
 *     --data WHERE, data options  ──►  reader or generator  ──►  builder.h  ──►  data set with notes
 *
 * Readers only add graphs to a builder; reader.c does caching, the choice of the format and the notes.
 */
#ifndef L2R_DATA_READER_H
#define L2R_DATA_READER_H

#include "base/config.h"
#include "base/text.h"
#include "data/dataset.h"

struct l2r_source; /* a folder, an archive or a table, see io/source.h */

struct l2r_reader {
    const char *name;        /* "tu" */
    const char *description; /* one line for `l2r list` */
    /* Does this folder, archive or table hold the format? Looks at names only. */
    bool (*recognise)(const struct l2r_source *source);
    enum l2r_status (*read)(struct l2r_dataset **data, struct l2r_source *source, struct l2r_error *error);
    /* Instead of `read`, for a format with options (l2r_data_options). */
    enum l2r_status (*read_with)(struct l2r_dataset **data, struct l2r_source *source, const struct l2r_config *options,
                                 struct l2r_error *error);
};

struct l2r_generator {
    const char *name;
    const char *description;
    const struct l2r_option *options; /* ends with a zero row */
    enum l2r_status (*generate)(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_error *error);
};

extern const struct l2r_reader *const l2r_readers[];       /* NULL at the end */
extern const struct l2r_generator *const l2r_generators[]; /* NULL at the end */
/* By its name, which may be followed by options: "motif:mu=0.8"; NULL: there is none. */
const struct l2r_generator *l2r_generator_find(const char *where);

/* Options for reading data, in particular the columns of a table of SMILES: --smiles-column, --target-columns,
 * --task-type, --split-column, --environment-column, --on-bad-smiles, --duplicates, …; ends with a zero row. Commands
 * that load data declare these options, and a run's config keeps them. */
extern const struct l2r_option l2r_data_options[];

/* --cache alone; ends with a zero row. */
extern const struct l2r_option l2r_cache_option[];

/* l2r_dataset_load (dataset.h) with options: a config in which l2r_data_options are declared, or NULL for the
 * defaults. */
enum l2r_status l2r_dataset_load_with(struct l2r_dataset **data, const char *where, const struct l2r_config *options,
                                      bool use_cache, struct l2r_error *error);

/* The same from the bytes of a file that would have this name; nothing is cached. */
enum l2r_status l2r_dataset_load_bytes(struct l2r_dataset **data, const char *name, const void *bytes, size_t size,
                                       const struct l2r_config *options, struct l2r_error *error);
/* L2R_ERR_ARGUMENT: a config that was made for neither data nor a run; NULL is fine. */
enum l2r_status l2r_data_options_check(const struct l2r_config *options, struct l2r_error *error);

/* A text that identifies a set of data options; "" when all have their defaults. From l2r_alloc; NULL: out of
 * memory. */
char *l2r_data_options_text(const struct l2r_config *options);

/* Sets the data options of `to` that the user has set in `from`. */
enum l2r_status l2r_data_options_copy(struct l2r_config *to, const struct l2r_config *from, struct l2r_error *error);

/* Notes: a reader's remarks about a data set: how it read the file and which rows it skipped. The text is part of the
 * data set and of its cache file, one note a line:
 *
 *     my.csv: 2039 molecules of column "smiles"; binary labels of column "p_np"
 *     my.csv: 2 of 2041 rows were skipped
 *     my.csv:61: not a valid SMILES
 *     my.csv:393: the SMILES is empty
 *     my.csv: 1 cell holds no label and counts as missing
 *     my.csv:17: "n.d." in column "p_np" is not a number
 *
 * Zero it before the first use. */
struct l2r_notes {
    struct l2r_text text;
    int64_t n_rows; /* rows skipped, or cells, whether they have a line or not */
};

/* A line (printf style); false when out of memory. */
bool l2r_notes_add(struct l2r_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The line of a row that was skipped, or of a cell; beyond some thousands they are only counted. */
bool l2r_notes_add_row(struct l2r_notes *notes, const char *path, int64_t line, const char *reason);
void l2r_notes_clear(struct l2r_notes *notes);

/* Passes the lines of a data set to `report`: all lines about the file, at most `most` rows and as many cells (0: all
 * that are listed), and then how many more there are. */
void l2r_notes_report(const struct l2r_dataset *data, int64_t most, void (*report)(void *context, const char *line),
                      void *context);

/* How many rows were left out. Of row i, if it is listed: its line (else -1) and why; the last three may be NULL. */
int64_t l2r_notes_dropped(const struct l2r_dataset *data, int64_t i, int64_t *line, char *reason, size_t size);

#endif
