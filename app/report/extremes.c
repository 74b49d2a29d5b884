/* SPDX-License-Identifier: MIT
 *
 * Drawings of graphs as they are, without an explanation: the lightest and heaviest of a run's training graphs
 * (run_scores.h).
 */
#include "base/memory.h"
#include "base/threads.h"
#include "data/formats/ogb/ogb.h"
#include "draw/pictures.h"
#include "report/run_scores.h"

/* One chunk a graph; what failed is kept for each. */
struct drawing_job {
    const struct l2r_run_scores *scores;
    const int32_t *graphs;
    char **svg;
    struct l2r_error *errors;
};

static enum l2r_status draw(char **svg, const struct l2r_run_scores *scores, int32_t graph, const char *smiles,
                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_dataset *data = scores->data;
    struct l2r_picture picture = {0};
    int64_t n_nodes = l2r_dataset_nodes_of(data, graph);
    const uint8_t *mark = data->node_mark != NULL ? data->node_mark + data->node_start[graph] : NULL;
    int32_t *ends = l2r_alloc((size_t)l2r_dataset_arcs_of(data, graph), 2 * sizeof *ends);
    if (ends == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the edges of graph %d", (int)graph);
    int64_t n_edges = l2r_picture_edges(ends, data, graph);
    L2R_TRY(l2r_picture_label(&picture, data, graph, error));
    for (int m = 1; m <= 2; m++) picture.mark_name[m - 1] = l2r_motif_shape(mark, n_nodes, ends, n_edges, m);
    picture.drawing = (struct l2r_drawing){.n_nodes = (int32_t)n_nodes,
                                           .n_edges = n_edges,
                                           .edges = ends,
                                           .node_mark = mark,
                                           .mark_name = picture.mark_name,
                                           .node_label = picture.label,
                                           .smiles = smiles};
    L2R_TRY(l2r_drawing_svg(svg, &picture.drawing, error));
done:
    l2r_free(ends);
    l2r_picture_clear(&picture);
    return status;
}

static void draw_one(void *context, int64_t i)
{
    struct drawing_job *job = context;
    int32_t graph = job->graphs[i];
    if (l2r_dataset_nodes_of(job->scores->data, graph) > L2R_LARGEST_PICTURE) return;
    draw(&job->svg[i], job->scores, graph, l2r_dataset_smiles(job->scores->data, graph), &job->errors[i]);
}

enum l2r_status l2r_run_scores_draw(char **svg, const struct l2r_run_scores *scores, const int32_t *graphs, int64_t n,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct drawing_job job = {.scores = scores, .graphs = graphs, .svg = svg};
    for (int64_t i = 0; i < n; i++) svg[i] = NULL;
    job.errors = l2r_alloc((size_t)n, sizeof *job.errors);
    if (job.errors == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %lld drawings", (long long)n);
    l2r_parallel(n, draw_one, &job);
    for (int64_t i = 0; i < n; i++)
        if (job.errors[i].status != L2R_OK) L2R_FAIL(job.errors[i].status, "%s", job.errors[i].message);
done:
    for (int64_t i = 0; i < n; i++) {
        if (status == L2R_OK) continue;
        l2r_free(svg[i]);
        svg[i] = NULL;
    }
    l2r_free(job.errors);
    return status;
}
