/* SPDX-License-Identifier: MIT
 *
 * A split: training, validation and test graphs, as sorted lists of graph numbers. It is made by a rule (rule.h; one
 * file each in rules/) and stored as JSON; "id-valid" and "id-test" are there only if a graph is:
 *
 *     {"format": "l2r-split", "version": 1, "rule": "size", "seed": 0, "n_graphs": N,
 *      "train": […], "valid": […], "test": […],
 *      "id-valid": […], "id-test": […],
 *      "environments": {"names": […], "of_graph": […]}}              if the rule or the run has some
 */
#ifndef L2R_DATA_SPLITS_SPLIT_H
#define L2R_DATA_SPLITS_SPLIT_H

#include "base/config.h"
#include "data/environments.h"

struct l2r_split {
    char rule[32]; /* the name of --split, never "auto" */
    char note[64]; /* why "auto" did not take its usual rule; "" */
    uint64_t seed;
    int64_t n_graphs;                     /* of the data set; an official split may leave some out */
    int32_t *graphs;                      /* [start[L2R_N_PARTS] <= n_graphs]: the lists, one after the other */
    int64_t *numbers;                     /* the same lists as callers see them */
    int64_t start[L2R_N_PARTS + 1];       /* part p (L2R_PART_*) is graphs[start[p] .. start[p+1]) */
    struct l2r_environments environments; /* those of its rule, or of a run; n = 0: none */
};

/* Option i of --split, --split-seed, --valid-fraction, --test-fraction and then every rule's own; NULL after the
 * last. */
const struct l2r_option *l2r_split_option(size_t i);
/* Declares all of them. */
enum l2r_status l2r_split_declare(struct l2r_config *config, struct l2r_error *error);
/* Sets those of `to` that the user has set in `from`. */
enum l2r_status l2r_split_options_copy(struct l2r_config *to, const struct l2r_config *from, struct l2r_error *error);

/* Makes the split that the config asks for. "auto": --split-file or --split-column (data/reader.h) if given, official
 * if the data has one, scaffold for tables of SMILES unless scaffolds are too few, size for PROTEINS, DD and COLLAB,
 * else stratified. */
enum l2r_status l2r_split_make(struct l2r_split *split, const struct l2r_dataset *data, const struct l2r_config *config,
                               struct l2r_error *error);
/* Sorted lists from part [n_graphs]: L2R_PART_*; graphs without a part are left out. */
enum l2r_status l2r_split_fill(struct l2r_split *split, const uint8_t *part, int64_t n, struct l2r_error *error);
/* Fold k of n_folds, drawn by the seed: fold k tests, the next one validates, the others train. The graphs of a class
 * are dealt out to the folds in turn; without classes all are. */
enum l2r_status l2r_split_make_fold(struct l2r_split *split, const struct l2r_dataset *data, int32_t k, int32_t n_folds,
                                    uint64_t seed, struct l2r_error *error);
enum l2r_status l2r_split_copy(struct l2r_split *copy, const struct l2r_split *split, struct l2r_error *error);
enum l2r_status l2r_split_read(struct l2r_split *split, const char *path, const struct l2r_dataset *data,
                               struct l2r_error *error);
enum l2r_status l2r_split_write(const struct l2r_split *split, const char *path, struct l2r_error *error);
/* A run's environments, unless the data has them, so that readers of its split can score by group. */
enum l2r_status l2r_split_keep_environments(struct l2r_split *split, const struct l2r_environments *environments,
                                            struct l2r_error *error);
void l2r_split_clear(struct l2r_split *split);
/* The number of molecules in more than one part; 0 if molecules are not known. */
int64_t l2r_split_shared(const struct l2r_split *split, const struct l2r_dataset *data);
/* Parts that results show: 3, or 5 if there are id-valid or id-test graphs. */
int l2r_split_parts(const struct l2r_split *split);
/* A hash of the lists: equal for equal splits, however they were made. */
uint64_t l2r_split_fingerprint(const struct l2r_split *split);

static inline int64_t l2r_split_size(const struct l2r_split *split, int part)
{
    return split->start[part + 1] - split->start[part];
}

static inline const int32_t *l2r_split_part(const struct l2r_split *split, int part)
{
    return split->graphs + split->start[part];
}

#endif
