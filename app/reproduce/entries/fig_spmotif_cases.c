/* SPDX-License-Identifier: MIT
 *
 * The case study (reproduce/cases.h) on SPMotif: in training the base goes with the label, in these graphs the motif is
 * on another base. One graph of each class. */
#include "reproduce/cases.h"

static bool fits(const struct l2r_dataset *data, int32_t graph, int k, int32_t *edges)
{
    (void)edges;
    return (int)data->labels[graph] == k && data->environment && data->environment[graph] != k;
}

static enum l2r_status make(const struct l2r_reproduce *job, struct l2r_error *error)
{
    const struct l2r_case_study study = {
        .title = "What the label rests on: the motif decides, the base only went with it in training",
        .which = "carry the motif of a class, first 0, then 1, then 2, on the base of another",
        .fits = fits};
    return l2r_case_study_make(&study, job, error);
}

const struct l2r_reproduction l2r_reproduction_fig_spmotif_cases = {
    .name = "fig-spmotif-cases",
    .make = make,
};
