/* SPDX-License-Identifier: MIT
 *
 * l2r: graph neural networks that keep working when the test graphs differ from the training graphs.
 *
 * This is the only header a program needs. Conventions, everywhere:
 *   - a call that can fail returns a status; the sentence for a person goes to the caller's struct l2r_error
 *     (which may be NULL);
 *   - a handle made by *_open, *_read or *_new belongs to the caller, who frees it with the matching *_free
 *     (NULL is fine);
 *   - the library never prints, never exits and keeps no global state: separate handles may be used from
 *     separate threads.
 */
#ifndef L2R_L2R_H
#define L2R_L2R_H

#include <l2r/options.h>
#include <l2r/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Data sets ---- */

enum l2r_task {
    L2R_TASK_MULTICLASS, /* one label a graph: a class 0 .. n_classes-1 */
    L2R_TASK_BINARY,     /* n_tasks labels a graph: 0, 1, or missing */
    L2R_TASK_REGRESSION  /* n_tasks values a graph, or missing */
};

enum { L2R_PART_TRAIN, L2R_PART_VALID, L2R_PART_TEST, L2R_PART_NONE };

struct l2r_dataset; /* many graphs, read-only */

/* where: a folder or zip in TU or OGB layout (recognised by content), or a generator such as "motif:mu=0.8".
 * use_cache: keep a binary copy for a quick start next time. */
L2R_API enum l2r_status l2r_dataset_load(struct l2r_dataset **data, const char *where, bool use_cache,
                                         struct l2r_error *error);
L2R_API void l2r_dataset_free(struct l2r_dataset *data);
L2R_API int64_t l2r_dataset_graphs(const struct l2r_dataset *data);

/* What the graphs of a data set made in memory have in common. Zero what is not needed. */
struct l2r_schema {
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
};

/* One graph. Edges may come once or twice, in either direction, with self loops: each counts once. When the same edge
 * comes with different features the first row wins. */
struct l2r_graph_view {
    int64_t n_nodes, n_edges;
    const int32_t *edges;     /* [n_edges × 2]: node numbers within the graph */
    const int32_t *node_rows; /* [n_nodes × n_node_columns] */
    const int32_t *edge_rows; /* [n_edges × n_edge_columns] */
    const float *node_real;   /* [n_nodes × n_node_reals], finite */
    const uint8_t *node_mark; /* [n_nodes]: planted motif of each node, for explanations; 0: none */
    const float *labels;      /* [n_tasks]; NaN: missing. Multi-class: the source's integer */
    int part;                 /* L2R_PART_*; L2R_PART_NONE everywhere: no official split */
};

struct l2r_builder;
L2R_API enum l2r_status l2r_builder_new(struct l2r_builder **builder, const struct l2r_schema *schema,
                                        struct l2r_error *error);
/* The graph's arrays are copied. A graph that is refused leaves the builder as it was. */
L2R_API enum l2r_status l2r_builder_add(struct l2r_builder *builder, const struct l2r_graph_view *graph,
                                        struct l2r_error *error);
/* Packs everything into one data set; afterwards the builder takes no more graphs and is still to be freed. */
L2R_API enum l2r_status l2r_builder_finish(struct l2r_dataset **data, struct l2r_builder *builder,
                                           struct l2r_error *error);
L2R_API void l2r_builder_free(struct l2r_builder *builder);

/* ---- Trained models ---- */

struct l2r_predictor; /* one thread at a time */

/* path: the folder of a run (its best checkpoint is used) or a .safetensors file. */
L2R_API enum l2r_status l2r_predictor_new(struct l2r_predictor **predictor, const char *path, struct l2r_error *error);
L2R_API void l2r_predictor_free(struct l2r_predictor *predictor);
L2R_API enum l2r_task l2r_predictor_task(const struct l2r_predictor *predictor);
/* Columns of the output: classes, or tasks. */
L2R_API int32_t l2r_predictor_outputs(const struct l2r_predictor *predictor);
/* The source's integer for class k (multi-class); INT64_MIN: there is no such class. */
L2R_API int64_t l2r_predictor_class(const struct l2r_predictor *predictor, int32_t k);
/* Logits, or values in the targets' own units: output [n × outputs], rows in the order of `graphs` [n]. An error names
 * the first property of the data that the model was not trained for, or (L2R_ERR_DIVERGED) the first graph with an
 * output that is not a finite number; in the latter case all outputs are in place, and rows without such a number hold.
 */
L2R_API enum l2r_status l2r_predictor_score(float *output, struct l2r_predictor *predictor,
                                            const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                            struct l2r_error *error);
/* The learned representation Z: width columns a graph, the row that the last linear layer is applied to. */
L2R_API int32_t l2r_predictor_width(const struct l2r_predictor *predictor);
/* output [n × outputs] as above and z [n × width] in one pass; either may be NULL. */
L2R_API enum l2r_status l2r_predictor_represent(float *output, float *z, struct l2r_predictor *predictor,
                                                const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                                struct l2r_error *error);
/* In place: softmax (multi-class), sigmoid (binary), unchanged (regression). What is not finite becomes NaN: there is
 * no probability, and no class. */
L2R_API void l2r_predictor_probabilities(float *output, const struct l2r_predictor *predictor, int64_t n);

/* ---- Training ---- */

/* Where training stands. */
struct l2r_progress {
    int64_t epoch, n_epochs; /* epoch counts from 1 */
    int64_t batch, n_batches;
    double loss;         /* mean training loss of this epoch so far */
    const char *metric;  /* name of the selection metric: "rocauc" */
    double train, valid; /* the metric at the end of this epoch; NaN while it runs or when not computed */
    double best_valid;
    int64_t best_epoch;
    double learning_rate;
    double graphs_per_second; /* training */
    double seconds, seconds_left;
};

/* What the caller wants to hear; every member may be NULL. */
struct l2r_watch {
    void *context;
    void (*start)(void *context, const char *summary); /* once: data, split, model, parameters in a few lines */
    void (*batch)(void *context, const struct l2r_progress *progress);
    void (*epoch)(void *context, const struct l2r_progress *progress);
    void (*note)(void *context, const char *sentence); /* warnings and notices */
    bool (*stop)(void *context);                       /* true: save and return L2R_ERR_INTERRUPTED */
};

struct l2r_result {
    char metric[32];
    double train, valid, test; /* the metric at the epoch that was best on validation; NaN: the part is empty */
    int64_t best_epoch, epochs;
    double seconds;           /* spent in training, over all resumptions */
    double graphs_per_second; /* training throughput, median over epochs */
    int64_t n_parameters;
    struct json_t *more; /* every other metric that suits the task, per part: a jansson object */
};
L2R_API void l2r_result_clear(struct l2r_result *result);

/* Trains from the config into the folder `dir`. resume: continue from its last checkpoint if there is one (a finished
 * run returns its result at once); otherwise a folder that already holds a run is refused. watch may be NULL. */
L2R_API enum l2r_status l2r_run_train(struct l2r_result *result, const struct l2r_config *config, const char *dir,
                                      bool resume, const struct l2r_watch *watch, struct l2r_error *error);

#ifdef __cplusplus
}
#endif
#endif
