/* SPDX-License-Identifier: MIT
 * See explainer.h. First the whole model predicts all graphs: its predictions are what is explained. Then one graph is
 * one chunk of work, and callbacks are called under a lock. */
#include "explain/explainer.h"

#include "base/memory.h"
#include "base/threads.h"
#include "base/watch.h"
#include "explain/contributions.h"
#include "explain/subject.h"
#include "metrics/probability.h"
#include "nn/optimiser.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const double start_deviation = 0.1; /* of the logits: near the middle, where the entropy has no slope yet */

struct work {
    struct l2r_explanation *out;
    const struct l2r_committee *model; /* what is explained (subject.h) */
    const struct l2r_dataset *data;    /* in its numbers */
    int32_t n_members;                 /* of the whole model */
    const float *answers;              /* [n × outputs]: its outputs */
    const int32_t *graphs;
    int64_t n;
    const struct l2r_explain_settings *settings;
    struct l2r_watched loop;
    pthread_mutex_t lock; /* of what follows */
    enum l2r_status status;
    struct l2r_error error; /* of the first graph, in their order, that failed */
    int64_t failed;
};

static enum l2r_status allocate(struct l2r_explanation *e, const struct l2r_masked_graph *g, const struct work *w,
                                bool effects, struct l2r_error *error)
{
    const struct l2r_dataset *data = w->data;
    size_t tasks = (size_t)g->network->signature.n_tasks, nodes = (size_t)g->n_nodes, edges = (size_t)g->n_edges;
    *e = (struct l2r_explanation){.graph = g->graph,
                                  .n_nodes = g->n_nodes,
                                  .n_edges = g->n_edges,
                                  .n_columns = g->n_columns,
                                  .n_members = w->n_members,
                                  .n_explained = w->model->n,
                                  .answer = (double)NAN,
                                  .value = (double)NAN,
                                  .baseline = (double)NAN};
    e->ends = l2r_alloc(2 * edges, sizeof *e->ends);
    e->edge = l2r_alloc(edges, sizeof *e->edge);
    e->node = l2r_alloc(nodes, sizeof *e->node);
    e->column = l2r_alloc((size_t)g->n_columns, sizeof *e->column);
    e->important = l2r_alloc(edges, sizeof *e->important);
    e->output = l2r_alloc((size_t)l2r_signature_outputs(&g->network->signature), sizeof *e->output);
    e->target = l2r_alloc(tasks, sizeof *e->target);
    e->edge_effect = effects ? l2r_alloc(edges, sizeof *e->edge_effect) : NULL;
    e->node_effect = effects ? l2r_alloc(nodes, sizeof *e->node_effect) : NULL;
    e->mark = data->node_mark ? l2r_alloc(nodes, sizeof *e->mark) : NULL;
    if (!e->ends || !e->edge || !e->node || !e->column || !e->important || !e->output || !e->target ||
        (data->node_mark && !e->mark) || (effects && (!e->edge_effect || !e->node_effect)))
        return l2r_fail_memory(error, edges * 16, "an explanation");
    if (edges > 0) memcpy(e->ends, g->ends, 2 * edges * sizeof *e->ends);
    if (e->mark && nodes > 0) memcpy(e->mark, data->node_mark + data->node_start[g->graph], nodes);
    return L2R_OK;
}

static void clear(struct l2r_explanation *e)
{
    l2r_free(e->ends);
    l2r_free(e->edge);
    l2r_free(e->node);
    l2r_free(e->column);
    l2r_free(e->edge_effect);
    l2r_free(e->node_effect);
    l2r_free(e->important);
    l2r_free(e->important_node);
    l2r_free(e->mark);
    l2r_free(e->output);
    l2r_free(e->target);
    *e = (struct l2r_explanation){0};
}

void l2r_explanations_clear(struct l2r_explanation *explanations, int64_t n)
{
    for (int64_t i = 0; i < n; i++) clear(&explanations[i]);
}

/* The target: the class that the whole model predicts, or the value of the network under masks. logits [outputs]: its
 * outputs, standardised; NULL for contributions, which find the value themselves. */
static void predict(float *target, const float *output, const float *logits, const struct l2r_signature *s)
{
    for (int32_t k = 0; k < s->n_tasks; k++)
        target[k] = s->task != L2R_TASK_REGRESSION
                        ? (float)l2r_decide(output, s->class_weight, s->task, l2r_signature_outputs(s), k)
                    : logits ? (float)l2r_target_unscaled(&s->target, k, (double)logits[k])
                             : output[k];
}

