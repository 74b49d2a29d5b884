/* SPDX-License-Identifier: MIT
 *
 * See block.h. One plan (which array, how many elements of which size) serves sizing, binding and clearing, so these
 * cannot disagree. The order below is the order in memory and therefore part of the cache format: raise VERSION in
 * cache.c when you change it. Arrays that builder_bulk.c fills in place come first among those of their size. */
#include "data/block.h"

#include "base/memory.h"

#include <string.h>

enum {
    NODE_START,
    ARC_START,
    CLASS_VALUE,
    NODE_VALUE,
    ARC_VALUE,
    NEIGHBOUR,
    ARC_TYPE,
    NODE_TYPE,
    NODE_VOCABULARY,
    NODE_ROWS,
    ARC_VOCABULARY,
    ARC_ROWS,
    NODE_REAL,
    LABELS,
    NODE_MARK,
    OFFICIAL,
    SOURCE_LINE,
    SMILES_START,
    SCAFFOLD,
    RANK,
    SMILES,
    TASK_NAMES,
    NOTES,
    GRAPH_REAL,
    GRAPH_REAL_NAMES,
    ENVIRONMENT,
    ENVIRONMENT_NAMES,
    CLASS_NAMES,
    MOLECULE,
    WEIGHT,
    BOUND,
    ARC_REAL,
    N_ARRAYS
};

struct place {
    size_t begin, bytes;
};

static bool put(struct place *place, size_t *at, int64_t rows, int64_t columns, size_t size)
{
    size_t count, bytes;
    if (rows < 0 || columns < 0) return false;
    if (__builtin_mul_overflow((size_t)rows, (size_t)columns, &count)) return false;
    if (__builtin_mul_overflow(count, size, &bytes)) return false;
    if (bytes > SIZE_MAX / 4 || *at > SIZE_MAX / 4) return false;
    *place = (struct place){.begin = *at, .bytes = bytes};
    *at = (*at + bytes + L2R_ALIGNMENT - 1) / L2R_ALIGNMENT * L2R_ALIGNMENT;
    return true;
}

static bool plan(struct place places[N_ARRAYS], size_t *bytes, const struct l2r_shape *s)
{
    size_t at = 0;
    if (s->n_graphs < 0 || s->n_graphs >= INT32_MAX || s->n_nodes < 0 || s->n_nodes >= INT64_MAX) return false;
    if (s->n_graph_reals > INT32_MAX) return false;
    if (s->n_environments < 0 || s->n_environments > INT32_MAX) return false;
    bool fits =
        put(&places[NODE_START], &at, s->n_graphs + 1, 1, 8) && put(&places[ARC_START], &at, s->n_nodes + 1, 1, 8) &&
        put(&places[CLASS_VALUE], &at, s->n_classes, 1, 8) && put(&places[NODE_VALUE], &at, s->node_values, 1, 8) &&
        put(&places[ARC_VALUE], &at, s->arc_values, 1, 8) && put(&places[NEIGHBOUR], &at, s->n_arcs, 1, 4) &&
        put(&places[ARC_TYPE], &at, s->n_arcs, 1, 4) && put(&places[NODE_TYPE], &at, s->n_nodes, 1, 4) &&
        put(&places[NODE_VOCABULARY], &at, s->node_columns, 1, 4) &&
        put(&places[NODE_ROWS], &at, s->node_types, s->node_columns, 4) &&
        put(&places[ARC_VOCABULARY], &at, s->arc_columns, 1, 4) &&
        put(&places[ARC_ROWS], &at, s->arc_types, s->arc_columns, 4) &&
        put(&places[NODE_REAL], &at, s->n_nodes, s->n_node_reals, 4) &&
        put(&places[LABELS], &at, s->n_graphs, s->n_tasks, 4) &&
        put(&places[NODE_MARK], &at, s->has_marks ? s->n_nodes : 0, 1, 1) &&
        put(&places[OFFICIAL], &at, s->has_official ? s->n_graphs : 0, 1, 1) &&
        put(&places[SOURCE_LINE], &at, s->has_line ? s->n_graphs : 0, 1, 8) &&
        put(&places[SMILES_START], &at, s->has_smiles ? s->n_graphs + 1 : 0, 1, 8) &&
        put(&places[SCAFFOLD], &at, s->has_scaffold ? s->n_graphs : 0, 1, 4) &&
        put(&places[RANK], &at, s->has_rank ? s->n_graphs : 0, 1, 4) && put(&places[SMILES], &at, s->n_smiles, 1, 1) &&
        put(&places[TASK_NAMES], &at, s->n_task_names, 1, 1) && put(&places[NOTES], &at, s->n_notes, 1, 1) &&
        put(&places[GRAPH_REAL], &at, s->n_graphs, s->n_graph_reals, 4) &&
        put(&places[GRAPH_REAL_NAMES], &at, s->n_graph_real_names, 1, 1) &&
        put(&places[ENVIRONMENT], &at, s->n_environments > 0 ? s->n_graphs : 0, 1, 4) &&
        put(&places[ENVIRONMENT_NAMES], &at, s->n_environment_names, 1, 1) &&
        put(&places[CLASS_NAMES], &at, s->n_class_names, 1, 1) &&
        put(&places[MOLECULE], &at, s->has_molecule ? s->n_graphs : 0, 1, 4) &&
        put(&places[WEIGHT], &at, s->has_weight ? s->n_graphs : 0, 1, 4) &&
        put(&places[BOUND], &at, s->has_bound ? s->n_graphs : 0, s->n_tasks, 1) &&
        put(&places[ARC_REAL], &at, s->arc_types, s->arc_reals, 4);
    *bytes = at;
    return fits;
}

