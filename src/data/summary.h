/* SPDX-License-Identifier: MIT
 *
 * The content of `l2r data info`: counts, sizes, label rates, parts of the official split, and whether the data is
 * sound.
 *
 *     data set  --check, count-->  struct l2r_summary  -->  lines for people, or JSON
 */
#ifndef L2R_DATA_SUMMARY_H
#define L2R_DATA_SUMMARY_H

#include "data/dataset.h"

#include <jansson.h>
#include <stdio.h>

struct l2r_range {
    int64_t min, max;
    double mean;
};

/* One class of a multi-class set, or one task. */
struct l2r_label_summary {
    int64_t class_value;       /* class: the source's integer */
    int64_t count;             /* class: its graphs; task: labels present */
    int64_t positives;         /* binary task: labels that are 1 */
    int64_t missing;           /* task: graphs without this label */
    int64_t bounds;            /* regression task: labels that are bounds, not among the next */
    double mean, sd, min, max; /* regression task: of the exact labels present (sd with n - 1); NaN without any */
};

struct l2r_summary {
    const struct l2r_dataset *data;
    struct l2r_range nodes, edges, degree; /* a graph, a graph, a node */
    int64_t n_edges;                       /* undirected, self loops once */
    int64_t n_self_loops, n_isolated;      /* isolated: nodes without any neighbour, self loops not counted */
    int64_t n_edgeless;                    /* graphs without edges */
    int32_t n_labels;                      /* classes, or tasks */
    struct l2r_label_summary *labels;      /* [n_labels] */
    int64_t n_missing;                     /* labels missing over all tasks */
    double least_weight, most_weight;      /* of graphs; NaN: they have none */
    bool has_official;
    int64_t *environments;          /* [n_environments]: graphs in each */
    int64_t parts[L2R_N_PARTS + 1]; /* graphs in each L2R_PART_* of the official split */
    bool sound;
    char problem[512]; /* what the sanity check found; empty when sound */
};

/* Keeps a pointer to the data. An invalid data set is not a failure: the summary reports it. */
enum l2r_status l2r_summary_make(struct l2r_summary *summary, const struct l2r_dataset *data, struct l2r_error *error);
void l2r_summary_clear(struct l2r_summary *summary);

/* New reference; NULL when out of memory. */
json_t *l2r_summary_to_json(const struct l2r_summary *summary);
void l2r_summary_print(FILE *stream, const struct l2r_summary *summary);

#endif
