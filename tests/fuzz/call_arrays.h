/* SPDX-License-Identifier: MIT
 *
 * The calls of l2r/arrays.h, l2r/metrics.h and l2r/reweight.h with arguments made of a fuzzer's bytes. Arrays are as
 * long as what is said of them, which nobody can check.
 */
#ifndef L2R_FUZZ_CALL_ARRAYS_H
#define L2R_FUZZ_CALL_ARRAYS_H

#include "call_arguments.h"

/* A few molecules, of which some are none. */
static inline void molecules(struct handles *h, struct input *in, struct l2r_error *error)
{
    static const char *const texts[] = {"CCO", "c1ccccc1C(=O)NC", "CC(=O)OC1CC1", "C1CC", "*", "", NULL, "[U]"};
    const char *smiles[4];
    float labels[4];
    struct l2r_dataset *made = NULL;
    for (int i = 0; i < 4; i++) {
        smiles[i] = texts[byte(in) % 8 ? byte(in) % 3 : byte(in) % 8];
        labels[i] = byte(in) % 8 ? (float)(byte(in) % 2) : real(in);
    }
    uint8_t parts[4] = {0, 1, 2, byte(in) % 8 ? 5 : byte(in)};
    float weights[4] = {1, 0, 2, byte(in) % 8 ? 1 : real(in)};
    int8_t bounds[8] = {0, 1, -1, 0, 0, 0, 0, byte(in) % 8 ? 0 : (int8_t)byte(in)};
    int32_t places[4] = {0, 1, 0, mostly(in, 1)};
    const char *names[4] = {"one", NULL, "", text(in)};
    const struct l2r_smiles molecules = {.size = size_of(in, sizeof molecules),
                                         .smiles = byte(in) % 16 ? smiles : NULL,
                                         .labels = byte(in) % 8 ? labels : NULL,
                                         .task = (enum l2r_task)mostly(in, byte(in) % 3),
                                         .n_tasks = mostly(in, 1) > 1 ? 2 : mostly(in, 1) % 2,
                                         .n_rows = mostly(in, 2) % 3,
                                         .names = byte(in) % 2 ? names : NULL,
                                         .task_names = byte(in) % 4 ? NULL : names,
                                         .bounds = byte(in) % 4 ? NULL : bounds,
                                         .weights = byte(in) % 2 ? weights : NULL,
                                         .parts = byte(in) % 2 ? parts : NULL,
                                         .n_environments = mostly(in, 0) > 0 ? 2 : 0,
                                         .environments = byte(in) % 8 ? places : NULL,
                                         .n_columns = byte(in) % 4 ? 0 : 1,
                                         .columns = byte(in) % 8 ? weights : NULL,
                                         .column_names = byte(in) % 8 ? names : NULL};
    check(l2r_dataset_from_smiles(&made, byte(in) % 16 ? &molecules : NULL, NULL, error), error);
    take(h, made);
}

/* Numbers of the caller's own beside the graphs. */
static inline void columns(struct handles *h, struct input *in, struct l2r_error *error)
{
    enum { MOST = 64, COLUMNS = 3 };
    float values[MOST * COLUMNS];
    const char *names[COLUMNS] = {"dose", byte(in) % 8 ? "pH" : text(in), byte(in) % 8 ? "T" : "dose"};
    struct l2r_dataset *made = NULL;
    int32_t n = mostly(in, byte(in) % 4);
    if (l2r_dataset_n_graphs(h->data) > MOST || n > COLUMNS) return;
    for (int i = 0; i < MOST * COLUMNS; i++) values[i] = (float)(i % 7);
    values[byte(in) % (MOST * COLUMNS)] = real(in);
    check(
        l2r_dataset_with_columns(&made, h->data, byte(in) % 16 ? values : NULL, byte(in) % 16 ? names : NULL, n, error),
        error);
    take(h, made);
}

