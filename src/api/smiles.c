/* SPDX-License-Identifier: MIT
 * l2r_dataset_from_smiles of l2r/arrays.h. Rows become graphs as those of a table do; labels and other columns follow
 * each graph by its source row. */
#include <l2r/arrays.h>

#include "api/names.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "data/builder.h"
#include "data/descriptor_labels.h"
#include "data/formats/smiles/smiles.h"

#include <math.h>
#include <string.h>

enum { MOST_TASKS = 1 << 16 /* as many as a model file may hold (nn/signature.c) */ };

static enum l2r_status check_task(enum l2r_task task, int32_t n_tasks, struct l2r_error *error)
{
    if ((int)task < L2R_TASK_MULTICLASS || (int)task > L2R_TASK_REGRESSION)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "task = %d is no task; expected L2R_TASK_MULTICLASS, _BINARY or _REGRESSION", (int)task);
    if (n_tasks < 1 || n_tasks > MOST_TASKS || (task == L2R_TASK_MULTICLASS && n_tasks != 1))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "n_tasks = %d; expected %s", (int)n_tasks,
                        task == L2R_TASK_MULTICLASS ? "1 for a multi-class task" : "1 … 65536");
    return L2R_OK;
}

/* Before any molecule is made, because these take longer. */
static enum l2r_status check_labels(const float *labels, enum l2r_task task, int64_t n, struct l2r_error *error)
{
    for (int64_t i = 0; labels && i < n; i++) {
        float y = labels[i];
        bool good = isnan(y) || (!isinf(y) && (task != L2R_TASK_BINARY || y == 0 || y == 1) &&
                                 (task != L2R_TASK_MULTICLASS || (y == rintf(y) && fabsf(y) <= 16777216)));
        if (!good)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "labels[%lld] = %g is no %s label", (long long)i, (double)y,
                            l2r_task_name(task));
    }
    return L2R_OK;
}

/* Checks the other columns with a builder, in which each row stands for a graph. */
static enum l2r_status check_rows(const struct l2r_smiles *m, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_builder *builder = NULL;
    struct l2r_array names = {0};
    const struct l2r_schema schema = {.task = m->task,
                                      .n_tasks = m->n_tasks,
                                      .n_environments = m->n_environments,
                                      .environment_names = m->environment_names};
    if (m->n_environments > 0 && !m->environments) L2R_FAIL(L2R_ERR_ARGUMENT, "molecules.environments is NULL");
    if (m->bounds && !m->labels) L2R_FAIL(L2R_ERR_ARGUMENT, "molecules.labels is NULL, but bounds are given");
    if (m->n_columns != 0 && (!m->columns || !m->column_names))
        L2R_FAIL(L2R_ERR_ARGUMENT, "molecules.%s is NULL, but n_columns = %d", m->columns ? "column_names" : "columns",
                 (int)m->n_columns);
    if (m->task_names) L2R_TRY(l2r_names_join(&names, "molecules.task_names", m->task_names, m->n_tasks, error));
    L2R_TRY(l2r_builder_new(&builder, &schema, error));
    for (int64_t i = 0; i < m->n_rows; i++) {
        const struct l2r_graph_view row = {.weight = m->weights ? m->weights + i : NULL,
                                           .bound = m->bounds ? m->bounds + i * m->n_tasks : NULL,
                                           .part = m->parts ? m->parts[i] : L2R_PART_NONE,
                                           .environment = m->n_environments > 0 ? m->environments[i] : 0};
        L2R_TRY(l2r_builder_add(builder, &row, error));
    }
done:
    l2r_array_clear(&names);
    l2r_builder_free(builder);
    return status;
}

