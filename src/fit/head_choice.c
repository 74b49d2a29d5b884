/* SPDX-License-Identifier: MIT
 *
 * See head_choice.h.
 *
 *     read_part     x of a part: what the last layer reads, and the labels
 *     fit_all       every candidate head, scored on validation graphs
 *     decide        the best against the trained head
 *     compare       the same under controls, for the record
 */
#include "fit/head_choice.h"

#include "base/decimal.h"
#include "base/json.h"
#include "base/watch.h"
#include "fit/evidence.h"
#include "fit/linear_fit.h"
#include "model/group_scores.h"
#include "model/score.h"
#include "model/scored.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double penalties[] = {1e-2, 1e-4, 1e-6}; /* each solution is where the next fit begins */
enum { N_PENALTIES = sizeof penalties / sizeof *penalties, MOST_HEADS = N_PENALTIES * L2R_MOST_HEAD_WEIGHTS };

/* A part of the graphs as the last layer sees it. */
struct part {
    float *x; /* [n × d] */
    struct l2r_scored scored;
};

struct candidate {
    double *head; /* [(d + 1) × outputs], on standardised x */
    double penalty, valid, test;
    int weights; /* which of the method's */
};

struct choosing {
    struct l2r_trainer *trainer;
    int64_t d;
    int32_t outputs;
    float *z, *x;  /* [n × width], [n × d] of the training graphs; the same array for a plain linear head */
    float *output; /* [n × outputs] of the same */
    struct part valid, test;
    double trained_valid, trained_test;
    json_t *trained_groups; /* of the test graphs; NULL: not asked for */
    struct l2r_linear_fit fit;
    struct l2r_arena arena;
};

static enum l2r_status no_memory(struct l2r_error *error)
{
    return l2r_fail(error, L2R_ERR_MEMORY, "out of memory for the head fit");
}

/* ---- what is fitted and scored ---- */

static enum l2r_status read_part(struct part *p, struct choosing *c, int part, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = c->trainer;
    const int32_t *graphs = l2r_split_part(t->split, part);
    int64_t n = l2r_split_size(t->split, part);
    p->x = l2r_arena_alloc(&c->arena, (size_t)(n * c->d), sizeof *p->x);
    if (!p->x) return no_memory(error);
    L2R_TRY(
        l2r_scored_network(&p->scored, &t->network, &t->tape, t->data, graphs, n, t->options.eval_batch_size, error));
    const struct l2r_layers to = {.x = p->x};
    if (n > 0)
        L2R_TRY(l2r_score_layers(&to, &t->network, &t->tape, t->data, graphs, n, t->options.eval_batch_size, error));
done:
    return status;
}

static enum l2r_status read_training(struct choosing *c, struct l2r_error *error)
{
    struct l2r_trainer *t = c->trainer;
    const struct l2r_training_set *set = &t->set;
    bool plain = c->d == t->network.width && l2r_network_copy(&t->network)->head.n_hidden == 0;
    c->z = l2r_arena_alloc(&c->arena, (size_t)(set->n * t->network.width), sizeof *c->z);
    c->x = plain ? c->z : l2r_arena_alloc(&c->arena, (size_t)(set->n * c->d), sizeof *c->x);
    c->output = l2r_arena_alloc(&c->arena, (size_t)(set->n * c->outputs), sizeof *c->output);
    if (!c->z || !c->x || !c->output) return no_memory(error);
    const struct l2r_layers to = {.output = c->output, .z = c->z, .x = plain ? NULL : c->x};
    enum l2r_status status =
        l2r_score_layers(&to, &t->network, &t->tape, t->data, set->graphs, set->n, t->options.eval_batch_size, error);
    if (status != L2R_OK) return status;
    return l2r_linear_fit_init(&c->fit, &t->network, t->data, set->graphs, c->x, set->n, c->d, error);
}

