/* SPDX-License-Identifier: MIT
 * See gather.h. */
#include "data/gather.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/threads.h"
#include "chem/molecule.h"
#include "data/builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 256 /* molecules that are numbered */ };

struct gather {
    const struct l2r_gathered *sources;
    int64_t n_sources, n_graphs;
    int32_t *vocabulary[2];           /* of nodes, of arcs: the largest of each column */
    struct l2r_distinct_texts places; /* names of environments */
    /* Of the graph at hand. */
    struct l2r_array edges, arcs, node_rows, edge_rows, edge_real;
    /* Origins of the graphs (struct l2r_origin). */
    struct l2r_array scaffold, molecule, rank, line, smiles_start, smiles, environment, places_text, columns, notes;
};

int64_t l2r_graph_edges(int32_t *edges, int64_t *arcs, const struct l2r_dataset *data, int64_t graph)
{
    int64_t first = data->node_start[graph], end = data->node_start[graph + 1], n = 0;
    for (int64_t v = first; v < end; v++)
        for (int64_t a = data->arc_start[v]; a < data->arc_start[v + 1]; a++) {
            if (data->neighbour[a] < v - first) continue; /* the other direction */
            if (edges) edges[2 * n] = (int32_t)(v - first), edges[2 * n + 1] = data->neighbour[a];
            if (arcs) arcs[n] = a;
            n++;
        }
    return n;
}

static bool same_bytes(const char *a, int64_t n_a, const char *b, int64_t n_b)
{
    return n_a == n_b && (n_a == 0 || memcmp(a, b, (size_t)n_a) == 0);
}

static bool same_values(const int64_t *a, int64_t n_a, const int64_t *b, int64_t n_b)
{
    return n_a == n_b && (n_a == 0 || memcmp(a, b, (size_t)n_a * sizeof *a) == 0);
}

static bool same_columns(const struct l2r_categories *a, const struct l2r_categories *b)
{
    return a->n_columns == b->n_columns && a->n_reals == b->n_reals &&
           same_values(a->value, a->n_values, b->value, b->n_values);
}

/* The difference between a source and the first; NULL: none. */
static const char *difference(const struct l2r_dataset *a, const struct l2r_dataset *b)
{
    if (a->task != b->task) return "another task";
    if (a->n_tasks != b->n_tasks) return "another number of label columns";
    if (!same_bytes(a->task_names, a->n_task_names, b->task_names, b->n_task_names)) return "other label columns";
    if (!same_values(a->class_value, a->n_classes, b->class_value, b->n_classes) ||
        !same_bytes(a->class_names, a->n_class_names, b->class_names, b->n_class_names))
        return "other classes";
    if (!same_columns(&a->nodes, &b->nodes) || a->n_node_reals != b->n_node_reals) return "other columns of nodes";
    if (!same_columns(&a->arcs, &b->arcs)) return "other columns of edges";
    return NULL;
}

static enum l2r_status check(struct gather *g, struct l2r_error *error)
{
    for (int64_t k = 0; k < g->n_sources; k++) {
        const char *other = difference(g->sources[0].data, g->sources[k].data);
        if (other)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "data[%lld] (\"%s\") has %s than data[0] (\"%s\")", (long long)k,
                            g->sources[k].data->name, other, g->sources[0].data->name);
        g->n_graphs += g->sources[k].n;
    }
    return L2R_OK;
}

static bool largest_vocabulary(struct gather *g, int side)
{
    const struct l2r_dataset *first = g->sources[0].data;
    int32_t n = side ? first->arcs.n_columns : first->nodes.n_columns;
    g->vocabulary[side] = l2r_alloc((size_t)n, sizeof **g->vocabulary);
    for (int64_t k = 0; g->vocabulary[side] && k < g->n_sources; k++) {
        const struct l2r_dataset *d = g->sources[k].data;
        for (int32_t i = 0; i < n; i++) {
            int32_t size = side ? d->arcs.vocabulary[i] : d->nodes.vocabulary[i];
            if (size > g->vocabulary[side][i]) g->vocabulary[side][i] = size;
        }
    }
    return g->vocabulary[side] != NULL;
}