bool l2r_block_size(size_t *bytes, const struct l2r_shape *shape)
{
    struct place places[N_ARRAYS];
    return plan(places, bytes, shape);
}

void l2r_block_zeros(size_t *begin, size_t *end, const struct l2r_shape *shape)
{
    struct place places[N_ARRAYS];
    size_t bytes;
    *begin = *end = 0;
    if (shape->arc_columns + shape->arc_reals > 0 || !plan(places, &bytes, shape)) return;
    *begin = places[ARC_TYPE].begin;
    *end = places[ARC_TYPE].begin + places[ARC_TYPE].bytes;
}

void l2r_block_clear_gaps(void *base, const struct l2r_shape *shape)
{
    struct place places[N_ARRAYS];
    size_t bytes;
    if (!plan(places, &bytes, shape)) return;
    for (int i = 0; i < N_ARRAYS; i++) {
        size_t begin = places[i].begin + places[i].bytes, end = i + 1 < N_ARRAYS ? places[i + 1].begin : bytes;
        memset((char *)base + begin, 0, end - begin);
    }
}

void l2r_block_bind(struct l2r_dataset *data, const struct l2r_shape *s, void *base)
{
    struct place places[N_ARRAYS];
    size_t bytes;
    char *block = base;
    if (!plan(places, &bytes, s)) return; /* cannot happen: the block was sized by the same plan */
#define AT(array) ((void *)(block + places[array].begin))
    memcpy(data->name, s->name, sizeof data->name);
    data->task = (enum l2r_task)s->task;
    data->n_tasks = s->n_tasks;
    data->n_classes = s->n_classes;
    data->n_graphs = s->n_graphs;
    data->n_nodes = s->n_nodes;
    data->n_arcs = s->n_arcs;
    data->n_self_loops = s->n_self_loops;
    data->n_node_reals = s->n_node_reals;
    data->nodes = (struct l2r_categories){.n_columns = s->node_columns,
                                          .n_types = s->node_types,
                                          .vocabulary = AT(NODE_VOCABULARY),
                                          .rows = AT(NODE_ROWS),
                                          .type = AT(NODE_TYPE),
                                          .n_values = s->node_values,
                                          .value = s->node_values ? AT(NODE_VALUE) : NULL};
    data->arcs = (struct l2r_categories){.n_columns = s->arc_columns,
                                         .n_types = s->arc_types,
                                         .vocabulary = AT(ARC_VOCABULARY),
                                         .rows = AT(ARC_ROWS),
                                         .type = AT(ARC_TYPE),
                                         .n_values = s->arc_values,
                                         .value = s->arc_values ? AT(ARC_VALUE) : NULL,
                                         .n_reals = s->arc_reals,
                                         .real = s->arc_reals ? AT(ARC_REAL) : NULL};
    data->node_start = AT(NODE_START);
    data->arc_start = AT(ARC_START);
    data->neighbour = AT(NEIGHBOUR);
    data->node_real = AT(NODE_REAL);
    data->labels = AT(LABELS);
    data->class_value = s->n_classes ? AT(CLASS_VALUE) : NULL;
    data->node_mark = s->has_marks ? AT(NODE_MARK) : NULL;
    data->official = s->has_official ? AT(OFFICIAL) : NULL;
    data->source_line = s->has_line ? AT(SOURCE_LINE) : NULL;
    data->smiles_start = s->has_smiles ? AT(SMILES_START) : NULL;
    data->smiles = s->has_smiles ? AT(SMILES) : NULL;
    data->scaffold = s->has_scaffold ? AT(SCAFFOLD) : NULL;
    data->rank = s->has_rank ? AT(RANK) : NULL;
    data->molecule = s->has_molecule ? AT(MOLECULE) : NULL;
    data->weight = s->has_weight ? AT(WEIGHT) : NULL;
    data->bound = s->has_bound ? AT(BOUND) : NULL;
    data->n_smiles = s->n_smiles;
    data->n_task_names = s->n_task_names;
    data->n_notes = s->n_notes;
    data->task_names = s->n_task_names ? AT(TASK_NAMES) : NULL;
    data->notes = s->n_notes ? AT(NOTES) : NULL;
    data->n_graph_reals = (int32_t)s->n_graph_reals;
    data->n_graph_real_names = s->n_graph_real_names;
    data->graph_real = s->n_graph_reals ? AT(GRAPH_REAL) : NULL;
    data->graph_real_names = s->n_graph_reals ? AT(GRAPH_REAL_NAMES) : NULL;
    data->n_environments = (int32_t)s->n_environments;
    data->n_environment_names = s->n_environment_names;
    data->environment = s->n_environments ? AT(ENVIRONMENT) : NULL;
    data->environment_names = s->n_environment_names ? AT(ENVIRONMENT_NAMES) : NULL;
    data->n_class_names = s->n_class_names;
    data->class_names = s->n_class_names ? AT(CLASS_NAMES) : NULL;
#undef AT
}

