/* SPDX-License-Identifier: MIT
 * See result.h. */
#include "recipe/result.h"

#include "base/json.h"
#include "base/threads.h"
#include "model/group_scores.h"
#include "model/scored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void l2r_result_clear(struct l2r_result *result)
{
    json_decref(result->more);
    json_decref(result->conclusion);
    l2r_history_clear(&result->history);
    l2r_config_free(result->config);
    l2r_split_clear(&result->split);
    l2r_free(result->weights);
    l2r_trained_free(result->chosen);
    *result = (struct l2r_result){0};
}

void l2r_result_copy_scores(struct l2r_result *to, const struct l2r_result *from)
{
    *to = *from;
    to->history = (struct l2r_history){0};
    to->split = (struct l2r_split){0};
    to->config = NULL;
    to->weights = NULL;
    to->n_weights = 0;
    to->chosen = NULL;
    json_incref(to->more);
    json_incref(to->conclusion);
}

double l2r_result_part(const struct l2r_result *r, int part)
{
    const double values[L2R_N_PARTS] = {r->train, r->valid, r->test, r->id_valid, r->id_test};
    return values[part];
}

int l2r_result_n_parts(const struct l2r_result *r)
{
    bool more = r && (json_object_get(r->more, "id-valid") || json_object_get(r->more, "id-test"));
    return more ? L2R_N_PARTS : L2R_PART_TEST + 1;
}

double l2r_result_selected(const struct l2r_result *r)
{
    return r->by_id_valid ? r->id_valid : r->valid;
}

/* more.groups.PART: scores by class and environment. */
static enum l2r_status add_groups(struct l2r_result *result, const struct l2r_trainer *t, int part,
                                  const struct l2r_scored *scored, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *groups = NULL, *all = json_object_get(result->more, "groups");
    L2R_TRY(l2r_group_scores(&groups, scored, t->data, l2r_split_part(t->split, part), l2r_split_size(t->split, part),
                             &t->environments, error));
    if (!all) L2R_TRY(l2r_json_set(result->more, "groups", all = json_object(), error));
    if (groups) L2R_TRY(l2r_json_set(all, l2r_part_name(part), json_incref(groups), error));
done:
    json_decref(groups);
    return status;
}

static bool is_scored(const struct l2r_trainer *t, int part)
{
    bool tests = part == L2R_PART_TEST || part == L2R_PART_ID_TEST;
    return part < l2r_split_parts(t->split) && (!tests || t->options.eval_test);
}

static enum l2r_status score_part(double *value, struct l2r_result *result, struct l2r_trainer *t,
                                  const struct l2r_committee *model, int part, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_scored scored = {0};
    json_t *report = NULL;
    L2R_TRY(l2r_scored_make(&scored, model, &t->tape, t->data, l2r_split_part(t->split, part),
                            l2r_split_size(t->split, part), t->options.eval_batch_size, error));
    L2R_TRY(l2r_scored_metric(value, &scored, t->metric, error));
    L2R_TRY(l2r_scored_report(&report, &scored, NULL, error));
    L2R_TRY(l2r_json_set(result->more, l2r_part_name(part), report, error));
    if (part != L2R_PART_TRAIN)
        L2R_TRY(l2r_report_members(report, model, &t->tape, t->data, l2r_split_part(t->split, part),
                                   l2r_split_size(t->split, part), t->options.eval_batch_size, NULL, error));
    if (t->environments.n > 0) L2R_TRY(add_groups(result, t, part, &scored, error));
done:
    l2r_scored_clear(&scored);
    return status;
}

enum l2r_status l2r_result_make(struct l2r_result *result, struct l2r_fit *fit, const struct l2r_committee *model,
                                unsigned parts, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &fit->trainer;
    *result = (struct l2r_result){.best_epoch = t->at.best_epoch,
                                  .epochs = t->at.epoch,
                                  .seconds = t->at.seconds,
                                  .graphs_per_second = l2r_fit_speed(fit),
                                  .n_parameters = t->network.params.n_trainable,
                                  .train = (double)NAN,
                                  .valid = (double)NAN,
                                  .test = (double)NAN,
                                  .id_valid = (double)NAN,
                                  .id_test = (double)NAN,
                                  .by_id_valid = t->selector == L2R_PART_ID_VALID,
                                  .more = json_object()};
    snprintf(result->metric, sizeof result->metric, "%s", t->metric->name);
    snprintf(result->vector, sizeof result->vector, "%s", l2r_vector_width());
    double *values[L2R_N_PARTS] = {&result->train, &result->valid, &result->test, &result->id_valid, &result->id_test};
    for (int part = 0; part < L2R_N_PARTS; part++)
        if (is_scored(t, part) && (parts >> part & 1)) L2R_TRY(score_part(values[part], result, t, model, part, error));
done:
    return status;
}

