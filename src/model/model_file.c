/* SPDX-License-Identifier: MIT
 * See model_file.h. */
#include "model/model_file.h"

#include "base/json.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef L2R_REAL_DOUBLE
const enum l2r_dtype l2r_dtype_real = L2R_DTYPE_F64;
#else
const enum l2r_dtype l2r_dtype_real = L2R_DTYPE_F32;
#endif

const char l2r_format_model[] = "l2r-3", l2r_format_checkpoint[] = "l2r-checkpoint-3";

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

enum { LONGEST_NAME = 200 };

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

void l2r_draft_rows(struct l2r_draft *d, const char *name, enum l2r_dtype dtype, const void *data, int64_t rows,
                    int64_t columns)
{
    add_tensor(d, "",
               (struct l2r_tensor){.name = name, .dtype = dtype, .n_dims = 2, .shape = {rows, columns}, .data = data});
}

void l2r_draft_text(struct l2r_draft *d, const char *key, const char *text)
{
    struct l2r_metadatum item = {key, text ? l2r_arena_strdup(&d->arena, text) : NULL};
    if (!item.text || !l2r_array_add(&d->metadata, &item, 1, sizeof item)) d->failed = true;
}

void l2r_draft_json(struct l2r_draft *d, const char *key, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
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

/* Trees, whose names get the prefix too. */
static void draft_learned(struct l2r_draft *d, const char *prefix, const struct l2r_network *network)
{
    size_t before = d->tensors.n;
    const void *model = l2r_network_copy(network)->model;
    if (network->type->save && network->type->save(&d->tensors, &d->arena, model, NULL) != L2R_OK) d->failed = true;
    for (size_t i = before; i < d->tensors.n; i++) {
        struct l2r_tensor *tensor = (struct l2r_tensor *)d->tensors.items + i;
        tensor->name = own_name(d, prefix, tensor->name);
        if (!tensor->name) d->failed = true;
    }
}

void l2r_draft_begin(struct l2r_draft *d, const char *format, const struct l2r_config *config, const char *data,
                     const char *split)
{
    *d = (struct l2r_draft){0};
    l2r_arena_init(&d->arena);
    l2r_draft_text(d, "format", format);
    if (*split) l2r_draft_text(d, "split", split);
    if (*data) l2r_draft_text(d, "data", data);
    l2r_draft_json(d, "config", l2r_config_to_json(config));
}

void l2r_draft_network(struct l2r_draft *d, const char *prefix, const struct l2r_network *network)
{
    l2r_draft_snapshot(d, prefix, &network->params, NULL);
    draft_learned(d, prefix, network);
}

static enum l2r_status clear_draft(struct l2r_draft *d, enum l2r_status status)
{
    l2r_array_clear(&d->tensors);
    l2r_array_clear(&d->metadata);
    l2r_arena_clear(&d->arena);
    return status;
}

enum l2r_status l2r_draft_finish(struct l2r_draft *d, const char *path, const char *keep, struct l2r_error *error)
{
    return clear_draft(d, d->failed ? l2r_fail_memory(error, 0, "a checkpoint")
                                    : l2r_safetensors_replace(path, keep, d->tensors.items, d->tensors.n,
                                                              d->metadata.items, d->metadata.n, error));
}

enum l2r_status l2r_draft_pack(struct l2r_draft *d, void **packed, size_t *n_packed, struct l2r_error *error)
{
    return clear_draft(d, d->failed ? l2r_fail_memory(error, 0, "a model")
                                    : l2r_safetensors_pack(packed, n_packed, d->tensors.items, d->tensors.n,
                                                           d->metadata.items, d->metadata.n, error));
}

enum l2r_status l2r_draft_checksum(struct l2r_draft *d, char checksum[L2R_CHECKSUM_TEXT], struct l2r_error *error)
{
    return clear_draft(d, d->failed ? l2r_fail_memory(error, 0, "a checksum")
                                    : l2r_safetensors_checksum(checksum, d->tensors.items, d->tensors.n, error));
}

static const char other_version[] = "was written by an earlier version of l2r, whose models this one does not read; "
                                    "train again with the options in the run's config.json";

/* Is it of the expected format, and complete? Otherwise it is freed. */
static enum l2r_status check_format(struct l2r_safetensors **file, const char *path, const char *format,
                                    struct l2r_error *error)
{
    const char *found = l2r_safetensors_metadata(*file, "format");
    bool expected = found && strcmp(found, format) == 0;
    enum l2r_status status = L2R_ERR_FORMAT;
    if (expected && l2r_safetensors_is_sealed(*file)) return L2R_OK;
    if (expected)
        (void)l2r_fail(error, status, "%s: the header is damaged: a checksum is missing", path);
    else if (found && (strcmp(found, "l2r-1") == 0 || strcmp(found, "l2r-2") == 0))
        (void)l2r_fail(error, status, "%s: %s", path, other_version);
    else if (found && strcmp(found, l2r_format_checkpoint) == 0)
        (void)l2r_fail(error, status,
                       "%s: a checkpoint of a run under way, not a model; continue the run with `resume`", path);
    else
        (void)l2r_fail(error, status, "%s: not an l2r model (its format is \"%.40s\", expected \"%s\")", path,
                       found ? found : "", format);
    l2r_safetensors_free(*file);
    *file = NULL;
    return status;
}

enum l2r_status l2r_model_file_open(struct l2r_safetensors **file, const char *path, const char *format,
                                    struct l2r_error *error)
{
    enum l2r_status status = l2r_safetensors_read(file, path, error);
    return status == L2R_OK ? check_format(file, path, format, error) : status;
}

enum l2r_status l2r_model_file_parse(struct l2r_safetensors **file, const void *bytes, size_t length, const char *where,
                                     const char *format, struct l2r_error *error)
{
    enum l2r_status status = l2r_safetensors_parse(file, bytes, length, where, error);
    return status == L2R_OK ? check_format(file, where, format, error) : status;
}

enum l2r_status l2r_model_file_copy(l2r_real *out, const struct l2r_safetensors *file, const char *name, int64_t rows,
                                    int64_t cols, struct l2r_error *error)
{
    int64_t shape[2] = {rows, cols};
    return l2r_safetensors_copy(out, file, name, l2r_dtype_real, rows == 1 ? shape + 1 : shape, rows == 1 ? 1 : 2,
                                error);
}

/* The trees under the prefix. */
static enum l2r_status read_learned(struct l2r_network *network, const char *prefix, const struct l2r_safetensors *file,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_array learned = {0};
    struct l2r_error problem = {0};
    const struct l2r_tensor *found;
    size_t length = strlen(prefix);
    for (size_t i = 0; (found = l2r_safetensors_at(file, i)); i++) {
        struct l2r_tensor tensor = *found;
        if (strncmp(tensor.name, prefix, length) != 0 || strncmp(tensor.name + length, "trees.", 6) != 0) continue;
        tensor.name += length;
        if (!l2r_array_add(&learned, &tensor, 1, sizeof tensor)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: trees");
    }
    status = network->type->load(l2r_network_copy(network)->model, learned.items, learned.n, &problem);
    if (status != L2R_OK) l2r_fail(error, status, "%s: %.800s", l2r_safetensors_where(file), problem.message);
done:
    l2r_array_clear(&learned);
    return status;
}

enum l2r_status l2r_model_file_read_network(struct l2r_network *network, const char *prefix,
                                            const struct l2r_safetensors *file, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char name[LONGEST_NAME];
    for (size_t i = 0; i < network->params.count; i++) {
        struct l2r_param *p = network->params.items[i];
        snprintf(name, sizeof name, "%s%s", prefix, p->name);
        L2R_TRY(l2r_model_file_copy(p->value, file, name, p->rows, p->cols, error));
    }
    if (network->type->load) L2R_TRY(read_learned(network, prefix, file, error));
done:
    return status;
}