/* Outputs of a part under a head, as l2r_score gives them: without class weights, in the targets' own units. */
static void answer(struct part *p, const struct choosing *c, const double *head)
{
    const struct l2r_signature *s = &c->trainer->network.signature;
    for (int64_t i = 0; i < p->scored.scores.n_graphs; i++)
        for (int32_t k = 0; k < c->outputs; k++) {
            double sum = head[c->d * c->outputs + k];
            for (int64_t j = 0; j < c->d; j++)
                sum += ((double)p->x[i * c->d + j] - c->fit.mean[j]) * c->fit.scale[j] * head[j * c->outputs + k];
            if (s->class_weight) sum -= log(s->class_weight[k]);
            if (s->task == L2R_TASK_REGRESSION) sum = l2r_target_unscaled(&s->target, k, sum);
            p->scored.output[i * c->outputs + k] = (float)sum;
        }
}

static enum l2r_status score(double *value, struct part *p, const struct choosing *c, const double *head,
                             struct l2r_error *error)
{
    answer(p, c, head);
    return l2r_scored_metric(value, &p->scored, c->trainer->metric, error);
}

/* Of the test graphs under a head (NULL: the trained one, before any other was tried): the object "more" of a result
 * with the worst group alone. New reference; NULL without labels. */
static enum l2r_status report_groups(json_t **more, struct choosing *c, const double *head, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_trainer *t = c->trainer;
    json_t *groups = NULL;
    *more = NULL;
    if (head) answer(&c->test, c, head);
    L2R_TRY(l2r_group_scores(&groups, &c->test.scored, t->data, l2r_split_part(t->split, L2R_PART_TEST),
                             l2r_split_size(t->split, L2R_PART_TEST), &t->environments, error));
    if (!groups) goto done;
    json_object_del(groups, "groups");
    *more = json_pack("{s:{s:o}}", "groups", "test", groups);
done:
    return status;
}

/* ---- candidates ---- */

static enum l2r_status fit_all(struct candidate *heads, int *n, struct choosing *c,
                               const struct l2r_head_weights *weights, bool with_test, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t size = (size_t)((c->d + 1) * c->outputs);
    struct l2r_watched loop;
    l2r_watched_begin(&loop, "heads fitted", (int64_t)weights->n * N_PENALTIES);
    *n = 0;
    for (int k = 0; k < weights->n; k++)
        for (int p = 0; p < N_PENALTIES && !l2r_watched_stop(&loop); p++) {
            struct candidate *one = &heads[*n];
            struct l2r_linear_report report;
            *one = (struct candidate){.head = l2r_arena_zeroed(&c->arena, size, sizeof *one->head),
                                      .penalty = penalties[p],
                                      .weights = k,
                                      .valid = NAN,
                                      .test = NAN};
            if (!one->head) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the head fit");
            if (p > 0) memcpy(one->head, heads[*n - 1].head, size * sizeof *one->head);
            l2r_linear_fit_solve(one->head, &report, &c->fit, weights->item[k].w, penalties[p]);
            L2R_TRY(score(&one->valid, &c->valid, c, one->head, error));
            if (with_test) L2R_TRY(score(&one->test, &c->test, c, one->head, error));
            ++*n;
            l2r_watched_add(&loop, 1);
        }
done:
    return l2r_watched_end(&loop, status, error);
}

/* The best candidate by validation; the first where there is no score. */
static int best_of(const struct candidate *heads, int n, const struct l2r_metric *metric)
{
    int best = -1;
    for (int k = 0; k < n; k++)
        if (best < 0 || l2r_metric_better(metric, heads[k].valid, heads[best].valid)) best = k;
    return best;
}

/* Of the best candidate against the trained head, whose outputs the network gives. */
static enum l2r_status weigh_evidence(struct l2r_evidence *e, struct choosing *c, const struct candidate *best,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = c->trainer;
    struct l2r_scored trained = {0};
    L2R_TRY(l2r_scored_network(&trained, &t->network, &t->tape, t->data, l2r_split_part(t->split, t->selector),
                               l2r_split_size(t->split, t->selector), t->options.eval_batch_size, error));
    answer(&c->valid, c, best->head);
    L2R_TRY(l2r_evidence_find(e, &c->valid.scored.scores, &trained.scores, t->metric, t->seed, error));
done:
    l2r_scored_clear(&trained);
    return status;
}

