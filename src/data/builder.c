/* SPDX-License-Identifier: MIT
 * See builder.h. Each graph is turned into sorted neighbour lists (arc_lists.c) and type numbers (base/array.h) and
 * appended to growing arrays that already have their final form; builder_pack.c copies them into the block. */
#include "data/builder_state.h"

#include "base/memory.h"
#include "base/misuse.h"
#include "base/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static enum l2r_status out_of_memory(struct l2r_error *error)
{
    return l2r_fail_memory(error, 0, "a data set");
}

static enum l2r_status copy_side(struct l2r_builder_side *side, int32_t columns, int32_t reals,
                                 const int32_t *vocabulary, const int64_t *value, struct l2r_error *error)
{
    size_t n_values = 0;
    l2r_distinct_init(&side->rows, columns + reals);
    side->n_columns = columns;
    side->n_reals = reals;
    side->fixed = vocabulary != NULL;
    side->vocabulary = l2r_alloc(2 * (size_t)columns, sizeof *side->vocabulary);
    if (!side->vocabulary) return out_of_memory(error);
    for (int32_t k = 0; k < columns; k++) {
        side->vocabulary[k] = vocabulary ? vocabulary[k] : 1;
        n_values += (size_t)side->vocabulary[k];
    }
    if (value && !l2r_array_add(&side->value, value, n_values, sizeof *value)) return out_of_memory(error);
    return L2R_OK;
}

/* Names come from files and go to JSON and terminals: only printable ASCII is kept. */
static void copy_name(char *out, size_t size, const char *name)
{
    snprintf(out, size, "%s", name);
    for (; *out; out++)
        if (*out < ' ' || *out > '~') *out = '_';
}

/* Those without a name get their number as a name. */
static enum l2r_status name_environments(struct l2r_builder *b, const struct l2r_schema *schema,
                                         struct l2r_error *error)
{
    char name[64];
    b->n_environments = schema->n_environments;
    for (int32_t k = 0; k < schema->n_environments; k++) {
        if (schema->environment_names && schema->environment_names[k])
            copy_name(name, sizeof name, schema->environment_names[k]);
        else
            snprintf(name, sizeof name, "%d", (int)k);
        if (!l2r_array_add(&b->environment_names, name, strlen(name) + 1, 1)) return out_of_memory(error);
    }
    return L2R_OK;
}

enum l2r_status l2r_builder_new(struct l2r_builder **builder, const struct l2r_schema *schema, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const int64_t zero = 0;
    struct l2r_builder *b = NULL;
    if (!builder) return l2r_fail(error, L2R_ERR_ARGUMENT, "builder is NULL; expected where to put the new builder");
    *builder = NULL;
    struct l2r_schema taken;
    L2R_TRY(l2r_struct_take(&taken, sizeof taken, sizeof taken, schema, "schema", error));
    schema = &taken;
    L2R_TRY(l2r_builder_check_schema(schema, error));
    b = l2r_alloc(1, sizeof *b);
    if (!b) return out_of_memory(error);
    b->schema = *schema;
    copy_name(b->name, sizeof b->name, schema->name ? schema->name : "");
    L2R_TRY(copy_side(&b->node, schema->degree_as_feature ? 1 : schema->n_node_columns, 0, schema->node_vocabulary,
                      schema->node_value, error));
    L2R_TRY(copy_side(&b->edge, schema->n_edge_columns, schema->n_edge_reals, schema->edge_vocabulary,
                      schema->edge_value, error));
    b->edge_row = l2r_alloc((size_t)l2r_builder_width(&b->edge), sizeof *b->edge_row);
    if (!b->edge_row) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a data set");
    l2r_vocabulary_init(&b->classes);
    L2R_TRY(name_environments(b, schema, error));
    if (schema->class_value && !l2r_array_add(&b->class_value, schema->class_value, (size_t)schema->n_classes, 8))
        status = out_of_memory(error);
    if (!l2r_array_add(&b->node_start, &zero, 1, 8) || !l2r_array_add(&b->arc_start, &zero, 1, 8))
        status = out_of_memory(error);
done:
    if (status != L2R_OK) {
        l2r_builder_free(b);
        b = NULL;
    }
    *builder = b;
    return status;
}

