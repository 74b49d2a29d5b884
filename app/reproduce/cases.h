/* SPDX-License-Identifier: MIT
 *
 * The paper's case study: explanations of three generated graphs, without and with learned weights.
 *
 *     train both systems of the spec on biased graphs
 *     explain the first three test graphs that fit: why the label?
 *     draw   rows: the two systems, columns: the graphs; dark: the edges of importance above one half
 *
 * The graphs are the first ones that fit, not chosen by their result; the caption has the accuracy of both. DIR holds
 * the runs, NAME.svg, NAME.png and NAME.json with the scores, NAME being the spec's.
 */
#ifndef L2R_REPRODUCE_CASES_H
#define L2R_REPRODUCE_CASES_H

#include "data/dataset.h"
#include "reproduce/reproduction.h"

struct l2r_case_study {
    const char *title;
    const char *which; /* the graphs that fit, after "test graphs that": "hold a wheel and a star" */
    /* Does the graph fit as case number k = 0, 1, 2? edges [n_arcs of the data]: room. */
    bool (*fits)(const struct l2r_dataset *data, int32_t graph, int k, int32_t *edges);
};

enum l2r_status l2r_case_study_make(const struct l2r_case_study *study, const struct l2r_reproduce *job,
                                    struct l2r_error *error);

#endif