/* ---- the record ---- */

static json_t *report_candidates(const struct candidate *heads, int n, const struct l2r_head_weights *weights,
                                 bool with_test)
{
    json_t *list = json_array();
    for (int k = 0; k < n; k++) {
        json_t *one = json_pack("{s:o, s:f, s:o}", "ess", l2r_json_real(weights->item[heads[k].weights].ess), "penalty",
                                heads[k].penalty, "valid", l2r_json_real(heads[k].valid));
        if (with_test) json_object_set_new(one, "test", l2r_json_real(heads[k].test));
        json_array_append_new(list, one);
    }
    return list;
}

/* The result under these weights and the best candidate, as keys of an object. New reference. */
static json_t *report_choice(const struct candidate *heads, int n, const struct l2r_head_weights *weights, int best,
                             bool taken, const struct l2r_evidence *e, const struct choosing *c, bool with_test)
{
    const struct candidate *b = &heads[best];
    double ess = weights->item[b->weights].ess, left = weights->item[b->weights].left;
    json_t *found = json_pack("{s:o, s:f, s:o, s:o, s:o, s:o, s:o}", "ess", l2r_json_real(ess), "penalty", b->penalty,
                              "valid", l2r_json_real(b->valid), "better_by", l2r_json_real(e->difference),
                              "standard_error", l2r_json_real(e->error), "dependence_left", l2r_json_real(left),
                              "dependence_left_shuffled", l2r_json_real(weights->item[b->weights].shuffled));
    json_t *object = json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "weights", weights->kind, "taken", taken, "ess",
                               l2r_json_real(taken ? ess : 1), "dependence_left", l2r_json_real(taken ? left : 1),
                               "valid", l2r_json_real(taken ? b->valid : c->trained_valid), "best", found, "candidates",
                               report_candidates(heads, n, weights, with_test));
    if (with_test) json_object_set_new(object, "test", l2r_json_real(taken ? b->test : c->trained_test));
    return object;
}

/* The choice under one kind of weights, the method's where none are given, recorded in the object. */
static enum l2r_status choose_under(json_t **about, struct candidate *heads, int *best, bool *taken,
                                    struct l2r_head_weights *weights, struct l2r_evidence *e, struct choosing *c,
                                    const char *instead, bool with_test, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = c->trainer;
    int n;
    *about = NULL;
    *best = -1;
    if (weights->n == 0)
        L2R_TRY(t->method->head_weights(t->method_state, weights, &c->arena, instead, &t->network, &t->set, c->z,
                                        c->output, error));
    L2R_TRY(fit_all(heads, &n, c, weights, with_test, error));
    *best = best_of(heads, n, t->metric);
    if (*best < 0) goto done;
    L2R_TRY(weigh_evidence(e, c, &heads[*best], error));
    *taken = weights->always || l2r_evidence_is_clear(e);
    *about = report_choice(heads, n, weights, *best, *taken, e, c, with_test);
    if (with_test) {
        json_t *more = NULL;
        if (*taken)
            L2R_TRY(report_groups(&more, c, heads[*best].head, error));
        else
            more = json_incref(c->trained_groups);
        if (more) json_object_set_new(*about, "more", more);
    }
done:
    return status;
}