static enum l2r_status check_finite(const float *output, const struct l2r_masked_graph *g, struct l2r_error *error)
{
    for (int32_t k = 0; k < l2r_signature_outputs(&g->network->signature); k++)
        if (!isfinite(output[k]))
            return l2r_fail(error, L2R_ERR_DIVERGED,
                            "graph %d cannot be explained: output %d of the model is %g, not a finite number", g->graph,
                            k, (double)output[k]);
    return L2R_OK;
}

/* Fills e->target and the targets of the copies. logits [outputs] receives the network's outputs under masks of 1;
 * NULL: not computed, for models that cannot have masks. */
static enum l2r_status choose_target(struct l2r_explanation *e, float *logits, struct l2r_masked_graph *g,
                                     double *values, const struct work *w, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_signature *s = &g->network->signature;
    int32_t known = 0, tasks = s->n_tasks;
    for (int64_t i = 0; i < g->copies * (g->n_edges + g->n_columns); i++) g->masks[i] = 1;
    L2R_TRY(check_finite(e->output, g, error));
    if (logits) L2R_TRY(l2r_masked_graph_losses(values, logits, g, false, error));
    if (logits) L2R_TRY(check_finite(logits, g, error));
    predict(e->target, e->output, logits, s);
    for (int32_t k = 0; k < tasks; k++) {
        if (w->settings->use_label) e->target[k] = w->data->labels[(int64_t)g->graph * tasks + k];
        if (w->settings->task >= 0 && k != w->settings->task) e->target[k] = NAN;
        known += !isnan(e->target[k]);
    }
    if (known == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "graph %d has no label that is one of the model's classes; use `target=prediction`",
                 (int)g->graph);
    for (int64_t i = 0; i < g->copies; i++) memcpy(g->target + i * tasks, e->target, (size_t)tasks * sizeof *g->target);
done:
    return status;
}

/* Leaves the learned masks of every copy in g->masks. */
static enum l2r_status learn(struct l2r_masked_graph *g, double *values, const struct l2r_explain_settings *s,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_optimiser adam = {0};
    int64_t edges = g->copies * g->n_edges, n = edges + g->copies * g->n_columns;
    l2r_real *logits = l2r_arena_alloc(&g->arena, (size_t)n, sizeof *logits);
    l2r_real *grad = l2r_arena_alloc(&g->arena, (size_t)n, sizeof *grad);
    if (!logits || !grad) return l2r_fail_memory(error, 2 * (size_t)n * sizeof *logits, "an explanation");
    for (int64_t c = 0; c < g->copies; c++) {
        struct l2r_rng rng = l2r_rng_at(s->seed, L2R_RANDOM_EXPLAIN, (uint64_t)g->graph << 32 | (uint64_t)c);
        for (int64_t i = 0; i < g->n_edges + g->n_columns; i++) {
            int64_t at = i < g->n_edges ? c * g->n_edges + i : edges + c * g->n_columns + i - g->n_edges;
            logits[at] = (l2r_real)(start_deviation * l2r_rng_normal(&rng));
        }
    }
    L2R_TRY(l2r_optimiser_init(&adam, "adam", n, error));
    for (int64_t step = 0; step < s->steps; step++) {
        L2R_TRY(l2r_mask_objective(values, grad, logits, g, s, error));
        l2r_optimiser_step(&adam, logits, grad, n, s->learning_rate);
    }
    for (int64_t i = 0; i < n; i++) g->masks[i] = (l2r_real)(1 / (1 + exp(-(double)logits[i])));
done:
    l2r_optimiser_clear(&adam);
    return status;
}

/* Mean over the copies of entry i of n, which stand behind each other. */
static float mean_mask(const l2r_real *masks, int64_t i, int64_t n, int64_t copies)
{
    double sum = 0;
    for (int64_t c = 0; c < copies; c++) sum += (double)masks[c * n + i];
    return (float)(sum / (double)copies);
}