static enum l2r_status open_builder(struct l2r_builder **builder, struct gather *g, struct l2r_error *error)
{
    const struct l2r_dataset *d = g->sources[0].data;
    bool marks = true;
    for (int64_t k = 0; k < g->n_sources; k++) marks = marks && g->sources[k].data->node_mark;
    if (!largest_vocabulary(g, 0) || !largest_vocabulary(g, 1))
        return l2r_fail_memory(error, 0, "the vocabularies of a data set");
    const struct l2r_schema schema = {.name = d->name,
                                      .task = d->task,
                                      .n_tasks = d->n_tasks,
                                      .n_node_columns = d->nodes.n_columns,
                                      .n_edge_columns = d->arcs.n_columns,
                                      .n_node_reals = d->n_node_reals,
                                      .n_edge_reals = d->arcs.n_reals,
                                      .node_vocabulary = g->vocabulary[0],
                                      .edge_vocabulary = g->vocabulary[1],
                                      .node_value = d->nodes.value,
                                      .edge_value = d->arcs.value,
                                      .n_classes = d->n_classes,
                                      .class_value = d->class_value,
                                      .has_marks = marks};
    return l2r_builder_new(builder, &schema, error);
}

/* n items of `size` bytes, whose contents do not matter; false: out of memory. */
static bool room(struct l2r_array *array, int64_t n, size_t size)
{
    array->n = 0;
    return l2r_reserve(&array->items, &array->capacity, (size_t)n + 1, size);
}

/* The rows of a graph's nodes (first, first + 1, …) or of the arcs that stand for its edges. */
static void copy_rows(int32_t *rows, const struct l2r_categories *side, const int64_t *which, int64_t first, int64_t n)
{
    for (int64_t i = 0; side->n_columns > 0 && i < n; i++)
        memcpy(rows + i * side->n_columns,
               side->rows + (int64_t)side->type[which ? which[i] : first + i] * side->n_columns,
               (size_t)side->n_columns * sizeof *rows);
}

static enum l2r_status add_graph(struct l2r_builder *builder, struct gather *g, const struct l2r_dataset *d,
                                 int64_t graph, struct l2r_error *error)
{
    int64_t first = d->node_start[graph], nodes = l2r_dataset_nodes_of(d, graph), most = l2r_dataset_arcs_of(d, graph);
    if (!room(&g->edges, 2 * most, sizeof(int32_t)) || !room(&g->arcs, most, sizeof(int64_t)) ||
        !room(&g->node_rows, nodes * d->nodes.n_columns, sizeof(int32_t)) ||
        !room(&g->edge_rows, most * d->arcs.n_columns, sizeof(int32_t)) ||
        !room(&g->edge_real, most * d->arcs.n_reals, sizeof(float)))
        return l2r_fail_memory(error, 0, "a graph");
    const int64_t *arcs = g->arcs.items;
    float *real = g->edge_real.items;
    int64_t edges = l2r_graph_edges(g->edges.items, g->arcs.items, d, graph);
    copy_rows(g->node_rows.items, &d->nodes, NULL, first, nodes);
    copy_rows(g->edge_rows.items, &d->arcs, arcs, 0, edges);
    for (int64_t e = 0; e < edges; e++)
        for (int32_t i = 0; i < d->arcs.n_reals; i++)
            real[e * d->arcs.n_reals + i] = d->arcs.real[(int64_t)d->arcs.type[arcs[e]] * d->arcs.n_reals + i];
    const struct l2r_graph_view view = {.n_nodes = nodes,
                                        .n_edges = edges,
                                        .edges = g->edges.items,
                                        .node_rows = g->node_rows.items,
                                        .edge_rows = g->edge_rows.items,
                                        .node_real = d->node_real + first * d->n_node_reals,
                                        .node_mark = d->node_mark ? d->node_mark + first : NULL,
                                        .labels = d->labels + graph * d->n_tasks,
                                        .part = d->official ? d->official[graph] : L2R_PART_NONE,
                                        .edge_real = real,
                                        .weight = d->weight ? d->weight + graph : NULL,
                                        .bound = d->bound ? d->bound + graph * d->n_tasks : NULL};
    return l2r_builder_add(builder, &view, error);
}