/* Graphs in flat arrays, in either layout of edges. */
static inline void flat(struct handles *h, struct input *in, struct l2r_error *error)
{
    enum { MOST = 3, NODES = 3 * MOST };
    int64_t nodes[MOST], edges[MOST], index[2 * NODES];
    int32_t pairs[2 * NODES], rows[NODES], places[MOST] = {0, 1, 0};
    uint8_t odd = byte(in) % 32;
    float reals[NODES], labels[MOST] = {0, 1, odd == 1 ? real(in) : 1}, weights[MOST] = {1, 1, odd == 2 ? real(in) : 1};
    uint8_t parts[MOST] = {0, 1, odd == 3 ? byte(in) : 5}, marks[NODES] = {0};
    int8_t bounds[MOST] = {0, odd == 4 ? (int8_t)byte(in) : 0, 0};
    const char *const names[] = {odd == 5 ? text(in) : "y"};
    struct l2r_dataset *made = NULL;
    for (int i = 0; i < MOST; i++) nodes[i] = 1 + byte(in) % 3, edges[i] = byte(in) % 4;
    for (int i = 0; i < 2 * NODES; i++) index[i] = pairs[i] = 0;
    if (odd == 6) index[byte(in) % NODES] = pairs[byte(in) % NODES] = number(in);
    if (odd == 7) places[2] = number(in);
    for (int i = 0; i < NODES; i++) rows[i] = byte(in) % 3, reals[i] = 0.5f;
    if (odd == 8) rows[byte(in) % NODES] = number(in), reals[byte(in) % NODES] = real(in);
    bool layout = byte(in) % 2;
    const struct l2r_arrays a = {.size = odd == 9 ? size_of(in, sizeof a) : sizeof a,
                                 .task = (enum l2r_task)(odd == 10 ? number(in) : byte(in) % 3),
                                 .n_tasks = odd == 11 ? 0 : 1,
                                 .n_graphs = (odd == 12 ? number(in) : MOST) % (MOST + 1),
                                 .node_counts = odd == 13 ? NULL : nodes,
                                 .edge_counts = odd == 14 ? NULL : edges,
                                 .edges = layout || odd == 15 ? pairs : NULL,
                                 .edge_index = layout && odd != 16 ? NULL : index,
                                 .edge_index_is_global = odd == 17,
                                 .n_node_columns = byte(in) % 2,
                                 .node_rows = odd == 18 ? NULL : rows,
                                 .n_node_reals = byte(in) % 4 == 0,
                                 .node_real = reals,
                                 .labels = byte(in) % 4 ? labels : NULL,
                                 .parts = byte(in) % 2 ? parts : NULL,
                                 .n_environments = odd == 19 ? number(in) % 3 : byte(in) % 2 * 2,
                                 .environments = odd == 20 ? NULL : places,
                                 .weights = byte(in) % 2 ? weights : NULL,
                                 .bounds = byte(in) % 2 ? bounds : NULL,
                                 .node_marks = byte(in) % 2 ? marks : NULL,
                                 .task_names = byte(in) % 2 ? names : NULL};
    check(l2r_dataset_from_arrays(&made, odd == 21 ? NULL : &a, error), error);
    take(h, made);
}

/* The same graphs with something else about them, some of them, and all of them twice. */
static inline void again(struct handles *h, struct input *in, struct l2r_error *error)
{
    enum { MOST = 64 };
    float labels[MOST], weights[MOST];
    uint8_t parts[MOST];
    int32_t places[MOST];
    uint8_t odd = byte(in) % 24;
    int64_t graphs[3] = {1, 0, odd == 1 ? number(in) : 2};
    const char *const names[] = {odd == 2 ? text(in) : "a", "b", "c"};
    struct l2r_dataset *made = NULL;
    if (l2r_dataset_n_graphs(h->data) > MOST) return;
    for (int i = 0; i < MOST; i++) labels[i] = (float)(i % 2), weights[i] = 1, parts[i] = i % 5, places[i] = i % 2;
    if (odd == 3) labels[byte(in) % 4] = real(in), weights[byte(in) % 4] = real(in);
    if (odd == 4) parts[byte(in) % 4] = byte(in), places[byte(in) % 4] = number(in);
    const struct l2r_relabelling r = {.size = odd == 5 ? size_of(in, sizeof r) : sizeof r,
                                      .name = byte(in) % 2 ? text(in) : NULL,
                                      .labels = byte(in) % 2 ? labels : NULL,
                                      .task = (enum l2r_task)(odd == 6 ? number(in) : byte(in) % 3),
                                      .n_tasks = odd == 7 ? 0 : 1,
                                      .task_names = byte(in) % 4 ? NULL : names,
                                      .weights = byte(in) % 2 ? weights : NULL,
                                      .parts = byte(in) % 2 ? parts : NULL,
                                      .n_environments = byte(in) % 2 ? 0 : (odd == 8 ? number(in) : 2) % 4,
                                      .environments = odd == 9 ? NULL : places,
                                      .environment_names = byte(in) % 2 ? names : NULL};
    switch (byte(in) % 3) {
    case 0:
        check(l2r_dataset_relabel(&made, h->data, odd == 10 ? NULL : &r, error), error);
        break;
    case 1:
        check(l2r_dataset_subset(&made, h->data, odd == 11 ? NULL : graphs, (odd == 12 ? number(in) : 2) % 4, error),
              error);
        break;
    default: {
        const struct l2r_dataset *const both[] = {h->data, odd == 13 ? NULL : h->data};
        check(l2r_dataset_concatenate(&made, odd == 14 ? NULL : both, (odd == 15 ? number(in) : 2) % 3, error), error);
    }
    }
    take(h, made);
}

