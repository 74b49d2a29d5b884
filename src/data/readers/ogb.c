/* SPDX-License-Identifier: MIT
 *
 * OGB molecule sets (Hu et al. 2020): csv.gz tables in raw/ and split/, in a folder or an archive.
 *
 *     raw/node-feat.csv.gz   a row a node: categories      raw/edge.csv.gz       a row a bond: two nodes of its graph
 *     raw/edge-feat.csv.gz   a row a bond: categories      the rest              ogb_tables.h
 *
 * The three tables are read side by side, one graph at a time; nothing but the current graph is held. Nine atom columns
 * and three bond columns have OGB's fixed vocabularies, so that every molecule set gets the same embedding tables;
 * with other numbers of columns a vocabulary ends at the largest value seen. Without node-feat the degree is used. */
#include "base/memory.h"
#include "data/builder.h"
#include "data/ogb_tables.h"
#include "data/reader.h"

static const int32_t atoms[] = {119, 5, 12, 12, 10, 6, 6, 2, 2};
static const int32_t bonds[] = {5, 6, 2};
enum { N_ATOM_COLUMNS = 9, N_BOND_COLUMNS = 3, MAX_COLUMNS = 1024, MAX_CATEGORY = 1000000 };

/* A table with a row of integers for each node or bond. */
struct stream_table {
    struct l2r_lines lines;
    bool present;
    int32_t n_columns;
    const int32_t *vocabulary; /* NULL: not fixed */
    int32_t *rows;             /* [rows of this graph × n_columns] */
    size_t capacity;
    int64_t values[MAX_COLUMNS]; /* the current row */
};

static bool recognise(const struct l2r_source *source)
{
    char root[4096];
    int n;
    return l2r_ogb_find_root(root, sizeof root, &n, source);
}

static enum l2r_status open_features(struct stream_table *table, const struct l2r_ogb_tables *t, const char *name,
                                     const int32_t *vocabulary, int32_t n_fixed, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_entry *entry = l2r_ogb_find(t, "raw", name);
    if (!entry) return L2R_OK;
    L2R_TRY(l2r_lines_open(&table->lines, t->source, entry, error));
    table->present = true;
    L2R_TRY(l2r_lines_columns(&table->lines, &table->n_columns, MAX_COLUMNS, error));
    if (table->n_columns == n_fixed) table->vocabulary = vocabulary;
done:
    return status;
}

/* The next n rows into table->rows; `list` names the table that promised them. Without a fixed vocabulary all values
 * must be below `end`. */
static enum l2r_status read_rows(struct stream_table *table, int64_t n, int64_t end, const char *list,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t *values = table->values;
    size_t columns = (size_t)table->n_columns;
    bool more;
    for (int64_t i = 0; i < n; i++) {
        L2R_TRY(l2r_lines_ints(&table->lines, values, table->n_columns, &more, error));
        if (!more) {
            status = l2r_lines_fail(&table->lines, error, "the file ends after %lld rows, but %s.csv.gz counts more",
                                    (long long)table->lines.number, list);
            goto done;
        }
        size_t at = (size_t)i * columns;
        if (!l2r_reserve((void **)&table->rows, &table->capacity, at + columns, sizeof *table->rows))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the rows of a graph");
        for (size_t k = 0; k < columns; k++) {
            int64_t limit = table->vocabulary ? table->vocabulary[k] : end;
            if (values[k] < 0 || values[k] >= limit) {
                status = l2r_lines_fail(&table->lines, error, "value %lld in column %zu is outside 0..%lld",
                                        (long long)values[k], k + 1, (long long)limit - 1);
                goto done;
            }
            table->rows[at + k] = (int32_t)values[k];
        }
    }
done:
    return status;
}

static enum l2r_status expect_end(struct stream_table *table, const char *list, struct l2r_error *error)
{
    if (!table->present) return L2R_OK;
    enum l2r_status status = l2r_lines_next(&table->lines, error);
    if (status == L2R_OK && table->lines.text)
        status = l2r_lines_fail(&table->lines, error, "the file has more rows than %s.csv.gz counts", list);
    return status;
}