enum l2r_status l2r_builder_number(struct l2r_builder_side *side, int32_t *type, const int32_t *rows, int64_t n,
                                   int64_t first, const char *what, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t width = l2r_builder_width(side);
    if (width == 0) {
        memset(type, 0, (size_t)n * sizeof *type);
        return L2R_OK;
    }
    for (int64_t i = 0; i < n; i++) {
        const int32_t *row = rows + i * width;
        for (int32_t k = 0; k < side->n_columns; k++) {
            if (row[k] >= 0 && row[k] < side->vocabulary[k]) continue;
            if (row[k] < 0 || row[k] == INT32_MAX || side->fixed)
                L2R_FAIL(L2R_ERR_ARGUMENT, "feature %d of %s %lld is %d, outside 0..%d", (int)k, what,
                         (long long)(first + i), (int)row[k],
                         side->fixed ? (int)side->vocabulary[k] - 1 : INT32_MAX - 1);
            side->vocabulary[k] = row[k] + 1;
        }
        type[i] = l2r_distinct_add(&side->rows, row);
        if (type[i] < 0) return out_of_memory(error);
    }
done:
    return status;
}

static enum l2r_status add_nodes(struct l2r_builder *b, const struct l2r_graph_view *g, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t n = (size_t)g->n_nodes, base = b->node_type.n;
    if (!l2r_reserve(&b->node_type.items, &b->node_type.capacity, base + n + 1, sizeof(int32_t)))
        return out_of_memory(error);
    int32_t *type = (int32_t *)b->node_type.items + base;
    if (b->schema.degree_as_feature) {
        for (size_t v = 0; v < n; v++) type[v] = (int32_t)(b->adjacency.start[v + 1] - b->adjacency.start[v]);
        for (size_t v = 0; v < n; v++)
            L2R_TRY(l2r_builder_number(&b->node, &type[v], &(int32_t){type[v]}, 1, (int64_t)v, "node", error));
    } else {
        L2R_TRY(l2r_builder_number(&b->node, type, g->node_rows, g->n_nodes, 0, "node", error));
    }
    b->node_type.n += n;
    if (!l2r_array_add(&b->node_real, g->node_real, n * (size_t)b->schema.n_node_reals, sizeof(float)) ||
        (b->schema.has_marks && !l2r_array_add(&b->node_mark, g->node_mark, n, 1)))
        status = out_of_memory(error);
done:
    return status;
}

/* The features of edge e: as given, or with the reals after the categories. */
static const int32_t *edge_row(struct l2r_builder *b, const struct l2r_graph_view *g, int64_t e)
{
    const struct l2r_builder_side *side = &b->edge;
    size_t columns = (size_t)side->n_columns;
    if (side->n_reals == 0) return g->edge_rows + e * side->n_columns;
    if (columns > 0) memcpy(b->edge_row, g->edge_rows + e * side->n_columns, columns * sizeof *b->edge_row);
    for (int32_t k = 0; k < side->n_reals; k++) {
        float real = g->edge_real[e * side->n_reals + k] + 0.0F; /* -0 is 0 */
        memcpy(b->edge_row + columns + k, &real, sizeof real);
    }
    return b->edge_row;
}

static enum l2r_status add_arcs(struct l2r_builder *b, const struct l2r_graph_view *g, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_arc_lists *a = &b->adjacency;
    size_t n = (size_t)a->n_arcs, nodes = (size_t)g->n_nodes, base = b->arc_start.n;
    if (!l2r_array_add(&b->neighbour, a->neighbour, n, sizeof(int32_t)) ||
        !l2r_array_add(&b->arc_start, a->start + 1, nodes, sizeof(int64_t)))
        return out_of_memory(error);
    int64_t *start = (int64_t *)b->arc_start.items + base;
    for (size_t v = 0; v < nodes; v++) start[v] += b->n_arcs;
    if (l2r_builder_width(&b->edge) > 0) {
        if (!l2r_reserve((void **)&b->edge_type, &b->edge_type_capacity, (size_t)g->n_edges, sizeof(int32_t)) ||
            !l2r_reserve(&b->arc_type.items, &b->arc_type.capacity, b->arc_type.n + n + 1, sizeof(int32_t)))
            return out_of_memory(error);
        int32_t *type = (int32_t *)b->arc_type.items + b->arc_type.n;
        for (int64_t e = 0; e < g->n_edges; e++) b->edge_type[e] = -1;
        for (size_t i = 0; i < n; i++) { /* through the arcs: a dropped copy of an edge must not make a type */
            int32_t e = a->edge[i];
            if (b->edge_type[e] < 0)
                L2R_TRY(l2r_builder_number(&b->edge, &b->edge_type[e], edge_row(b, g, e), 1, e, "edge", error));
            type[i] = b->edge_type[e];
        }
        b->arc_type.n += n;
    }
    b->n_arcs += a->n_arcs;
    b->n_self_loops += a->n_self_loops;
done:
    return status;
}

