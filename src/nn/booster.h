/* SPDX-License-Identifier: MIT
 *
 * Growing boosted trees (Chen & Guestrin 2016) with XGBoost. This is the only interface to it: xgboost.c implements
 * these calls in a module that is loaded on first use (booster_module.c). In a build without XGBoost the calls that can
 * come first fail with an error that says so. XGBoost is used for training only and reads no file (nn/trees.h).
 *
 *     rows (sparse) + labels ──► matrix ──grow, round by round──► booster ──► its trees as JSON (nn/trees_convert.c)
 *
 * A number that is 0 counts as missing: features are mostly 0, and XGBoost learns for each split where these go. A
 * booster computes on one thread, so that its bits do not depend on how many there are.
 */
#ifndef L2R_NN_BOOSTER_H
#define L2R_NN_BOOSTER_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct l2r_matrix;  /* training rows with their labels */
struct l2r_booster; /* trees; one thread at a time */

/* "1.7.4"; NULL: built without XGBoost. */
const char *l2r_booster_version(void);

/* Row i has the columns column[start[i]] .. column[start[i+1]-1], ascending. */
struct l2r_sparse {
    int64_t n_rows, n_columns;
    const size_t *start;    /* [n_rows + 1] */
    const unsigned *column; /* [start[n_rows]] */
    const float *value;     /* the same */
    const float *weight;    /* [n_rows]: what a row's loss is multiplied by; NULL: 1 */
};
/* labels [n_rows], finite. Everything is copied. */
enum l2r_status l2r_matrix_new(struct l2r_matrix **matrix, const struct l2r_sparse *rows, const float *labels,
                               struct l2r_error *error);
void l2r_matrix_free(struct l2r_matrix *matrix);

/* XGBoost's parameters, by its names. */
struct l2r_setting {
    const char *name;
    char value[32];
};
enum l2r_status l2r_booster_new(struct l2r_booster **booster, const struct l2r_setting *settings, size_t n,
                                struct l2r_error *error);
void l2r_booster_free(struct l2r_booster *booster);

/* One more round, numbered from 0: what is drawn at random follows from the seed among the settings and the round.
 * loss: of the training rows afterwards; NULL: not wanted. */
enum l2r_status l2r_booster_grow(double *loss, struct l2r_booster *booster, const struct l2r_matrix *matrix,
                                 int64_t round, struct l2r_error *error);

/* The trees of the rounds first .. first + n − 1 as a model in XGBoost's JSON (l2r_free). */
enum l2r_status l2r_booster_rounds(char **json, size_t *length, struct l2r_booster *booster, int64_t first, int64_t n,
                                   struct l2r_error *error);

#endif
