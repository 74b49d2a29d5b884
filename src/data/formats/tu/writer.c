/* SPDX-License-Identifier: MIT
 *
 * Writes a data set as a folder in the TU layout (tu.h): text files NAME_*.txt, whose line k belongs to graph, node or
 * arc k, counted from 1 over the whole set.
 *
 *     _A                "i, j": an arc between nodes i and j; every edge is listed in both directions, a self loop once
 *     _graph_indicator  the graph of each node
 *     _graph_labels     one integer per graph: the class, in the source's own numbers
 *     _graph_attributes instead, for several label columns, missing labels or real values; "nan" is missing
 *     _node_labels, _edge_labels   categorical columns, comma separated
 *     _node_attributes, _edge_attributes   real columns, comma separated
 *     _node_marks       ours: 0 background, k: member of planted motif k
 *     _environments     ours: the name of each graph's environment
 *     _split            ours: train, valid, test, id-valid, id-test or none
 *     _graph_weights    ours: what each graph's loss is multiplied by
 *
 * Reading the folder gives the same graphs, features, labels and split. The layout cannot represent everything; lost
 * are vocabularies larger than the values that occur, and the task "binary" (one column without gaps comes back as
 * classes, anything else as real values).
 */
#include "data/formats/tu/tu.h"

#include "base/decimal.h"
#include "io/file.h"
#include "io/staging.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_arcs(FILE *out, const struct l2r_dataset *data)
{
    for (int64_t g = 0; g < data->n_graphs; g++) {
        int64_t base = data->node_start[g] + 1;
        for (int64_t v = data->node_start[g]; v < data->node_start[g + 1]; v++)
            for (int64_t a = data->arc_start[v]; a < data->arc_start[v + 1]; a++)
                fprintf(out, "%" PRId64 ", %" PRId64 "\n", v + 1, base + data->neighbour[a]);
    }
}

static void write_indicator(FILE *out, const struct l2r_dataset *data)
{
    for (int64_t g = 0; g < data->n_graphs; g++)
        for (int64_t v = data->node_start[g]; v < data->node_start[g + 1]; v++) fprintf(out, "%" PRId64 "\n", g + 1);
}

static void write_graph_labels(FILE *out, const struct l2r_dataset *data)
{
    bool classes = data->task == L2R_TASK_MULTICLASS;
    for (int64_t g = 0; g < data->n_graphs; g++) {
        int64_t label = (int64_t)data->labels[g];
        fprintf(out, "%" PRId64 "\n", classes ? data->class_value[label] : label);
    }
}

static void write_reals(FILE *out, const float *values, int64_t n_rows, int32_t n_columns)
{
    for (int64_t row = 0; row < n_rows; row++)
        for (int32_t k = 0; k < n_columns; k++) {
            float value = values[row * n_columns + k];
            const char *end = k + 1 < n_columns ? ", " : "\n";
            if (isnan(value)) /* printf may write "-nan" */
                fprintf(out, "nan%s", end);
            else
                l2r_decimal_write(out, "%.9g%s", (double)value, end); /* nine digits give a float back exactly */
        }
}

static void write_graph_attributes(FILE *out, const struct l2r_dataset *data)
{
    write_reals(out, data->labels, data->n_graphs, data->n_tasks);
}

static void write_node_attributes(FILE *out, const struct l2r_dataset *data)
{
    write_reals(out, data->node_real, data->n_nodes, data->n_node_reals);
}

static void write_edge_attributes(FILE *out, const struct l2r_dataset *data)
{
    for (int64_t a = 0; a < data->n_arcs; a++)
        write_reals(out, data->arcs.real + (int64_t)data->arcs.type[a] * data->arcs.n_reals, 1, data->arcs.n_reals);
}

static void write_weights(FILE *out, const struct l2r_dataset *data)
{
    write_reals(out, data->weight, data->n_graphs, 1);
}

/* In the source's own numbers, where these are known: column k of a row is an index into the k-th stretch of values. */
static void write_categories(FILE *out, const struct l2r_categories *table, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const int32_t *row = table->rows + (int64_t)table->type[i] * table->n_columns;
        const int64_t *value = table->n_values > 0 ? table->value : NULL;
        for (int32_t k = 0; k < table->n_columns; k++) {
            fprintf(out, "%" PRId64 "%s", value ? value[row[k]] : row[k], k + 1 < table->n_columns ? ", " : "\n");
            if (value) value += table->vocabulary[k];
        }
    }
}

static void write_node_labels(FILE *out, const struct l2r_dataset *data)
{
    write_categories(out, &data->nodes, data->n_nodes);
}

static void write_edge_labels(FILE *out, const struct l2r_dataset *data)
{
    write_categories(out, &data->arcs, data->n_arcs);
}

