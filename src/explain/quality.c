/* SPDX-License-Identifier: MIT
 *
 * See explainer.h, "how good an explanation is". Fidelity runs the network again with masks of 0 and 1; the comparison
 * with a planted motif needs no network.
 */
#include "explain/explainer.h"

#include "base/memory.h"
#include "metrics/metrics.h"
#include "metrics/probability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int falling(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return (a < b) - (a > b);
}

/* Marks the `most` highest of n values. */
static enum l2r_status mark_highest(uint8_t *chosen, const float *value, int64_t n, int64_t most,
                                    struct l2r_error *error)
{
    float border = 0;
    int64_t left = n; /* how many that are exactly at the border may still come in */
    if (most < n) {
        float *sorted = l2r_alloc_raw((size_t)n, sizeof *sorted);
        if (!sorted) return l2r_fail_memory(error, (size_t)n * sizeof *sorted, "an explanation");
        memcpy(sorted, value, (size_t)n * sizeof *sorted);
        qsort(sorted, (size_t)n, sizeof *sorted, falling);
        border = sorted[most - 1];
        l2r_free(sorted);
        left = most;
        for (int64_t i = 0; i < n; i++) left -= value[i] > border;
    }
    for (int64_t i = 0; i < n; i++) {
        bool at = most >= n || value[i] == border;
        chosen[i] = at ? left > 0 : value[i] > border;
        if (at) left--;
    }
    return L2R_OK;
}

enum l2r_status l2r_quality_choose(struct l2r_explanation *e, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (n == 0) {
        for (int64_t i = 0; i < e->n_edges; i++) e->important[i] = e->edge[i] > 0.5F;
        return L2R_OK;
    }
    e->important_node = l2r_alloc((size_t)e->n_nodes, 1);
    if (!e->important_node) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: an explanation");
    L2R_TRY(mark_highest(e->important, e->edge, e->n_edges, n, error));
    L2R_TRY(mark_highest(e->important_node, e->node, e->n_nodes, n, error));
done:
    return status;
}

/* −log p of the target, as predictions have it: the mean over the tasks that take part. output: logits, which are
 * calibrated here. */
static double calibrated_loss(float *output, const struct l2r_signature *s, const struct l2r_calibration *calibration,
                              const float *target)
{
    int32_t outputs = l2r_signature_outputs(s), n = 0;
    double sum = 0;
    l2r_calibration_apply(output, calibration, s->task, 1, outputs);
    if (s->task == L2R_TASK_MULTICLASS) return l2r_softplus(-l2r_class_odds(output, outputs, (int32_t)target[0]));
    for (int32_t k = 0; k < outputs; k++) {
        if (isnan(target[k])) continue;
        sum += l2r_softplus(target[k] > 0 ? -(double)output[k] : (double)output[k]);
        n++;
    }
    return sum / n;
}

/* exp(−ℓ) with the edges for which `important` equals `keep`, or with all edges when it is NULL. output: room for the
 * network's. */
static enum l2r_status probability(double *p, struct l2r_masked_graph *g, const uint8_t *important, bool keep,
                                   double *losses, float *output, struct l2r_error *error)
{
    const struct l2r_signature *s = &g->network->signature;
    int64_t edges = g->copies * g->n_edges, all = edges + g->copies * g->n_columns;
    for (int64_t i = 0; i < all; i++)
        g->masks[i] = i >= edges || !important || (important[i % g->n_edges] != 0) == keep ? 1 : 0;
    enum l2r_status status = l2r_masked_graph_losses(losses, output, g, false, error);
    if (status == L2R_OK && g->calibration && g->calibration->n_maps > 0)
        losses[0] = calibrated_loss(output, s, g->calibration, g->target);
    *p = status == L2R_OK ? exp(-losses[0]) : (double)NAN;
    return status;
}

void l2r_quality_compare(struct l2r_explanation *e)
{
    int64_t important = 0;
    for (int64_t i = 0; i < e->n_edges; i++) important += e->important[i];
    e->fidelity_plus = e->p - e->p_without;
    e->fidelity_minus = e->p - e->p_only;
    e->sparsity = e->n_edges > 0 ? 1 - (double)important / (double)e->n_edges : (double)NAN;
}

enum l2r_status l2r_quality_fidelity(struct l2r_explanation *e, struct l2r_masked_graph *g, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    double *losses = l2r_alloc((size_t)g->copies, sizeof *losses);
    float *output = l2r_alloc((size_t)l2r_signature_outputs(&g->network->signature), sizeof *output);
    if (!losses || !output) {
        status = l2r_fail_memory(error, (size_t)g->copies * sizeof *losses, "an explanation");
        goto done;
    }
    L2R_TRY(probability(&e->p, g, NULL, true, losses, output, error));
    L2R_TRY(probability(&e->p_without, g, e->important, false, losses, output, error));
    L2R_TRY(probability(&e->p_only, g, e->important, true, losses, output, error));
    l2r_quality_compare(e);
done:
    l2r_free(losses);
    l2r_free(output);
    return status;
}

double l2r_precision_at_k(const float *value, const float *truth, float *scratch, int64_t n)
{
    int64_t k = 0, above = 0, at = 0;
    double true_above = 0, true_at = 0;
    for (int64_t i = 0; i < n; i++) k += truth[i] > 0;
    if (k == 0) return NAN;
    memcpy(scratch, value, (size_t)n * sizeof *scratch);
    qsort(scratch, (size_t)n, sizeof *scratch, falling);
    float border = scratch[k - 1];
    for (int64_t i = 0; i < n; i++) {
        above += value[i] > border;
        at += value[i] == border;
        true_above += value[i] > border && truth[i] > 0;
        true_at += value[i] == border && truth[i] > 0;
    }
    return (true_above + (double)(k - above) * true_at / (double)at) / (double)k;
}

static enum l2r_status compare(double *auc, double *precision, const float *value, const float *truth, float *scratch,
                               int64_t n, struct l2r_error *error)
{
    const struct l2r_scores scores = {
        .task = L2R_TASK_BINARY, .n_graphs = n, .n_tasks = 1, .output = value, .labels = truth};
    *precision = l2r_precision_at_k(value, truth, scratch, n);
    return l2r_metric_find("rocauc")->fn(auc, &scores, error);
}

enum l2r_status l2r_quality_truth(struct l2r_explanation *e, int32_t motif, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t n = e->n_nodes + e->n_edges;
    e->node_auc = e->node_precision = e->edge_auc = e->edge_precision = NAN;
    if (!e->mark) return L2R_OK;
    float *truth = l2r_alloc((size_t)n, sizeof *truth), *scratch = l2r_alloc((size_t)n, sizeof *scratch);
    if (!truth || !scratch) {
        status = l2r_fail_memory(error, (size_t)n * sizeof *truth, "an explanation");
        goto done;
    }
    for (int64_t v = 0; v < e->n_nodes; v++) truth[v] = e->mark[v] == motif;
    for (int64_t i = 0; i < e->n_edges; i++)
        truth[e->n_nodes + i] = e->mark[e->ends[2 * i]] == motif && e->mark[e->ends[2 * i + 1]] == motif;
    L2R_TRY(compare(&e->node_auc, &e->node_precision, e->node, truth, scratch, e->n_nodes, error));
    L2R_TRY(compare(&e->edge_auc, &e->edge_precision, e->edge, truth + e->n_nodes, scratch, e->n_edges, error));
done:
    l2r_free(truth);
    l2r_free(scratch);
    return status;
}
