/* SPDX-License-Identifier: MIT
 * The public calls of l2r/data.h about numbers of whole graphs, which models read beside the graph (data/features.h).
 */
#include <l2r/data.h>

#include "base/array.h"
#include "base/misuse.h"
#include "data/block.h"

#include <math.h>
#include <string.h>

int32_t l2r_dataset_columns(const struct l2r_dataset *data)
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

/* All names in a row, each ending with 0. */
static enum l2r_status join_names(struct l2r_array *all, const char *const *names, int32_t n, struct l2r_error *error)
{
    for (int32_t k = 0; k < n; k++) {
        if (!names[k] || !names[k][0])
            return l2r_fail(error, L2R_ERR_ARGUMENT, "names[%d] is %s; expected the name of a column", (int)k,
                            names[k] ? "empty" : "NULL");
        for (int32_t i = 0; i < k; i++)
            if (strcmp(names[i], names[k]) == 0)
                return l2r_fail(error, L2R_ERR_ARGUMENT, "names[%d] and names[%d] are both \"%.60s\"", (int)i, (int)k,
                                names[k]);
        if (!l2r_array_add(all, names[k], strlen(names[k]) + 1, 1))
            return l2r_fail_memory(error, all->n, "names of columns");
    }
    return L2R_OK;
}

enum l2r_status l2r_dataset_with_columns(struct l2r_dataset **copy, const struct l2r_dataset *data, const float *values,
                                         const char *const *names, int32_t n_columns, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_array all = {0};
    L2R_NEED(copy);
    *copy = NULL;
    L2R_NEED(data);
    if (n_columns < 0 || n_columns > 1 << 20)
        L2R_FAIL(L2R_ERR_ARGUMENT, "n_columns = %d; expected 0 … %d", (int)n_columns, 1 << 20);
    if (n_columns > 0) L2R_NEED(values);
    if (n_columns > 0) L2R_NEED(names);
    L2R_TRY(join_names(&all, names, n_columns, error));
    for (int64_t i = 0; i < data->n_graphs * n_columns; i++)
        if (isinf(values[i]))
            L2R_FAIL(L2R_ERR_ARGUMENT, "values[%lld] is infinite; expected a number, or NaN where it is missing",
                     (long long)i);
    struct l2r_shape shape = l2r_block_shape(data);
    shape.n_graph_reals = n_columns;
    shape.n_graph_real_names = (int64_t)all.n;
    L2R_TRY(l2r_block_remake(copy, &shape, data, error));
    if (n_columns == 0) goto done;
    memcpy(l2r_block_array(*copy, (*copy)->graph_real), values, (size_t)(data->n_graphs * n_columns) * sizeof *values);
    memcpy(l2r_block_array(*copy, (*copy)->graph_real_names), all.items, all.n);
done:
    l2r_array_clear(&all);
    return status;
}