/* Further properties of a graph, if all sources have them. */
struct common {
    bool environment, line, smiles, columns;
    bool groups, rank; /* groups: scaffold and molecule */
};

static struct common in_common(const struct gather *g)
{
    const struct l2r_dataset *d = g->sources[0].data;
    struct common all = {true, true, true, d->n_graph_reals > 0, true, g->n_sources == 1};
    for (int64_t k = 0; k < g->n_sources; k++) {
        const struct l2r_dataset *e = g->sources[k].data;
        all.environment = all.environment && e->environment;
        all.line = all.line && e->source_line;
        all.smiles = all.smiles && e->smiles;
        all.groups = all.groups && e->scaffold && e->molecule;
        all.columns =
            all.columns && e->n_graph_reals == d->n_graph_reals &&
            same_bytes(d->graph_real_names, d->n_graph_real_names, e->graph_real_names, e->n_graph_real_names);
    }
    return all;
}

static bool add_about(struct gather *g, const struct common *all, const struct l2r_dataset *d, int64_t i)
{
    int32_t place = 0;
    if (all->environment)
        place = l2r_distinct_texts_add(&g->places, l2r_names_at(d->environment_names, d->environment[i]));
    bool kept = place >= 0 && (!all->environment || l2r_array_add(&g->environment, &place, 1, sizeof place));
    if (all->line) kept = kept && l2r_array_add(&g->line, d->source_line + i, 1, sizeof *d->source_line);
    if (all->columns)
        kept = kept && l2r_array_add(&g->columns, d->graph_real + i * d->n_graph_reals, (size_t)d->n_graph_reals,
                                     sizeof *d->graph_real);
    if (all->rank && d->scaffold) kept = kept && l2r_array_add(&g->scaffold, d->scaffold + i, 1, sizeof *d->scaffold);
    if (all->rank && d->molecule) kept = kept && l2r_array_add(&g->molecule, d->molecule + i, 1, sizeof *d->molecule);
    if (all->rank && d->rank) kept = kept && l2r_array_add(&g->rank, d->rank + i, 1, sizeof *d->rank);
    if (!all->smiles) return kept;
    int64_t start = (int64_t)g->smiles.n, from = d->smiles_start[i], end = d->smiles_start[i + 1];
    return kept && l2r_array_add(&g->smiles_start, &start, 1, sizeof start) &&
           l2r_array_add(&g->smiles, d->smiles + from, (size_t)(end - from), 1);
}

/* Numbers 0, 1, 2, …: in order of first occurrence, or in the old order. */
static bool renumber(struct l2r_array *numbers, bool ascending)
{
    int32_t *number = numbers->items, most = -1, next = 0;
    for (size_t i = 0; i < numbers->n; i++) most = number[i] > most ? number[i] : most;
    int32_t *place = l2r_alloc((size_t)most + 1, sizeof *place);
    if (!place) return false;
    for (size_t i = 0; i < numbers->n; i++) {
        if (!ascending && place[number[i]] == 0) place[number[i]] = ++next;
        if (ascending) place[number[i]] = 1;
    }
    for (int32_t k = 0; ascending && k <= most; k++)
        if (place[k]) place[k] = ++next;
    for (size_t i = 0; i < numbers->n; i++) number[i] = place[number[i]] - 1;
    l2r_free(place);
    return true;
}

/* Molecules of several sources have no common numbers: RDKit makes them from their SMILES. */
struct numbering {
    const struct gather *g;
    struct l2r_molecule_graph found[AT_ONCE];
    enum l2r_status status[AT_ONCE];
    int64_t first;
};

