/* SPDX-License-Identifier: MIT
 *
 * A table whose rows are molecules: one SMILES a row, labels in other columns. Its sources:
 *
 *     table.c       how the table is written, and which column holds the SMILES
 *     sdf.c         an SD file as such a table
 *     cells.c       parses a cell
 *     columns.c     statistics of a column's cells;  column_names.c: classifies its name
 *     label_columns.c  which columns are labels;  descriptor_columns.c: which RDKit computes from the structure
 *     targets.c     chooses and reads the labels;  target_notes.c: notes about columns
 *     molecules.c   rows to molecules, a chunk at a time: the one path for training and for predicting
 *     rows.c        molecules to a data set, with notes about rows;  excluded.c: molecules to leave out
 *     smiles.c      the readers
 *
 * model/table_chunks.h uses table.c and molecules.c to score tables of any length.
 */
#ifndef L2R_DATA_FORMATS_SMILES_SMILES_H
#define L2R_DATA_FORMATS_SMILES_SMILES_H

#include "base/config.h"
#include "base/memory.h"
#include "chem/molecule.h"
#include "data/builder.h"
#include "data/formats/smiles/targets.h"
#include "io/csv.h"

/* How the table is written, from the options or else from the first rows:
 *
 *     delimiter   comma, semicolon or tab: whichever the first line has most of     --delimiter
 *     header      the first line names a known column, or has words where others     --header
 *                 have numbers or molecules
 *     SMILES      the column called smiles, …, mol; or the one with most molecules   --smiles-column
 */
struct l2r_molecule_table {
    const struct l2r_source *source;
    const struct l2r_entry *entry;
    char delimiter;
    bool has_header;
    int32_t n_columns;
    char **names;                       /* [n_columns]: from the header, or "1", "2", … */
    struct l2r_distinct_texts distinct; /* the names that are not empty, */
    int32_t *named_column;              /* [of these]: which column each names; NULL: none is looked up */
    int32_t smiles;                     /* the column, from 0 */
    int32_t second;                     /* another column that holds SMILES; -1: none */
    int32_t title;                      /* the column of names, by its header; -1: none */
    bool named;   /* one column: a SMILES, blanks and a name, as in .smi files; the delimiter is for what is added */
    bool pubchem; /* records after the header whose first field begins with RESULT_ describe the columns */
    bool largest_fragment;
    struct l2r_sdf *sdf; /* the table was made of this SD file; NULL: it is one */
    int32_t n_features;
    int32_t *features; /* [n_features]: the columns of --feature-columns, numbers about molecules */
    bool *is_feature;  /* [n_columns]; NULL: none is */
};

/* The table is the only entry of the source, which must outlive it. Options: l2r_data_options. */
enum l2r_status l2r_molecule_table_find(struct l2r_molecule_table *table, const struct l2r_source *source,
                                        const struct l2r_config *options, struct l2r_error *error);
void l2r_molecule_table_clear(struct l2r_molecule_table *table);

/* The records after the header. *header, if not NULL, is the header's record until the next is read; NULL: there is
 * none. */
enum l2r_status l2r_molecule_table_open(struct l2r_csv **csv, const struct l2r_csv_record **header,
                                        const struct l2r_molecule_table *table, struct l2r_error *error);

/* Does the record describe the columns, as the lines after PubChem's header do? It is no row then. */
bool l2r_molecule_table_describes(const struct l2r_molecule_table *table, const struct l2r_csv_record *record);
/* Is it one of --feature-columns? */
bool l2r_molecule_table_is_feature(const struct l2r_molecule_table *table, int32_t column);
bool l2r_molecule_table_has(const struct l2r_molecule_table *table, const char *word);
/* The column called `word`, or number `word` (from 1); an error that lists the columns when there is none. `option` is
 * where the word comes from. */
enum l2r_status l2r_molecule_table_column(int32_t *column, const struct l2r_molecule_table *table, const char *word,
                                          const char *option, struct l2r_error *error);

/* An SD file as a table in memory: a row for each molecule, with columns smiles, name and all properties. Lines are
 * those of the file; a record that RDKit cannot read is a row with a problem. */
struct l2r_sdf {
    struct l2r_source *source; /* the table, as CSV */
    char *text;
    int64_t n;       /* records, the header among them */
    int64_t *lines;  /* [n] */
    char **problems; /* [n] or NULL */
};
enum l2r_status l2r_sdf_read(struct l2r_sdf **out, const struct l2r_source *source, const struct l2r_entry *entry,
                             struct l2r_error *error);
void l2r_sdf_free(struct l2r_sdf *sdf);
bool l2r_sdf_recognise(const char *name);

/* Rows become molecules a chunk at a time:
 *
 *     record  --cells-->  SMILES, labels  --RDKit, all threads-->  molecule, or why there is none  --pack-->  data set
 *
 * An invalid row is not an error: it keeps its place and gets a reason; the caller decides. Each row is read on its
 * own, so the result does not depend on the number of threads or on where chunks begin. */
enum {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    L2R_CHUNK_ROWS = 8, /* a small input has several chunks, and little memory is cleared for each */
#else
    L2R_CHUNK_ROWS = 4096, /* a second of work for one thread, some megabytes of molecules */
#endif
    L2R_LONGEST_TITLE = 200,     /* bytes of a name that are kept */
    L2R_CHUNK_BYTES = 1 << 22,   /* text after which a chunk is full */
    L2R_CHUNK_NUMBERS = 1 << 22, /* labels and features of a chunk, if a row has no more */
};

