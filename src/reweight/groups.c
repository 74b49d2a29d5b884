/* SPDX-License-Identifier: MIT
 * See groups.h. */
#include "reweight/groups.h"

#include "base/memory.h"

#include <math.h>

enum l2r_status l2r_group_weights(l2r_real *w, const struct l2r_environments *environments,
                                  const struct l2r_dataset *data, const int32_t *train, int64_t n_train, double power,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t n_e = environments->n, n_y = l2r_dataset_label_classes(data);
    double *both = NULL, *of_y, *of_e, n = 0, sum = 0;
    if (data->task == L2R_TASK_REGRESSION || data->n_tasks > 1)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "`weights-control=groups` needs one class per graph, which data set \"%s\" does not have", data->name);
    if (n_e < 2)
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "`weights-control=groups` needs environments of the graphs, which data set \"%s\" does not have; "
                 "`environments=scaffold` or size makes some",
                 data->name);
    both = l2r_alloc((size_t)n_y * (size_t)n_e + (size_t)n_y + (size_t)n_e, sizeof *both);
    if (!both) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the weights of groups");
    of_y = both + (int64_t)n_y * n_e;
    of_e = of_y + n_y;
    for (int64_t i = 0; i < n_train; i++) {
        int32_t group = l2r_group_of(environments, data, train[i]);
        if (group < 0) continue;
        both[group]++, of_y[group / n_e]++, of_e[group % n_e]++, n++;
    }
    for (int32_t g = 0; g < n_y * n_e; g++) {
        double share = both[g];
        if (share > 0) both[g] = pow(of_y[g / n_e] * of_e[g % n_e] / (n * share), power);
        sum += share * both[g];
    }
    for (int64_t i = 0; i < data->n_graphs; i++) w[i] = 1;
    for (int64_t i = 0; i < n_train; i++) {
        int32_t group = l2r_group_of(environments, data, train[i]);
        if (group >= 0) w[train[i]] = (l2r_real)(both[group] * n / sum);
    }
done:
    l2r_free(both);
    return status;
}
