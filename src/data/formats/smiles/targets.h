/* SPDX-License-Identifier: MIT
 *
 * The label columns of a table and their task. Two steps: statistics of every column over the whole table (columns.c),
 * then the choice of labels:
 *
 *     which   --target-columns, or those that label_columns.c finds by their cells and names (column_names.c), without
 *             what RDKit computes from the structure (descriptor_columns.c)
 *     task    --task-type, or  binary      all values are 0 or 1, or one of two words
 *                              multiclass  one column of 2 to 10 different whole numbers close to each other, or words
 *                              regression  otherwise
 *
 * A cell that does not fit its column is a missing label, and is reported (target_notes.c has all notes about columns).
 */
#ifndef L2R_DATA_FORMATS_SMILES_TARGETS_H
#define L2R_DATA_FORMATS_SMILES_TARGETS_H

#include "base/array.h"
#include "base/config.h"
#include "base/memory.h"
#include "data/formats/smiles/cells.h"
#include "data/reader.h"
#include "io/csv.h"

struct l2r_molecule_table;

enum { L2R_FEW = 10, L2R_FEW_WORDS = 20, L2R_FIRST_NUMBERS = 256 };

/* A cell to show to the user. */
struct l2r_example {
    int64_t line; /* 0: there is none */
    char text[40];
};

/* The task of a candidate column, and the reasons to leave a column of numbers out. */
enum l2r_candidate { L2R_CANDIDATE_NONE, L2R_CANDIDATE_BINARY, L2R_CANDIDATE_VALUES, L2R_CANDIDATE_WORDS };
enum l2r_unused {
    L2R_UNUSED_NONE,
    L2R_UNUSED_CONSTANT,
    L2R_UNUSED_COMPUTED,   /* by its name */
    L2R_UNUSED_DESCRIPTOR, /* of the structure */
    L2R_UNUSED_DOUBTFUL,   /* an identifier or a year, by its numbers */
    L2R_UNUSED_OTHER       /* another column is the label */
};

/* Statistics of a column. */
struct l2r_column {
    int64_t n_missing, n_void, n_numbers, n_bounds, n_text;
    int64_t n_commas, n_thousands,
        n_points;     /* numbers only with decimal commas; of these "1,234"; numbers with a point */
    int64_t n_parts;  /* train, valid, test */
    int64_t n_minus;  /* of n_void: "-" */
    int64_t n_labels; /* numbers, with commas and bounds where the options allow them; after all rows */
    char decimal;     /* '.' or ','; after all rows */
    bool fractions, not_binary, counts; /* counts: 1, 2, 3 … or 0, 1, 2 … */
    double first, last, low, high;
    double next_low, next_high; /* the values beside the extremes; infinite: none */
    int64_t n_low, n_high;      /* how many numbers are the lowest, the highest */
    int n_different;            /* L2R_FEW + 1: more than few */
    double different[L2R_FEW];  /* the first values that differ */
    double *numbers;            /* [n_first]: the first L2R_FIRST_NUMBERS, while whole and all different */
    size_t numbers_room;
    int32_t n_first; /* of them; -1: two are equal, or one is not whole */
    bool is_target;
    enum l2r_candidate candidate;
    enum l2r_unused unused;
    int32_t descriptor;              /* with L2R_UNUSED_DESCRIPTOR */
    int64_t n_related;               /* of n_bounds: those that a relation column makes bounds */
    struct l2r_distinct_texts words; /* at most L2R_FEW_WORDS + 1, in small letters */
    struct l2r_distinct_texts shown; /* the same as first written */
    struct l2r_example odd;          /* the first cell that is neither a number nor missing */
    struct l2r_example comma;        /* the first number with a comma */
};

/* One column of labels. */
struct l2r_target {
    int32_t column;
    char decimal;
    int32_t n_words;        /* 0: numbers */
    const char **words;     /* [n_words]: the word of class 0, 1, …, as first written */
    int32_t relation;       /* the column that says >, < or = of its cells; -1: none */
    bool relation_reversed; /* > there is < here: of a value and its negative logarithm */
};

