/* SPDX-License-Identifier: MIT
 *
 * Data sets from arrays that a program holds, and as arrays: what NumPy or PyTorch can wrap or fill.
 *
 *     l2r_dataset_from_arrays, _from_smiles, _from_bytes      in
 *     l2r_dataset_relabel, _with_columns                      the same graphs with something else about them: shared,
 *                                                             not copied
 *     l2r_dataset_subset, _concatenate                        other graphs: copied
 *     l2r_dataset_edge_index, _node_rows, …                   out
 *
 * What is given is checked and copied: nothing of the caller's is kept. Data sets that share graphs need no care: each
 * is freed on its own, in any order.
 */
#ifndef L2R_ARRAYS_H
#define L2R_ARRAYS_H

#include <l2r/data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Many graphs in flat arrays, one graph after the other. Zero what is not needed. */
struct l2r_arrays {
    size_t size; /* L2R_ARRAYS_INIT sets it */
    const char *name;
    enum l2r_task task;
    int32_t n_tasks;
    int64_t n_graphs;
    const int64_t *node_counts;     /* [n_graphs] */
    const int64_t *edge_counts;     /* [n_graphs] */
    const int32_t *edges;           /* [edges × 2]: node numbers within the graph */
    int32_t n_node_columns;         /* categorical columns of nodes */
    const int32_t *node_rows;       /* [nodes × n_node_columns] */
    const int32_t *node_vocabulary; /* [n_node_columns] or NULL: largest value seen + 1 */
    int32_t n_edge_columns;
    const int32_t *edge_rows;             /* [edges × n_edge_columns] */
    const int32_t *edge_vocabulary;       /* [n_edge_columns] or NULL */
    int32_t n_node_reals;                 /* real columns of nodes */
    const float *node_real;               /* [nodes × n_node_reals], finite */
    const float *labels;                  /* [n_graphs × n_tasks], NaN: missing; NULL: there are none */
    const uint8_t *parts;                 /* [n_graphs]: L2R_PART_*; NULL: no official split */
    bool degree_as_feature;               /* without node columns: the degree becomes the one column */
    int32_t n_environments;               /* 0: graphs have none */
    const int32_t *environments;          /* [n_graphs]: 0 .. n_environments-1 */
    const char *const *environment_names; /* [n_environments], or NULL: "0", "1", … */
    int32_t n_edge_reals;                 /* real columns of edges */
    const float *edge_real;               /* [edges × n_edge_reals], finite */
    const float *weights; /* [n_graphs], finite, 0 or more: each graph's loss is multiplied by it; NULL: 1 everywhere */
    const int8_t *bounds; /* [n_graphs × n_tasks] of a regression: 1: the value is the label or more, -1: the label or
                             less, 0: the label; NULL: 0 everywhere */
    const uint8_t
        *node_marks; /* [nodes]: planted motif of each node, for explanations, 0: none; NULL: there are none */
    const int64_t
        *edge_index; /* [2 × edges]: the layout of PyTorch Geometric, all sources and then all targets, instead
                                  of `edges` */
    const char *const *task_names; /* [n_tasks]; NULL: they have none */
    bool edge_index_is_global;     /* its node numbers count through all graphs, as in a batch, not within each */
};
#define L2R_ARRAYS_INIT L2R_SIZED(struct l2r_arrays)

/* Copies the arrays into a data set. Edges may come once or twice, in either direction, with self loops: each counts
 * once. An error names the first graph that is wrong and what is wrong with it. */
L2R_API enum l2r_status l2r_dataset_from_arrays(struct l2r_dataset **data, const struct l2r_arrays *arrays,
                                                struct l2r_error *error);

