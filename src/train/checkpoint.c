/* SPDX-License-Identifier: MIT
 * See checkpoint.h. */
#include "train/checkpoint.h"

#include "base/json.h"
#include "base/memory.h"
#include "data/fingerprint.h"
#include "io/safetensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef L2R_REAL_DOUBLE
static const enum l2r_dtype REAL = L2R_DTYPE_F64;
#else
static const enum l2r_dtype REAL = L2R_DTYPE_F32;
#endif

enum { MOST_METHOD_ARRAYS = 16, L2R_BEST_NAME = 160 };
static const int64_t most_steps = INT64_C(1) << 53; /* counts go on from here without overflow */

/* The first format had no checksum of the header and is read without. */
static const char format_now[] = "l2r-2", format_before[] = "l2r-1";

enum l2r_status l2r_snapshot_take(struct l2r_snapshot *s, const struct l2r_params *params, int64_t epoch,
                                  struct l2r_error *error)
{
    size_t values = (size_t)params->n_trainable, buffers = (size_t)params->n_buffer;
    if (!s->value) s->value = l2r_alloc_raw(values, sizeof *s->value);
    if (!s->buffer) s->buffer = l2r_alloc_raw(buffers, sizeof *s->buffer);
    if (!s->value || !s->buffer) return l2r_fail_memory(error, values * sizeof *s->value, "a copy of the model");
    memcpy(s->value, params->value, values * sizeof *s->value);
    memcpy(s->buffer, params->buffer, buffers * sizeof *s->buffer);
    s->epoch = epoch;
    return L2R_OK;
}

void l2r_snapshot_restore(const struct l2r_snapshot *s, struct l2r_params *params)
{
    memcpy(params->value, s->value, (size_t)params->n_trainable * sizeof *s->value);
    memcpy(params->buffer, s->buffer, (size_t)params->n_buffer * sizeof *s->buffer);
}

void l2r_snapshot_clear(struct l2r_snapshot *s)
{
    l2r_free(s->value);
    l2r_free(s->buffer);
    *s = (struct l2r_snapshot){0};
}

/* A file being put together: tensors and metadata that own their text. */
struct draft {
    struct l2r_tensor *tensors;
    size_t n;
    struct l2r_metadatum metadata[8];
    size_t n_metadata;
    char *texts[8];
    char names[MOST_METHOD_ARRAYS][96];
    char (*best_names)[L2R_BEST_NAME]; /* [params], or NULL */
};

/* Copies the text; out of memory shows as a NULL text when the draft is finished. */
static void add_text(struct draft *d, const char *key, const char *text)
{
    d->texts[d->n_metadata] = text ? l2r_strdup(text) : NULL;
    d->metadata[d->n_metadata] = (struct l2r_metadatum){key, d->texts[d->n_metadata]};
    d->n_metadata++;
}

static void add_json(struct draft *d, const char *key, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    add_text(d, key, text);
    free(text);
    json_decref(value);
}

static void add_array(struct draft *d, const char *name, const l2r_real *data, int64_t rows, int64_t cols)
{
    struct l2r_tensor tensor = {
        .name = name, .dtype = REAL, .n_dims = rows == 1 ? 1 : 2, .shape = {rows, cols}, .data = data};
    if (rows == 1) tensor.shape[0] = cols;
    d->tensors[d->n++] = tensor;
}

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
    return REAL;
}

/* The i-th array of the method's state under its name in the file; false when there are no more. */
static bool method_array(struct l2r_state_array *array, char name[96], const struct l2r_trainer *t, int i)
{
    if (i >= MOST_METHOD_ARRAYS || !t->method->state_array || !t->method->state_array(t->method_state, i, array))
        return false;
    snprintf(name, 96, "state.method.%s", array->name);
    return true;
}

static const l2r_real *snapshot_of(const struct l2r_snapshot *s, const struct l2r_params *params,
                                   const struct l2r_param *p)
{
    return p->trainable ? s->value + (p->value - params->value) : s->buffer + (p->value - params->buffer);
}

/* Parameters and buffers, from a snapshot or as they stand, with config and signature. */
static enum l2r_status draft_network(struct draft *d, const struct l2r_trainer *t, const struct l2r_snapshot *s,
                                     struct l2r_error *error)
{
    const struct l2r_params *params = &t->network.params;
    *d = (struct draft){.tensors = l2r_alloc(2 * params->count + MOST_METHOD_ARRAYS + 2, sizeof *d->tensors)};
    if (!d->tensors) return l2r_fail_memory(error, params->count * sizeof *d->tensors, "a checkpoint");
    for (size_t i = 0; i < params->count; i++) {
        const struct l2r_param *p = params->items[i];
        add_array(d, p->name, s ? snapshot_of(s, params, p) : p->value, p->rows, p->cols);
    }
    char split[17], data[17];
    snprintf(split, sizeof split, "%016" PRIx64, l2r_split_fingerprint(t->split));
    snprintf(data, sizeof data, "%016" PRIx64, l2r_dataset_fingerprint(t->data));
    add_text(d, "format", format_now);
    add_text(d, "split", split);
    add_text(d, "data", data);
    add_json(d, "config", l2r_config_to_json(t->config));
    add_json(d, "signature", l2r_signature_to_json(&t->network.signature));
    return L2R_OK;
}