/* from [rows × columns], as many bytes each, of the rows that became graphs; NULL: there is nothing, or no memory. */
static void *of_graphs(const void *from, size_t columns, size_t size, const struct l2r_dataset *data, bool *good)
{
    char *picked = from ? l2r_alloc((size_t)data->n_graphs * columns, size) : NULL;
    *good = *good && (picked || !from);
    for (int64_t g = 0; picked && g < data->n_graphs; g++)
        memcpy(picked + (size_t)g * columns * size, (const char *)from + (size_t)data->source_line[g] * columns * size,
               columns * size);
    return picked;
}

/* *data with the columns of its rows. */
static enum l2r_status add_rows(struct l2r_dataset **data, const struct l2r_smiles *m, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *made = NULL;
    bool good = true;
    float *weights = of_graphs(m->weights, 1, sizeof *weights, *data, &good);
    uint8_t *parts = of_graphs(m->parts, 1, 1, *data, &good);
    int32_t *places = of_graphs(m->n_environments > 0 ? m->environments : NULL, 1, sizeof *places, *data, &good);
    float *columns =
        of_graphs(m->n_columns > 0 ? m->columns : NULL, (size_t)m->n_columns, sizeof *columns, *data, &good);
    struct l2r_relabelling about = {.size = sizeof about,
                                    .weights = weights,
                                    .parts = parts,
                                    .n_environments = m->n_environments,
                                    .environments = places,
                                    .environment_names = m->environment_names};
    if (!good) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: columns of %lld molecules", (long long)m->n_rows);
    if (weights || parts || places) {
        L2R_TRY(l2r_dataset_relabel(&made, *data, &about, error));
        l2r_dataset_free(*data);
        *data = made;
    }
    if (m->n_columns != 0) {
        L2R_TRY(l2r_dataset_with_columns(&made, *data, columns, m->column_names, m->n_columns, error));
        l2r_dataset_free(*data);
        *data = made;
    }
done:
    l2r_free(weights);
    l2r_free(parts);
    l2r_free(places);
    l2r_free(columns);
    return status;
}

enum l2r_status l2r_dataset_from_smiles(struct l2r_dataset **data, const struct l2r_smiles *molecules,
                                        const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *defaults = NULL;
    struct l2r_smiles m;
    L2R_NEED(data);
    *data = NULL;
    L2R_TRY(l2r_struct_take(&m, sizeof m, sizeof m, molecules, "molecules", error));
    if (!m.smiles) L2R_FAIL(L2R_ERR_ARGUMENT, "molecules.smiles is NULL");
    if (m.n_rows < 1 || m.n_rows >= INT32_MAX - 1)
        L2R_FAIL(L2R_ERR_ARGUMENT, "molecules.n_rows = %lld; expected 1 … %d", (long long)m.n_rows, INT32_MAX - 2);
    L2R_TRY(check_task(m.task, m.n_tasks, error));
    L2R_TRY(check_labels(m.labels, m.task, m.n_rows * m.n_tasks, error));
    L2R_TRY(check_rows(&m, error));
    L2R_TRY(l2r_data_options_check(options, error));
    if (!options) L2R_TRY(l2r_config_for_data(&defaults, error));
    const struct l2r_smiles_list list = {.smiles = m.smiles,
                                         .labels = m.labels,
                                         .bounds = m.bounds,
                                         .names = m.names,
                                         .task = m.task,
                                         .n_tasks = m.n_tasks,
                                         .n = m.n_rows,
                                         .name = m.name,
                                         .columns = m.task_names};
    bool made = l2r_labels_are_descriptors(options);
    if (made && m.labels)
        L2R_FAIL(L2R_ERR_ARGUMENT, "labels must be NULL under the option targets=descriptors, which makes them");
    L2R_TRY(l2r_smiles_list_read(data, &list, options ? options : defaults, error));
    if (made) L2R_TRY(l2r_dataset_label_by_descriptors(data, l2r_config_text(options, "target-columns"), error));
    L2R_TRY(add_rows(data, &m, error));
done:
    if (status != L2R_OK && data) {
        l2r_dataset_free(*data);
        *data = NULL;
    }
    l2r_config_free(defaults);
    return status;
}