/* Molecules, a row each. Zero what is not needed. */
struct l2r_smiles {
    size_t size; /* L2R_SMILES_INIT sets it */
    const char *name;
    int64_t n_rows;
    const char *const *smiles; /* [n_rows]; NULL: the row is dropped */
    const char *const *names;  /* [n_rows] of the molecules, each may be NULL (l2r_dataset_row_name); NULL: none */
    enum l2r_task task;
    int32_t n_tasks;
    const float *labels;           /* [n_rows × n_tasks], NaN: missing; NULL: there are none */
    const char *const *task_names; /* [n_tasks]; NULL: "label 0", … */
    const int8_t *bounds;          /* [n_rows × n_tasks] as in struct l2r_arrays */
    const float *weights;          /* [n_rows] */
    const uint8_t *parts;          /* [n_rows]: L2R_PART_* */
    int32_t n_environments;
    const int32_t *environments;          /* [n_rows] */
    const char *const *environment_names; /* [n_environments], or NULL: "0", "1", … */
    int32_t n_columns;                    /* numbers about each molecule that models read (l2r_dataset_with_columns) */
    const float *columns;                 /* [n_rows × n_columns], NaN: missing */
    const char *const *column_names;      /* [n_columns] */
};
#define L2R_SMILES_INIT L2R_SIZED(struct l2r_smiles)

/* The same data set as from a table of these rows, under the same options. Texts that are no molecule become dropped
 * rows (l2r_dataset_n_dropped), or an error under the option on-bad-smiles=fail; the source row of a graph is its
 * index. Uses all threads of the caller; L2R_ERR_MISSING in a build without RDKit. */
L2R_API enum l2r_status l2r_dataset_from_smiles(struct l2r_dataset **data, const struct l2r_smiles *molecules,
                                                const struct l2r_config *options, struct l2r_error *error);
/* What l2r_dataset_open reads from a file called `name`, from its bytes: a table (.csv, .tsv, .smi), an SD file (.sdf),
 * each also with .gz. Nothing is cached. */
L2R_API enum l2r_status l2r_dataset_from_bytes(struct l2r_dataset **data, const char *name, const void *bytes,
                                               size_t n_bytes, const struct l2r_config *options,
                                               struct l2r_error *error);

/* What is to be said of the graphs of a data set instead of what it says; NULL: as it is. */
struct l2r_relabelling {
    size_t size; /* L2R_RELABELLING_INIT sets it */
    const char *name;
    const float *labels; /* [graphs × n_tasks], NaN: missing; classes are found anew, bounds are gone */
    enum l2r_task task;  /* of these labels */
    int32_t n_tasks;
    const char *const *task_names; /* [n_tasks] of these labels; NULL: they have none */
    const int8_t *bounds;          /* [graphs × n_tasks] as in struct l2r_arrays */
    const float *weights;          /* [graphs] */
    const uint8_t *parts;          /* [graphs]: L2R_PART_* */
    int32_t n_environments;
    const int32_t *environments;          /* [graphs] */
    const char *const *environment_names; /* [n_environments], or NULL: "0", "1", … */
};
#define L2R_RELABELLING_INIT L2R_SIZED(struct l2r_relabelling)
L2R_API enum l2r_status l2r_dataset_relabel(struct l2r_dataset **copy, const struct l2r_dataset *data,
                                            const struct l2r_relabelling *relabelling, struct l2r_error *error);
/* The same graphs with n_columns numbers about each as a whole (a dose, a temperature), which models read beside the
 * graph as those of the option feature-columns: values [graphs × n_columns], finite, NaN: missing; names [n_columns].
 * They replace those that the data has; 0 columns leave none. The graphs of SMILES are those that were not dropped
 * (l2r_dataset_source_row). */
L2R_API enum l2r_status l2r_dataset_with_columns(struct l2r_dataset **copy, const struct l2r_dataset *data,
                                                 const float *values, const char *const *names, int32_t n_columns,
                                                 struct l2r_error *error);

/* The graphs [n], in this order, each at most once; their classes, environments and vocabularies keep their numbers,
 * scaffolds and molecules are numbered by first sight. */
L2R_API enum l2r_status l2r_dataset_subset(struct l2r_dataset **subset, const struct l2r_dataset *data,
                                           const int64_t *graphs, int64_t n, struct l2r_error *error);
