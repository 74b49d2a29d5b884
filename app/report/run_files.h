/* SPDX-License-Identifier: MIT
 *
 * What the report page reads of a run: DIR/config.json, DIR/metrics.jsonl, DIR/result.json, and of `l2r explain`
 * DIR/explanations/explanations.json, DIR/explanations/fragments.csv and the drawings DIR/explanations/graph-*.svg. A
 * folder of several seeds (DIR/seed-0, …) stands for its runs.
 */
#ifndef L2R_REPORT_RUN_FILES_H
#define L2R_REPORT_RUN_FILES_H

#include "base/status.h"

#include <jansson.h>

struct l2r_run_files {
    char *dir;
    json_t *config;
    json_t *epochs;       /* array: the lines of metrics.jsonl, without one that is half written */
    json_t *result;       /* NULL: the run has not finished */
    json_t *explanations; /* NULL: none */
    json_t *fragments;    /* array of the records of fragments.csv, arrays of texts, the heading first; NULL: none */
    char **drawings;      /* [n_drawings]: SVG text */
    size_t n_drawings;
    size_t n_foreign; /* SVG files that were rejected (drawing_check.h) */
};

struct l2r_run_list {
    struct l2r_run_files *runs;
    size_t n, capacity;
};

/* Adds a run, or the runs of a folder of seeds. */
enum l2r_status l2r_run_list_add(struct l2r_run_list *list, const char *dir, struct l2r_error *error);
void l2r_run_list_clear(struct l2r_run_list *list);

#endif