/* A table from bytes, mostly sound. */
static inline void table(struct handles *h, struct input *in, struct l2r_error *error)
{
    char bytes[] = "smiles,y\nCCO,1\nCCN,0\nC,1\n";
    struct l2r_dataset *made = NULL;
    if (byte(in) % 2) bytes[byte(in) % sizeof bytes] = (char)byte(in);
    check(l2r_dataset_from_bytes(&made, byte(in) % 8 ? "t.csv" : text(in), byte(in) % 16 ? bytes : NULL,
                                 sizeof bytes - 1 - byte(in) % 4, byte(in) % 16 ? NULL : h->config, error),
          error);
    take(h, made);
}

/* Whole arrays of a small data set. */
static inline void arrays_of(const struct handles *h, struct input *in, struct l2r_error *error)
{
    enum { MOST = 512, COLUMNS = 16 };
    static int64_t index[2 * MOST], counts[MOST];
    static int32_t rows[MOST * COLUMNS];
    static float reals[MOST * COLUMNS];
    uint8_t parts[MOST];
    bool small = l2r_dataset_n_arcs(h->data) <= MOST && l2r_dataset_n_nodes(h->data) <= MOST &&
                 l2r_dataset_n_graphs(h->data) <= MOST && l2r_dataset_n_node_columns(h->data) <= COLUMNS &&
                 l2r_dataset_n_edge_columns(h->data) <= COLUMNS && l2r_dataset_n_edge_reals(h->data) <= COLUMNS;
    if (!small) return;
    check(l2r_dataset_sizes(counts, byte(in) % 2 ? counts : NULL, counts, h->data, error), error);
    check(l2r_dataset_edge_index(byte(in) % 8 ? index : NULL, h->data, byte(in) % 2, error), error);
    check(l2r_dataset_arcs(byte(in) % 8 ? rows : NULL, h->data, error), error);
    check(l2r_dataset_node_rows(byte(in) % 8 ? rows : NULL, h->data, error), error);
    check(l2r_dataset_edge_rows(byte(in) % 8 ? rows : NULL, byte(in) % 8 ? reals : NULL, h->data, error), error);
    if (l2r_split_n_graphs(h->split) <= MOST) check(l2r_split_to_parts(parts, h->split, error), error);
    (void)l2r_dataset_scaffolds(h->data);
    (void)l2r_dataset_molecules(h->data);
    (void)l2r_dataset_node_marks(h->data);
    (void)l2r_dataset_source_rows(h->data);
    (void)l2r_dataset_n_environments(h->data);
}

static inline bool stop_now(void *context)
{
    return *(const uint8_t *)context == 0;
}