static void write_marks(FILE *out, const struct l2r_dataset *data)
{
    for (int64_t v = 0; v < data->n_nodes; v++) fprintf(out, "%d\n", data->node_mark[v]);
}

static void write_split(FILE *out, const struct l2r_dataset *data)
{
    for (int64_t g = 0; g < data->n_graphs; g++) fprintf(out, "%s\n", l2r_part_name(data->official[g]));
}

static void write_environments(FILE *out, const struct l2r_dataset *data)
{
    for (int64_t g = 0; g < data->n_graphs; g++)
        fprintf(out, "%s\n", l2r_dataset_environment_name(data, data->environment[g]));
}

static void write_readme(FILE *out, const struct l2r_dataset *data)
{
    fprintf(out, "%s in TU layout\n\n", data->name);
    l2r_decimal_write(out, "%" PRId64 " graphs, %" PRId64 " nodes, %" PRId64 " edges, task %s.\n\n", data->n_graphs,
                      data->n_nodes, l2r_dataset_n_edges(data), l2r_task_name(data->task));
    fputs("Line k of a file belongs to graph, node or arc k, counted from 1 over the whole set.\n"
          "  _A                 arcs \"i, j\" (each edge in both directions, a self loop once)\n"
          "  _graph_indicator   the graph of each node\n"
          "  _graph_labels      the class of each graph\n"
          "  _graph_attributes  or its label columns, comma separated; nan: missing\n"
          "  _node_labels       categorical node features, comma separated\n"
          "  _edge_labels       categorical features of the arcs of _A, comma separated\n"
          "  _node_attributes   real node features, comma separated\n"
          "  _edge_attributes   real features of the arcs of _A, comma separated\n"
          "  _node_marks        ground truth for explanations: 0 background, k: member of planted motif k\n"
          "  _environments      the name of each graph's environment\n"
          "  _split             the part of each graph: train, valid, test, id-valid, id-test or none\n"
          "  _graph_weights     what each graph's loss is multiplied by\n"
          "Files that the set has no content for are left out.\n",
          out);
}

/* One class per graph, all known: what _graph_labels can hold. */
static bool has_plain_labels(const struct l2r_dataset *data)
{
    if (data->n_tasks != 1 || data->task == L2R_TASK_REGRESSION) return false;
    for (int64_t g = 0; g < data->n_graphs; g++)
        if (isnan(data->labels[g])) return false;
    return true;
}

static enum l2r_status write_table(const char *folder, const char *prefix, const char *suffix,
                                   void (*write)(FILE *, const struct l2r_dataset *), const struct l2r_dataset *data,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char name[128], path[4400];
    struct l2r_atomic file = {0};
    snprintf(name, sizeof name, "%s%s.txt", prefix, suffix);
    L2R_TRY(l2r_path_join(path, sizeof path, folder, name, error));
    L2R_TRY(l2r_atomic_open(&file, path, error));
    write(file.stream, data);
    status = l2r_atomic_close(&file, status, error); /* reports a full disk too */
done:
    return status;
}

/* The name becomes part of file names; anything unusual in it turns into "_". */
static void file_prefix(char *prefix, size_t size, const char *name)
{
    snprintf(prefix, size, "%s", name[0] ? name : "graphs");
    for (char *c = prefix; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c)) *c = '_';
    if (prefix[0] == '.') prefix[0] = '_';
}

enum l2r_status l2r_tu_write(const struct l2r_dataset *data, const char *dir, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_staging staging = {0};
    char prefix[sizeof data->name + 8];
    bool plain = has_plain_labels(data);
    const struct {
        const char *suffix;
        bool present;
        void (*write)(FILE *, const struct l2r_dataset *);
    } tables[] = {
        {"_A", true, write_arcs},
        {"_graph_indicator", true, write_indicator},
        {"_graph_labels", plain, write_graph_labels},
        {"_graph_attributes", !plain, write_graph_attributes},
        {"_node_labels", data->nodes.n_columns > 0, write_node_labels},
        {"_edge_labels", data->arcs.n_columns > 0, write_edge_labels},
        {"_node_attributes", data->n_node_reals > 0, write_node_attributes},
        {"_edge_attributes", data->arcs.n_reals > 0, write_edge_attributes},
        {"_graph_weights", data->weight != NULL, write_weights},
        {"_node_marks", data->node_mark != NULL, write_marks},
        {"_environments", data->environment != NULL, write_environments},
        {"_split", data->official != NULL, write_split},
    };
    file_prefix(prefix, sizeof prefix, data->name);
    L2R_TRY(l2r_staging_open(&staging, dir, error));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (tables[i].present)
            L2R_TRY(write_table(staging.folder, prefix, tables[i].suffix, tables[i].write, data, error));
    L2R_TRY(write_table(staging.folder, "README", "", write_readme, data, error));
done:
    return l2r_staging_close(&staging, NULL, status, error);
}
