/* SPDX-License-Identifier: MIT
 * See model_file.h. */
#include "predict/model_file.h"

#include "base/decimal.h"
#include "base/json.h"
#include "base/memory.h"
#include "data/dataset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef L2R_REAL_DOUBLE
const enum l2r_dtype l2r_dtype_real = L2R_DTYPE_F64;
#else
const enum l2r_dtype l2r_dtype_real = L2R_DTYPE_F32;
#endif

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

/* prefix + name, owned by the draft; NULL when memory is short. */
static const char *own_name(struct l2r_draft *d, const char *prefix, const char *name)
{
    size_t size = strlen(prefix) + strlen(name) + 1;
    char *text = l2r_arena_alloc(&d->arena, size, 1);
    if (text) snprintf(text, size, "%s%s", prefix, name);
    return text;
}

static void add_tensor(struct l2r_draft *d, const char *prefix, struct l2r_tensor tensor)
{
    tensor.name = own_name(d, prefix, tensor.name);
    if (!tensor.name || !l2r_array_add(&d->tensors, &tensor, 1, sizeof tensor)) d->failed = true;
}

static void add_param(struct l2r_draft *d, const char *prefix, const struct l2r_param *p, const l2r_real *data)
{
    struct l2r_tensor tensor = {.name = p->name, .dtype = l2r_dtype_real, .shape = {p->rows, p->cols}, .data = data};
    tensor.n_dims = p->rows == 1 ? 1 : 2;
    if (p->rows == 1) tensor.shape[0] = p->cols;
    add_tensor(d, prefix, tensor);
}

void l2r_draft_array(struct l2r_draft *d, const char *prefix, const char *name, enum l2r_dtype dtype, const void *data,
                     int64_t n)
{
    add_tensor(d, prefix, (struct l2r_tensor){.name = name, .dtype = dtype, .n_dims = 1, .shape = {n}, .data = data});
}

void l2r_draft_text(struct l2r_draft *d, const char *key, const char *text)
{
    struct l2r_metadatum item = {key, text ? l2r_arena_strdup(&d->arena, text) : NULL};
    if (!item.text || !l2r_array_add(&d->metadata, &item, 1, sizeof item)) d->failed = true;
}

void l2r_draft_json(struct l2r_draft *d, const char *key, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    l2r_draft_text(d, key, text);
    free(text);
    json_decref(value);
}

void l2r_draft_snapshot(struct l2r_draft *d, const char *prefix, const struct l2r_params *params,
                        const struct l2r_snapshot *s)
{
    for (size_t i = 0; i < params->count; i++) {
        const struct l2r_param *p = params->items[i];
        const l2r_real *data = p->value;
        if (s) data = p->trainable ? s->value + (p->value - params->value) : s->buffer + (p->value - params->buffer);
        add_param(d, prefix, p, data);
    }
}

static void draft_learned(struct l2r_draft *d, const struct l2r_network *network)
{
    if (network->type->save && network->type->save(&d->tensors, &d->arena, network->model, NULL) != L2R_OK)
        d->failed = true;
}

static void begin(struct l2r_draft *d, const struct l2r_network *network, const struct l2r_config *config,
                  const char *data, const char *split, const struct l2r_snapshot *s)
{
    *d = (struct l2r_draft){0};
    l2r_arena_init(&d->arena);
    l2r_draft_snapshot(d, "", &network->params, s);
    draft_learned(d, network);
    for (int32_t k = 0; k < network->n_members; k++) {
        char name[32];
        snprintf(name, sizeof name, "%d", (int)k + 2);
        l2r_draft_array(d, "member.", name, L2R_DTYPE_U8, network->members[k].bytes,
                        (int64_t)network->members[k].length);
    }
    l2r_draft_text(d, "format", format_now);
    if (*split) l2r_draft_text(d, "split", split);
    if (*data) l2r_draft_text(d, "data", data);
    l2r_draft_json(d, "config", l2r_config_to_json(config));
    l2r_draft_json(d, "signature", l2r_signature_to_json(&network->signature));
}

void l2r_draft_begin(struct l2r_draft *d, const struct l2r_model_source *source, const struct l2r_snapshot *s)
{
    char split[17], data[17];
    snprintf(split, sizeof split, "%016" PRIx64, l2r_split_fingerprint(source->split));
    snprintf(data, sizeof data, "%016" PRIx64, l2r_dataset_fingerprint(source->data));
    begin(d, source->network, source->config, data, split, s);
    if (source->chosen && *source->chosen) l2r_draft_text(d, "chosen", source->chosen);
}