struct l2r_shape l2r_block_shape(const struct l2r_dataset *data)
{
    struct l2r_shape shape;
    memset(&shape, 0, sizeof shape); /* padding too: the shape is written to files and hashed */
    memcpy(shape.name, data->name, sizeof shape.name);
    shape.task = (int32_t)data->task;
    shape.n_tasks = data->n_tasks;
    shape.n_classes = data->n_classes;
    shape.n_node_reals = data->n_node_reals;
    shape.node_columns = data->nodes.n_columns;
    shape.node_types = data->nodes.n_types;
    shape.arc_columns = data->arcs.n_columns;
    shape.arc_types = data->arcs.n_types;
    shape.has_marks = data->node_mark != NULL;
    shape.has_official = data->official != NULL;
    shape.n_graphs = data->n_graphs;
    shape.n_nodes = data->n_nodes;
    shape.n_arcs = data->n_arcs;
    shape.n_self_loops = data->n_self_loops;
    shape.node_values = data->nodes.n_values;
    shape.arc_values = data->arcs.n_values;
    shape.has_scaffold = data->scaffold != NULL;
    shape.has_rank = data->rank != NULL;
    shape.has_line = data->source_line != NULL;
    shape.has_smiles = data->smiles != NULL;
    shape.n_smiles = data->n_smiles;
    shape.n_task_names = data->n_task_names;
    shape.n_notes = data->n_notes;
    shape.n_graph_reals = data->n_graph_reals;
    shape.n_graph_real_names = data->n_graph_real_names;
    shape.n_environments = data->n_environments;
    shape.n_environment_names = data->n_environment_names;
    shape.n_class_names = data->n_class_names;
    shape.has_molecule = data->molecule != NULL;
    shape.has_weight = data->weight != NULL;
    shape.has_bound = data->bound != NULL;
    shape.arc_reals = data->arcs.n_reals;
    return shape;
}