static enum l2r_status read_graph(struct l2r_builder *builder, const struct l2r_ogb_tables *t,
                                  struct stream_table *nodes, struct stream_table *edges, struct stream_table *features,
                                  int64_t g, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (nodes->present) L2R_TRY(read_rows(nodes, t->n_nodes[g], MAX_CATEGORY, "num-node-list", error));
    L2R_TRY(read_rows(edges, t->n_edges[g], t->n_nodes[g], "num-edge-list", error));
    if (features->present) L2R_TRY(read_rows(features, t->n_edges[g], MAX_CATEGORY, "num-edge-list", error));
    const struct l2r_graph_view view = {.n_nodes = t->n_nodes[g],
                                        .n_edges = t->n_edges[g],
                                        .edges = edges->rows,
                                        .node_rows = nodes->rows,
                                        .edge_rows = features->rows,
                                        .labels = t->labels + g * t->n_tasks,
                                        .part = t->part[g]};
    L2R_TRY(l2r_builder_add(builder, &view, error));
done:
    return status;
}

static enum l2r_status read_graphs(struct l2r_dataset **data, const struct l2r_ogb_tables *t,
                                   struct stream_table *nodes, struct stream_table *edges,
                                   struct stream_table *features, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_builder *builder = NULL;
    const struct l2r_schema schema = {.name = t->name,
                                      .task = t->task,
                                      .n_tasks = t->n_tasks,
                                      .n_node_columns = nodes->n_columns,
                                      .n_edge_columns = features->n_columns,
                                      .node_vocabulary = nodes->vocabulary,
                                      .edge_vocabulary = features->vocabulary,
                                      .degree_as_feature = nodes->n_columns == 0};
    L2R_TRY(l2r_builder_new(&builder, &schema, error));
    for (int64_t g = 0; g < t->n_graphs; g++) L2R_TRY(read_graph(builder, t, nodes, edges, features, g, error));
    L2R_TRY(expect_end(nodes, "num-node-list", error));
    L2R_TRY(expect_end(edges, "num-edge-list", error));
    L2R_TRY(expect_end(features, "num-edge-list", error));
    L2R_TRY(l2r_builder_finish(data, builder, error));
done:
    l2r_builder_free(builder);
    return status;
}

static enum l2r_status read_ogb(struct l2r_dataset **data, struct l2r_source *source, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_ogb_tables t = {0};
    struct stream_table nodes = {0}, edges = {.n_columns = 2, .present = true}, features = {0};
    char root[4096];
    int n_found;
    if (!l2r_ogb_find_root(root, sizeof root, &n_found, source) || n_found > 1)
        L2R_FAIL(L2R_ERR_FORMAT, "%s holds %d OGB data sets; give the folder of one", source->path, n_found);
    L2R_TRY(l2r_ogb_tables_read(&t, source, root, error));
    L2R_TRY(l2r_ogb_open(&edges.lines, &t, "edge", error));
    L2R_TRY(open_features(&nodes, &t, "node-feat", atoms, N_ATOM_COLUMNS, error));
    L2R_TRY(open_features(&features, &t, "edge-feat", bonds, N_BOND_COLUMNS, error));
    L2R_TRY(read_graphs(data, &t, &nodes, &edges, &features, error));
done:
    l2r_lines_close(&nodes.lines);
    l2r_lines_close(&edges.lines);
    l2r_lines_close(&features.lines);
    l2r_free(nodes.rows);
    l2r_free(edges.rows);
    l2r_free(features.rows);
    l2r_ogb_tables_clear(&t);
    return status;
}

const struct l2r_reader l2r_reader_ogb = {
    .name = "ogb",
    .description = "OGB csv.gz tables: raw/edge.csv.gz, raw/node-feat.csv.gz, …; a folder or an archive",
    .recognise = recognise,
    .read = read_ogb,
};