/* All graphs of several data sets [n], one after the other. Tasks, classes and columns must be the same. Environments
 * with equal names become one, and so do equal molecules (in a build with RDKit). What not all of them have is left
 * out, as l2r_dataset_notes says. Uses all threads of the caller. */
L2R_API enum l2r_status l2r_dataset_concatenate(struct l2r_dataset **all, const struct l2r_dataset *const *data,
                                                int64_t n, struct l2r_error *error);

/* ---- Out: arrays that a call fills ---- */

/* Arcs: every edge in both directions, a self loop once. */
L2R_API int64_t l2r_dataset_n_arcs(const struct l2r_dataset *data);
/* [graphs] each, or NULL: the nodes, the edges and the arcs of every graph. */
L2R_API enum l2r_status l2r_dataset_sizes(int64_t *n_nodes, int64_t *n_edges, int64_t *n_arcs,
                                          const struct l2r_dataset *data, struct l2r_error *error);
/* edge_index [2 × arcs]: all sources and then all targets, node numbers within the graph or, if global, through all
 * graphs. */
L2R_API enum l2r_status l2r_dataset_edge_index(int64_t *edge_index, const struct l2r_dataset *data, bool global,
                                               struct l2r_error *error);
/* arcs [arcs × 2]: source and target of each, node numbers within the graph; what struct l2r_arrays takes as edges. */
L2R_API enum l2r_status l2r_dataset_arcs(int32_t *arcs, const struct l2r_dataset *data, struct l2r_error *error);
/* node_rows [nodes × node columns]. */
L2R_API enum l2r_status l2r_dataset_node_rows(int32_t *node_rows, const struct l2r_dataset *data,
                                              struct l2r_error *error);
/* edge_rows [arcs × edge columns], edge_real [arcs × edge reals]; either may be NULL. */
L2R_API enum l2r_status l2r_dataset_edge_rows(int32_t *edge_rows, float *edge_real, const struct l2r_dataset *data,
                                              struct l2r_error *error);

/* ---- Out: features of molecules ----
 *
 * Blocks are the names of the registry L2R_FEATURES with commas between them: "morgan,descriptors". The graphs need
 * SMILES. */

/* How many columns these blocks have; 0: there is no such block. Any thread. */
L2R_API int32_t l2r_features_n_columns(const char *blocks);
/* The name of column i: "morgan_17", "tpsa"; cut off if it is longer than size; "": there is no such. The descriptors
 * have names in a build with RDKit alone. Any thread. */
L2R_API void l2r_features_column_name(char *name, size_t size, const char *blocks, int32_t i);
/* features [n × l2r_features_n_columns] of graphs [n], or all with NULL: counts, and numbers that are NaN where they
 * are not defined for a molecule. They are kept with the data set for the next call. Uses all threads of the caller;
 * L2R_ERR_MISSING in a build without RDKit. */
L2R_API enum l2r_status l2r_dataset_features(float *features, const struct l2r_dataset *data, const char *blocks,
                                             const int64_t *graphs, int64_t n, struct l2r_error *error);

/* ---- Out: arrays that are lent; beside those of l2r/data.h ---- */

/* [graphs]: the scaffold of each molecule and the molecule itself, numbered by first sight; equal molecules (canonical
 * SMILES) have one number. NULL: not known. */
L2R_API const int32_t *l2r_dataset_scaffolds(const struct l2r_dataset *data);
L2R_API const int32_t *l2r_dataset_molecules(const struct l2r_dataset *data);
/* [nodes]: planted motif of each node, 0: none; NULL: there are none. */
L2R_API const uint8_t *l2r_dataset_node_marks(const struct l2r_dataset *data);
/* [graphs]: l2r_dataset_source_row of each; NULL: not known. */
L2R_API const int64_t *l2r_dataset_source_rows(const struct l2r_dataset *data);
/* How many environments l2r_dataset_environments numbers; 0: none. */
L2R_API int32_t l2r_dataset_n_environments(const struct l2r_dataset *data);

#ifdef __cplusplus
}
#endif
#endif