static enum l2r_status compare(json_t *about, struct choosing *c, struct l2r_error *error)
{
    static const char *const controls[] = {"ones", "shuffled", "groups", "root-groups"};
    enum l2r_status status = L2R_OK;
    json_t *all = json_object();
    json_object_set_new(about, "trained",
                        json_pack("{s:o, s:o, s:O*}", "valid", l2r_json_real(c->trained_valid), "test",
                                  l2r_json_real(c->trained_test), "more", c->trained_groups));
    json_object_set_new(about, "controls", all);
    for (size_t k = 0; k < sizeof controls / sizeof *controls; k++) {
        struct candidate heads[MOST_HEADS];
        struct l2r_head_weights weights = {0};
        struct l2r_evidence e;
        json_t *one;
        int best;
        bool taken, known = k >= 2;
        struct l2r_error reason = {0};
        status = choose_under(&one, heads, &best, &taken, &weights, &e, c, controls[k], true, &reason);
        if (known && status == L2R_ERR_ARGUMENT) { /* there are no known groups */
            status = L2R_OK;
            continue;
        }
        if (status != L2R_OK) L2R_FAIL(status, "%s", reason.message);
        if (one) json_object_set_new(all, controls[k], one);
    }
done:
    return status;
}

/* ---- the sentence ---- */

static void describe(struct l2r_head_choice *choice, const struct choosing *c, const struct candidate *b, bool taken,
                     const struct l2r_head_weights *weights, const struct l2r_evidence *e)
{
    const char *metric = c->trainer->metric->name, *lower = c->trainer->metric->higher_is_better ? "" : " lower";
    double ess = weights->item[b->weights].ess, left = weights->item[b->weights].left;
    const char *whose = ess > 0.999 && !isnan(left) ? "equal weights" : weights->whose;
    char cost[200] = "";
    if (ess <= 0.999 && !isnan(left))
        l2r_decimal_print(
            cost, sizeof cost,
            "; these leave %.0f %% of the dependence between variables, the same ones shuffled %.0f %%, and cost "
            "%.0f %% of the sample (ESS %.2f)",
            100 * left, 100 * weights->item[b->weights].shuffled, 100 * (1 - ess), ess);
    if (taken)
        l2r_decimal_print(choice->sentence, sizeof choice->sentence,
                          "head fit with %s: validation %s %.4g, trained head %.4g (%+.4f ± %.4f%s)%s", whose, metric,
                          e->value, e->other, e->difference, e->error, lower, cost);
    else
        l2r_decimal_print(choice->sentence, sizeof choice->sentence,
                          "head fit rejected, the model is that of plain training: no fitted head is better on the "
                          "validation graphs than the trained one by more than two standard errors (best, with %s: %s "
                          "%.4g, trained %.4g, %+.4f ± %.4f%s)",
                          whose, metric, e->value, e->other, e->difference, e->error, lower);
}

/* ---- the choice ---- */

static enum l2r_status keep_head(struct l2r_head_choice *choice, const struct choosing *c, const struct candidate *b,
                                 const double *w, struct l2r_error *error)
{
    struct l2r_trainer *t = c->trainer;
    size_t size = (size_t)((c->d + 1) * c->outputs);
    choice->head = l2r_alloc(size, sizeof *choice->head);
    if (!choice->head) return no_memory(error);
    l2r_linear_fit_unscale(choice->head, choice->head + c->d * c->outputs, &c->fit, b->head);
    choice->valid = b->valid;
    if (t->method->keep_head_weights) t->method->keep_head_weights(t->method_state, &t->set, w);
    return L2R_OK;
}

void l2r_head_take(const struct l2r_head_choice *choice, struct l2r_trainer *t)
{
    const struct l2r_linear *output = &l2r_network_copy(&t->network)->head.output;
    int64_t n = output->weight->rows * output->weight->cols;
    if (!choice->head) return;
    memcpy(output->weight->value, choice->head, (size_t)n * sizeof *choice->head);
    memcpy(output->bias->value, choice->head + n, (size_t)output->bias->cols * sizeof *choice->head);
    t->at.best_valid = choice->valid;
}