/* Weights of arrays: at most one argument is hostile, so that most calls do something. */
static inline void reweigh(struct input *in, struct l2r_error *error)
{
    enum { N = 16, D = 4 };
    float z[N * D], w[N], d_w[N], d_z[N * D];
    int64_t classes[N];
    int32_t clusters[D];
    double value;
    uint8_t go = byte(in), odd = byte(in) % 48;
    for (int i = 0; i < N * D; i++) z[i] = (float)((i * 7 + i / D * (1 + byte(in) % 3)) % 11);
    for (int i = 0; i < N; i++) w[i] = 1, classes[i] = byte(in) % 8 ? i % 2 : number(in);
    for (int i = 0; i < D; i++) clusters[i] = i % 2;
    if (odd == 1) z[byte(in) % (N * D)] = real(in);
    if (odd == 2) w[byte(in) % N] = real(in);
    if (odd == 3) clusters[byte(in) % D] = number(in);
    int64_t n = (odd == 4 ? number(in) : N) % (N + 1), d = (odd == 5 ? number(in) : D) % (D + 1);
    struct l2r_decorrelation found = {.size = odd == 6 ? size_of(in, sizeof found) : sizeof found,
                                      .clusters = byte(in) % 2 ? clusters : NULL};
    const struct l2r_reweight_options o = {.size = odd == 7 ? size_of(in, sizeof o) : sizeof o,
                                           .seed = byte(in),
                                           .pairs = (enum l2r_pairs)(odd == 8 ? number(in) : byte(in) % 3),
                                           .n_clusters = odd == 9 ? number(in) : 2,
                                           .clusters = byte(in) % 2 ? clusters : NULL,
                                           .n_windows = odd == 10 ? number(in) % 5 : 2,
                                           .n_features = odd == 11 ? number(in) % 101 : 1,
                                           .importance = byte(in) % 4 ? NULL : w,
                                           .scaled = byte(in) % 2,
                                           .n_rows = odd == 12      ? number(in)
                                                     : byte(in) % 2 ? 0
                                                                    : 12,
                                           .n_steps = odd == 13 ? number(in) % 5 : 2,
                                           .learning_rate = odd == 14 ? (double)real(in) : 0.1,
                                           .ess = odd == 15      ? (double)real(in)
                                                  : byte(in) % 2 ? 0.5
                                                                 : 0,
                                           .start = byte(in) % 4 ? NULL : w,
                                           .n_queued = odd == 16      ? number(in) % (N + 1)
                                                       : byte(in) % 2 ? 0
                                                                      : 8,
                                           .queued_z = odd == 17 ? NULL : z,
                                           .queued_w = odd == 18 ? NULL : w};
    struct l2r_watch watch = {.size = sizeof watch, .context = &go, .stop = byte(in) % 4 ? NULL : stop_now};
    check(l2r_watch_set(&watch, error), error);
    check(l2r_dependence(odd == 19 ? NULL : &value, byte(in) % 2 ? d_w : NULL, byte(in) % 2 ? d_z : NULL,
                         odd == 20 ? NULL : z, byte(in) % 2 ? w : NULL, n, d, &o, error),
          error);
    check(l2r_decorrelate(odd == 21 ? NULL : w, byte(in) % 2 ? &found : NULL, odd == 22 ? NULL : z,
                          byte(in) % 2 ? classes : NULL, n, d, &o, error),
          error);
    check(l2r_watch_set(NULL, error), error);
    (void)l2r_ess(odd == 23 ? NULL : w, n);
}

/* The other calls that need no handle: metrics, and what there is. */
static inline void plain(struct input *in, struct l2r_error *error)
{
    enum { ROWS = 8, MOST = 4 };
    static const char *const metrics[] = {"rocauc", "accuracy", "rmse", "nrmse", "f1", "ece", "spearman", "mcc"};
    float outputs[ROWS * MOST], labels[ROWS * 2];
    const double scales[] = {1, (double)real(in)};
    double value;
    char folder[16];
    uint8_t odd = byte(in) % 24;
    for (int i = 0; i < ROWS * MOST; i++) outputs[i] = (float)(i * 5 % 7) / 7;
    for (int i = 0; i < ROWS * 2; i++) labels[i] = (float)(i % 2);
    if (odd == 1) outputs[byte(in) % (ROWS * MOST)] = real(in);
    if (odd == 2) labels[byte(in) % (ROWS * 2)] = real(in);
    const struct l2r_scored scored = {.size = odd == 3 ? size_of(in, sizeof scored) : sizeof scored,
                                      .task = (enum l2r_task)(odd == 4 ? number(in) : byte(in) % 3),
                                      .n_rows = odd == 5 ? number(in) % (ROWS + 1) : ROWS,
                                      .n_tasks = odd == 6 ? number(in) % 3 : 1,
                                      .n_classes = odd == 7 ? number(in) % (MOST + 1) : MOST,
                                      .outputs = odd == 8 ? NULL : outputs,
                                      .are_probabilities = byte(in) % 4 == 0,
                                      .labels = odd == 9 ? NULL : labels,
                                      .scales = byte(in) % 4 ? NULL : scales};
    const char *metric = odd == 10 ? text(in) : metrics[byte(in) % 8];
    struct l2r_metric_info info = {.size = odd == 11 ? size_of(in, sizeof info) : sizeof info};
    check(l2r_metric_value(odd == 12 ? NULL : &value, metric, odd == 13 ? NULL : &scored, error), error);
    check(l2r_metric_describe(&info, metric, error), error);
    (void)l2r_metric_for((enum l2r_task)number(in), number(in));
    (void)l2r_has(text(in));
    l2r_module_folder(odd == 14 ? NULL : folder, byte(in) % sizeof folder);
    (void)l2r_abi_json();
    l2r_threads_set(l2r_threads_get());
    reweigh(in, error);
}

#endif