/* The best model so far, so that a checkpoint is all that resuming needs. */
static enum l2r_status draft_best(struct draft *d, const struct l2r_params *params, const struct l2r_snapshot *best,
                                  struct l2r_error *error)
{
    d->best_names = l2r_alloc(params->count, sizeof *d->best_names);
    if (!d->best_names) return l2r_fail_memory(error, params->count * sizeof *d->best_names, "a checkpoint");
    for (size_t i = 0; i < params->count; i++) {
        const struct l2r_param *p = params->items[i];
        snprintf(d->best_names[i], sizeof *d->best_names, "best.%s", p->name);
        add_array(d, d->best_names[i], snapshot_of(best, params, p), p->rows, p->cols);
    }
    return L2R_OK;
}

static enum l2r_status draft_finish(struct draft *d, enum l2r_status status, const char *path, const char *keep,
                                    struct l2r_error *error)
{
    for (size_t i = 0; status == L2R_OK && i < d->n_metadata; i++)
        if (!d->texts[i]) status = l2r_fail_memory(error, 4096, "the metadata of a checkpoint");
    if (status == L2R_OK)
        status = l2r_safetensors_replace(path, keep, d->tensors, d->n, d->metadata, d->n_metadata, error);
    for (size_t i = 0; i < d->n_metadata; i++) l2r_free(d->texts[i]);
    l2r_free(d->tensors);
    l2r_free(d->best_names);
    return status;
}

enum l2r_status l2r_checkpoint_write(const char *path, const struct l2r_trainer *t, const struct l2r_snapshot *snapshot,
                                     double valid, struct l2r_error *error)
{
    struct draft d;
    char text[64];
    enum l2r_status status = draft_network(&d, t, snapshot, error);
    snprintf(text, sizeof text, "%" PRId64, snapshot->epoch);
    add_text(&d, "epoch", text);
    snprintf(text, sizeof text, "%.17g", valid);
    add_text(&d, "valid", text);
    return draft_finish(&d, status, path, NULL, error);
}

/* NULL: out of memory. A number that is not finite is null. */
static json_t *position_json(const struct l2r_trainer *t)
{
    const struct l2r_position *at = &t->at;
    return json_pack("{s:I, s:I, s:I, s:o, s:o, s:I, s:o, s:I, s:o}", "epoch", (json_int_t)at->epoch, "batch",
                     (json_int_t)at->batch, "step", (json_int_t)at->step, "loss_sum", l2r_json_real(at->loss_sum),
                     "best_valid", l2r_json_real(at->best_valid), "best_epoch", (json_int_t)at->best_epoch, "seconds",
                     l2r_json_real(at->seconds), "optimiser_steps", (json_int_t)t->optimiser.steps, "schedule",
                     l2r_schedule_to_json(&t->schedule));
}

enum l2r_status l2r_checkpoint_write_state(const char *path, const char *keep, const struct l2r_trainer *t,
                                           const struct l2r_snapshot *best, struct l2r_error *error)
{
    struct draft d;
    enum l2r_status status = draft_network(&d, t, NULL, error);
    if (status == L2R_OK) {
        struct l2r_state_array array;
        add_array(&d, "state.optimiser.m", t->optimiser.m, 1, t->optimiser.n);
        if (t->optimiser.v) add_array(&d, "state.optimiser.v", t->optimiser.v, 1, t->optimiser.n);
        for (int i = 0; method_array(&array, d.names[i < MOST_METHOD_ARRAYS ? i : 0], t, i); i++)
            d.tensors[d.n++] = (struct l2r_tensor){.name = d.names[i],
                                                   .dtype = dtype_of(array.kind),
                                                   .n_dims = 1,
                                                   .shape = {array.count},
                                                   .data = array.data};
    }
    if (status == L2R_OK && best && best->epoch > 0) status = draft_best(&d, &t->network.params, best, error);
    add_json(&d, "position", position_json(t));
    return draft_finish(&d, status, path, keep, error);
}

static enum l2r_status copy_array(l2r_real *out, const struct l2r_safetensors *file, const char *name, int64_t rows,
                                  int64_t cols, struct l2r_error *error)
{
    int64_t shape[2] = {rows, cols};
    return l2r_safetensors_copy(out, file, name, REAL, rows == 1 ? shape + 1 : shape, rows == 1 ? 1 : 2, error);
}

