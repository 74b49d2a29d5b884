/* SPDX-License-Identifier: MIT
 *
 * The calls of booster.h as the library has them; xgboost.c does the work. Three builds of this file, as with
 * chem_module.c: the table of calls inside l2r_trees.so, functions that forward to that table, or errors. A matrix or a
 * booster can only exist once the module is loaded.
 */
#include "base/module.h"
#include "nn/booster.h"

#ifdef L2R_WITH_XGBOOST

struct calls {
    struct l2r_module module;
    const char *(*version)(void);
    enum l2r_status (*matrix_new)(struct l2r_matrix **matrix, const struct l2r_sparse *rows, const float *labels,
                                  struct l2r_error *error);
    void (*matrix_free)(struct l2r_matrix *matrix);
    enum l2r_status (*new)(struct l2r_booster **booster, const struct l2r_setting *settings, size_t n,
                           struct l2r_error *error);
    void (*free)(struct l2r_booster *booster);
    enum l2r_status (*grow)(double *loss, struct l2r_booster *booster, const struct l2r_matrix *matrix, int64_t round,
                            struct l2r_error *error);
    enum l2r_status (*rounds)(char **json, size_t *length, struct l2r_booster *booster, int64_t first, int64_t n,
                              struct l2r_error *error);
};

#ifdef L2R_INSIDE_MODULE

L2R_MODULE_TABLE struct calls l2r_trees_calls;
const struct calls l2r_trees_calls = {{L2R_VERSION},   l2r_booster_version, l2r_matrix_new,   l2r_matrix_free,
                                      l2r_booster_new, l2r_booster_free,    l2r_booster_grow, l2r_booster_rounds};

#else

static const struct calls *load(struct l2r_error *error)
{
    static const struct l2r_module *_Atomic kept;
    return (const struct calls *)l2r_module_load(&kept, "l2r_trees", "l2r_trees_calls", error);
}

const char *l2r_booster_version(void)
{
    const struct calls *calls = load(NULL);
    return calls ? calls->version() : NULL;
}

enum l2r_status l2r_matrix_new(struct l2r_matrix **matrix, const struct l2r_sparse *rows, const float *labels,
                               struct l2r_error *error)
{
    const struct calls *calls = load(error);
    *matrix = NULL;
    return calls ? calls->matrix_new(matrix, rows, labels, error) : L2R_ERR_MISSING;
}

void l2r_matrix_free(struct l2r_matrix *matrix)
{
    if (matrix) load(NULL)->matrix_free(matrix);
}

enum l2r_status l2r_booster_new(struct l2r_booster **booster, const struct l2r_setting *settings, size_t n,
                                struct l2r_error *error)
{
    const struct calls *calls = load(error);
    *booster = NULL;
    return calls ? calls->new (booster, settings, n, error) : L2R_ERR_MISSING;
}

void l2r_booster_free(struct l2r_booster *booster)
{
    if (booster) load(NULL)->free(booster);
}

enum l2r_status l2r_booster_grow(double *loss, struct l2r_booster *booster, const struct l2r_matrix *matrix,
                                 int64_t round, struct l2r_error *error)
{
    return load(NULL)->grow(loss, booster, matrix, round, error);
}

enum l2r_status l2r_booster_rounds(char **json, size_t *length, struct l2r_booster *booster, int64_t first, int64_t n,
                                   struct l2r_error *error)
{
    return load(NULL)->rounds(json, length, booster, first, n, error);
}

#endif

#else /* built without XGBoost */

static enum l2r_status refuse(struct l2r_error *error)
{
    return l2r_fail(
        error, L2R_ERR_MISSING,
        "growing boosted trees needs XGBoost, but this program was built without it; install libxgboost-dev and "
        "rebuild");
}

const char *l2r_booster_version(void)
{
    return NULL;
}

enum l2r_status l2r_matrix_new(struct l2r_matrix **matrix, const struct l2r_sparse *rows, const float *labels,
                               struct l2r_error *error)
{
    (void)rows, (void)labels;
    *matrix = NULL;
    return refuse(error);
}

void l2r_matrix_free(struct l2r_matrix *matrix)
{
    (void)matrix;
}

enum l2r_status l2r_booster_new(struct l2r_booster **booster, const struct l2r_setting *settings, size_t n,
                                struct l2r_error *error)
{
    (void)settings, (void)n;
    *booster = NULL;
    return refuse(error);
}

void l2r_booster_free(struct l2r_booster *booster)
{
    (void)booster;
}

enum l2r_status l2r_booster_grow(double *loss, struct l2r_booster *booster, const struct l2r_matrix *matrix,
                                 int64_t round, struct l2r_error *error)
{
    (void)loss, (void)booster, (void)matrix, (void)round;
    return refuse(error);
}

enum l2r_status l2r_booster_rounds(char **json, size_t *length, struct l2r_booster *booster, int64_t first, int64_t n,
                                   struct l2r_error *error)
{
    (void)json, (void)length, (void)booster, (void)first, (void)n;
    return refuse(error);
}

#endif
