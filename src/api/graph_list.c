/* SPDX-License-Identifier: MIT
 * See graph_list.h. */
#include "api/graph_list.h"

#include "base/memory.h"

enum l2r_status l2r_graph_list_take(struct l2r_graph_list *list, const char *what, const struct l2r_dataset *data,
                                    const int64_t *graphs, int64_t n, struct l2r_error *error)
{
    *list = (struct l2r_graph_list){.n = n};
    if (!data) return l2r_fail(error, L2R_ERR_ARGUMENT, "data is NULL");
    if (n < 0) return l2r_fail(error, L2R_ERR_ARGUMENT, "n = %lld; expected a number of graphs", (long long)n);
    if (!graphs && n != data->n_graphs)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "%s is NULL, which stands for all graphs, but n = %lld; expected %lld, as many as the data has",
                        what, (long long)n, (long long)data->n_graphs);
    for (int64_t i = 0; graphs && i < n; i++)
        if (graphs[i] < 0 || graphs[i] >= data->n_graphs)
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "%s[%lld] = %lld; expected 0 … %lld (the data set has %lld graphs)", what, (long long)i,
                            (long long)graphs[i], (long long)data->n_graphs - 1, (long long)data->n_graphs);
    list->graphs = l2r_alloc_raw((size_t)n, sizeof *list->graphs);
    if (!list->graphs) return l2r_fail_memory(error, (size_t)n * sizeof *list->graphs, "a list of graphs");
    for (int64_t i = 0; i < n; i++) list->graphs[i] = (int32_t)(graphs ? graphs[i] : i);
    return L2R_OK;
}

void l2r_graph_list_clear(struct l2r_graph_list *list)
{
    l2r_free(list->graphs);
    *list = (struct l2r_graph_list){0};
}
