/* SPDX-License-Identifier: MIT
 *
 * The reader of TU data sets (tu.h lists the tables), in a folder or an archive, directly or one folder deep.
 *
 *     tables of graphs and nodes ──► memory ─┐
 *     tables of edges            ──► memory ─┼─► builder ──► data set
 *     NAME_A.txt                 ──► stream ─┘
 *
 * A set without node labels and attributes gets the degree as its node feature. Every table is read once, unless its
 * edges do not come graph by graph. */
#include "data/formats/tu/tu.h"
#include "base/memory.h"
#include "data/reader.h"

#include <string.h>

static const char *find_prefix(const struct l2r_source *source, char *prefix, size_t size, int *n_found)
{
    static const char *const endings[] = {"_A.txt", "_graph_indicator.txt"};
    *n_found = 0;
    for (int i = 0; i < 2 && *n_found == 0; i++) {
        size_t from = 0, cut = strlen(endings[i]);
        for (const struct l2r_entry *e; (e = l2r_source_match(source, endings[i], 1, &from)); ++*n_found) {
            size_t length = strlen(e->name) - cut;
            if (*n_found > 0 || length >= size) continue;
            memcpy(prefix, e->name, length);
            prefix[length] = '\0';
        }
    }
    return *n_found ? prefix : NULL;
}

static bool recognise(const struct l2r_source *source)
{
    char prefix[4096];
    int n;
    return find_prefix(source, prefix, sizeof prefix, &n) != NULL;
}

static enum l2r_status new_builder(struct l2r_tu *tu, struct l2r_error *error)
{
    const struct l2r_tu_tables *t = &tu->tables;
    const struct l2r_schema schema = {
        .name = t->name,
        .task = t->task,
        .n_tasks = t->n_tasks,
        .n_node_columns = t->node_labels.n_columns,
        .n_edge_columns = tu->edge_labels.n_columns,
        .n_node_reals = t->n_reals,
        .n_edge_reals = tu->n_edge_reals,
        .node_vocabulary = t->node_labels.sizes,
        .edge_vocabulary = tu->edge_labels.sizes,
        .node_value = t->node_labels.values,
        .edge_value = tu->edge_labels.values,
        .n_classes = t->classes.n,
        .class_value = t->task == L2R_TASK_MULTICLASS ? t->classes.values : NULL,
        .has_marks = t->node_mark != NULL,
        .degree_as_feature = t->node_labels.n_columns == 0 && t->n_reals == 0,
    };
    l2r_builder_free(tu->builder);
    return l2r_builder_new(&tu->builder, &schema, error);
}

/* Environments, and a note: graphs without nodes may be intended, or a sign of a truncated file. */
static enum l2r_status set_origin(const struct l2r_tu *tu, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_tu_tables *t = &tu->tables;
    struct l2r_notes notes = {0};
    if (t->n_empty > 0 &&
        !l2r_notes_add(&notes, "%s: %lld of %lld graphs have no nodes; the first is graph %lld", t->source->path,
                       (long long)t->n_empty, (long long)t->n_graphs, (long long)t->first_empty))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a note");
    const struct l2r_origin origin = {.environment = t->environment,
                                      .n_environments = t->environment_names.n,
                                      .environment_names = t->environment_names.text,
                                      .n_environment_names = t->environment_names.used,
                                      .notes = notes.text.text};
    L2R_TRY(l2r_builder_set_origin(tu->builder, &origin, error));
done:
    l2r_notes_clear(&notes);
    return status;
}

static enum l2r_status read_tu(struct l2r_dataset **data, struct l2r_source *source, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_tu tu = {0};
    char prefix[4096];
    int n_found;
    bool in_order;
    if (!find_prefix(source, prefix, sizeof prefix, &n_found) || n_found > 1)
        L2R_FAIL(L2R_ERR_FORMAT, "%s holds %d TU data sets; name the folder of one", source->path, n_found);
    L2R_TRY(l2r_tu_tables_read(&tu.tables, source, prefix, error));
    L2R_TRY(l2r_tu_edge_labels_read(&tu, error));
    L2R_TRY(l2r_tu_edge_reals_read(&tu, error));
    L2R_TRY(new_builder(&tu, error));
    L2R_TRY(l2r_tu_edges_read(&tu, &in_order, error));
    if (!in_order) { /* rare, so the first pass assumes order and starts over when it was wrong */
        tu.collect = true;
        L2R_TRY(new_builder(&tu, error));
        L2R_TRY(l2r_tu_edges_read(&tu, &in_order, error));
    }
    L2R_TRY(set_origin(&tu, error));
    L2R_TRY(l2r_builder_finish(data, tu.builder, error));
done:
    l2r_builder_free(tu.builder);
    l2r_tu_tables_clear(&tu.tables);
    l2r_label_columns_clear(&tu.edge_labels);
    l2r_free(tu.edges);
    l2r_free(tu.edge_rows);
    l2r_free(tu.edge_real);
    l2r_free(tu.edge_graph);
    return status;
}

const struct l2r_reader l2r_reader_tu = {
    .name = "tu",
    .description = "TU text tables: NAME_A.txt, NAME_graph_indicator.txt, …; a folder or an archive",
    .recognise = recognise,
    .read = read_tu,
};