/* Where the arrays of a data set lie, which need not be one block if it shares some. */
static void find_arrays(const void *arrays[N_ARRAYS], const struct l2r_dataset *d)
{
    const void *const found[N_ARRAYS] = {[NODE_START] = d->node_start,
                                         [ARC_START] = d->arc_start,
                                         [CLASS_VALUE] = d->class_value,
                                         [NODE_VALUE] = d->nodes.value,
                                         [ARC_VALUE] = d->arcs.value,
                                         [NEIGHBOUR] = d->neighbour,
                                         [ARC_TYPE] = d->arcs.type,
                                         [NODE_TYPE] = d->nodes.type,
                                         [NODE_VOCABULARY] = d->nodes.vocabulary,
                                         [NODE_ROWS] = d->nodes.rows,
                                         [ARC_VOCABULARY] = d->arcs.vocabulary,
                                         [ARC_ROWS] = d->arcs.rows,
                                         [NODE_REAL] = d->node_real,
                                         [LABELS] = d->labels,
                                         [NODE_MARK] = d->node_mark,
                                         [OFFICIAL] = d->official,
                                         [SOURCE_LINE] = d->source_line,
                                         [SMILES_START] = d->smiles_start,
                                         [SCAFFOLD] = d->scaffold,
                                         [RANK] = d->rank,
                                         [SMILES] = d->smiles,
                                         [TASK_NAMES] = d->task_names,
                                         [NOTES] = d->notes,
                                         [GRAPH_REAL] = d->graph_real,
                                         [GRAPH_REAL_NAMES] = d->graph_real_names,
                                         [ENVIRONMENT] = d->environment,
                                         [ENVIRONMENT_NAMES] = d->environment_names,
                                         [CLASS_NAMES] = d->class_names,
                                         [MOLECULE] = d->molecule,
                                         [WEIGHT] = d->weight,
                                         [BOUND] = d->bound,
                                         [ARC_REAL] = d->arcs.real};
    memcpy(arrays, found, sizeof found);
}

/* Copies every array that is as long in `from` into a block of this shape. */
static void carry(void *base, const struct l2r_shape *shape, const struct l2r_dataset *from)
{
    struct place here[N_ARRAYS], there[N_ARRAYS];
    const void *arrays[N_ARRAYS];
    struct l2r_shape origin = l2r_block_shape(from);
    size_t bytes;
    if (!plan(here, &bytes, shape) || !plan(there, &bytes, &origin)) return;
    find_arrays(arrays, from);
    for (int i = 0; i < N_ARRAYS; i++)
        if (arrays[i] && here[i].bytes > 0 && here[i].bytes == there[i].bytes)
            memcpy((char *)base + here[i].begin, arrays[i], here[i].bytes);
}

enum l2r_status l2r_block_remake(struct l2r_dataset **data, const struct l2r_shape *shape,
                                 const struct l2r_dataset *from, struct l2r_error *error)
{
    size_t bytes = 0;
    struct l2r_dataset *made = l2r_dataset_new();
    void *block = l2r_block_size(&bytes, shape) ? l2r_alloc(bytes, 1) : NULL;
    if (!made || !block) {
        l2r_dataset_free(made);
        l2r_free(block);
        return l2r_fail_memory(error, bytes, "a data set");
    }
    l2r_block_bind(made, shape, block);
    made->block = block;
    made->block_size = bytes;
    carry(block, shape, from);
    *data = made;
    return L2R_OK;
}

void *l2r_block_array(const void *array)
{
    void *writable;
    memcpy(&writable, &array, sizeof writable);
    return writable;
}