struct l2r_molecule_row {
    int64_t line;    /* where its record begins, from 1 */
    const char *raw; /* [raw_length]: the record without its line ending; "" if it is longer than a record may be */
    size_t raw_length;
    const char *smiles;      /* NULL: the row is bad already */
    const char *title;       /* the name of the molecule; NULL: it has none, or it is not needed */
    const char *split;       /* its cell of --split-column; NULL: not requested */
    const char *environment; /* its cell of --environment-column; NULL: not requested */
    char *fragment; /* with `largest-fragment`: what is left of a mixture, and then the SMILES; NULL: all of it */
    struct l2r_molecule_graph molecule;
    char reason[160]; /* why there is no molecule; "": there is one */
};

struct l2r_molecule_chunk {
    const struct l2r_molecule_table *table;
    const struct l2r_targets *targets; /* NULL when predicting */
    int64_t room;                      /* rows: L2R_CHUNK_ROWS, or fewer where each has many numbers */
    struct l2r_molecule_row *rows;     /* [n] */
    int64_t n;
    float *labels;                  /* [n × targets->n] */
    int8_t *bounds;                 /* [n × targets->n] */
    float *weights;                 /* [n], of --weight-column */
    struct l2r_notes cells;         /* those that hold no label, over all chunks */
    float *features;                /* [n × table->n_features]; NaN: missing */
    unsigned describe;              /* blocks of data/features.h that are computed with the molecules; 0: none */
    struct l2r_features *described; /* [room]: these */
    struct l2r_arena texts;         /* what the rows point to */
};

/* With targets, for training: labels, cells to split by and scaffolds are read too. Without, for predicting: the bytes
 * of each row are kept. Table and targets must outlive the chunk. Clear it after a failure too. */
enum l2r_status l2r_molecule_chunk_init(struct l2r_molecule_chunk *chunk, const struct l2r_molecule_table *table,
                                        const struct l2r_targets *targets, struct l2r_error *error);
/* The next rows, replacing the previous ones; n is 0 at the end of the table. Fails when the rest cannot be read, when
 * memory runs out, or where RDKit is missing. */
enum l2r_status l2r_molecule_chunk_read(struct l2r_molecule_chunk *chunk, struct l2r_csv *csv, struct l2r_error *error);
/* Makes molecules of the rows that are there, each with its SMILES or a reason. */
enum l2r_status l2r_molecule_chunk_make(struct l2r_molecule_chunk *chunk, struct l2r_error *error);
/* Skips the next rows without making molecules of them. */
enum l2r_status l2r_molecule_chunk_skip(const struct l2r_molecule_chunk *chunk, struct l2r_csv *csv,
                                        struct l2r_error *error);
/* Frees the molecules, which take most of the memory; rows and reasons stay. */
void l2r_molecule_chunk_drop(struct l2r_molecule_chunk *chunk);
void l2r_molecule_chunk_clear(struct l2r_molecule_chunk *chunk);

static inline bool l2r_molecule_row_is_good(const struct l2r_molecule_row *row)
{
    return row->molecule.block != NULL;
}

/* A builder of molecules, in the shape of OGB's molecule sets. n_classes: labels are class numbers below it already; 0:
 * they are found. */
enum l2r_status l2r_molecules_builder(struct l2r_builder **builder, const char *name, enum l2r_task task,
                                      int32_t n_tasks, int32_t n_classes, struct l2r_error *error);
/* The graph of a row, to which labels and the like may be added. */
struct l2r_graph_view l2r_molecule_view(const struct l2r_molecule_row *row);

/* What a data set keeps of good rows for molecule features: SMILES and the numbers of --feature-columns. */
struct l2r_described_rows {
    struct l2r_array smiles_start, smiles, features, names; /* int64_t, char, float, char */
};
/* Row i of the chunk. */
enum l2r_status l2r_described_rows_add(struct l2r_described_rows *rows, const struct l2r_molecule_chunk *chunk,
                                       int64_t i, struct l2r_error *error);
/* Sets the origin's members, which point into `rows`. */
enum l2r_status l2r_described_rows_finish(struct l2r_origin *origin, struct l2r_described_rows *rows,
                                          const struct l2r_molecule_table *table, struct l2r_error *error);
void l2r_described_rows_clear(struct l2r_described_rows *rows);

/* The good rows of a chunk as a data set of one task without labels, in their order; NULL when no row is good. */
enum l2r_status l2r_molecule_chunk_pack(struct l2r_dataset **data, const struct l2r_molecule_chunk *chunk,
                                        struct l2r_error *error);

/* A list of SMILES that a program holds. */
struct l2r_smiles_list {
    const char *const *smiles; /* [n]; NULL: no molecule */
    const float *labels;       /* [n × n_tasks], or NULL */
    const int8_t *bounds;      /* [n × n_tasks]; NULL: 0 */
    const char *const *names;  /* [n] of the molecules; NULL: none */
    enum l2r_task task;
    int32_t n_tasks; /* at least 1 */
    int64_t n;
    const char *name, *path;        /* of the data set, and what messages begin with; NULL: "smiles" */
    const char *const *columns;     /* [n_tasks]: names of the labels; NULL: "label 0", … */
    int64_t first;                  /* number of the first row in messages */
    const char *const *split;       /* [n]: parts (l2r_part_of); NULL: none */
    const char *const *environment; /* [n]; NULL: none */
};
/* The same data set as from a table of these rows; rows count from `first`. Options: l2r_data_options. */
enum l2r_status l2r_smiles_list_read(struct l2r_dataset **data, const struct l2r_smiles_list *list,
                                     const struct l2r_config *options, struct l2r_error *error);

#endif
