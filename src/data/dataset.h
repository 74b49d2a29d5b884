/* SPDX-License-Identifier: MIT
 *
 * A data set: many small undirected graphs in a few flat, read-only arrays (one block of memory, possibly
 * the copy of a cache file).
 *
 *     graph g owns nodes     node_start[g] .. node_start[g+1]
 *     node  v owns arcs      arc_start[v]  .. arc_start[v+1]      (all neighbours u of v, ascending, each once)
 *
 * Every undirected edge {u,v} is stored as two arcs with the same features; a self loop is one arc. So the
 * adjacency is symmetric and the backward pass of an aggregation walks the same arrays as the forward pass.
 *
 * Categorical features are stored as TYPES: the distinct feature rows that occur (a few hundred atoms in a molecule
 * set) form a table, and a node or arc holds the number of its row. An embedding sum is computed once per
 * distinct row, not once per node.
 */
#ifndef L2R_DATA_DATASET_H
#define L2R_DATA_DATASET_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Categorical features of nodes or of arcs. */
struct l2r_categories {
    int32_t n_columns;         /* features per row; 0: none */
    int32_t n_types;           /* distinct rows that occur (at least 1, even without columns: the empty row) */
    const int32_t *vocabulary; /* [n_columns]: values of column k are 0 .. vocabulary[k]-1 */
    const int32_t *rows;       /* [n_types × n_columns] */
    const int32_t *type;       /* [n_nodes] or [n_arcs]: row number */
    int64_t n_values;          /* 0, or the sum of the vocabulary */
    const int64_t *value; /* [n_values]: the integers that the source used, ascending, one column after the other */
    int32_t n_reals;      /* arcs: real features per row, part of what makes rows distinct; nodes have node_real */
    const float *real;    /* [n_types × n_reals] */
};

/* The part of that name, "none" included; -1: there is none. */
int l2r_part_named(const char *name, size_t length);

enum l2r_name_list { L2R_TASK_NAMES, L2R_CLASS_NAMES, L2R_ENVIRONMENT_NAMES, L2R_NAME_LISTS };
struct l2r_last_names {
    _Atomic uint64_t at[L2R_NAME_LISTS];
};

struct l2r_dataset {
    char name[64]; /* "PROTEINS", "bace", "motif" */
    enum l2r_task task;
    int32_t n_tasks;   /* label columns (1 for multi-class) */
    int32_t n_classes; /* multi-class: classes; otherwise 0 */
    int64_t n_graphs, n_nodes, n_arcs;
    int64_t n_self_loops;
    int32_t n_node_reals; /* real-valued attributes per node; 0: none */
    struct l2r_categories nodes, arcs;

    const int64_t *node_start;  /* [n_graphs + 1] */
    const int64_t *arc_start;   /* [n_nodes + 1] */
    const int32_t *neighbour;   /* [n_arcs]: index within the graph, 0 .. n-1 */
    const float *node_real;     /* [n_nodes × n_node_reals] */
    const float *labels;        /* [n_graphs × n_tasks]; NaN: missing */
    const int64_t *class_value; /* [n_classes]: the integers that the source used, ascending */
    const uint8_t *node_mark;   /* [n_nodes] or NULL: 0 background, k = member of planted motif k (ground truth) */
    const uint8_t *official;    /* [n_graphs] or NULL: L2R_PART_* of the split that came with the data */
    const float *weight;        /* [n_graphs] or NULL: what each graph's loss is multiplied by, 0 or more */
    const int8_t
        *bound; /* [n_graphs × n_tasks] or NULL: 1: the value is the label or more, -1: or less, 0: the label */

    /* The origin of a graph: the base of its motif, an assay, a laboratory (data/environments.h). */
    int32_t n_environments;        /* 0: not known */
    const int32_t *environment;    /* [n_graphs]: 0 .. n_environments-1; or NULL */
    const char *environment_names; /* n_environments names, each ending with 0 */
    int64_t n_environment_names;   /* bytes */