enum l2r_status l2r_checkpoint_open(struct l2r_safetensors **file, const char *path, struct l2r_error *error)
{
    enum l2r_status status = l2r_safetensors_read(file, path, error);
    if (status != L2R_OK) return status;
    const char *format = l2r_safetensors_metadata(*file, "format");
    bool now = format && strcmp(format, format_now) == 0, before = format && strcmp(format, format_before) == 0;
    if (before || (now && l2r_safetensors_is_sealed(*file))) return L2R_OK;
    if (now)
        status = l2r_fail(error, L2R_ERR_FORMAT, "%s: the header is damaged: a checksum is missing", path);
    else
        status = l2r_fail(error, L2R_ERR_FORMAT, "%s: not an l2r model (its format is \"%.40s\", expected \"%s\")",
                          path, format ? format : "", format_now);
    l2r_safetensors_free(*file);
    *file = NULL;
    return status;
}

enum l2r_status l2r_checkpoint_read_params(struct l2r_params *params, int64_t *epoch,
                                           const struct l2r_safetensors *file, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *when = l2r_safetensors_metadata(file, "epoch");
    for (size_t i = 0; i < params->count; i++) {
        struct l2r_param *p = params->items[i];
        L2R_TRY(copy_array(p->value, file, p->name, p->rows, p->cols, error));
    }
    if (epoch) *epoch = when ? strtoll(when, NULL, 10) : 0;
done:
    return status;
}

static bool read_integer(int64_t *out, const json_t *object, const char *key, int64_t most)
{
    const json_t *value = json_object_get(object, key);
    *out = json_integer_value(value);
    return json_is_integer(value) && *out >= 0 && *out <= most;
}

static enum l2r_status read_position(struct l2r_trainer *t, const struct l2r_safetensors *file, const char *path,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *object = NULL;
    const char *text = l2r_safetensors_metadata(file, "position");
    if (!text) L2R_FAIL(L2R_ERR_FORMAT, "%s: holds no position to resume from", path);
    L2R_TRY(l2r_json_parse(&object, text, strlen(text), path, error));
    struct l2r_position *at = &t->at;
    const json_t *best = json_object_get(object, "best_valid");
    bool good = read_integer(&at->epoch, object, "epoch", t->epochs) &&
                read_integer(&at->batch, object, "batch", l2r_trainer_batches(t)) &&
                read_integer(&at->step, object, "step", most_steps) &&
                read_integer(&at->best_epoch, object, "best_epoch", at->epoch) &&
                read_integer(&t->optimiser.steps, object, "optimiser_steps", most_steps);
    if (!good) L2R_FAIL(L2R_ERR_FORMAT, "%s: the position to resume from is out of range", path);
    at->loss_sum = json_number_value(json_object_get(object, "loss_sum"));
    at->seconds = json_number_value(json_object_get(object, "seconds"));
    if (json_is_number(best)) at->best_valid = json_number_value(best);
    L2R_TRY(l2r_schedule_from_json(&t->schedule, json_object_get(object, "schedule"), path, error));
done:
    json_decref(object);
    return status;
}

enum l2r_status l2r_checkpoint_read_best(struct l2r_snapshot *best, struct l2r_params *params, int64_t epoch,
                                         const struct l2r_safetensors *file, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char name[L2R_BEST_NAME];
    L2R_TRY(l2r_snapshot_take(best, params, epoch, error));
    for (size_t i = 0; i < params->count; i++) {
        const struct l2r_param *p = params->items[i];
        snprintf(name, sizeof name, "best.%s", p->name);
        l2r_real *out = best->value + (p->value - params->value);
        if (!p->trainable) out = best->buffer + (p->value - params->buffer);
        L2R_TRY(copy_array(out, file, name, p->rows, p->cols, error));
    }
done:
    return status;
}

enum l2r_status l2r_checkpoint_read_state(struct l2r_trainer *t, const struct l2r_safetensors *file, const char *path,
                                          struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_state_array array;
    char name[96];
    L2R_TRY(l2r_checkpoint_read_params(&t->network.params, NULL, file, error));
    L2R_TRY(copy_array(t->optimiser.m, file, "state.optimiser.m", 1, t->optimiser.n, error));
    if (t->optimiser.v) L2R_TRY(copy_array(t->optimiser.v, file, "state.optimiser.v", 1, t->optimiser.n, error));
    for (int i = 0; method_array(&array, name, t, i); i++)
        L2R_TRY(l2r_safetensors_copy(array.data, file, name, dtype_of(array.kind), &array.count, 1, error));
    if (t->method->loaded && !t->method->loaded(t->method_state))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the state of method %s is out of range", path, t->method->name);
    L2R_TRY(read_position(t, file, path, error));
done:
    return status;
}
