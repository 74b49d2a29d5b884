/* SPDX-License-Identifier: MIT
 *
 * Features of a whole molecule, beside its graph: those that chem/describe.h computes from its SMILES, and columns of
 * the user's table (--feature-columns). Two halves:
 *
 *     raw       data->features: computed on demand, kept as long as the data set, and in a file for the next start
 *               morgan, pairs, torsion: counts as bytes;  erg, descriptors: floats, NaN where unknown
 *     scaled    struct l2r_feature_scale, part of a model's signature: which columns it reads, and
 *               a count c  ─►  log2(1 + c)
 *               a number x ─►  Φ⁻¹(rank of x among the training molecules), between quantiles a straight line;
 *                              unknown: 0, the median
 *
 * Columns that are the same for (nearly) all training molecules, or unknown for many, are left out; training reports
 * their names.
 */
#ifndef L2R_DATA_FEATURES_H
#define L2R_DATA_FEATURES_H

#include "base/memory.h"
#include "base/text.h"
#include "chem/describe.h"
#include "data/dataset.h"
#include "kernels/real.h"

enum {
    L2R_FEATURE_COLUMNS = L2R_DESCRIPTIONS, /* the block of the user's own columns */
    L2R_FEATURE_BLOCKS,
    L2R_FEATURE_KNOTS = 33 /* quantiles that are kept of a column of numbers */
};

/* The raw features of a data set, which has them from the beginning, empty. Any number of threads may use it. */
struct l2r_features;
struct l2r_features *l2r_features_new(void); /* NULL: out of memory */
void l2r_features_free(struct l2r_features *features);
/* Allows caching them in the user's cache folder. */
void l2r_features_keep(struct l2r_features *features);
/* The path of a file in that folder that was damaged, edited or of other molecules and was written again; "": none. */
const char *l2r_features_refused(const struct l2r_features *features);

/* Rows of a table are described while they are read, when RDKit has their molecules in hand: room for n of them;
 * one row, by any thread; and those that became graphs 0, 1, … of a data set, into its own. */
enum l2r_status l2r_features_make_room(struct l2r_features *features, int64_t n, unsigned blocks,
                                       struct l2r_error *error);
enum l2r_status l2r_features_describe(struct l2r_features *features, int64_t row, unsigned blocks, const char *smiles,
                                      struct l2r_error *error);
enum l2r_status l2r_features_take(const struct l2r_dataset *data, const struct l2r_features *from,
                                  const int64_t *rows /* [n graphs] */, unsigned blocks, struct l2r_error *error);

struct l2r_feature_scale {
    unsigned blocks;                       /* bit k: block k is read */
    int32_t n;                             /* columns */
    int32_t n_own;                         /* columns of the user's table that block L2R_FEATURE_COLUMNS has */
    int64_t n_own_names;                   /* bytes */
    const char *own_names;                 /* [n_own] texts, each ending with 0 */
    int32_t first[L2R_FEATURE_BLOCKS + 1]; /* columns first[k] .. first[k+1] are of block k */
    const int32_t *column;                 /* [n]: place within its block */
    const float *knots;                    /* [columns of numbers × L2R_FEATURE_KNOTS], ascending */
};

/* --features: choice k + 1 is block k. */
#define L2R_FEATURE_CHOICES "none|morgan|pairs|torsion|erg|descriptors"

/* From the training graphs, whose raw features are computed if need be. `note`, if given, lists what is left out.
 * Memory from the arena. */
enum l2r_status l2r_feature_scale_make(struct l2r_feature_scale *scale, struct l2r_arena *arena, struct l2r_text *note,
                                       const struct l2r_dataset *data, const int32_t *train, int64_t n_train,
                                       unsigned blocks, struct l2r_error *error);

/* Can this scale be applied to the data set? It needs SMILES, and the user's columns by name. */
enum l2r_status l2r_feature_scale_check(const struct l2r_feature_scale *scale, const struct l2r_dataset *data,
                                        struct l2r_error *error);

/* Computes the raw features of these graphs (NULL: of the first n) that data->scale, if there is one, reads. To be
 * called before l2r_feature_row. A molecule that cannot be described has unknown numbers and no counts. */
enum l2r_status l2r_features_fill(const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                  struct l2r_error *error);

/* The scaled features of a graph: row [data->scale->n]. */
void l2r_feature_row(l2r_real *row, const struct l2r_dataset *data, int64_t graph);

/* A raw number: column `column` of block k. */
float l2r_feature_raw(const struct l2r_dataset *data, int k, int64_t graph, int32_t column);

/* "tpsa", "morgan_17", "dose": column i of the scale. */
void l2r_feature_name(char *name, size_t size, const struct l2r_feature_scale *scale, int32_t i);

#endif
