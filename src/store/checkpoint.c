/* SPDX-License-Identifier: MIT
 * See checkpoint.h. */
#include "store/checkpoint.h"

#include "base/json.h"
#include "data/dataset.h"
#include "fit/phases.h"
#include "model/trained.h"

#include <stdio.h>
#include <string.h>

enum { MOST_METHOD_ARRAYS = 16, LONGEST_NAME = 160 };
static const int64_t most_steps = INT64_C(1) << 53; /* counts go on from here without overflow */

static enum l2r_dtype dtype_of(enum l2r_state_kind kind)
{
    switch (kind) {
    case L2R_STATE_F64:
        return L2R_DTYPE_F64;
    case L2R_STATE_I32:
        return L2R_DTYPE_I32;
    case L2R_STATE_I64:
        return L2R_DTYPE_I64;
    case L2R_STATE_REAL:
        break;
    }
    return l2r_dtype_real;
}

/* The parts of a fit that save arrays in a checkpoint, beside the optimiser. */
enum { OF_METHOD, OF_AVERAGE, OWNERS };

/* The i-th array of the owner's state under its name in the file; false when there are no more. */
static bool state_array(struct l2r_state_array *array, char name[96], const struct l2r_trainer *t, int owner, int i)
{
    if (owner == OF_AVERAGE && !l2r_averaging_array(&t->averaging, i, array)) return false;
    if (owner == OF_METHOD &&
        (i >= MOST_METHOD_ARRAYS || !t->method->state_array || !t->method->state_array(t->method_state, i, array)))
        return false;
    snprintf(name, 96, "state.%s.%s", owner == OF_METHOD ? "method" : "average", array->name);
    return true;
}

/* NULL: out of memory. A number that is not finite is null. */
static json_t *position_json(const struct l2r_trainer *t)
{
    const struct l2r_position *at = &t->at;
    json_t *object =
        json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:I, s:o, s:I, s:o}", "epoch", (json_int_t)at->epoch, "batch",
                  (json_int_t)at->batch, "step", (json_int_t)at->step, "loss_sum", l2r_json_real(at->loss_sum),
                  "objective_sum", l2r_json_real(at->objective_sum), "best_valid", l2r_json_real(at->best_valid),
                  "best_epoch", (json_int_t)at->best_epoch, "seconds", l2r_json_real(at->seconds), "optimiser_steps",
                  (json_int_t)t->optimiser.steps, "schedule", l2r_schedule_to_json(&t->schedule));
    if (object && at->other_epoch > 0)
        json_object_update_new(object, json_pack("{s:o, s:I}", "other_valid", l2r_json_real(at->other_valid),
                                                 "other_epoch", (json_int_t)at->other_epoch));
    if (object && at->phase > 0)
        json_object_update_new(object,
                               json_pack("{s:I, s:I, s:I}", "phase", (json_int_t)at->phase, "phase_epoch",
                                         (json_int_t)at->phase_epoch, "phase_step", (json_int_t)at->phase_step));
    return object;
}

void l2r_checkpoint_draft(struct l2r_draft *draft, const struct l2r_fit *fit, const char *options)
{
    const struct l2r_trainer *t = &fit->trainer;
    const struct l2r_optimiser *opt = &t->optimiser;
    struct l2r_state_array array;
    char name[96], data[L2R_FINGERPRINT_TEXT], split[L2R_FINGERPRINT_TEXT];
    l2r_fingerprint_text(data, l2r_dataset_fingerprint(t->data));
    l2r_fingerprint_text(split, l2r_split_fingerprint(t->split));
    l2r_draft_begin(draft, l2r_format_checkpoint, t->config, data, split);
    l2r_draft_network(draft, "", &t->network);
    l2r_draft_array(draft, "state.optimiser.", "m", l2r_dtype_real, opt->m, opt->n);
    if (opt->v) l2r_draft_array(draft, "state.optimiser.", "v", l2r_dtype_real, opt->v, opt->n);
    for (int owner = 0; owner < OWNERS; owner++)
        for (int i = 0; state_array(&array, name, t, owner, i); i++)
            l2r_draft_array(draft, "", name, dtype_of(array.kind), array.data, array.count);
    if (fit->best.epoch > 0) l2r_draft_snapshot(draft, "best.", &t->network.params, &fit->best);
    if (fit->other.epoch > 0) l2r_draft_snapshot(draft, "other.", &t->network.params, &fit->other);
    l2r_draft_json(draft, "position", position_json(t));
    l2r_draft_json(draft, "history", json_incref(fit->history));
    l2r_draft_text(draft, "run", options);
}