static enum l2r_status open_choosing(struct choosing *c, struct l2r_trainer *t, bool with_test, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    c->trainer = t;
    c->d = l2r_network_last_width(&t->network);
    c->outputs = l2r_signature_outputs(&t->network.signature);
    l2r_arena_init(&c->arena);
    L2R_TRY(read_training(c, error));
    L2R_TRY(read_part(&c->valid, c, t->selector, error));
    L2R_TRY(l2r_scored_metric(&c->trained_valid, &c->valid.scored, t->metric, error));
    if (!with_test) goto done;
    L2R_TRY(read_part(&c->test, c, L2R_PART_TEST, error));
    L2R_TRY(l2r_scored_metric(&c->trained_test, &c->test.scored, t->metric, error));
    L2R_TRY(report_groups(&c->trained_groups, c, NULL, error));
done:
    return status;
}

bool l2r_head_fit_is_enabled(const struct l2r_trainer *t)
{
    return t->method->head_weights != NULL;
}

/* given: weights to use in place of the method's, if there are any. */
static enum l2r_status choose(struct l2r_head_choice *choice, struct l2r_trainer *t,
                              const struct l2r_head_weights *given, bool with_test, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct choosing c = {0};
    struct candidate heads[MOST_HEADS];
    struct l2r_head_weights weights = *given;
    struct l2r_evidence e;
    int best;
    bool taken = false;
    choice->done = true;
    L2R_TRY(open_choosing(&c, t, with_test, error));
    L2R_TRY(choose_under(&choice->about, heads, &best, &taken, &weights, &e, &c, NULL, with_test, error));
    if (!choice->about) {
        choice->about = json_object();
        snprintf(choice->sentence, sizeof choice->sentence,
                 "no weights were learned: the model is that of plain training");
        goto done;
    }
    if (with_test) L2R_TRY(compare(choice->about, &c, error));
    if (taken) L2R_TRY(keep_head(choice, &c, &heads[best], weights.item[heads[best].weights].w, error));
    describe(choice, &c, &heads[best], taken, &weights, &e);
    if (isnan(e.difference))
        snprintf(choice->sentence, sizeof choice->sentence,
                 taken ? "head fit as requested; there are no validation graphs to compare it on"
                       : "head fit rejected, the model is that of plain training: there are no validation graphs to "
                         "compare heads on");
done:
    l2r_scored_clear(&c.valid.scored);
    l2r_scored_clear(&c.test.scored);
    json_decref(c.trained_groups);
    l2r_linear_fit_clear(&c.fit);
    l2r_arena_clear(&c.arena);
    return status;
}

enum l2r_status l2r_head_choose(struct l2r_head_choice *choice, struct l2r_trainer *t, struct l2r_error *error)
{
    static const struct l2r_head_weights none = {0};
    *choice = (struct l2r_head_choice){0};
    if (!l2r_head_fit_is_enabled(t)) return L2R_OK;
    bool with_test = l2r_config_has(t->config, "compare-controls") && l2r_config_flag(t->config, "compare-controls") &&
                     t->options.eval_test;
    return choose(choice, t, &none, with_test, error);
}

/* (Σw)² / (n Σw²) */
static double ess_of(const double *w, int64_t n)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) sum += w[i], squares += w[i] * w[i];
    return squares > 0 ? sum * sum / ((double)n * squares) : 0;
}

enum l2r_status l2r_head_choose_under(struct l2r_head_choice *choice, struct l2r_trainer *t, const double *w,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_head_weights given = {.n = 1, .always = true, .kind = "given", .whose = "given weights"};
    *choice = (struct l2r_head_choice){0};
    given.item[0].w = l2r_alloc((size_t)t->set.n, sizeof *w);
    if (!given.item[0].w) return no_memory(error);
    memcpy(given.item[0].w, w, (size_t)t->set.n * sizeof *w);
    given.item[0].ess = ess_of(w, t->set.n);
    given.item[0].left = given.item[0].shuffled = NAN;
    status = choose(choice, t, &given, false, error);
    l2r_free(given.item[0].w);
    return status;
}

void l2r_head_choice_clear(struct l2r_head_choice *choice)
{
    json_decref(choice->about);
    l2r_free(choice->head);
    *choice = (struct l2r_head_choice){0};
}
