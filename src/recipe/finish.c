/* SPDX-License-Identifier: MIT
 * See recipe.h: from the networks of the fits to a model and what it scores. */
#include "base/json.h"
#include "model/calibrate.h"
#include "model/model_options.h"
#include "model/predictor.h"
#include "recipe/recipe.h"
#include "recipe/refit.h"
#include "recipe/summary.h"

#include <stdio.h>
#include <string.h>

/* The weights that the method of the first member has learned for the graphs of the data; none where it learns none. */
static enum l2r_status take_weights(struct l2r_trained *model, const struct l2r_trainer *t, struct l2r_error *error)
{
    struct l2r_state_array array;
    for (int i = 0; t->method->state_array && t->method->state_array(t->method_state, i, &array); i++) {
        if (strcmp(array.name, "weights") != 0 || array.kind != L2R_STATE_REAL) continue;
        model->weights = l2r_alloc_raw((size_t)array.count, sizeof *model->weights);
        if (!model->weights) return l2r_fail_memory(error, (size_t)array.count * sizeof(float), "weights of graphs");
        model->n_weights = array.count;
        for (int64_t g = 0; g < array.count; g++) model->weights[g] = (float)((const l2r_real *)array.data)[g];
        break;
    }
    return L2R_OK;
}

/* Members that learned nothing are left out of the mean where others predict each output; otherwise they stay. */
static void keep_one(struct l2r_trained *model)
{
    const struct l2r_signature *s = &model->networks[0]->signature;
    int32_t outputs = s->task == L2R_TASK_MULTICLASS ? 1 : l2r_signature_outputs(s);
    bool each = true;
    for (int32_t k = 0; k < outputs; k++) {
        bool any = false;
        for (int32_t m = 0; m < model->n; m++)
            any = any || l2r_network_can_predict(model->networks[m], s->task == L2R_TASK_MULTICLASS ? 0 : k);
        each = each && any;
    }
    for (int32_t m = 0; !each && m < model->n; m++) model->members[m]->network.signature.unlearned = false;
}

/* The members as validation chose them, or refitted. */
static enum l2r_status assemble(struct l2r_trained **model, struct l2r_recipe *r, bool refitted,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_trainer *t = &r->members[0].fit.trainer;
    L2R_TRY(l2r_trained_new(model, r->config, error));
    for (int k = 0; k < r->n; k++) {
        struct l2r_recipe_member *m = &r->members[k];
        struct l2r_member **from = refitted ? &m->refitted : &m->model, *taken = *from;
        *from = NULL;
        L2R_TRY(l2r_trained_take(*model, taken, error));
    }
    keep_one(*model);
    L2R_TRY(take_weights(*model, t, error));
    l2r_fingerprint_text((*model)->data, l2r_dataset_fingerprint(t->data));
    l2r_fingerprint_text((*model)->split, l2r_split_fingerprint(t->split));
    L2R_TRY(l2r_options_fingerprint((*model)->options, r->config, error));
    (*model)->epoch = r->members[0].best_epoch;
    (*model)->valid = t->at.best_valid;
done:
    return status;
}

enum l2r_status l2r_recipe_assemble(struct l2r_trained **model, struct l2r_recipe *r, struct l2r_error *error)
{
    return assemble(model, r, false, error);
}

/* Trees that had no exact label of a task are left out of its mean. */
static void note_unlearned(const struct l2r_trained *model, const struct l2r_callbacks *callbacks)
{
    char note[400];
    for (int32_t k = 0; k < model->n && model->n > 1; k++)
        for (int32_t task = 0; task < model->networks[k]->signature.n_tasks; task++) {
            const struct l2r_network *member = model->networks[k];
            const char *name = l2r_signature_task_name(&member->signature, task);
            if (member->signature.task == L2R_TASK_MULTICLASS || member->signature.unlearned ||
                l2r_network_can_predict(member, task))
                continue;
            snprintf(note, sizeof note,
                     "member %d (%s) is left out for task %d%s%.200s: no training graph has an exact label of it",
                     (int)k + 1, member->type->name, (int)task + 1, name ? ", " : "", name ? name : "");
            l2r_summary_note(callbacks, note);
        }
}

