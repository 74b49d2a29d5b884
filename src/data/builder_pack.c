/* SPDX-License-Identifier: MIT
 *
 * The end of a builder: its arrays move into one block (block.h), each freed as soon as it is copied, so that no array
 * but the one being copied exists twice. Arrays that were built in the block already (builder_bulk.c) stay, or slide
 * down if arrays before them came out shorter than planned. They slide in the order in which they lie, so that none is
 * overwritten before it has moved; only then may the others be copied into the room behind them. */
#include "data/builder_state.h"

#include "base/memory.h"
#include "data/features.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The arrays of a data set are read-only for everyone but its builder. */
static void copy(const void *to, const void *from, size_t bytes)
{
    void *target;
    memcpy(&target, &to, sizeof target);
    if (bytes > 0 && target != from) memmove(target, from, bytes);
}

static void move(const void *to, struct l2r_array *from, size_t size)
{
    copy(to, from->items, from->n * size);
    l2r_array_clear(from);
}

/* The arrays that may lie in the block already, where they slide down; otherwise they move into it like all others. */
static void move_arcs(struct l2r_dataset *to, struct l2r_builder *from)
{
    const struct {
        const void *to;
        struct l2r_array *from;
        size_t size;
    } moves[] = {{to->node_start, &from->node_start, sizeof(int64_t)},
                 {to->arc_start, &from->arc_start, sizeof(int64_t)},
                 {to->neighbour, &from->neighbour, sizeof(int32_t)},
                 {to->arcs.type, &from->arc_type, sizeof(int32_t)}};
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        copy(moves[i].to, moves[i].from->items, moves[i].from->n * moves[i].size);
        if (!from->block) l2r_array_clear(moves[i].from);
    }
    l2r_builder_drop_placed(from);
    from->block = NULL; /* it is the data set's now */
}

/* Labels of the source become class numbers in ascending order of the source's integers. */
static bool number_classes(struct l2r_builder *b)
{
    float *labels = b->labels.items;
    if (b->schema.task != L2R_TASK_MULTICLASS || b->schema.class_value) return true;
    if (!l2r_vocabulary_sort(&b->classes)) return false;
    for (size_t g = 0; g < b->labels.n; g++)
        if (!isnan(labels[g])) labels[g] = (float)l2r_vocabulary_index(&b->classes, (int64_t)labels[g]);
    return l2r_array_add(&b->class_value, b->classes.values, (size_t)b->classes.n, sizeof(int64_t));
}

/* A set without any edge still has one row, so that tables are never empty. */
static bool ensure_row(struct l2r_builder_side *side)
{
    bool done = true;
    if (side->rows.n > 0) return true;
    int32_t *zeros = l2r_alloc((size_t)l2r_builder_width(side), sizeof *zeros);
    done = zeros && l2r_distinct_add(&side->rows, zeros) == 0;
    l2r_free(zeros);
    return done;
}

struct l2r_shape l2r_builder_shape(const struct l2r_builder *b)
{
    struct l2r_shape shape;
    memset(&shape, 0, sizeof shape);
    memcpy(shape.name, b->name, sizeof shape.name);
    shape.task = (int32_t)b->schema.task;
    shape.n_tasks = b->schema.n_tasks;
    shape.n_classes = b->schema.task == L2R_TASK_MULTICLASS ? (int32_t)b->class_value.n : 0;
    shape.n_node_reals = b->schema.n_node_reals;
    shape.node_columns = b->node.n_columns;
    shape.node_types = b->node.rows.n;
    shape.arc_columns = b->edge.n_columns;
    shape.arc_types = b->edge.rows.n;
    shape.has_marks = b->schema.has_marks;
    shape.has_official = b->has_official;
    shape.n_graphs = b->n_graphs;
    shape.n_nodes = b->n_nodes;
    shape.n_arcs = b->n_arcs;
    shape.n_self_loops = b->n_self_loops;
    shape.node_values = (int64_t)b->node.value.n;
    shape.arc_values = (int64_t)b->edge.value.n;
    shape.has_scaffold = b->scaffold.n > 0;
    shape.has_rank = b->rank.n > 0;
    shape.has_line = b->source_line.n > 0;
    shape.has_smiles = b->smiles.n > 0;
    shape.n_smiles = (int64_t)b->smiles.n;
    shape.n_graph_reals = b->n_graph_reals;
    shape.n_graph_real_names = (int64_t)b->graph_real_names.n;
    shape.n_task_names = (int64_t)b->task_names.n;
    shape.n_notes = (int64_t)b->notes.n;
    shape.n_environments = b->environment.n > 0 ? b->n_environments : 0;
    shape.n_environment_names = b->environment.n > 0 ? (int64_t)b->environment_names.n : 0;
    shape.n_class_names = (int64_t)b->class_names.n;
    shape.has_molecule = b->molecule.n > 0;
    shape.has_weight = b->has_weight;
    shape.has_bound = b->has_bound;
    shape.arc_reals = b->edge.n_reals;
    return shape;
}

