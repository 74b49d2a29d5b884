/* SPDX-License-Identifier: MIT
 * See booster.h: its calls on XGBoost's C interface, whose handles our structs wrap. */
#include "base/memory.h"
#include "nn/booster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xgboost/c_api.h>

struct l2r_matrix {
    DMatrixHandle handle;
};

struct l2r_booster {
    BoosterHandle handle;
};

/* Its messages begin with the time and go on with a stack trace. */
static enum l2r_status failed(const char *what, struct l2r_error *error)
{
    const char *text = XGBGetLastError(), *colon = strstr(text, ": ");
    if (colon && text[0] == '[') text = colon + 2;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: XGBoost says: %.*s", what, (int)strcspn(text, "\n"), text);
}

const char *l2r_booster_version(void)
{
    static _Thread_local char text[32];
    int major, minor, patch;
    XGBoostVersion(&major, &minor, &patch);
    snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
    return text;
}

enum l2r_status l2r_matrix_new(struct l2r_matrix **matrix, const struct l2r_sparse *rows, const float *labels,
                               struct l2r_error *error)
{
    struct l2r_matrix *m = *matrix = l2r_alloc(1, sizeof *m);
    if (!m) return l2r_fail_memory(error, sizeof *m, "a matrix of features");
    size_t n = (size_t)rows->n_rows;
    if (XGDMatrixCreateFromCSREx(rows->start, rows->column, rows->value, n + 1, rows->start[n], (size_t)rows->n_columns,
                                 &m->handle) != 0 ||
        XGDMatrixSetFloatInfo(m->handle, "label", labels, n) != 0 ||
        (rows->weight && XGDMatrixSetFloatInfo(m->handle, "weight", rows->weight, n) != 0)) {
        enum l2r_status status = failed("the matrix of features cannot be made", error);
        l2r_matrix_free(m);
        *matrix = NULL;
        return status;
    }
    return L2R_OK;
}

void l2r_matrix_free(struct l2r_matrix *m)
{
    if (!m) return;
    if (m->handle) XGDMatrixFree(m->handle);
    l2r_free(m);
}

enum l2r_status l2r_booster_new(struct l2r_booster **booster, const struct l2r_setting *settings, size_t n,
                                struct l2r_error *error)
{
    struct l2r_booster *b = *booster = l2r_alloc(1, sizeof *b);
    if (!b) return l2r_fail_memory(error, sizeof *b, "boosted trees");
    bool made = XGBoosterCreate(NULL, 0, &b->handle) == 0 && XGBoosterSetParam(b->handle, "verbosity", "0") == 0 &&
                XGBoosterSetParam(b->handle, "nthread", "1") == 0 &&
                XGBoosterSetParam(b->handle, "seed_per_iteration", "1") == 0;
    for (size_t i = 0; made && i < n; i++)
        made = XGBoosterSetParam(b->handle, settings[i].name, settings[i].value) == 0;
    if (made) return L2R_OK;
    enum l2r_status status = failed("boosted trees cannot be made", error);
    l2r_booster_free(b);
    *booster = NULL;
    return status;
}

void l2r_booster_free(struct l2r_booster *b)
{
    if (!b) return;
    if (b->handle) XGBoosterFree(b->handle);
    l2r_free(b);
}

/* The evaluation is a text such as "[0]\ttrain-rmse:0.31". */
enum l2r_status l2r_booster_grow(double *loss, struct l2r_booster *b, const struct l2r_matrix *matrix, int64_t round,
                                 struct l2r_error *error)
{
    DMatrixHandle handle = matrix->handle;
    const char *name = "train", *text = NULL;
    if (XGBoosterUpdateOneIter(b->handle, (int)round, handle) != 0 ||
        XGBoosterEvalOneIter(b->handle, (int)round, &handle, &name, 1, &text) != 0)
        return failed("growing trees", error);
    const char *number = strrchr(text, ':');
    *loss = number ? strtod(number + 1, NULL) : 0;
    if (strstr(text, "rmse")) *loss *= *loss;
    return L2R_OK;
}

static enum l2r_status copy(float *out, const float *from, const bst_ulong *shape, bst_ulong dims, int64_t wanted,
                            struct l2r_error *error)
{
    int64_t n = 1;
    for (bst_ulong i = 0; i < dims; i++) n *= (int64_t)shape[i];
    if (n != wanted)
        return l2r_fail(error, L2R_ERR_FORMAT, "the trees give %lld numbers where %lld were expected", (long long)n,
                        (long long)wanted);
    memcpy(out, from, (size_t)n * sizeof *out);
    return L2R_OK;
}

/* Type 1: outputs before the link function. */
enum l2r_status l2r_booster_predict(float *output, const struct l2r_booster *b, const float *rows, int64_t n,
                                    int64_t n_columns, int64_t n_outputs, int64_t rounds, struct l2r_error *error)
{
    char values[160], how[200];
    const float *out = NULL;
    const bst_ulong *shape = NULL;
    bst_ulong dims = 0;
    snprintf(values, sizeof values,
             "{\"data\": [%zu, true], \"shape\": [%lld, %lld], \"typestr\": \"<f4\", \"version\": 3}", (size_t)rows,
             (long long)n, (long long)n_columns);
    snprintf(how, sizeof how,
             "{\"type\": 1, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": %lld, \"missing\": 0.0, "
             "\"strict_shape\": true, \"cache_id\": 0}",
             (long long)rounds);
    if (XGBoosterPredictFromDense(b->handle, values, how, NULL, &shape, &dims, &out) != 0)
        return failed("asking the trees", error);
    return copy(output, out, shape, dims, n * n_outputs, error);
}

/* Type 2, which needs a matrix. */
enum l2r_status l2r_booster_contributions(float *share, const struct l2r_booster *b, const float *rows, int64_t n,
                                          int64_t n_columns, int64_t n_outputs, int64_t rounds, struct l2r_error *error)
{
    char how[160];
    const float *out = NULL;
    const bst_ulong *shape = NULL;
    bst_ulong dims = 0;
    DMatrixHandle matrix = NULL;
    enum l2r_status status = L2R_OK;
    snprintf(how, sizeof how,
             "{\"type\": 2, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": %lld, "
             "\"strict_shape\": true}",
             (long long)rounds);
    if (XGDMatrixCreateFromMat(rows, (bst_ulong)n, (bst_ulong)n_columns, 0.0F, &matrix) != 0 ||
        XGBoosterPredictFromDMatrix(b->handle, matrix, how, &shape, &dims, &out) != 0)
        status = failed("asking the trees for contributions", error);
    else
        status = copy(share, out, shape, dims, n * n_outputs * (n_columns + 1), error);
    if (matrix) XGDMatrixFree(matrix);
    return status;
}

enum l2r_status l2r_booster_save(void **bytes, size_t *length, const struct l2r_booster *b, struct l2r_error *error)
{
    const char *text = NULL;
    bst_ulong n = 0;
    *bytes = NULL;
    if (XGBoosterSaveModelToBuffer(b->handle, "{\"format\": \"ubj\"}", &n, &text) != 0)
        return failed("saving the trees", error);
    *bytes = l2r_alloc_raw(n, 1);
    if (!*bytes) return l2r_fail_memory(error, n, "trees");
    memcpy(*bytes, text, n);
    *length = n;
    return L2R_OK;
}

enum l2r_status l2r_booster_load(struct l2r_booster *b, const void *bytes, size_t length, struct l2r_error *error)
{
    if (XGBoosterLoadModelFromBuffer(b->handle, bytes, length) == 0) return L2R_OK;
    (void)failed("the trees cannot be read", error);
    return L2R_ERR_FORMAT;
}
