/* SPDX-License-Identifier: MIT
 * The public getters of l2r/data.h. They return pointers into the data set, and accept any argument. */
#include <l2r/data.h>

#include "base/misuse.h"
#include "chem/molecule.h"
#include "data/dataset.h"
#include "data/reader.h"

#include <stdio.h>
#include <string.h>

const char *l2r_dataset_name(const struct l2r_dataset *data)
{
    return data ? data->name : NULL;
}

int64_t l2r_dataset_n_nodes(const struct l2r_dataset *data)
{
    return data ? data->n_nodes : 0;
}

enum l2r_task l2r_dataset_task(const struct l2r_dataset *data)
{
    return data ? data->task : L2R_TASK_MULTICLASS;
}

int32_t l2r_dataset_n_tasks(const struct l2r_dataset *data)
{
    return data ? data->n_tasks : 0;
}

int32_t l2r_dataset_n_classes(const struct l2r_dataset *data)
{
    return data ? data->n_classes : 0;
}

int64_t l2r_dataset_class(const struct l2r_dataset *data, int32_t k)
{
    return data && data->class_value && k >= 0 && k < data->n_classes ? data->class_value[k] : INT64_MIN;
}

const float *l2r_dataset_labels(const struct l2r_dataset *data)
{
    return data ? data->labels : NULL;
}

const float *l2r_dataset_weights(const struct l2r_dataset *data)
{
    return data ? data->weight : NULL;
}

const int8_t *l2r_dataset_bounds(const struct l2r_dataset *data)
{
    return data ? data->bound : NULL;
}

const uint8_t *l2r_dataset_parts(const struct l2r_dataset *data)
{
    return data ? data->official : NULL;
}

const int32_t *l2r_dataset_environments(const struct l2r_dataset *data)
{
    if (!data) return NULL;
    if (data->environment) return data->environment;
    return data->rank ? data->rank : data->scaffold;
}

const char *l2r_dataset_smiles(const struct l2r_dataset *data, int64_t g)
{
    if (!data || !data->smiles || g < 0 || g >= data->n_graphs) return NULL;
    return data->smiles + data->smiles_start[g];
}

const char *l2r_dataset_row_name(const struct l2r_dataset *data, int64_t g)
{
    const char *smiles = l2r_dataset_smiles(data, g);
    int64_t after = smiles ? data->smiles_start[g] + (int64_t)strlen(smiles) + 1 : 0;
    return smiles && after < data->smiles_start[g + 1] ? data->smiles + after : NULL;
}

int64_t l2r_dataset_source_row(const struct l2r_dataset *data, int64_t g)
{
    return data && data->source_line && g >= 0 && g < data->n_graphs ? data->source_line[g] : -1;
}

const int64_t *l2r_dataset_node_start(const struct l2r_dataset *data)
{
    return data ? data->node_start : NULL;
}

const int64_t *l2r_dataset_arc_start(const struct l2r_dataset *data)
{
    return data ? data->arc_start : NULL;
}

const int32_t *l2r_dataset_neighbours(const struct l2r_dataset *data)
{
    return data ? data->neighbour : NULL;
}

int32_t l2r_dataset_n_node_columns(const struct l2r_dataset *data)
{
    return data ? data->nodes.n_columns : 0;
}

int32_t l2r_dataset_n_edge_columns(const struct l2r_dataset *data)
{
    return data ? data->arcs.n_columns : 0;
}

int32_t l2r_dataset_n_node_reals(const struct l2r_dataset *data)
{
    return data ? data->n_node_reals : 0;
}

int32_t l2r_dataset_n_edge_reals(const struct l2r_dataset *data)
{
    return data ? data->arcs.n_reals : 0;
}

const float *l2r_dataset_edge_real(const struct l2r_dataset *data, int64_t a)
{
    if (!data || data->arcs.n_reals == 0 || a < 0 || a >= data->n_arcs) return NULL;
    return data->arcs.real + (int64_t)data->arcs.type[a] * data->arcs.n_reals;
}

static int32_t vocabulary_of(const struct l2r_categories *side, int32_t k)
{
    return k >= 0 && k < side->n_columns ? side->vocabulary[k] : 0;
}

int32_t l2r_dataset_node_vocabulary(const struct l2r_dataset *data, int32_t k)
{
    return data ? vocabulary_of(&data->nodes, k) : 0;
}

int32_t l2r_dataset_edge_vocabulary(const struct l2r_dataset *data, int32_t k)
{
    return data ? vocabulary_of(&data->arcs, k) : 0;
}

/* Atoms and bonds have the columns of OGB. */
static bool is_molecules(const struct l2r_dataset *data)
{
    return data->nodes.n_columns == L2R_ATOM_COLUMNS &&
           memcmp(data->nodes.vocabulary, l2r_atom_vocabulary, sizeof l2r_atom_vocabulary) == 0;
}

const char *l2r_dataset_node_column_name(const struct l2r_dataset *data, int32_t k)
{
    return data && is_molecules(data) && k >= 0 && k < L2R_ATOM_COLUMNS ? l2r_atom_column_names[k] : NULL;
}

const char *l2r_dataset_edge_column_name(const struct l2r_dataset *data, int32_t k)
{
    bool named = data && is_molecules(data) && data->arcs.n_columns == L2R_BOND_COLUMNS;
    return named && k >= 0 && k < L2R_BOND_COLUMNS ? l2r_bond_column_names[k] : NULL;
}

static const int32_t *row_of(const struct l2r_categories *side, int64_t i, int64_t n)
{
    if (i < 0 || i >= n || side->n_columns == 0) return NULL;
    return side->rows + (int64_t)side->type[i] * side->n_columns;
}

const int32_t *l2r_dataset_node_row(const struct l2r_dataset *data, int64_t v)
{
    return data ? row_of(&data->nodes, v, data->n_nodes) : NULL;
}

const int32_t *l2r_dataset_edge_row(const struct l2r_dataset *data, int64_t a)
{
    return data ? row_of(&data->arcs, a, data->n_arcs) : NULL;
}

const float *l2r_dataset_node_real(const struct l2r_dataset *data)
{
    return data && data->n_node_reals > 0 ? data->node_real : NULL;
}

const char *l2r_dataset_notes(const struct l2r_dataset *data)
{
    return data && data->notes ? data->notes : "";
}

int64_t l2r_dataset_n_dropped(const struct l2r_dataset *data)
{
    return data ? l2r_notes_dropped(data, -1, NULL, NULL, 0) : 0;
}

enum l2r_status l2r_dataset_dropped_row(int64_t *row, char *reason, size_t size, const struct l2r_dataset *data,
                                        int64_t i, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t line = -1;
    char text[256] = "";
    L2R_NEED(data);
    if (!reason && size > 0) L2R_FAIL(L2R_ERR_ARGUMENT, "reason is NULL, but size = %zu", size);
    int64_t n = l2r_notes_dropped(data, i, &line, text, sizeof text);
    if (i < 0 || i >= n)
        L2R_FAIL(L2R_ERR_ARGUMENT, "i = %lld; the data set has %lld dropped rows", (long long)i, (long long)n);
    if (line < 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "i = %lld; so many rows were dropped that this one is not listed", (long long)i);
    if (row) *row = line;
    if (reason && size > 0) snprintf(reason, size, "%s", text);
done:
    return status;
}