static enum l2r_status set_importance(struct l2r_explanation *e, const struct l2r_masked_graph *g,
                                      struct l2r_error *error)
{
    const l2r_real *columns = g->masks + g->copies * g->n_edges;
    double *sum = l2r_alloc((size_t)e->n_nodes, sizeof *sum);
    int64_t *count = l2r_alloc((size_t)e->n_nodes, sizeof *count);
    for (int64_t i = 0; sum && count && i < e->n_edges; i++) {
        e->edge[i] = mean_mask(g->masks, i, g->n_edges, g->copies);
        for (int end = 0; end < 2 && e->ends[2 * i] != e->ends[2 * i + 1]; end++) {
            sum[e->ends[2 * i + end]] += (double)e->edge[i];
            count[e->ends[2 * i + end]]++;
        }
    }
    for (int64_t v = 0; sum && count && v < e->n_nodes; v++)
        e->node[v] = count[v] > 0 ? (float)(sum[v] / (double)count[v]) : 0;
    for (int64_t k = 0; k < e->n_columns; k++) e->column[k] = mean_mask(columns, k, g->n_columns, g->copies);
    bool complete = sum && count;
    l2r_free(sum);
    l2r_free(count);
    return complete ? L2R_OK : l2r_fail_memory(error, (size_t)e->n_nodes * 16, "an explanation");
}

/* The gates that the network has on its edges take the place of learned masks. */
static enum l2r_status read_gates(struct l2r_masked_graph *g, double *values, struct l2r_error *error)
{
    for (int64_t i = 0; i < g->n_edges + g->n_columns; i++) g->masks[i] = 1;
    enum l2r_status status = l2r_masked_graph_losses(values, NULL, g, false, error);
    if (status != L2R_OK) return status;
    const l2r_real *gates = l2r_value_of(&g->tape, g->tape.gates.edges)->data;
    for (int64_t i = 0; i < g->n_edges; i++) g->masks[i] = gates[i];
    return L2R_OK;
}

/* A regression's value in its own units, of what is standardised; NaN: there are several tasks, or none is a
 * number. */
static double value_of(const float *logits, const struct l2r_signature *s, int32_t task)
{
    int32_t k = task < 0 ? 0 : task;
    if (s->task != L2R_TASK_REGRESSION || (task < 0 && s->n_tasks > 1)) return (double)NAN;
    return l2r_target_unscaled(&s->target, k, (double)logits[k]);
}

/* The prediction of the whole model, as `l2r predict` prints it. */
static double prediction_of(const struct l2r_explanation *e, const struct l2r_signature *s, int32_t task)
{
    int32_t k = task < 0 ? 0 : task;
    if (s->task == L2R_TASK_MULTICLASS)
        return exp(-l2r_softplus(-l2r_class_odds(e->output, l2r_signature_outputs(s), (int32_t)e->target[0])));
    if (task < 0 && s->n_tasks > 1) return (double)NAN;
    return s->task == L2R_TASK_REGRESSION ? (double)e->output[k] : l2r_sigmoid((double)e->output[k]);
}

/* Are all masks equal? When all edges matter equally to the network, the order of masks is that of the random initial
 * values. */
static bool is_saturated(const struct l2r_explanation *e)
{
    float least = 1, most = 0;
    for (int64_t i = 0; i < e->n_edges; i++) {
        least = fminf(least, e->edge[i]);
        most = fmaxf(most, e->edge[i]);
    }
    return e->n_edges > 1 && (least > 0.8f || most < 0.2f);
}

/* Learned masks, or gates, and how p changes under them. */
static enum l2r_status mask_edges(struct l2r_explanation *e, struct l2r_masked_graph *g, double *values,
                                  const struct l2r_explain_settings *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool learned = s->explainer == L2R_EXPLAINER_MASKS;
    L2R_TRY(learned ? learn(g, values, s, error) : read_gates(g, values, error));
    L2R_TRY(set_importance(e, g, error));
    e->saturated = is_saturated(e);
    L2R_TRY(l2r_quality_choose(e, s->n_important, error));
    L2R_TRY(l2r_quality_fidelity(e, g, error));
done:
    return status;
}

static enum l2r_status explain_one(struct l2r_explanation *e, const struct work *w, int64_t i, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_explain_settings *s = w->settings;
    const struct l2r_signature *signature = l2r_committee_signature(w->model);
    struct l2r_masked_graph g;
    int32_t outputs = l2r_signature_outputs(signature);
    bool learned = s->explainer == L2R_EXPLAINER_MASKS, masks = learned || s->explainer == L2R_EXPLAINER_GATES;
    L2R_TRY(l2r_masked_graph_init(&g, w->model->members[0], w->data, w->graphs[i], learned ? s->restarts : 1, error));
    g.calibration = w->model->calibration;
    L2R_TRY(allocate(e, &g, w, !masks, error));
    double *values = l2r_arena_alloc(&g.arena, (size_t)g.copies, sizeof *values);
    float *logits = l2r_arena_alloc(&g.arena, (size_t)outputs, sizeof *logits);
    if (!values || !logits) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: an explanation");
    memcpy(e->output, w->answers + i * outputs, (size_t)outputs * sizeof *e->output);
    L2R_TRY(choose_target(e, masks ? logits : NULL, &g, values, w, error));
    e->answer = prediction_of(e, signature, s->task);
    if (masks) e->value = value_of(logits, signature, s->task);
    L2R_TRY(masks ? mask_edges(e, &g, values, s, error) : l2r_contributions_find(e, w->model, w->data, s, error));
    L2R_TRY(l2r_quality_truth(e, s->motif, error));
done:
    l2r_masked_graph_clear(&g);
    return status;
}

