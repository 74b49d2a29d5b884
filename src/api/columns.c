/* SPDX-License-Identifier: MIT
 * The public calls of l2r/data.h about numbers of whole graphs, which models read beside the graph (data/features.h).
 */
#include <l2r/arrays.h>

#include "api/names.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "data/dataset.h"

#include <math.h>
#include <string.h>

int32_t l2r_dataset_n_columns(const struct l2r_dataset *data)
{
    return data ? data->n_graph_reals : 0;
}

const char *l2r_dataset_column_name(const struct l2r_dataset *data, int32_t k)
{
    return data && k >= 0 && k < data->n_graph_reals ? l2r_names_at(data->graph_real_names, k) : NULL;
}

const float *l2r_dataset_column_values(const struct l2r_dataset *data)
{
    return data ? data->graph_real : NULL;
}

enum l2r_status l2r_names_join(struct l2r_array *all, const char *what, const char *const *names, int32_t n,
                               struct l2r_error *error)
{
    struct l2r_distinct_texts seen = {0};
    enum l2r_status status = L2R_OK;
    for (int32_t k = 0; k < n; k++) {
        if (!names[k] || !names[k][0])
            L2R_FAIL(L2R_ERR_ARGUMENT, "%s[%d] is %s; expected the name of a column", what, (int)k,
                     names[k] ? "empty" : "NULL");
        int32_t number = l2r_distinct_texts_add(&seen, names[k]);
        if (number >= 0 && number < k)
            L2R_FAIL(L2R_ERR_ARGUMENT, "%s[%d] and %s[%d] are both \"%.60s\"", what, (int)number, what, (int)k,
                     names[k]);
        if (number < 0 || !l2r_array_add(all, names[k], strlen(names[k]) + 1, 1))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: names of columns");
    }
done:
    l2r_distinct_texts_clear(&seen);
    return status;
}

enum l2r_status l2r_dataset_with_columns(struct l2r_dataset **copy, const struct l2r_dataset *data, const float *values,
                                         const char *const *names, int32_t n_columns, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_array all = {0};
    struct l2r_dataset *made = NULL;
    L2R_NEED(copy);
    *copy = NULL;
    L2R_NEED(data);
    if (n_columns < 0 || n_columns > 1 << 20)
        L2R_FAIL(L2R_ERR_ARGUMENT, "n_columns = %d; expected 0 … %d", (int)n_columns, 1 << 20);
    if (n_columns > 0) L2R_NEED(values);
    if (n_columns > 0) L2R_NEED(names);
    L2R_TRY(l2r_names_join(&all, "names", names, n_columns, error));
    for (int64_t i = 0; i < data->n_graphs * n_columns; i++)
        if (isinf(values[i]))
            L2R_FAIL(L2R_ERR_ARGUMENT, "values[%lld] is infinite; expected a number, or NaN where it is missing",
                     (long long)i);
    size_t bytes = (size_t)data->n_graphs * (size_t)n_columns * sizeof *values;
    made = l2r_dataset_share(data);
    if (made && n_columns > 0) made->block = l2r_alloc(bytes + all.n, 1);
    if (!made || (n_columns > 0 && !made->block)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: columns of a data set");
    made->block_size = n_columns > 0 ? bytes + all.n : 0;
    made->n_graph_reals = n_columns;
    made->n_graph_real_names = (int64_t)all.n;
    made->graph_real = made->block;
    made->graph_real_names = made->block ? (const char *)made->block + bytes : NULL;
    if (n_columns == 0) goto done;
    memcpy(made->block, values, bytes);
    memcpy((char *)made->block + bytes, all.items, all.n);
done:
    if (status == L2R_OK) *copy = made;
    if (status != L2R_OK) l2r_dataset_free(made);
    l2r_array_clear(&all);
    return status;
}