enum l2r_status l2r_checkpoint_write(const char *path, const char *keep, const struct l2r_fit *fit, const char *options,
                                     struct l2r_error *error)
{
    struct l2r_draft draft;
    l2r_checkpoint_draft(&draft, fit, options);
    return l2r_draft_finish(&draft, path, keep, error);
}

static bool is_noted(const struct l2r_safetensors *file, const char *key, uint64_t fingerprint)
{
    char found[L2R_FINGERPRINT_TEXT];
    const char *expected = l2r_safetensors_metadata(file, key);
    l2r_fingerprint_text(found, fingerprint);
    return expected && strcmp(found, expected) == 0;
}

bool l2r_checkpoint_is_of(const struct l2r_safetensors *file, const struct l2r_fit *fit)
{
    const struct l2r_trainer *t = &fit->trainer;
    return is_noted(file, "data", l2r_dataset_fingerprint(t->data)) &&
           is_noted(file, "split", l2r_split_fingerprint(t->split));
}

static bool read_integer(int64_t *out, const json_t *object, const char *key, int64_t most)
{
    const json_t *value = json_object_get(object, key);
    *out = json_integer_value(value);
    return json_is_integer(value) && *out >= 0 && *out <= most;
}

static enum l2r_status read_phase(struct l2r_trainer *t, const json_t *object, const char *path,
                                  struct l2r_error *error)
{
    int64_t phase;
    struct l2r_error reason = {0};
    if (!read_integer(&phase, object, "phase", INT32_MAX) ||
        !read_integer(&t->at.phase_epoch, object, "phase_epoch", t->at.epoch) ||
        !read_integer(&t->at.phase_step, object, "phase_step", most_steps) ||
        l2r_phase_enter(t, phase, &reason) != L2R_OK)
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: the phase to resume from is out of range", path);
    return L2R_OK;
}

static enum l2r_status read_position(struct l2r_fit *fit, const struct l2r_safetensors *file, const char *path,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &fit->trainer;
    json_t *object = NULL;
    const char *text = l2r_safetensors_metadata(file, "position");
    if (!text) L2R_FAIL(L2R_ERR_FORMAT, "%s: holds no position to resume from", path);
    L2R_TRY(l2r_json_parse(&object, text, strlen(text), path, error));
    struct l2r_position *at = &t->at;
    const json_t *best = json_object_get(object, "best_valid");
    if (!read_integer(&at->epoch, object, "epoch", fit->is_open ? most_steps : t->epochs))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the epoch to resume from is out of range", path);
    if (json_object_get(object, "phase")) L2R_TRY(read_phase(t, object, path, error));
    l2r_trainer_shuffle(t); /* how many batches there are may depend on the phase */
    bool good = read_integer(&at->batch, object, "batch", l2r_trainer_batches(t)) &&
                read_integer(&at->step, object, "step", most_steps) &&
                read_integer(&at->best_epoch, object, "best_epoch", at->epoch + (fit->is_open && at->batch > 0)) &&
                read_integer(&t->optimiser.steps, object, "optimiser_steps", most_steps);
    if (!good) L2R_FAIL(L2R_ERR_FORMAT, "%s: the position to resume from is out of range", path);
    at->loss_sum = json_number_value(json_object_get(object, "loss_sum"));
    at->objective_sum = json_number_value(json_object_get(object, "objective_sum"));
    at->seconds = json_number_value(json_object_get(object, "seconds"));
    if (json_is_number(best)) at->best_valid = json_number_value(best);
    if (json_object_get(object, "other_epoch")) {
        at->other_valid = json_number_value(json_object_get(object, "other_valid"));
        if (!read_integer(&at->other_epoch, object, "other_epoch", at->epoch + (fit->is_open && at->batch > 0)))
            L2R_FAIL(L2R_ERR_FORMAT, "%s: the epoch that the other validation part chose is out of range", path);
    }
    L2R_TRY(l2r_schedule_from_json(&t->schedule, json_object_get(object, "schedule"), path, error));
done:
    json_decref(object);
    return status;
}