/* Found by one pass over the table, before any molecule is read. */
struct l2r_targets {
    int32_t n;                 /* 0: there are no labels */
    struct l2r_target *target; /* [n] */
    enum l2r_task task;
    bool censored;              /* bounds are labels */
    int32_t split;              /* column of --split-column; -1: none */
    bool split_is_parts;        /* its cells are train, valid, test or missing */
    int32_t weight;             /* column of --weight-column; -1: none */
    int32_t environment;        /* column of --environment-column; -1: none */
    int64_t n_rows;             /* records after the header */
    bool named;                 /* the user has chosen the labels */
    int64_t described_line;     /* the last line that describes the columns (PubChem); 0: none */
    int64_t western;            /* the first line that is Windows-1252; 0: none */
    struct l2r_column *columns; /* [n_columns] of the table; NULL: not observed */
    int32_t n_columns;
    struct l2r_arena texts; /* words */
};

enum l2r_status l2r_targets_find(struct l2r_targets *targets, const struct l2r_molecule_table *table,
                                 const struct l2r_config *options, struct l2r_error *error);
void l2r_targets_clear(struct l2r_targets *targets);

/* The labels of one record into values [n], and what kind of bound each is into bounds [n]. A cell that holds no label
 * of the task is NaN and gets a line in `cells`; false: out of memory. */
bool l2r_targets_read(float *values, int8_t *bounds, struct l2r_notes *cells, const struct l2r_targets *targets,
                      const struct l2r_molecule_table *table, const struct l2r_csv_record *record);

/* Notes about the columns, a line each; false: out of memory. */
bool l2r_targets_note(struct l2r_notes *notes, const struct l2r_targets *targets,
                      const struct l2r_molecule_table *table);

/* Observing (columns.c). */
enum l2r_status l2r_columns_observe(struct l2r_targets *targets, const struct l2r_molecule_table *table,
                                    const struct l2r_config *options, struct l2r_error *error);
/* Counts the labels that their relation columns make bounds. */
enum l2r_status l2r_columns_relate(struct l2r_targets *targets, const struct l2r_molecule_table *table,
                                   struct l2r_error *error);
void l2r_columns_free(struct l2r_column *columns, int32_t n);

/* Chooses labels among observed columns (label_columns.c). */
enum l2r_status l2r_targets_choose(struct l2r_targets *targets, const struct l2r_molecule_table *table,
                                   const struct l2r_config *options, struct l2r_error *error);
/* Candidates that RDKit computes from the structure are none (descriptor_columns.c). */
enum l2r_status l2r_columns_find_descriptors(struct l2r_targets *targets, const struct l2r_molecule_table *table,
                                             struct l2r_error *error);

/* The relation of a target's cell in a record, as l2r_cell_relation has it; 0 without a relation column. */
int l2r_target_side(const struct l2r_target *target, const struct l2r_csv_record *record);

/* Classes of names (column_names.c): an identifier or a date, a split, something computed. */
bool l2r_column_is_identifier(const char *name);
bool l2r_column_is_split(const char *name);
bool l2r_column_is_computed(const char *name);
/* The rank of a name that decides, and of one that often stands over labels: 0 is the surest; -1: it is none. */
int32_t l2r_column_is_known_label(const char *name);
int32_t l2r_column_is_usual_label(const char *name);
/* "task 1" and "task 2", "IC50 EGFR (nM)" and "IC50 HER2 (nM)". */
bool l2r_columns_have_like_names(const char *a, const char *b);
/* "Standard Relation" and "Standard Value", "IC50 relation" and "IC50"; only: "relation" and the only label. */
bool l2r_column_is_relation_of(const char *name, const char *target, bool only);

/* Two words of which one negates the other: classes without a doubt (targets.c). */
bool l2r_column_is_yes_or_no(const struct l2r_column *column);
/* Mostly numbers; a few words. */
bool l2r_column_has_numbers(const struct l2r_column *column);
bool l2r_column_has_classes(const struct l2r_column *column);
/* Every whole number in it is another one: an identifier, perhaps. */
bool l2r_column_never_repeats(const struct l2r_column *column);

#endif
