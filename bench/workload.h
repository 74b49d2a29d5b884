/* SPDX-License-Identifier: MIT
 *
 * What is measured, as data: a network, its sizes and the graphs it runs on. `l2r-bench workloads` prints this
 * table, and the measurements of other programs (bench/peer) read it from there, so that both run the same thing.
 */
#ifndef L2R_BENCH_WORKLOAD_H
#define L2R_BENCH_WORKLOAD_H

#include "base/config.h"
#include "data/dataset.h"
#include "data/splits/split.h"

struct l2r_workload {
    const char *name;  /* "gin-5x300" */
    const char *title; /* one line */
    const char *model;
    const char *layers, *hidden; /* values of the options */
    bool edge_features;
    const char *generator; /* makes its graphs when there is no --data */
    int64_t graphs;        /* how many of them */
};

extern const struct l2r_workload l2r_workloads[]; /* ends with a zero row */
const struct l2r_workload *l2r_workload_find(const char *name);

/* Declares every option of a run and sets the workload's as defaults. */
enum l2r_status l2r_workload_configure(struct l2r_config *config, const struct l2r_workload *workload,
                                       const char *method, struct l2r_error *error);

/* {"name": …, "model": …, "layers": 5, …}: new reference; NULL when it cannot be made. */
json_t *l2r_workload_to_json(const struct l2r_workload *workload);

/* Its graphs, all of them for training. */
struct l2r_workload_data {
    struct l2r_dataset *whole;
    struct l2r_dataset data; /* the first graphs of the whole, sharing its memory */
    struct l2r_split split;
};

/* where: NULL: the workload's own generator. limit: only the first graphs, this many; 0: all of `where`, or the table's
 * number. */
enum l2r_status l2r_workload_load(struct l2r_workload_data *load, const struct l2r_workload *workload,
                                  const char *where, int64_t limit, bool use_cache, struct l2r_error *error);
void l2r_workload_data_clear(struct l2r_workload_data *load);

/* The graphs as a folder in TU layout, and in it data.json: what the layout does not say (vocabularies, task). */
enum l2r_status l2r_workload_export(const struct l2r_workload_data *load, const char *dir, struct l2r_error *error);

#endif
