/* SPDX-License-Identifier: MIT
 * See booster.h: its calls on XGBoost's C interface, whose handles our structs wrap. */
#include "base/decimal.h"
#include "base/memory.h"
#include "nn/booster.h"

#include <stdio.h>
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
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: XGBoost: %.*s", what, (int)strcspn(text, "\n"), text);
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
    locale_t before = l2r_decimal_begin(); /* it reads numbers from texts */
    bool made = XGBoosterCreate(NULL, 0, &b->handle) == 0 && XGBoosterSetParam(b->handle, "verbosity", "0") == 0 &&
                XGBoosterSetParam(b->handle, "nthread", "1") == 0 &&
                XGBoosterSetParam(b->handle, "seed_per_iteration", "1") == 0;
    for (size_t i = 0; made && i < n; i++)
        made = XGBoosterSetParam(b->handle, settings[i].name, settings[i].value) == 0;
    l2r_decimal_end(before);
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
    locale_t before = l2r_decimal_begin();
    bool grown = XGBoosterUpdateOneIter(b->handle, (int)round, handle) == 0 &&
                 (!loss || XGBoosterEvalOneIter(b->handle, (int)round, &handle, &name, 1, &text) == 0);
    l2r_decimal_end(before);
    if (!grown) return failed("growing trees", error);
    if (!loss) return L2R_OK;
    const char *number = strrchr(text, ':');
    *loss = number ? l2r_decimal_read(number + 1, NULL) : 0;
    if (strstr(text, "rmse")) *loss *= *loss;
    return L2R_OK;
}

enum l2r_status l2r_booster_rounds(char **json, size_t *length, struct l2r_booster *b, int64_t first, int64_t n,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    locale_t before = l2r_decimal_begin();
    BoosterHandle part = NULL;
    const char *text = NULL;
    bst_ulong bytes = 0;
    *json = NULL;
    if (XGBoosterSlice(b->handle, (int)first, (int)(first + n), 1, &part) != 0 ||
        XGBoosterSaveModelToBuffer(part, "{\"format\": \"json\"}", &bytes, &text) != 0)
        status = failed("the trees cannot be written", error);
    else if (!(*json = l2r_alloc_raw(bytes, 1)))
        status = l2r_fail_memory(error, bytes, "trees");
    if (*json) memcpy(*json, text, bytes);
    *length = bytes;
    if (part) XGBoosterFree(part);
    l2r_decimal_end(before);
    return status;
}