/* The scores of the network as it stands, outside of training. */
static enum l2r_status score_choice(json_t *choice, struct l2r_trainer *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_scored scored = {0};
    for (int part = L2R_PART_VALID; part < L2R_N_PARTS; part++) {
        double value = (double)NAN;
        if (!is_scored(t, part)) continue;
        L2R_TRY(l2r_scored_network(&scored, &t->network, &t->tape, t->data, l2r_split_part(t->split, part),
                                   l2r_split_size(t->split, part), t->options.eval_batch_size, error));
        L2R_TRY(l2r_scored_metric(&value, &scored, t->metric, error));
        L2R_TRY(l2r_json_set(choice, l2r_part_name(part), l2r_json_real(value), error));
        l2r_scored_clear(&scored);
    }
done:
    l2r_scored_clear(&scored);
    return status;
}

enum l2r_status l2r_result_select(struct l2r_result *result, struct l2r_fit *fit, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &fit->trainer;
    const struct l2r_snapshot *best = &fit->best, *other = &fit->other;
    if (l2r_trainer_other(t) < 0 || other->epoch == 0 || best->epoch == 0) return L2R_OK;
    json_t *own = json_object(), *another = json_object();
    bool by_id = t->selector == L2R_PART_ID_VALID;
    json_t *both = json_pack("{s:o, s:o}", "id-valid", by_id ? own : another, "ood-valid", by_id ? another : own);
    L2R_TRY(l2r_json_set(result->more, "selections", both, error));
    L2R_TRY(l2r_json_set(own, "best_epoch", json_integer(best->epoch), error));
    L2R_TRY(l2r_json_set(another, "best_epoch", json_integer(other->epoch), error));
    for (int part = L2R_PART_VALID; part < L2R_N_PARTS; part++)
        if (is_scored(t, part))
            L2R_TRY(l2r_json_set(own, l2r_part_name(part), l2r_json_real(l2r_result_part(result, part)), error));
    if (other->epoch == best->epoch) {
        if (json_object_update(another, own) != 0) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the selections");
        goto done;
    }
    l2r_snapshot_restore(other, &t->network.params);
    status = score_choice(another, t, error);
    l2r_snapshot_restore(best, &t->network.params);
done:
    return status;
}

/* Adds the weights' strength to the results of the head fit. */
static void add_head(json_t *about, const struct l2r_head_choice *head)
{
    static const char *const keys[] = {"ess", "dependence_left"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(head->about, keys[i]);
        if (value) l2r_json_put(about, keys[i], json_incref(value));
    }
    l2r_json_put(about, "head", json_incref(head->about));
}

enum l2r_status l2r_result_conclude(struct l2r_result *result, const struct l2r_fit *fit, struct l2r_error *error)
{
    const struct l2r_trainer *t = &fit->trainer;
    const struct l2r_head_choice *head = &fit->head;
    char sentence[480] = "";
    if (!t->method->conclude && !head->done) return L2R_OK;
    (void)l2r_work_failed();
    json_t *about = json_object();
    if (t->method->conclude) t->method->conclude(t->method_state, about, sentence, sizeof sentence);
    if (head->done) add_head(about, head);
    if (head->done) snprintf(sentence, sizeof sentence, "%s", head->sentence);
    if (*sentence) l2r_json_put(about, "sentence", json_string(sentence));
    result->conclusion = about;
    return l2r_work_failed() ? l2r_fail(error, L2R_ERR_MEMORY, "out of memory: the conclusion of a run") : L2R_OK;
}

json_t *l2r_result_to_json(const struct l2r_result *r)
{
    json_t *object = json_object();
    (void)l2r_work_failed();
    l2r_json_put(object, "metric", json_string(r->metric));
    l2r_json_put(object, "train", l2r_json_real(r->train));
    l2r_json_put(object, "valid", l2r_json_real(r->valid));
    l2r_json_put(object, "test", l2r_json_real(r->test));
    for (int p = L2R_PART_TEST + 1; p < l2r_result_n_parts(r); p++)
        l2r_json_put(object, l2r_part_name(p), l2r_json_real(l2r_result_part(r, p)));
    if (r->by_id_valid) l2r_json_put(object, "select", json_string("id-valid"));
    l2r_json_put(object, "best_epoch", json_integer(r->best_epoch));
    l2r_json_put(object, "epochs", json_integer(r->epochs));
    l2r_json_put(object, "seconds", l2r_json_real(r->seconds));
    l2r_json_put(object, "graphs_per_second", l2r_json_real(r->graphs_per_second));
    l2r_json_put(object, "n_parameters", json_integer(r->n_parameters));
    if (*r->vector) l2r_json_put(object, "vector", json_string(r->vector));
    l2r_json_put(object, "more", json_incref(r->more));
    if (r->conclusion) l2r_json_put(object, "conclusion", json_incref(r->conclusion));
    if (!l2r_work_failed()) return object;
    json_decref(object);
    return NULL;
}
