/* SPDX-License-Identifier: MIT
 * See shade.h. */
#include "draw/shade.h"

#include "base/memory.h"

static const float half = 0.5f;

static enum l2r_status check_range(const float *importance, int64_t n, const char *what, struct l2r_error *error)
{
    for (int64_t i = 0; importance != NULL && i < n; i++)
        if (!(importance[i] >= 0 && importance[i] <= 1))
            return l2r_fail(error, L2R_ERR_ARGUMENT, "the importance of %s %lld is %g; expected 0 to 1", what,
                            (long long)i, (double)importance[i]);
    return L2R_OK;
}

static enum l2r_status check(const struct l2r_drawing *d, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (int64_t i = 0; i < 2 * d->n_edges; i++)
        if (d->edges[i] < 0 || d->edges[i] >= d->n_nodes)
            L2R_FAIL(L2R_ERR_ARGUMENT, "edge %lld of a drawing ends at node %d; it has nodes 0..%d", (long long)(i / 2),
                     (int)d->edges[i], (int)d->n_nodes - 1);
    L2R_TRY(check_range(d->node_importance, d->n_nodes, "node", error));
    L2R_TRY(check_range(d->edge_importance, d->n_edges, "edge", error));
done:
    return status;
}

static void shade_edges(struct l2r_shade *shade, const struct l2r_drawing *d)
{
    for (int64_t i = 0; i < d->n_edges; i++) {
        shade->edge[i] = d->edge_importance != NULL ? d->edge_importance[i] : 0;
        shade->edge_chosen[i] = d->edge_chosen != NULL ? d->edge_chosen[i] != 0 : shade->edge[i] >= half;
    }
}

static void shade_nodes(struct l2r_shade *shade, const struct l2r_drawing *d)
{
    for (int32_t v = 0; v < d->n_nodes; v++) {
        shade->node[v] = d->node_importance != NULL ? d->node_importance[v] : 0;
        shade->node_chosen[v] = d->node_chosen != NULL && d->node_chosen[v] != 0;
    }
    for (int64_t i = 0; i < 2 * d->n_edges; i++) {
        int32_t v = d->edges[i];
        if (d->node_importance == NULL && shade->edge[i / 2] > shade->node[v]) shade->node[v] = shade->edge[i / 2];
        if (d->node_chosen == NULL && shade->edge_chosen[i / 2]) shade->node_chosen[v] = 1;
    }
}

enum l2r_status l2r_shade_init(struct l2r_shade *shade, const struct l2r_drawing *drawing, struct l2r_error *error)
{
    size_t n = (size_t)drawing->n_nodes, m = (size_t)drawing->n_edges;
    *shade = (struct l2r_shade){0};
    enum l2r_status status = check(drawing, error);
    if (status != L2R_OK) return status;
    shade->node = l2r_alloc(n, sizeof *shade->node);
    shade->edge = l2r_alloc(m, sizeof *shade->edge);
    shade->node_chosen = l2r_alloc(n, 1);
    shade->edge_chosen = l2r_alloc(m, 1);
    if (!shade->node || !shade->edge || !shade->node_chosen || !shade->edge_chosen)
        return l2r_fail_memory(error, 5 * (n + m), "the shades of a drawing");
    shade->any = drawing->node_importance != NULL || drawing->edge_importance != NULL || drawing->node_chosen != NULL ||
                 drawing->edge_chosen != NULL;
    shade_edges(shade, drawing);
    shade_nodes(shade, drawing);
    return L2R_OK;
}

void l2r_shade_clear(struct l2r_shade *shade)
{
    l2r_free(shade->node);
    l2r_free(shade->edge);
    l2r_free(shade->node_chosen);
    l2r_free(shade->edge_chosen);
    *shade = (struct l2r_shade){0};
}