/* Fits the calibration on validation graphs and puts it into the model. */
static enum l2r_status calibrate(struct l2r_recipe *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &r->members[0].fit.trainer;
    int32_t left_out;
    char sentence[160];
    const char *how = r->options.calibrate;
    const struct l2r_committee c = l2r_trained_committee(r->model);
    int64_t n = l2r_split_size(t->split, L2R_PART_VALID);
    L2R_TRY(l2r_committee_calibrate(&r->model->calibration, &left_out, &r->model->arena, &c, how, r->options.coverage,
                                    &t->tape, t->data, l2r_split_part(t->split, L2R_PART_VALID), n,
                                    t->options.eval_batch_size, error));
    snprintf(sentence, sizeof sentence, "%d of %d outputs are not calibrated: all their validation labels are equal",
             left_out, l2r_committee_outputs(&c));
    if (left_out > 0) l2r_summary_note(r->callbacks, sentence);
    if (strcmp(how, "none") != 0 && n == 0)
        l2r_summary_note(r->callbacks, "there are no validation graphs to calibrate on: outputs stay as they are");
done:
    return status;
}

/* Without it the model lacks the applicability columns of `l2r predict` and nothing else. But a lack of memory is not a
 * property of the model: the run fails, and can resume from its checkpoint. */
static enum l2r_status make_domain(struct l2r_recipe *r, struct l2r_error *error)
{
    struct l2r_error reason = {0};
    char sentence[640];
    struct l2r_trainer *t = &r->members[0].fit.trainer;
    const struct l2r_committee c = l2r_trained_committee(r->model);
    if (l2r_applicability_make(&r->model->domain, &c, &t->tape, t->data, t->split, t->options.eval_batch_size,
                               &reason) == L2R_OK)
        return L2R_OK;
    if (reason.status == L2R_ERR_MEMORY) return l2r_fail(error, reason.status, "%s", reason.message);
    snprintf(sentence, sizeof sentence, "the model has no applicability domain: %.500s", reason.message);
    l2r_summary_note(r->callbacks, sentence);
    return L2R_OK;
}

/* The refitted members take the place of the chosen ones, whose calibration they keep. */
static enum l2r_status take_refitted(struct l2r_recipe *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    r->chosen = r->model;
    r->model = NULL;
    L2R_TRY(assemble(&r->model, r, true, error));
    if (r->chosen->calibration) r->model->calibration = l2r_calibration_copy(&r->model->arena, r->chosen->calibration);
    if (r->chosen->calibration && !r->model->calibration) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a calibration");
    L2R_TRY(l2r_trained_checksum(r->model->chosen, r->chosen, error));
    L2R_TRY(make_domain(r, error));
done:
    return status;
}

static enum l2r_status score(struct l2r_result *result, struct l2r_recipe *r, unsigned parts, struct l2r_error *error)
{
    const struct l2r_committee c = l2r_trained_committee(r->model);
    enum l2r_status status = l2r_result_make(result, &r->members[0].fit, &c, parts, error);
    return status == L2R_OK ? l2r_result_select(result, &r->members[0].fit, error) : status;
}

/* How each member was trained, as more.members, and what all of them took. */
static enum l2r_status add_members(struct l2r_result *result, const struct l2r_recipe *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *list = json_array();
    result->seconds = 0;
    result->n_parameters = 0;
    for (int k = 0; k < r->n; k++) {
        const struct l2r_recipe_member *m = &r->members[k];
        result->seconds += m->seconds;
        result->n_parameters += m->n_parameters;
        json_t *one =
            json_pack("{s:s, s:I, s:I, s:I, s:I, s:f}", "model", m->options.model, "seed", (json_int_t)m->options.seed,
                      "epochs", (json_int_t)m->epochs, "best_epoch", (json_int_t)m->best_epoch, "n_parameters",
                      (json_int_t)m->n_parameters, "seconds", m->seconds);
        L2R_TRY(l2r_json_add(list, one, error));
    }
    if (r->n > 1) L2R_TRY(l2r_json_set(result->more, "members", json_incref(list), error));
done:
    json_decref(list);
    return status;
}

enum l2r_status l2r_recipe_finish(struct l2r_recipe *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const unsigned all = ~0U, validation = 1U << L2R_PART_VALID | 1U << L2R_PART_ID_VALID;
    const struct l2r_recipe_member *first = &r->members[0];
    struct l2r_result chosen = {0};
    L2R_TRY(assemble(&r->model, r, false, error));
    note_unlearned(r->model, r->callbacks);
    L2R_TRY(calibrate(r, error));
    if (first->best_epoch > 0) L2R_TRY(make_domain(r, error));
    bool refitted = r->refits && first->best_epoch > 0;
    if (refitted) L2R_TRY(score(&chosen, r, ~(1U << L2R_PART_TRAIN), error));
    if (refitted) L2R_TRY(take_refitted(r, error));
    L2R_TRY(score(&r->result, r, refitted ? ~validation : all, error));
    if (refitted) L2R_TRY(l2r_refit_settle(&r->result, &chosen, r, error));
    L2R_TRY(l2r_result_conclude(&r->result, &first->fit, error));
    L2R_TRY(add_members(&r->result, r, error));
done:
    l2r_result_clear(&chosen);
    return status;
}