bool l2r_builder_add_labels(struct l2r_builder *b, const float *labels)
{
    static const float missing = NAN;
    for (int32_t k = 0; k < b->schema.n_tasks; k++) {
        const float *label = labels ? labels + k : &missing;
        bool names_class = b->schema.task == L2R_TASK_MULTICLASS && !b->schema.class_value && !isnan(*label);
        if (!l2r_array_add(&b->labels, label, 1, sizeof(float))) return false;
        if (names_class && l2r_vocabulary_add(&b->classes, (int64_t)*label) < 0) return false;
    }
    return true;
}

/* Weight and bounds of one graph; 1 and none unless it has them. False when out of memory. */
static bool add_weight(struct l2r_builder *b, const struct l2r_graph_view *g)
{
    static const float one = 1;
    static const int8_t equal = 0;
    b->has_weight |= g->weight != NULL;
    b->has_bound |= g->bound != NULL;
    if (!l2r_array_add(&b->weight, g->weight ? g->weight : &one, 1, sizeof one)) return false;
    for (int32_t k = 0; k < b->schema.n_tasks; k++)
        if (!l2r_array_add(&b->bound, g->bound ? g->bound + k : &equal, 1, 1)) return false;
    return true;
}

/* The arrays that grow with every graph. */
enum { GROWING = 12 };

static void growing(struct l2r_array *arrays[GROWING], struct l2r_builder *b)
{
    struct l2r_array *all[GROWING] = {&b->node_start, &b->arc_start,   &b->neighbour, &b->arc_type,
                                      &b->node_type,  &b->node_real,   &b->labels,    &b->node_mark,
                                      &b->official,   &b->environment, &b->weight,    &b->bound};
    memcpy(arrays, all, sizeof all);
}

/* The sizes of a builder before a graph is added, to return to after a failure. */
struct mark {
    size_t n[GROWING];
    int64_t n_nodes, n_arcs, n_self_loops;
    int32_t node_rows, edge_rows, classes;
    bool has_official;
};

static void put_side(struct l2r_builder_side *side)
{
    size_t n = (size_t)side->n_columns;
    if (!side->fixed && n > 0) memcpy(side->vocabulary + n, side->vocabulary, n * sizeof *side->vocabulary);
}

static void restore_side(struct l2r_builder_side *side, int32_t rows)
{
    size_t n = (size_t)side->n_columns;
    if (!side->fixed && n > 0) memcpy(side->vocabulary, side->vocabulary + n, n * sizeof *side->vocabulary);
    l2r_distinct_cut(&side->rows, rows);
}

static struct mark remember(struct l2r_builder *b)
{
    struct l2r_array *arrays[GROWING];
    struct mark mark = {.n_nodes = b->n_nodes,
                        .n_arcs = b->n_arcs,
                        .n_self_loops = b->n_self_loops,
                        .node_rows = b->node.rows.n,
                        .edge_rows = b->edge.rows.n,
                        .classes = b->classes.set.n,
                        .has_official = b->has_official};
    growing(arrays, b);
    for (int i = 0; i < GROWING; i++) mark.n[i] = arrays[i]->n;
    put_side(&b->node);
    put_side(&b->edge);
    return mark;
}

static void restore(struct l2r_builder *b, const struct mark *mark)
{
    struct l2r_array *arrays[GROWING];
    growing(arrays, b);
    for (int i = 0; i < GROWING; i++) arrays[i]->n = mark->n[i];
    b->n_nodes = mark->n_nodes;
    b->n_arcs = mark->n_arcs;
    b->n_self_loops = mark->n_self_loops;
    b->has_official = mark->has_official;
    restore_side(&b->node, mark->node_rows);
    restore_side(&b->edge, mark->edge_rows);
    l2r_distinct_cut(&b->classes.set, mark->classes);
}

static enum l2r_status add(struct l2r_builder *b, const struct l2r_graph_view *g, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    uint8_t part = (uint8_t)g->part;
    if (!l2r_arc_lists_build(&b->adjacency, g->n_nodes, g->edges, g->n_edges, l2r_builder_width(&b->edge) > 0))
        return out_of_memory(error);
    L2R_TRY(add_nodes(b, g, error));
    L2R_TRY(add_arcs(b, g, error));
    b->n_nodes += g->n_nodes;
    b->has_official |= part != L2R_PART_NONE;
    if (!l2r_array_add(&b->node_start, &b->n_nodes, 1, sizeof b->n_nodes) || !l2r_builder_add_labels(b, g->labels) ||
        !l2r_array_add(&b->official, &part, 1, 1) || !add_weight(b, g) ||
        (b->n_environments > 0 && !l2r_array_add(&b->environment, &g->environment, 1, sizeof g->environment)))
        return out_of_memory(error);
    b->n_graphs++;
done:
    return status;
}

