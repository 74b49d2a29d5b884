/* SPDX-License-Identifier: MIT
 *
 * The case study (reproduce/cases.h) on the motif task: in training nine of ten positives have a star beside their
 * wheel. Explained is the label 1, "there is a wheel". */
#include "draw/pictures.h"
#include "reproduce/cases.h"

#include <string.h>

static bool is_shape(const char *name, const char *wanted)
{
    return name != NULL && strcmp(name, wanted) == 0;
}

static bool fits(const struct l2r_dataset *data, int32_t graph, int k, int32_t *edges)
{
    (void)k;
    if (data->labels[graph] < 1) return false;
    const uint8_t *mark = data->node_mark + data->node_start[graph];
    int64_t n_nodes = l2r_dataset_nodes_of(data, graph), n_edges = l2r_picture_edges(edges, data, graph);
    return is_shape(l2r_motif_shape(mark, n_nodes, edges, n_edges, 1), "wheel") &&
           is_shape(l2r_motif_shape(mark, n_nodes, edges, n_edges, 2), "star");
}

static enum l2r_status make(const struct l2r_reproduce *job, struct l2r_error *error)
{
    const struct l2r_case_study study = {.title =
                                             "What the label rests on: the wheel decides, the star only comes with it",
                                         .which = "hold a wheel and a star",
                                         .fits = fits};
    return l2r_case_study_make(&study, job, error);
}

const struct l2r_reproduction l2r_reproduction_fig_cases = {
    .name = "fig-cases",
    .make = make,
};