    /* Where the graphs come from, in sets read from a table; NULL otherwise. */
    const int32_t *scaffold; /* [n_graphs]: the molecule's scaffold, numbered by first occurrence */
    const int32_t *molecule; /* [n_graphs]: equal molecules (canonical SMILES) have one number, by first occurrence */
    const int32_t *rank;     /* [n_graphs]: place of its value in --split-column among the distinct ones, ascending */
    const int64_t *source_line; /* [n_graphs]: line of the table where its record begins, from 1 */
    /* [n_graphs + 1]: graph g's SMILES is smiles + smiles_start[g], ending with 0; where the table names its molecules
     * the name follows, ending with 0. */
    const int64_t *smiles_start;
    const char *smiles;
    int64_t n_smiles, n_task_names, n_class_names, n_notes; /* bytes of the texts */
    const char *task_names;                                 /* n_tasks names, each ending with 0 */
    /* Names of classes in the source, each ending with 0: n_classes of them, or for binary tasks those of 0 and of 1,
     * task after task; "" where it has numbers. */
    const char *class_names;
    const char *notes; /* notes for the user: what was guessed, what was skipped (reader.h); ends with 0 */

    /* Numbers about whole graphs (features.h). */
    int32_t n_graph_reals;                 /* columns of the table that --feature-columns names; 0: none */
    int64_t n_graph_real_names;            /* bytes */
    const char *graph_real_names;          /* n_graph_reals names, each ending with 0 */
    const float *graph_real;               /* [n_graphs × n_graph_reals]; NaN: missing */
    struct l2r_features *features;         /* of molecules, computed on demand; shared by all views of the data */
    const struct l2r_feature_scale *scale; /* in a model's view: what it reads of them; NULL: nothing */

    struct l2r_last_names *last_names; /* where names were found last; NULL: from the start */

    void *block; /* the memory of the arrays; of a data set that shares, of its own arrays */
    size_t block_size;
    struct l2r_dataset *shared; /* the data set that owns the other arrays and the features; NULL: none */
    _Atomic int64_t holders;    /* data sets that share these arrays: they outlive l2r_dataset_free */
    bool cached;                /* from a cache file: the block is pages of the system's (munmap) */
};

/* An empty data set; NULL: out of memory. */
struct l2r_dataset *l2r_dataset_new(void);

/* Another handle for the same data, without a copy: the arrays are held until both are freed, and arrays that differ
 * can be put into a block of its own. NULL: out of memory. */
struct l2r_dataset *l2r_dataset_share(const struct l2r_dataset *data);

static inline int64_t l2r_dataset_nodes_of(const struct l2r_dataset *data, int64_t graph)
{
    return data->node_start[graph + 1] - data->node_start[graph];
}

static inline int64_t l2r_dataset_arcs_of(const struct l2r_dataset *data, int64_t graph)
{
    return data->arc_start[data->node_start[graph + 1]] - data->arc_start[data->node_start[graph]];
}

/* The prefix of a label that is only a bound: ">" or "<"; "" before all others. */
static inline const char *l2r_dataset_bound_sign(const struct l2r_dataset *data, int64_t graph, int32_t task)
{
    int side = data->bound ? data->bound[graph * data->n_tasks + task] : 0;
    return side > 0 ? ">" : side < 0 ? "<" : "";
}

/* Name i of a list in which each ends with 0: names of tasks and classes, which l2r/data.h hands out. */
const char *l2r_names_at(const char *names, int64_t i);

/* where: a folder or archive in a format that a reader recognises, a table, or a generator such as "motif:mu=0.8",
 * which is never cached; with options: l2r_dataset_load_with (reader.h). use_cache: keep a binary copy, which loads
 * faster next time. */
enum l2r_status l2r_dataset_load(struct l2r_dataset **data, const char *where, bool use_cache, struct l2r_error *error);

/* A hash to compare the data of two ranks: of the sizes, of all small arrays, and of samples of large ones, so that
 * gigabytes need not be read. */
uint64_t l2r_dataset_fingerprint(const struct l2r_dataset *data);

/* Is this data set valid as described above? For blocks from outside (the cache) and for `l2r data info`. Ranges: every
 * index leads into its array, every label and part is one that exists, neighbours ascend. Linear time. */
enum l2r_status l2r_dataset_check_ranges(const struct l2r_dataset *data, struct l2r_error *error);
/* Each arc has its opposite with the same type. Needs the ranges to be right. Linear time. */
enum l2r_status l2r_dataset_check_symmetry(const struct l2r_dataset *data, struct l2r_error *error);

#endif
