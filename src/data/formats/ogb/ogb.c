/* SPDX-License-Identifier: MIT
 *
 * OGB molecule sets (Hu et al. 2020): csv.gz tables in raw/ and split/, in a folder or an archive.
 *
 *     raw/node-feat.csv.gz   a row per node: categories      raw/edge.csv.gz     a row per bond: two nodes of its graph
 *     raw/edge-feat.csv.gz   a row per bond: categories      the rest            a row per graph: tables.c
 *
 * All tables are read into memory, the large ones side by side, and become one data set in bulk. Without node-feat the
 * degree is the node feature. The tables must agree row by row; nothing is repaired. */
#include "data/formats/ogb/ogb.h"
#include "base/memory.h"
#include "data/builder.h"
#include "data/reader.h"

static bool recognise(const struct l2r_source *source)
{
    char root[4096];
    int n;
    return l2r_ogb_find_root(root, sizeof root, &n, source);
}

static enum l2r_status build(struct l2r_dataset **data, const struct l2r_ogb_tables *t, struct l2r_ogb_all_rows *rows,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_builder *builder = NULL;
    bool has_nodes = rows->node.n_columns > 0, has_features = rows->feature.n_columns > 0;
    const struct l2r_schema schema = {.name = t->name,
                                      .task = t->task,
                                      .n_tasks = t->n_tasks,
                                      .n_node_columns = rows->node.n_columns,
                                      .n_edge_columns = rows->feature.n_columns,
                                      .node_vocabulary = rows->node.vocabulary,
                                      .edge_vocabulary = rows->feature.vocabulary,
                                      .degree_as_feature = !has_nodes};
    const struct l2r_origin origin = {
        .smiles = t->smiles.items, .smiles_start = t->smiles_start.items, .notes = t->notes[0] ? t->notes : NULL};
    const struct l2r_bulk bulk = {.n_graphs = t->n_graphs,
                                  .n_nodes = t->n_nodes,
                                  .n_edges = t->n_edges,
                                  .edges = rows->edge.values,
                                  .node_type = has_nodes ? &rows->node.values : NULL,
                                  .node_rows = &rows->node.numbers.rows,
                                  .edge_type = has_features ? rows->feature.values : NULL,
                                  .edge_rows = &rows->feature.numbers.rows,
                                  .labels = t->labels,
                                  .part = t->part,
                                  .origin = &origin};
    L2R_TRY(l2r_builder_new(&builder, &schema, error));
    L2R_TRY(l2r_builder_add_bulk(builder, &bulk, error));
    l2r_ogb_rows_clear(rows); /* before packing, where memory peaks: the builder has taken what it needs */
    L2R_TRY(l2r_builder_finish(data, builder, error));
done:
    l2r_builder_free(builder);
    return status;
}

static enum l2r_status read_ogb(struct l2r_dataset **data, struct l2r_source *source, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_ogb_tables t = {0};
    struct l2r_ogb_all_rows *rows = NULL;
    char root[4096];
    int n_found;
    if (!l2r_ogb_find_root(root, sizeof root, &n_found, source) || n_found > 1)
        L2R_FAIL(L2R_ERR_FORMAT, "%s holds %d OGB data sets; name the folder of one", source->path, n_found);
    L2R_TRY(l2r_ogb_tables_read(&t, source, root, error));
    rows = l2r_alloc(1, sizeof *rows);
    if (!rows) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: tables");
    L2R_TRY(l2r_ogb_rows_read(rows, &t, error));
    L2R_TRY(build(data, &t, rows, error));
done:
    if (rows) l2r_ogb_rows_clear(rows);
    l2r_free(rows);
    l2r_ogb_tables_clear(&t);
    return status;
}

const struct l2r_reader l2r_reader_ogb = {
    .name = "ogb",
    .description = "OGB csv.gz tables: raw/edge.csv.gz, raw/node-feat.csv.gz, …; a folder or an archive",
    .recognise = recognise,
    .read = read_ogb,
};