static void read_molecule(void *context, int64_t i)
{
    struct numbering *m = context;
    const char *smiles = (const char *)m->g->smiles.items + ((const int64_t *)m->g->smiles_start.items)[m->first + i];
    m->status[i] = l2r_molecule_features(&m->found[i], smiles, true, NULL);
}

static bool add_number(struct l2r_array *numbers, struct l2r_distinct_texts *texts, const char *text)
{
    int32_t number = l2r_distinct_texts_add(texts, text);
    return number >= 0 && l2r_array_add(numbers, &number, 1, sizeof number);
}

/* *numbered: false without RDKit, or if it cannot read one of the SMILES; then the numbers are left out. */
static enum l2r_status number_molecules(bool *numbered, struct gather *g, struct l2r_error *error)
{
    struct l2r_distinct_texts scaffolds = {0}, molecules = {0};
    struct numbering *m = l2r_alloc(1, sizeof *m);
    bool memory = m != NULL;
    *numbered = true;
    for (int64_t begin = 0; memory && *numbered && begin < g->n_graphs; begin += AT_ONCE) {
        int64_t n = g->n_graphs - begin < AT_ONCE ? g->n_graphs - begin : AT_ONCE;
        *m = (struct numbering){.g = g, .first = begin};
        l2r_parallel(n, read_molecule, m);
        for (int64_t i = 0; i < n; i++) {
            *numbered = *numbered && m->status[i] == L2R_OK;
            memory = memory && m->status[i] != L2R_ERR_MEMORY;
            if (memory && *numbered)
                memory = add_number(&g->scaffold, &scaffolds, m->found[i].scaffold) &&
                         add_number(&g->molecule, &molecules, m->found[i].canonical);
            l2r_molecule_graph_clear(&m->found[i]);
        }
    }
    if (!*numbered) g->scaffold.n = g->molecule.n = 0;
    l2r_distinct_texts_clear(&scaffolds);
    l2r_distinct_texts_clear(&molecules);
    l2r_free(m);
    return memory ? L2R_OK : l2r_fail_memory(error, 0, "the molecules of several data sets");
}

/* One source keeps the list of its environments, of which some may have no graph now. */
static bool list_places(struct gather *g, const struct common *all)
{
    const struct l2r_dataset *d = g->sources[0].data;
    if (g->n_sources == 1 && all->environment)
        for (int32_t k = 0; k < d->n_environments; k++)
            if (l2r_distinct_texts_add(&g->places, l2r_names_at(d->environment_names, k)) < 0) return false;
    return true;
}

static bool note(struct gather *g, const char *what)
{
    char line[200];
    int length =
        snprintf(line, sizeof line, "%s are left out: not all of the data sets have them, or not the same\n", what);
    return l2r_array_add(&g->notes, line, (size_t)length, 1);
}

/* Lists what some of the sources have and the result lacks. */
static bool note_lost(struct gather *g, const struct common *all)
{
    bool place = false, line = false, smiles = false, columns = false, groups = false, rank = false, mark = false,
         marks = true;
    for (int64_t k = 0; k < g->n_sources; k++) {
        const struct l2r_dataset *d = g->sources[k].data;
        place = place || d->environment;
        line = line || d->source_line;
        smiles = smiles || d->smiles;
        columns = columns || d->n_graph_reals > 0;
        groups = groups || d->scaffold || d->molecule;
        rank = rank || d->rank;
        mark = mark || d->node_mark;
        marks = marks && d->node_mark;
    }
    if (g->n_sources == 1) return true;
    return (all->environment || !place || note(g, "environments")) && (all->line || !line || note(g, "source rows")) &&
           (all->smiles || !smiles || note(g, "SMILES")) &&
           (all->columns || !columns || note(g, "columns of graphs")) &&
           (all->groups || !groups || note(g, "scaffolds and numbers of molecules")) &&
           (all->rank || !rank || note(g, "values of a split column")) && (marks || !mark || note(g, "node marks")) &&
           (g->notes.n == 0 || l2r_array_add(&g->notes, "", 1, 1));
}

