/* SPDX-License-Identifier: MIT
 *
 * The properties of the data that a model was made for: feature columns and vocabularies, the task, and the scale of
 * the targets. It is saved with the model, so that a later data set can be checked against it and translated: where the
 * source's own integers are known (TU labels), category 2 of another file need not be category 2 of this one.
 */
#ifndef L2R_NN_SIGNATURE_H
#define L2R_NN_SIGNATURE_H

#include "base/memory.h"
#include "data/dataset.h"
#include "data/features.h"
#include "kernels/target_scale.h"

#include <jansson.h>

struct l2r_signature {
    enum l2r_task task;
    int32_t n_tasks, n_classes;
    int32_t n_node_columns, n_edge_columns, n_node_reals, n_edge_reals;
    const int32_t *node_vocabulary, *edge_vocabulary; /* [columns] */
    int64_t n_node_values, n_edge_values;             /* 0: the numbers of categories have a fixed meaning */
    const int64_t *node_value, *edge_value;           /* the source's integers, column after column */
    const int64_t *class_value;                       /* [n_classes] */
    const uint8_t *node_seen, *edge_seen;             /* [categories]: had a training graph this one? NULL: not known */
    struct l2r_target_scale target;                   /* [n_tasks]; 0 and 1 unless the task is regression */
    int64_t n_task_names;                             /* bytes; 0: the tasks have no names */
    const char *task_names;                           /* n_tasks names, each ending with 0 */
    int64_t n_class_names;                            /* bytes; 0: the classes have no names */
    const char *class_names;                          /* as in the data set (data/dataset.h) */
    struct l2r_feature_scale features; /* numbers about whole molecules that the head reads; n = 0: none */
    bool unlearned; /* its output is the same for all training graphs: the mean of a committee leaves it out */
    const double *class_weight; /* [outputs]: of each class, or of a task's positives, in training; NULL: all 1 */
    double mean_log_degree; /* of log(degree + 1) over the training nodes; below 0: not in the file, which is too old */
};

/* Columns of the model's output: classes, or tasks. */
static inline int32_t l2r_signature_outputs(const struct l2r_signature *s)
{
    return s->task == L2R_TASK_MULTICLASS ? s->n_classes : s->n_tasks;
}

static inline bool l2r_signature_has_edges(const struct l2r_signature *s)
{
    return s->n_edge_columns + s->n_edge_reals > 0;
}

/* What a network reads of a node, as columns that can be masked: categorical ones, then real ones; 0 for bare nodes. */
static inline int64_t l2r_signature_columns(const struct l2r_signature *s)
{
    return s->n_node_columns + s->n_node_reals;
}

/* Was the model made for molecules, as tables of SMILES are read; with their details (chem/molecule.h) or without? */
bool l2r_signature_has_details(const struct l2r_signature *s);
bool l2r_signature_is_of_molecules(const struct l2r_signature *s);
/* The data with the details of its molecules as further columns (details.c); it must have their SMILES. */
enum l2r_status l2r_signature_detail(struct l2r_dataset *detailed, struct l2r_arena *arena,
                                     const struct l2r_dataset *data, struct l2r_error *error);

/* Target scales and degrees come from the training graphs alone. Memory from the arena. */
enum l2r_status l2r_signature_make(struct l2r_signature *s, struct l2r_arena *arena, const struct l2r_dataset *data,
                                   const int32_t *train, int64_t n_train, struct l2r_error *error);
/* Target k is trained on as kind[k] [n_tasks] says; of logarithms the training labels are above 0. */
enum l2r_status l2r_signature_map_targets(struct l2r_signature *s, struct l2r_arena *arena,
                                          const struct l2r_dataset *data, const int32_t *train, int64_t n_train,
                                          const enum l2r_map *kind, struct l2r_error *error);
/* Adds the features of these blocks, and the data's own columns if it has any, scaled by the training graphs; `note`
 * lists what is left out. */
enum l2r_status l2r_signature_add_features(struct l2r_signature *s, struct l2r_arena *arena, struct l2r_text *note,
                                           const struct l2r_dataset *data, const int32_t *train, int64_t n_train,
                                           unsigned blocks, struct l2r_error *error);
/* A copy whose arrays lie in the arena. */
enum l2r_status l2r_signature_copy(struct l2r_signature *copy, struct l2r_arena *arena, const struct l2r_signature *s,
                                   struct l2r_error *error);
/* New reference. */
json_t *l2r_signature_to_json(const struct l2r_signature *s);
/* `where` names the file in errors. */
enum l2r_status l2r_signature_from_json(struct l2r_signature *s, struct l2r_arena *arena, const json_t *object,
                                        const char *where, struct l2r_error *error);
/* The targets' share (signature_targets.c). Mean and standard deviation over the labelled training graphs, bounds left
 * out; a constant target keeps its unit. */
void l2r_signature_scale_targets(double *mean, double *sd, const struct l2r_target_map *map,
                                 const struct l2r_dataset *data, const int32_t *train, int64_t n_train);
/* NULL: out of memory. */
const struct l2r_target_map *l2r_signature_copy_maps(struct l2r_arena *arena, const struct l2r_target_map *map,
                                                     int32_t n);
json_t *l2r_signature_maps_to_json(const struct l2r_target_map *map, int32_t n);
enum l2r_status l2r_signature_maps_from_json(const struct l2r_target_map **maps, int32_t n, struct l2r_arena *arena,
                                             const json_t *array);
/* The features' share of the three above (signature_features.c); false: out of memory. */
bool l2r_signature_copy_features(struct l2r_feature_scale *copy, struct l2r_arena *arena,
                                 const struct l2r_feature_scale *s);
json_t *l2r_signature_features_to_json(const struct l2r_feature_scale *s);
enum l2r_status l2r_signature_features_from_json(struct l2r_feature_scale *s, struct l2r_arena *arena,
                                                 const json_t *object);
/* ---- categories that training never saw (nn/seen.c) ---- A category is a column and a value: all of the nodes',
 * column after column, then all of the edges'. */

int64_t l2r_signature_node_categories(const struct l2r_signature *s);
int64_t l2r_signature_edge_categories(const struct l2r_signature *s);
/* Fills node_seen and edge_seen; data with the signature's own numbers. */
enum l2r_status l2r_signature_mark_seen(struct l2r_signature *s, struct l2r_arena *arena,
                                        const struct l2r_dataset *data, const int32_t *train, int64_t n_train,
                                        struct l2r_error *error);
/* unseen [n]: a category that the graph has and no training graph had; -1: none, or not known. Of the view below. */
enum l2r_status l2r_signature_unseen(int32_t *unseen, const struct l2r_signature *s, const struct l2r_dataset *view,
                                     const int32_t *graphs, int64_t n, struct l2r_error *error);
/* A category as text: "element U", "charge -3", "node label 7"; "" where there is no such. */
void l2r_signature_category_text(char *out, size_t size, const struct l2r_signature *s, int32_t category);

/* The name of task k in the data; NULL: none. */
const char *l2r_signature_task_name(const struct l2r_signature *s, int32_t task);
/* The name of class c of a task (binary: 0 or 1; multi-class: task 0); NULL: classes have numbers only. */
const char *l2r_signature_class_name(const struct l2r_signature *s, int32_t task, int32_t c);
/* A shallow view of the data in the model's own numbers of categories and classes; small tables come from the arena,
 * the rest is shared with `data`. An error names the first thing that the model was not made for. */
enum l2r_status l2r_signature_view(struct l2r_dataset *view, struct l2r_arena *arena, const struct l2r_signature *s,
                                   const struct l2r_dataset *data, struct l2r_error *error);

#endif