enum l2r_status l2r_builder_add(struct l2r_builder *b, const struct l2r_graph_view *g, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_graph_view taken;
    if (!b) L2R_FAIL(L2R_ERR_ARGUMENT, "builder is NULL");
    if (l2r_watched_tick("graphs read", 1)) L2R_FAIL(L2R_ERR_INTERRUPTED, "stopped while graphs were read");
    L2R_TRY(l2r_struct_take(&taken, sizeof taken, sizeof taken, g, "graph", error));
    g = &taken;
    L2R_TRY(l2r_builder_check_graph(b, g, error));
    struct mark before = remember(b);
    status = add(b, g, error);
    if (status != L2R_OK) restore(b, &before);
done:
    return status;
}

static bool keep(struct l2r_array *array, const void *items, size_t n, size_t size)
{
    return !items || l2r_array_add(array, items, n, size);
}

enum l2r_status l2r_builder_set_origin(struct l2r_builder *b, const struct l2r_origin *origin, struct l2r_error *error)
{
    size_t n = (size_t)b->n_graphs;
    size_t labels = n * (size_t)b->schema.n_tasks;
    if (origin->labels) memcpy(b->labels.items, origin->labels, labels * sizeof *origin->labels);
    bool kept = keep(&b->scaffold, origin->scaffold, n, sizeof(int32_t)) &&
                keep(&b->molecule, origin->molecule, n, sizeof(int32_t)) &&
                keep(&b->rank, origin->rank, n, sizeof(int32_t)) &&
                keep(&b->source_line, origin->source_line, n, sizeof(int64_t)) &&
                keep(&b->smiles_start, origin->smiles_start, n + 1, sizeof(int64_t)) &&
                keep(&b->smiles, origin->smiles, origin->smiles ? (size_t)origin->smiles_start[n] : 0, 1) &&
                keep(&b->task_names, origin->task_names, origin->n_task_names, 1) &&
                keep(&b->class_names, origin->class_names, origin->n_class_names, 1) &&
                keep(&b->notes, origin->notes, origin->notes ? strlen(origin->notes) + 1 : 0, 1) &&
                keep(&b->graph_real, origin->graph_real, n * (size_t)origin->n_graph_reals, sizeof(float)) &&
                keep(&b->graph_real_names, origin->graph_real_names, origin->n_graph_real_names, 1) &&
                keep(&b->environment, origin->environment, n, sizeof(int32_t)) &&
                keep(&b->environment_names, origin->environment_names, origin->n_environment_names, 1);
    if (origin->environment) b->n_environments = origin->n_environments;
    b->n_graph_reals = origin->n_graph_reals;
    return kept ? L2R_OK : out_of_memory(error);
}

static void side_clear(struct l2r_builder_side *side)
{
    l2r_distinct_clear(&side->rows);
    l2r_free(side->vocabulary);
    l2r_array_clear(&side->value);
}

void l2r_builder_drop_placed(struct l2r_builder *b)
{
    b->node_start = b->arc_start = b->neighbour = b->arc_type = (struct l2r_array){0};
}

void l2r_builder_free(struct l2r_builder *b)
{
    if (!b) return;
    struct l2r_array *arrays[] = {&b->node_start,
                                  &b->arc_start,
                                  &b->neighbour,
                                  &b->arc_type,
                                  &b->node_type,
                                  &b->node_real,
                                  &b->labels,
                                  &b->node_mark,
                                  &b->official,
                                  &b->class_value,
                                  &b->scaffold,
                                  &b->rank,
                                  &b->source_line,
                                  &b->smiles,
                                  &b->smiles_start,
                                  &b->task_names,
                                  &b->notes,
                                  &b->environment,
                                  &b->environment_names,
                                  &b->graph_real,
                                  &b->graph_real_names,

                                  &b->class_names,
                                  &b->molecule,
                                  &b->weight,
                                  &b->bound};
    if (b->block) l2r_builder_drop_placed(b);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) l2r_array_clear(arrays[i]);
    l2r_free(b->block);
    side_clear(&b->node);
    side_clear(&b->edge);
    l2r_vocabulary_clear(&b->classes);
    l2r_arc_lists_clear(&b->adjacency);
    l2r_free(b->edge_type);
    l2r_free(b->edge_row);
    l2r_free(b);
}
