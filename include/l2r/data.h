/* SPDX-License-Identifier: MIT
 *
 * Data sets from files, what they hold, and their splits; l2r/arrays.h makes them of arrays, and arrays of them.
 *
 *     struct l2r_dataset   many graphs, read-only: any number of threads may use one at the same time
 *     struct l2r_builder   graphs one by one; one thread at a time
 *     struct l2r_split     which graphs train, validate and test; read-only like a data set
 *
 * Arrays and texts that a getter lends live as long as the object they come from. Getters are total: NULL, or a number
 * out of range, gives 0, NULL or -1.
 */
#ifndef L2R_DATA_H
#define L2R_DATA_H

#include <l2r/options.h>

#ifdef __cplusplus
extern "C" {
#endif

enum l2r_task {
    L2R_TASK_MULTICLASS, /* one label a graph: a class 0 .. n_classes-1 */
    L2R_TASK_BINARY,     /* n_tasks labels a graph: 0, 1, or missing */
    L2R_TASK_REGRESSION  /* n_tasks values a graph, or missing */
};
/* "multiclass", "binary", "regression"; "unknown" for a number that is no task. */
L2R_API const char *l2r_task_name(enum l2r_task task);

/* The parts of a split. Benchmarks of distribution shift have five: valid and test are out of distribution there, and
 * id-valid and id-test come from where the training graphs come from. */
enum { L2R_PART_TRAIN, L2R_PART_VALID, L2R_PART_TEST, L2R_PART_ID_VALID, L2R_PART_ID_TEST, L2R_PART_NONE };
enum { L2R_N_PARTS = L2R_PART_NONE }; /* that a graph can be in */
/* "train", "valid", "test", "id-valid", "id-test", "none"; "unknown" for a number that is no part. */
L2R_API const char *l2r_part_name(int part);

struct l2r_dataset;

/* Opens a folder, archive or table of SMILES, what a generator makes ("motif:mu=0.8"), or a file of l2r_dataset_save;
 * which of these is found out from the content. options: of l2r_config_for_data or l2r_config_for_run; NULL: defaults.
 * With the option cache (the default) a binary copy is kept in the user's cache folder for a quick start next time. */
L2R_API enum l2r_status l2r_dataset_open(struct l2r_dataset **data, const char *where, const struct l2r_config *options,
                                         struct l2r_error *error);
/* Writes a file that l2r_dataset_open maps into memory; it belongs to this version of the library and this machine. */
L2R_API enum l2r_status l2r_dataset_save(const struct l2r_dataset *data, const char *path, struct l2r_error *error);

/* What a generator (L2R_GENERATORS) makes; options: of l2r_config_for_generator, NULL: its defaults. */
L2R_API enum l2r_status l2r_dataset_generate(struct l2r_dataset **data, const char *generator,
                                             const struct l2r_config *options, struct l2r_error *error);
/* Writes a folder in the TU layout, which this library and the common graph libraries read; it must be empty if it is
 * there. Edge and real columns, names and SMILES that the layout has no place for are left out. */
L2R_API enum l2r_status l2r_dataset_export(const struct l2r_dataset *data, const char *dir, struct l2r_error *error);
/* NULL is fine. Predictors do not need the data they have scored; a training needs its data until it is freed. */
L2R_API void l2r_dataset_free(struct l2r_dataset *data);

/* ---- What a data set holds ---- */

L2R_API const char *l2r_dataset_name(const struct l2r_dataset *data);
L2R_API int64_t l2r_dataset_n_graphs(const struct l2r_dataset *data);
/* Of all graphs; an edge counts once, in whichever direction it is listed. */
L2R_API int64_t l2r_dataset_n_nodes(const struct l2r_dataset *data);
L2R_API int64_t l2r_dataset_n_edges(const struct l2r_dataset *data);
/* Counts, sizes, label rates and whether the data is sound ("sound": true), as lines for people and as JSON; free the
 * text with l2r_free. Linear in the size of the data. */
L2R_API enum l2r_status l2r_dataset_summary(char **text, const struct l2r_dataset *data, struct l2r_error *error);
L2R_API enum l2r_status l2r_dataset_summary_json(char **json, const struct l2r_dataset *data, struct l2r_error *error);
L2R_API enum l2r_task l2r_dataset_task(const struct l2r_dataset *data);
/* Label columns; 1 for multi-class. */
L2R_API int32_t l2r_dataset_n_tasks(const struct l2r_dataset *data);
/* What the source calls label column k; NULL: it does not say. */
L2R_API const char *l2r_dataset_task_name(const struct l2r_dataset *data, int32_t k);
/* Classes of a multi-class set; 0 otherwise. */
L2R_API int32_t l2r_dataset_n_classes(const struct l2r_dataset *data);
/* The source's word for class k of label column `task` (multi-class: 0; binary: k is 0 or 1); NULL: it has numbers. */
L2R_API const char *l2r_dataset_class_name(const struct l2r_dataset *data, int32_t task, int32_t k);
/* The source's integer for class k; INT64_MIN: there is no such class. */
L2R_API int64_t l2r_dataset_class(const struct l2r_dataset *data, int32_t k);
/* [graphs × tasks]: class numbers, 0 and 1, or values; NaN: missing. */
L2R_API const float *l2r_dataset_labels(const struct l2r_dataset *data);
/* [graphs]: what the loss of each graph is multiplied by; NULL: 1 everywhere. */
L2R_API const float *l2r_dataset_weights(const struct l2r_dataset *data);
/* [graphs × tasks]: 1 where the value is the label or more, -1 where it is the label or less, 0 where it is the label;
 * NULL: 0 everywhere. */
L2R_API const int8_t *l2r_dataset_bounds(const struct l2r_dataset *data);
/* Numbers about whole graphs: how many columns, their names, and [graphs × columns], NaN: missing; NULL: none. */
L2R_API int32_t l2r_dataset_n_columns(const struct l2r_dataset *data);
L2R_API const char *l2r_dataset_column_name(const struct l2r_dataset *data, int32_t k);
L2R_API const float *l2r_dataset_column_values(const struct l2r_dataset *data);
/* [graphs]: L2R_PART_* of the split that came with the data; NULL: none did. */
L2R_API const uint8_t *l2r_dataset_parts(const struct l2r_dataset *data);
/* [graphs]: the environment of each graph, numbered from 0: the one it came with (a generator's base, an assay, a
 * column), else its value in split-column, in ascending order, or else the scaffold of the molecule; NULL: the data has
 * none of these. */
L2R_API const int32_t *l2r_dataset_environments(const struct l2r_dataset *data);
/* The name of environment k, where graphs came with one; NULL: it has no name. */
L2R_API const char *l2r_dataset_environment_name(const struct l2r_dataset *data, int32_t k);
/* The SMILES that graph g was made from; NULL: it is no molecule. */
L2R_API const char *l2r_dataset_smiles(const struct l2r_dataset *data, int64_t g);
/* The name of the molecule in its table (a column called name, compound_id, …, or what follows the SMILES of a .smi
 * line); NULL: it has none. */
L2R_API const char *l2r_dataset_row_name(const struct l2r_dataset *data, int64_t g);
/* The row that graph g comes from: the line of its table, from 1, or its index in the array of SMILES; -1: unknown. */
L2R_API int64_t l2r_dataset_source_row(const struct l2r_dataset *data, int64_t g);

/* [graphs + 1]: graph g has the nodes node_start[g] .. node_start[g+1]-1. */
L2R_API const int64_t *l2r_dataset_node_start(const struct l2r_dataset *data);
/* [nodes + 1]: node v has the neighbours neighbour[arc_start[v]] .. neighbour[arc_start[v+1]-1]. */
L2R_API const int64_t *l2r_dataset_arc_start(const struct l2r_dataset *data);
/* [arcs]: node numbers within the graph, ascending; every edge is listed at both ends, a self loop once. */
L2R_API const int32_t *l2r_dataset_neighbours(const struct l2r_dataset *data);
/* Categorical columns of nodes and of edges, and real columns of nodes. */
L2R_API int32_t l2r_dataset_n_node_columns(const struct l2r_dataset *data);
L2R_API int32_t l2r_dataset_n_edge_columns(const struct l2r_dataset *data);
L2R_API int32_t l2r_dataset_n_node_reals(const struct l2r_dataset *data);
/* Column k of the nodes has the values 0 .. vocabulary-1; 0: there is no such column. */
L2R_API int32_t l2r_dataset_node_vocabulary(const struct l2r_dataset *data, int32_t k);
L2R_API int32_t l2r_dataset_edge_vocabulary(const struct l2r_dataset *data, int32_t k);
/* What the categories of a column mean, for molecules: "atomic number", "aromatic", …; NULL: it has no name. */
L2R_API const char *l2r_dataset_node_column_name(const struct l2r_dataset *data, int32_t k);
L2R_API const char *l2r_dataset_edge_column_name(const struct l2r_dataset *data, int32_t k);
/* [node columns] of node v = 0 .. nodes-1 of all graphs; NULL: out of range or no columns. */
L2R_API const int32_t *l2r_dataset_node_row(const struct l2r_dataset *data, int64_t v);
/* [edge columns] of arc a = 0 .. arcs-1. */
L2R_API const int32_t *l2r_dataset_edge_row(const struct l2r_dataset *data, int64_t a);
/* Real columns of edges, and those [edge reals] of arc a; 0 and NULL: there are none. */
L2R_API int32_t l2r_dataset_n_edge_reals(const struct l2r_dataset *data);
L2R_API const float *l2r_dataset_edge_real(const struct l2r_dataset *data, int64_t a);
/* [nodes × node reals] of all graphs; NULL: there are none. */
L2R_API const float *l2r_dataset_node_real(const struct l2r_dataset *data);

/* What the reader has to say, a line each: what it understood, which rows it left out; "": nothing. */
L2R_API const char *l2r_dataset_notes(const struct l2r_dataset *data);
/* Rows of the source that became no graph. */
L2R_API int64_t l2r_dataset_n_dropped(const struct l2r_dataset *data);
/* Dropped row i: its row, as in l2r_dataset_source_row, and why; reason [size] may be cut off. Of a huge number only
 * the first ten thousand are listed. */
L2R_API enum l2r_status l2r_dataset_dropped_row(int64_t *row, char *reason, size_t size, const struct l2r_dataset *data,
                                                int64_t i, struct l2r_error *error);

/* ---- Drawings ---- */

/* Graph g as SVG text, a molecule as its structural formula where the data has SMILES; free it with l2r_free. Equal
 * graphs give equal bytes. */
L2R_API enum l2r_status l2r_dataset_svg(char **svg, const struct l2r_dataset *data, int64_t g, struct l2r_error *error);
/* xy [nodes of graph g × 2]: where a drawing puts the nodes, neighbours about one unit apart. It depends on the edges
 * alone. */
L2R_API enum l2r_status l2r_dataset_layout(double *xy, const struct l2r_dataset *data, int64_t g,
                                           struct l2r_error *error);

/* ---- Graph by graph ---- */

/* What the graphs of a data set made in memory have in common. Zero what is not needed. */
struct l2r_schema {
    size_t size; /* L2R_SCHEMA_INIT sets it; 0: the same */
    const char *name;
    enum l2r_task task;
    int32_t n_tasks; /* label columns, at least 1 */
    int32_t n_node_columns, n_edge_columns,
        n_node_reals;               /* categorical columns of nodes and edges, real columns of nodes */
    const int32_t *node_vocabulary; /* [n_node_columns]: values are 0 .. vocabulary-1; NULL: largest value seen + 1 */
    const int32_t *edge_vocabulary; /* [n_edge_columns], or NULL */
    const int64_t *node_value;      /* [sum of node_vocabulary], or NULL: what each category is called in the source */
    const int64_t *edge_value;      /* [sum of edge_vocabulary], or NULL */
    int32_t n_classes;              /* with class_value */
    const int64_t *class_value;     /* [n_classes], ascending: labels are class numbers already; or NULL: found here */
    bool has_marks;                 /* node_mark is given */
    bool degree_as_feature;         /* no node features: the degree becomes the one categorical column */
    int32_t n_environments;         /* 0: graphs have none */
    const char *const *environment_names; /* [n_environments], or NULL: "0", "1", … */
    int32_t n_edge_reals;                 /* real columns of edges */
};
#define L2R_SCHEMA_INIT L2R_SIZED(struct l2r_schema)

/* One graph. Edges may come once or twice, in either direction, with self loops: each counts once. When the same edge
 * comes with different features the first row wins. */
struct l2r_graph_view {
    size_t size; /* L2R_GRAPH_VIEW_INIT sets it; 0: the same */
    int64_t n_nodes, n_edges;
    const int32_t *edges;     /* [n_edges × 2]: node numbers within the graph */
    const int32_t *node_rows; /* [n_nodes × n_node_columns] */
    const int32_t *edge_rows; /* [n_edges × n_edge_columns] */
    const float *node_real;   /* [n_nodes × n_node_reals], finite */
    const uint8_t *node_mark; /* [n_nodes]: planted motif of each node, for explanations; 0: none */
    const float *labels;      /* [n_tasks]; NaN: missing. Multi-class: the source's integer. NULL: no labels */
    int part;                 /* L2R_PART_*; L2R_PART_NONE everywhere: no official split */
    int32_t environment;      /* 0 .. n_environments-1 */
    const float *edge_real;   /* [n_edges × n_edge_reals], finite */
    const float *weight;      /* [1]: what the graph's loss is multiplied by, 0 or more; NULL: 1 */
    const int8_t *bound;      /* [n_tasks] of a regression: 1: the value is the label or more, -1: or less; NULL: 0 */
};
#define L2R_GRAPH_VIEW_INIT L2R_SIZED(struct l2r_graph_view)

struct l2r_builder;
L2R_API enum l2r_status l2r_builder_new(struct l2r_builder **builder, const struct l2r_schema *schema,
                                        struct l2r_error *error);
/* The graph's arrays are copied. A graph that is refused leaves the builder as it was. */
L2R_API enum l2r_status l2r_builder_add(struct l2r_builder *builder, const struct l2r_graph_view *graph,
                                        struct l2r_error *error);
/* Packs everything into one data set; afterwards the builder takes no more graphs and is still to be freed. */
L2R_API enum l2r_status l2r_builder_finish(struct l2r_dataset **data, struct l2r_builder *builder,
                                           struct l2r_error *error);
/* NULL is fine. */
L2R_API void l2r_builder_free(struct l2r_builder *builder);

/* ---- Splits ---- */

struct l2r_split;

/* By the rule that the options ask for (split, split-seed, valid-fraction, …); NULL: the defaults. */
L2R_API enum l2r_status l2r_split_new(struct l2r_split **split, const struct l2r_dataset *data,
                                      const struct l2r_config *options, struct l2r_error *error);
/* From parts [graphs of the data]: L2R_PART_* of each, L2R_PART_NONE leaves it out; at least one graph must train. */
L2R_API enum l2r_status l2r_split_from_parts(struct l2r_split **split, const struct l2r_dataset *data,
                                             const uint8_t *parts, struct l2r_error *error);
/* And back: parts [n_graphs of l2r_split_n_graphs]. */
L2R_API enum l2r_status l2r_split_to_parts(uint8_t *parts, const struct l2r_split *split, struct l2r_error *error);
/* Graphs of the data set that it divides; 0 for NULL. */
L2R_API int64_t l2r_split_n_graphs(const struct l2r_split *split);
/* From lists of graph numbers; a list may be NULL when its length is 0, a graph may stand in one list at most, and at
 * least one graph must train. */
L2R_API enum l2r_status l2r_split_from_indices(struct l2r_split **split, const struct l2r_dataset *data,
                                               const int64_t *train, int64_t n_train, const int64_t *valid,
                                               int64_t n_valid, const int64_t *test, int64_t n_test,
                                               struct l2r_error *error);
/* Fold k of n_folds (3 or more) of a cross-validation, classes in proportion: fold k tests, the next one validates, the
 * others train. The option split-seed draws the folds; options may be NULL. */
L2R_API enum l2r_status l2r_split_fold(struct l2r_split **split, const struct l2r_dataset *data, int32_t k,
                                       int32_t n_folds, const struct l2r_config *options, struct l2r_error *error);
/* From a file of l2r_split_save, or the split.json of a run, for a data set of as many graphs. */
L2R_API enum l2r_status l2r_split_open(struct l2r_split **split, const char *path, const struct l2r_dataset *data,
                                       struct l2r_error *error);
L2R_API enum l2r_status l2r_split_save(const struct l2r_split *split, const char *path, struct l2r_error *error);
/* NULL is fine. */
L2R_API void l2r_split_free(struct l2r_split *split);

/* The graphs of a part (L2R_PART_TRAIN, _VALID, …), ascending; *n is their number. NULL: there are none. */
L2R_API const int64_t *l2r_split_graphs(int64_t *n, const struct l2r_split *split, int part);
/* "500 train, 50 valid, 613 test", and the other parts if there are any. */
L2R_API void l2r_split_describe(char *text, size_t size, const struct l2r_split *split);
/* The rule that made it: "scaffold", "indices", "fold", …; and what it has to say, "": nothing. */
L2R_API const char *l2r_split_rule_name(const struct l2r_split *split);
L2R_API const char *l2r_split_note(const struct l2r_split *split);

#ifdef __cplusplus
}
#endif
#endif