static void explain_chunk(void *context, int64_t i)
{
    struct work *w = context;
    struct l2r_error error = {0};
    if (l2r_watched_stop(&w->loop)) return;
    enum l2r_status status = explain_one(&w->out[i], w, i, &error);
    pthread_mutex_lock(&w->lock);
    if (status != L2R_OK && (w->status == L2R_OK || i < w->failed)) {
        w->status = status;
        w->error = error;
        w->failed = i;
    }
    pthread_mutex_unlock(&w->lock);
    l2r_watched_add(&w->loop, 1);
}

/* The outputs of the whole model: answers [n × outputs], to be freed. */
static enum l2r_status predict_all(float **answers, const struct l2r_committee *model, const struct l2r_dataset *data,
                                   const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_tape tape;
    enum { BATCH = 64 };
    l2r_tape_init(&tape);
    *answers = l2r_alloc((size_t)n * (size_t)l2r_committee_outputs(model), sizeof **answers);
    if (!*answers) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %lld explanations", (long long)n);
    const struct l2r_committee_rows rows = {.output = *answers};
    L2R_TRY(l2r_committee_score(&rows, model, &tape, data, graphs, n, BATCH, error));
done:
    l2r_tape_clear(&tape);
    return status;
}

/* own: the data in the model's own numbers; data: in those of what is explained. */
static enum l2r_status explain(struct l2r_explanation *out, const struct l2r_subject *subject,
                               const struct l2r_dataset *own, const struct l2r_dataset *data, const int32_t *graphs,
                               int64_t n, const struct l2r_explain_settings *settings, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_explain_settings found = *settings;
    float *answers = NULL;
    struct work w = {.out = out,
                     .model = &subject->committee,
                     .data = data,
                     .n_members = subject->of->n,
                     .graphs = graphs,
                     .n = n,
                     .settings = &found,
                     .lock = PTHREAD_MUTEX_INITIALIZER};
    L2R_TRY(l2r_explain_check(&found, subject->of, data, error));
    L2R_TRY(predict_all(&answers, subject->of, own, graphs, n, error));
    w.answers = answers;
    l2r_watched_begin(&w.loop, "graphs explained", n);
    l2r_parallel(n, explain_chunk, &w);
    if (w.status != L2R_OK) status = l2r_fail(error, w.status, "%s", w.error.message);
    status = l2r_watched_end(&w.loop, status, error);
    if (status != L2R_OK) l2r_explanations_clear(out, n);
done:
    pthread_mutex_destroy(&w.lock);
    l2r_free(answers);
    return status;
}

enum l2r_status l2r_explain_committee(struct l2r_explanation *out, const struct l2r_committee *model,
                                      const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                      const struct l2r_explain_settings *settings, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_subject subject;
    for (int64_t i = 0; i < n; i++) out[i] = (struct l2r_explanation){0};
    L2R_TRY(l2r_subject_init(&subject, model, settings->explainer, error));
    L2R_TRY(explain(out, &subject, data, data, graphs, n, settings, error));
done:
    l2r_subject_clear(&subject);
    return status;
}

enum l2r_status l2r_explain_graphs(struct l2r_explanation *out, const struct l2r_predictor *predictor,
                                   const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                   const struct l2r_explain_settings *settings, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_committee *model = l2r_predictor_committee(predictor);
    struct l2r_dataset own, view;
    struct l2r_subject subject;
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    for (int64_t i = 0; i < n; i++) out[i] = (struct l2r_explanation){0};
    L2R_TRY(l2r_subject_init(&subject, model, settings->explainer, error));
    L2R_TRY(l2r_signature_view(&own, &arena, l2r_committee_signature(model), data, error));
    L2R_TRY(l2r_signature_view(&view, &arena, l2r_committee_signature(&subject.committee), data, error));
    L2R_TRY(explain(out, &subject, &own, &view, graphs, n, settings, error));
done:
    l2r_subject_clear(&subject);
    l2r_arena_clear(&arena);
    return status;
}