static void copy_side(const struct l2r_categories *to, struct l2r_builder_side *from)
{
    size_t columns = (size_t)from->n_columns, n = (size_t)from->rows.n;
    copy(to->vocabulary, from->vocabulary, columns * sizeof(int32_t));
    if (from->n_reals == 0) copy(to->rows, from->rows.rows, n * columns * sizeof(int32_t));
    for (size_t i = 0, reals = (size_t)from->n_reals; reals > 0 && i < n; i++) {
        const int32_t *row = from->rows.rows + i * (columns + reals);
        copy(to->rows + i * columns, row, columns * sizeof *row);
        copy(to->real + i * reals, row + columns, reals * sizeof *to->real);
    }
    if (to->value) move(to->value, &from->value, sizeof(int64_t));
    l2r_distinct_clear(&from->rows);
}

static void move_origin(const struct l2r_dataset *to, struct l2r_builder *from)
{
    if (to->source_line) move(to->source_line, &from->source_line, sizeof(int64_t));
    if (to->smiles) move(to->smiles_start, &from->smiles_start, sizeof(int64_t));
    if (to->smiles) move(to->smiles, &from->smiles, 1);
    if (to->graph_real) move(to->graph_real, &from->graph_real, sizeof(float));
    if (to->graph_real_names) move(to->graph_real_names, &from->graph_real_names, 1);
    if (to->scaffold) move(to->scaffold, &from->scaffold, sizeof(int32_t));
    if (to->rank) move(to->rank, &from->rank, sizeof(int32_t));
    if (to->task_names) move(to->task_names, &from->task_names, 1);
    if (to->notes) move(to->notes, &from->notes, 1);
    if (to->environment) move(to->environment, &from->environment, sizeof(int32_t));
    if (to->environment_names) move(to->environment_names, &from->environment_names, 1);
    if (to->class_names) move(to->class_names, &from->class_names, 1);
    if (to->molecule) move(to->molecule, &from->molecule, sizeof(int32_t));
}

/* Only the gaps between arrays and the types of featureless arcs are cleared: the rest is written over. */
static void clear_rest(const struct l2r_dataset *data, const struct l2r_shape *shape)
{
    size_t begin, end;
    l2r_block_zeros(&begin, &end, shape);
    memset((char *)data->block + begin, 0, end - begin);
    l2r_block_clear_gaps(data->block, shape);
}

enum l2r_status l2r_builder_finish(struct l2r_dataset **out, struct l2r_builder *b, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *data = NULL;
    struct l2r_shape shape;
    if (!out || !b) L2R_FAIL(L2R_ERR_ARGUMENT, "%s is NULL", out ? "builder" : "data");
    *out = NULL;
    if (b->finished) L2R_FAIL(L2R_ERR_ARGUMENT, "the data set of this builder is finished; make a new builder");
    if (b->n_graphs == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "a data set needs at least one graph");
    data = l2r_dataset_new();
    if (!data) return l2r_fail_memory(error, sizeof *data, "a data set");
    b->finished = true; /* also after a failure: labels are turned into class numbers in place */
    if (!number_classes(b) || !ensure_row(&b->node) || !ensure_row(&b->edge))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: packing a data set");
    shape = l2r_builder_shape(b);
    if (!l2r_block_size(&data->block_size, &shape)) L2R_FAIL(L2R_ERR_ARGUMENT, "the data set is too large");
    l2r_arc_lists_clear(&b->adjacency);
    assert(!b->block || data->block_size <= b->block_room); /* it was planned for the most there can be */
    data->block = b->block ? b->block : l2r_alloc_raw(data->block_size, 1);
    if (!data->block) {
        status = l2r_fail_memory(error, data->block_size, "a data set");
        goto done;
    }
    l2r_block_bind(data, &shape, data->block);
    move_arcs(data, b);
    move(data->nodes.type, &b->node_type, sizeof(int32_t));
    clear_rest(data, &shape);
    move(data->node_real, &b->node_real, sizeof(float));
    move(data->labels, &b->labels, sizeof(float));
    if (data->class_value) move(data->class_value, &b->class_value, sizeof(int64_t));
    if (data->node_mark) move(data->node_mark, &b->node_mark, 1);
    if (data->official) move(data->official, &b->official, 1);
    if (data->weight) move(data->weight, &b->weight, sizeof(float));
    if (data->bound) move(data->bound, &b->bound, 1);
    move_origin(data, b);
    copy_side(&data->nodes, &b->node);
    copy_side(&data->arcs, &b->edge);
    b->n_graphs = b->n_nodes = b->n_arcs = b->n_self_loops = 0;
    *out = data;
done:
    if (status != L2R_OK) l2r_dataset_free(data);
    return status;
}
