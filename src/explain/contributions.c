/* SPDX-License-Identifier: MIT
 * See contributions.h. */
#include "explain/contributions.h"

#include "base/memory.h"
#include "base/rng.h"
#include "explain/parts.h"

#include <math.h>
#include <string.h>

/* ---- occlusion ---- */

static enum l2r_status occlude(double *effect, uint8_t *taken, int64_t n, double whole, struct l2r_parts *p,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    l2r_parts_take(p, true, true);
    for (int64_t i = 0; i < n; i++) {
        taken[i] = 0;
        L2R_TRY(l2r_parts_add(&effect[i], p, error));
        taken[i] = 1;
    }
    L2R_TRY(l2r_parts_flush(p, error));
    for (int64_t i = 0; i < n; i++) effect[i] = whole - effect[i];
done:
    return status;
}

/* ---- Shapley values ---- */

static void draw_order(int32_t *order, int64_t n, uint64_t seed, int32_t graph, int64_t sample, bool edges)
{
    struct l2r_rng rng =
        l2r_rng_at(seed, L2R_RANDOM_EXPLAIN, (uint64_t)graph << 32 | (uint64_t)edges << 31 | (uint64_t)(sample / 2));
    for (int64_t i = 0; i < n; i++) order[i] = (int32_t)i;
    l2r_rng_shuffle(&rng, order, (size_t)n);
    for (int64_t i = 0, j = n - 1; sample % 2 && i < j; i++, j--) {
        int32_t kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

/* One order: the players enter one after the other. values [n + 1]: the predictions on the way; the first and the last
 * are known. */
static enum l2r_status enter(double *values, const int32_t *order, uint8_t *taken, int64_t n, struct l2r_parts *p,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    memset(taken, 0, (size_t)n);
    for (int64_t i = 0; i + 1 < n; i++) {
        taken[order[i]] = 1;
        L2R_TRY(l2r_parts_add(&values[i + 1], p, error));
    }
    L2R_TRY(l2r_parts_flush(p, error));
done:
    return status;
}

static enum l2r_status share_out(double *effect, uint8_t *taken, int64_t n, double nothing, double whole,
                                 struct l2r_parts *p, const struct l2r_explain_settings *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t *order = l2r_alloc((size_t)n, sizeof *order);
    double *values = l2r_alloc((size_t)n + 1, sizeof *values);
    if (!order || !values) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: parts of a graph");
    l2r_parts_take(p, true, true);
    for (int64_t sample = 0; sample < s->samples; sample++) {
        draw_order(order, n, s->seed, p->e->graph, sample, taken == p->edge);
        values[0] = nothing;
        values[n] = whole;
        L2R_TRY(enter(values, order, taken, n, p, error));
        for (int64_t i = 0; i < n; i++) effect[order[i]] += (values[i + 1] - values[i]) / (double)s->samples;
    }
done:
    l2r_free(order);
    l2r_free(values);
    return status;
}

/* ---- all of it ---- */

/* The size of an effect as a share of the largest. */
static void weigh(float *importance, float *effect, const double *found, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(found[i]));
    for (int64_t i = 0; i < n; i++) {
        effect[i] = (float)found[i];
        importance[i] = most > 0 ? (float)(fabs(found[i]) / most) : 0;
    }
}

static enum l2r_status check_finite(const double *values, int64_t n, int32_t graph, struct l2r_error *error)
{
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return l2r_fail(
                error, L2R_ERR_DIVERGED,
                "graph %d cannot be explained: the model's prediction for a part of it is %g, not a finite number",
                (int)graph, values[i]);
    return L2R_OK;
}

static enum l2r_status find(struct l2r_explanation *e, struct l2r_parts *p, const struct l2r_explain_settings *s,
                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double whole = 0, nothing = 0, loose = 0; /* loose: the nodes without edges */
    double *nodes = l2r_arena_zeroed(&p->arena, (size_t)e->n_nodes, sizeof *nodes);
    double *edges = l2r_arena_zeroed(&p->arena, (size_t)e->n_edges, sizeof *edges);
    if (!nodes || !edges) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: parts of a graph");
    l2r_parts_take(p, true, true);
    L2R_TRY(l2r_parts_add(&whole, p, error));
    l2r_parts_take(p, true, false);
    L2R_TRY(l2r_parts_add(&loose, p, error));
    l2r_parts_take(p, false, false);
    L2R_TRY(l2r_parts_add(&nothing, p, error));
    L2R_TRY(l2r_parts_flush(p, error));
    if (s->explainer == L2R_EXPLAINER_OCCLUSION) {
        L2R_TRY(occlude(nodes, p->node, e->n_nodes, whole, p, error));
        L2R_TRY(occlude(edges, p->edge, e->n_edges, whole, p, error));
    } else {
        L2R_TRY(share_out(nodes, p->node, e->n_nodes, nothing, whole, p, s, error));
        L2R_TRY(share_out(edges, p->edge, e->n_edges, loose, whole, p, s, error));
    }
    L2R_TRY(check_finite((const double[]){whole, loose, nothing}, 3, e->graph, error));
    L2R_TRY(check_finite(nodes, e->n_nodes, e->graph, error));
    L2R_TRY(check_finite(edges, e->n_edges, e->graph, error));
    weigh(e->node, e->node_effect, nodes, e->n_nodes);
    weigh(e->edge, e->edge_effect, edges, e->n_edges);
    for (int64_t k = 0; k < e->n_columns; k++) e->column[k] = NAN; /* columns get no contribution */
    e->value = whole;
    e->baseline = nothing;
    e->adds_up = s->explainer == L2R_EXPLAINER_SHAPLEY;
    if (l2r_committee_signature(p->model)->task == L2R_TASK_REGRESSION && !s->use_label)
        e->target[p->output] = (float)whole;
done:
    return status;
}

/* p of the target with all edges, without the important ones, and with only these. */
static enum l2r_status compare(struct l2r_explanation *e, struct l2r_parts *p, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double without = 0, only = 0;
    l2r_parts_take(p, true, true);
    for (int64_t i = 0; i < e->n_edges; i++) p->edge[i] = !e->important[i];
    L2R_TRY(l2r_parts_add(&without, p, error));
    for (int64_t i = 0; i < e->n_edges; i++) p->edge[i] = e->important[i];
    L2R_TRY(l2r_parts_add(&only, p, error));
    L2R_TRY(l2r_parts_flush(p, error));
    e->p = l2r_parts_probability(p, e->value);
    e->p_without = l2r_parts_probability(p, without);
    e->p_only = l2r_parts_probability(p, only);
    l2r_quality_compare(e);
done:
    return status;
}

enum l2r_status l2r_contributions_find(struct l2r_explanation *e, const struct l2r_committee *model,
                                       const struct l2r_dataset *data, const struct l2r_explain_settings *settings,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_parts p;
    L2R_TRY(l2r_parts_init(&p, e, model, data, error));
    L2R_TRY(find(e, &p, settings, error));
    L2R_TRY(l2r_quality_choose(e, settings->n_important, error));
    L2R_TRY(compare(e, &p, error));
done:
    l2r_parts_clear(&p);
    return status;
}

enum l2r_status l2r_contributions_of_parts(double *effect, const struct l2r_explanation *e,
                                           const struct l2r_committee *model, const struct l2r_dataset *data,
                                           const int32_t *part, int32_t n_parts, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double whole = 0;
    struct l2r_parts p;
    L2R_TRY(l2r_parts_init(&p, e, model, data, error));
    l2r_parts_take(&p, true, true);
    L2R_TRY(l2r_parts_add(&whole, &p, error));
    for (int32_t i = 0; i < n_parts; i++) {
        for (int64_t v = 0; v < e->n_nodes; v++) p.node[v] = part[v] != i;
        L2R_TRY(l2r_parts_add(&effect[i], &p, error));
    }
    L2R_TRY(l2r_parts_flush(&p, error));
    for (int32_t i = 0; i < n_parts; i++) effect[i] = whole - effect[i];
done:
    l2r_parts_clear(&p);
    return status;
}