static enum l2r_status set_origin(struct l2r_builder *builder, struct gather *g, const struct common *all,
                                  struct l2r_error *error)
{
    const struct l2r_dataset *d = g->sources[0].data;
    int64_t end = (int64_t)g->smiles.n;
    bool made = note_lost(g, all) && renumber(&g->scaffold, false) && renumber(&g->molecule, false) &&
                renumber(&g->rank, true) && (!all->smiles || l2r_array_add(&g->smiles_start, &end, 1, sizeof end)) &&
                (!all->environment || l2r_array_add(&g->places_text, g->places.text, g->places.used, 1));
    if (!made) return l2r_fail_memory(error, 0, "a data set");
    const struct l2r_origin origin = {.scaffold = g->scaffold.n > 0 ? g->scaffold.items : NULL,
                                      .molecule = g->molecule.n > 0 ? g->molecule.items : NULL,
                                      .rank = g->rank.items,
                                      .source_line = g->line.items,
                                      .smiles_start = all->smiles ? g->smiles_start.items : NULL,
                                      .smiles = all->smiles ? g->smiles.items : NULL,
                                      .task_names = d->task_names,
                                      .n_task_names = (size_t)d->n_task_names,
                                      .environment = g->environment.items,
                                      .n_environments = g->places.n,
                                      .environment_names = g->places_text.items,
                                      .n_environment_names = g->places_text.n,
                                      .class_names = d->class_names,
                                      .n_class_names = (size_t)d->n_class_names,
                                      .notes = g->notes.items,
                                      .n_graph_reals = all->columns ? d->n_graph_reals : 0,
                                      .graph_real = g->columns.items,
                                      .graph_real_names = d->graph_real_names,
                                      .n_graph_real_names = all->columns ? (size_t)d->n_graph_real_names : 0};
    return l2r_builder_set_origin(builder, &origin, error);
}

static void clear(struct gather *g)
{
    struct l2r_array *arrays[] = {&g->edges,    &g->arcs,        &g->node_rows,   &g->edge_rows, &g->edge_real,
                                  &g->scaffold, &g->molecule,    &g->rank,        &g->line,      &g->smiles_start,
                                  &g->smiles,   &g->environment, &g->places_text, &g->columns,   &g->notes};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) l2r_array_clear(arrays[i]);
    l2r_distinct_texts_clear(&g->places);
    l2r_free(g->vocabulary[0]);
    l2r_free(g->vocabulary[1]);
}

enum l2r_status l2r_gather(struct l2r_dataset **out, const struct l2r_gathered *sources, int64_t n_sources,
                           struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct gather g = {.sources = sources, .n_sources = n_sources};
    struct l2r_builder *builder = NULL;
    L2R_TRY(check(&g, error));
    if (g.n_graphs >= INT32_MAX - 1)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%lld graphs are more than a data set holds", (long long)g.n_graphs);
    L2R_TRY(open_builder(&builder, &g, error));
    struct common all = in_common(&g);
    if (!list_places(&g, &all)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: environments");
    for (int64_t k = 0; k < n_sources; k++)
        for (int64_t i = 0; i < sources[k].n; i++) {
            int64_t graph = sources[k].graphs ? sources[k].graphs[i] : i;
            L2R_TRY(add_graph(builder, &g, sources[k].data, graph, error));
            if (!add_about(&g, &all, sources[k].data, graph)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a data set");
        }
    if (n_sources > 1) all.groups = all.groups && all.smiles;
    if (n_sources > 1 && all.groups) L2R_TRY(number_molecules(&all.groups, &g, error));
    L2R_TRY(set_origin(builder, &g, &all, error));
    L2R_TRY(l2r_builder_finish(out, builder, error));
done:
    l2r_builder_free(builder);
    clear(&g);
    return status;
}