/* The model under `prefix` ("best.", "other."), of `epoch`. */
static enum l2r_status read_snapshot(struct l2r_snapshot *snapshot, const char *prefix, struct l2r_params *params,
                                     int64_t epoch, const struct l2r_safetensors *file, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char name[LONGEST_NAME];
    L2R_TRY(l2r_snapshot_take(snapshot, params, epoch, error));
    for (size_t i = 0; i < params->count; i++) {
        const struct l2r_param *p = params->items[i];
        snprintf(name, sizeof name, "%s%s", prefix, p->name);
        l2r_real *out = snapshot->value + (p->value - params->value);
        if (!p->trainable) out = snapshot->buffer + (p->value - params->buffer);
        L2R_TRY(l2r_model_file_copy(out, file, name, p->rows, p->cols, error));
    }
done:
    return status;
}

/* A line for each epoch that is done. */
static enum l2r_status read_history(struct l2r_fit *fit, const struct l2r_safetensors *file, const char *path,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *history = NULL;
    const char *text = l2r_safetensors_metadata(file, "history");
    if (text) L2R_TRY(l2r_json_parse(&history, text, strlen(text), path, error));
    bool sound = json_is_array(history) && json_array_size(history) == (size_t)fit->trainer.at.epoch;
    for (size_t i = 0; sound && i < json_array_size(history); i++) {
        const json_t *epoch = json_object_get(json_array_get(history, i), "epoch");
        sound = json_is_integer(epoch) && json_integer_value(epoch) == (json_int_t)i + 1;
    }
    if (!sound) L2R_FAIL(L2R_ERR_FORMAT, "%s: its history is not that of the epochs that it has trained", path);
    json_decref(fit->history);
    fit->history = json_incref(history);
done:
    json_decref(history);
    return status;
}

enum l2r_status l2r_checkpoint_read(struct l2r_fit *fit, const struct l2r_safetensors *file, const char *path,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trainer *t = &fit->trainer;
    struct l2r_state_array array;
    char name[96];
    L2R_TRY(l2r_model_file_read_network(&t->network, "", file, error));
    L2R_TRY(l2r_model_file_copy(t->optimiser.m, file, "state.optimiser.m", 1, t->optimiser.n, error));
    if (t->optimiser.v)
        L2R_TRY(l2r_model_file_copy(t->optimiser.v, file, "state.optimiser.v", 1, t->optimiser.n, error));
    for (int owner = 0; owner < OWNERS; owner++)
        for (int i = 0; state_array(&array, name, t, owner, i); i++)
            L2R_TRY(l2r_safetensors_copy(array.data, file, name, dtype_of(array.kind), &array.count, 1, error));
    if (t->method->loaded && !t->method->loaded(t->method_state))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the state of method %s is out of range", path, t->method->name);
    if (!l2r_averaging_loaded(&t->averaging))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the averages of the parameters are out of range", path);
    L2R_TRY(read_position(fit, file, path, error));
    L2R_TRY(read_history(fit, file, path, error));
    if (t->at.best_epoch > 0)
        L2R_TRY(read_snapshot(&fit->best, "best.", &t->network.params, t->at.best_epoch, file, error));
    if (t->at.other_epoch > 0)
        L2R_TRY(read_snapshot(&fit->other, "other.", &t->network.params, t->at.other_epoch, file, error));
done:
    return status;
}