enum l2r_status l2r_draft_finish(struct l2r_draft *d, const char *path, const char *keep,
                                 char checksum[L2R_CHECKSUM_TEXT], struct l2r_error *error)
{
    enum l2r_status status = d->failed ? l2r_fail_memory(error, 0, "a checkpoint")
                                       : l2r_safetensors_replace(path, keep, checksum, d->tensors.items, d->tensors.n,
                                                                 d->metadata.items, d->metadata.n, error);
    l2r_array_clear(&d->tensors);
    l2r_array_clear(&d->metadata);
    l2r_arena_clear(&d->arena);
    return status;
}

enum l2r_status l2r_model_file_write(const char *path, const struct l2r_model_source *source,
                                     const struct l2r_snapshot *snapshot, double valid,
                                     char checksum[L2R_CHECKSUM_TEXT], struct l2r_error *error)
{
    struct l2r_draft draft;
    char text[64];
    l2r_draft_begin(&draft, source, snapshot);
    snprintf(text, sizeof text, "%" PRId64, snapshot->epoch);
    l2r_draft_text(&draft, "epoch", text);
    l2r_decimal_print(text, sizeof text, "%.17g", valid);
    l2r_draft_text(&draft, "valid", text);
    return l2r_draft_finish(&draft, path, NULL, checksum, error);
}

enum l2r_status l2r_model_file_save(const char *path, const struct l2r_network *network,
                                    const struct l2r_config *config, const char *data, const char *split,
                                    struct l2r_error *error)
{
    struct l2r_draft draft;
    begin(&draft, network, config, data, split, NULL);
    return l2r_draft_finish(&draft, path, NULL, NULL, error);
}

/* Is it a model, and whole? Otherwise it is freed. */
static enum l2r_status check_model(struct l2r_safetensors **file, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
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

enum l2r_status l2r_model_file_open(struct l2r_safetensors **file, const char *path, struct l2r_error *error)
{
    enum l2r_status status = l2r_safetensors_read(file, path, error);
    return status == L2R_OK ? check_model(file, path, error) : status;
}

enum l2r_status l2r_model_file_parse(struct l2r_safetensors **file, const void *bytes, size_t length, const char *where,
                                     struct l2r_error *error)
{
    enum l2r_status status = l2r_safetensors_parse(file, bytes, length, where, error);
    return status == L2R_OK ? check_model(file, where, error) : status;
}

enum l2r_status l2r_model_file_copy(l2r_real *out, const struct l2r_safetensors *file, const char *name, int64_t rows,
                                    int64_t cols, struct l2r_error *error)
{
    int64_t shape[2] = {rows, cols};
    return l2r_safetensors_copy(out, file, name, l2r_dtype_real, rows == 1 ? shape + 1 : shape, rows == 1 ? 1 : 2,
                                error);
}

enum l2r_status l2r_model_file_read_params(struct l2r_params *params, const struct l2r_safetensors *file,
                                           struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (size_t i = 0; i < params->count; i++) {
        struct l2r_param *p = params->items[i];
        L2R_TRY(l2r_model_file_copy(p->value, file, p->name, p->rows, p->cols, error));
    }
done:
    return status;
}

enum l2r_status l2r_model_file_read_network(struct l2r_network *network, const struct l2r_safetensors *file,
                                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_array learned = {0};
    L2R_TRY(l2r_model_file_read_params(&network->params, file, error));
    if (!network->type->load) goto done;
    for (size_t i = 0; l2r_safetensors_at(file, i); i++)
        if (strncmp(l2r_safetensors_at(file, i)->name, "trees.", 6) == 0 &&
            !l2r_array_add(&learned, l2r_safetensors_at(file, i), 1, sizeof(struct l2r_tensor)))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: trees");
    struct l2r_error problem = {0};
    status = network->type->load(network->model, learned.items, learned.n, &problem);
    if (status != L2R_OK) l2r_fail(error, status, "%s: %.800s", l2r_safetensors_where(file), problem.message);
done:
    l2r_array_clear(&learned);
    return status;
}

int64_t l2r_model_file_epoch(const struct l2r_safetensors *file)
{
    const char *when = l2r_safetensors_metadata(file, "epoch");
    return when ? strtoll(when, NULL, 10) : 0;
}
