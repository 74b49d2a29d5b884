/* SPDX-License-Identifier: MIT
 *
 * A trained model as a file and back (trained.h). What is read is checked before it is used: sizes against what the
 * file holds, members against each other, numbers against what training can have made. */
#include "model/trained.h"

#include "base/json.h"
#include "base/memory.h"
#include "model/model_file.h"
#include "model/model_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void prefix_of(char prefix[16], int32_t k)
{
    snprintf(prefix, 16, "%d.", (int)k + 1);
}

/* ---- writing ---- */

static json_t *members_to_json(const struct l2r_trained *t)
{
    json_t *list = json_array();
    for (int32_t k = 0; k < t->n; k++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "config", l2r_config_to_json(t->members[k]->config),
                                              "signature", l2r_signature_to_json(&t->networks[k]->signature)));
    return list;
}

/* rows: room for the domain's, to be freed when the draft is finished. */
static void draft_domain(struct l2r_draft *draft, float **rows, const struct l2r_domain *d)
{
    size_t size = (size_t)d->n_rows * (size_t)d->d;
    if (d->d == 0) return;
    *rows = l2r_alloc_raw(size, sizeof **rows);
    if (!*rows) {
        draft->failed = true;
        return;
    }
    l2r_domain_rows(*rows, d);
    l2r_draft_rows(draft, "domain.rows", L2R_DTYPE_F32, *rows, d->n_rows, d->d);
    l2r_draft_array(draft, "", "domain.checked", L2R_DTYPE_F32, d->checked, d->n_checked);
    l2r_draft_json(draft, "domain",
                   json_pack("{s:I, s:I, s:f}", "n_train", (json_int_t)d->n_train, "n_valid", (json_int_t)d->n_valid,
                             "scale", d->scale));
}

static void draft_model(struct l2r_draft *draft, float **rows, const struct l2r_trained *t)
{
    char text[64], prefix[16];
    l2r_draft_begin(draft, l2r_format_model, t->config, t->data, t->split);
    l2r_draft_json(draft, "members", members_to_json(t));
    for (int32_t k = 0; k < t->n; k++) {
        prefix_of(prefix, k);
        l2r_draft_network(draft, prefix, t->networks[k]);
    }
    if (t->calibration) l2r_draft_json(draft, "calibration", l2r_calibration_to_json(t->calibration));
    draft_domain(draft, rows, &t->domain);
    if (t->weights) l2r_draft_array(draft, "", "weights", L2R_DTYPE_F32, t->weights, t->n_weights);
    snprintf(text, sizeof text, "%" PRId64, t->epoch);
    if (t->epoch > 0) l2r_draft_text(draft, "epoch", text);
    if (*t->options) l2r_draft_text(draft, "options", t->options);
    if (*t->chosen) l2r_draft_text(draft, "chosen", t->chosen);
    if (!isnan(t->valid)) l2r_draft_json(draft, "valid", l2r_json_real(t->valid));
}

enum l2r_status l2r_trained_write(const struct l2r_trained *t, const char *path, struct l2r_error *error)
{
    struct l2r_draft draft;
    float *rows = NULL;
    draft_model(&draft, &rows, t);
    enum l2r_status status = l2r_draft_finish(&draft, path, NULL, error);
    l2r_free(rows);
    return status;
}

enum l2r_status l2r_trained_pack(void **packed, size_t *n_packed, const struct l2r_trained *t, struct l2r_error *error)
{
    struct l2r_draft draft;
    float *rows = NULL;
    draft_model(&draft, &rows, t);
    enum l2r_status status = l2r_draft_pack(&draft, packed, n_packed, error);
    l2r_free(rows);
    return status;
}

enum l2r_status l2r_trained_checksum(char checksum[L2R_CHECKSUM_TEXT], const struct l2r_trained *t,
                                     struct l2r_error *error)
{
    struct l2r_draft draft;
    float *rows = NULL;
    draft_model(&draft, &rows, t);
    enum l2r_status status = l2r_draft_checksum(&draft, checksum, error);
    l2r_free(rows);
    return status;
}

/* ---- reading ---- */

/* JSON under a key of the metadata; *value is NULL where there is none. */
static enum l2r_status read_json(json_t **value, const struct l2r_safetensors *file, const char *key, const char *where,
                                 struct l2r_error *error)
{
    const char *text = l2r_safetensors_metadata(file, key);
    *value = NULL;
    return text ? l2r_json_parse(value, text, strlen(text), where, error) : L2R_OK;
}

/* Before memory is asked for: what the metadata describe must not be larger than what the file holds. */
static enum l2r_status check_size(const struct l2r_safetensors *file, const struct l2r_model_type *type,
                                  const struct l2r_config *config, const struct l2r_signature *signature,
                                  const char *where, struct l2r_error *error)
{
    const struct l2r_tensor *tensor;
    size_t held = 0;
    int64_t described = l2r_network_size(type, config, signature);
    for (size_t i = 0; (tensor = l2r_safetensors_at(file, i)); i++) held += l2r_tensor_bytes(tensor) / sizeof(l2r_real);
    /* -1: the model cannot be built; building it reports why. */
    if (described < 0 || (uint64_t)described <= held) return L2R_OK;
    return l2r_fail(error, L2R_ERR_FORMAT,
                    "%s: its config and signature describe a model of %lld parameters, but the file holds %zu numbers",
                    where, (long long)described, held);
}

static enum l2r_status read_member(struct l2r_trained *t, const json_t *about, const struct l2r_safetensors *file,
                                   const char *where, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_member *m = NULL;
    struct l2r_signature signature;
    char prefix[16];
    const json_t *config = json_object_get(about, "config"), *data = json_object_get(about, "signature");
    if (!json_is_object(config) || !json_is_object(data))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: member %d has no config or no signature", where, (int)t->n + 1);
    L2R_TRY(l2r_member_new(&m, error));
    L2R_TRY(l2r_model_config_read(&m->config, config, where, error));
    L2R_TRY(l2r_signature_from_json(&signature, &m->arena, data, where, error));
    const struct l2r_model_type *type = l2r_model_find(l2r_config_text(m->config, "model"));
    L2R_TRY(check_size(file, type, m->config, &signature, where, error));
    L2R_TRY(l2r_network_init(&m->network, type, m->config, &signature, 0, error));
    prefix_of(prefix, t->n);
    L2R_TRY(l2r_model_file_read_network(&m->network, prefix, file, error));
    status = l2r_trained_take(t, m, error);
    m = NULL;
done:
    l2r_member_free(m);
    return status;
}

static enum l2r_status read_members(struct l2r_trained *t, const struct l2r_safetensors *file, const char *where,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *list = NULL;
    L2R_TRY(read_json(&list, file, "members", where, error));
    if (!json_is_array(list) || json_array_size(list) < 1 || json_array_size(list) > L2R_MOST_MEMBERS)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: not an l2r model (its metadata names no members)", where);
    for (size_t k = 0; k < json_array_size(list); k++)
        L2R_TRY(read_member(t, json_array_get(list, k), file, where, error));
    const struct l2r_committee c = l2r_trained_committee(t);
    L2R_TRY(l2r_committee_check(&c, where, error));
done:
    json_decref(list);
    return status;
}

static enum l2r_status read_calibration(struct l2r_trained *t, const struct l2r_safetensors *file, const char *where,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *object = NULL;
    const struct l2r_signature *s = &t->networks[0]->signature;
    L2R_TRY(read_json(&object, file, "calibration", where, error));
    if (!object) goto done;
    status = l2r_calibration_from_json(&t->calibration, &t->arena, object, s->task, l2r_signature_outputs(s));
    if (status == L2R_ERR_MEMORY) L2R_FAIL(status, "out of memory: a calibration");
    if (status != L2R_OK) L2R_FAIL(status, "%s: its calibration holds numbers that no fit can have made", where);
done:
    json_decref(object);
    return status;
}

/* A tensor of floats with so many dimensions; NULL: there is none. */
static const struct l2r_tensor *find_floats(const struct l2r_safetensors *file, const char *name, int32_t n_dims)
{
    const struct l2r_tensor *tensor = l2r_safetensors_find(file, name);
    return tensor && tensor->dtype == L2R_DTYPE_F32 && tensor->n_dims == n_dims ? tensor : NULL;
}

/* -1: none, or out of range. */
static int64_t count_in(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    json_int_t n = json_integer_value(value);
    return json_is_integer(value) && n >= 0 && n <= INT64_C(1000000000000000) ? n : -1;
}

static enum l2r_status read_domain(struct l2r_trained *t, const struct l2r_safetensors *file, const char *where,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *object = NULL;
    struct l2r_domain *d = &t->domain;
    const struct l2r_tensor *rows = find_floats(file, "domain.rows", 2),
                            *checked = find_floats(file, "domain.checked", 1);
    L2R_TRY(read_json(&object, file, "domain", where, error));
    if (!object) goto done;
    if (!rows || !checked) L2R_FAIL(L2R_ERR_FORMAT, "%s: its applicability domain lacks rows or distances", where);
    int64_t n = rows->shape[0], width = rows->shape[1], n_checked = checked->shape[0];
    if (width != t->networks[0]->width || width < 1 || width > L2R_DOMAIN_COLUMNS || n < 1 || n > L2R_DOMAIN_ROWS ||
        n_checked > L2R_DOMAIN_CHECKED)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the sizes of its applicability domain are out of range", where);
    L2R_TRY(l2r_domain_keep(d, rows->data, n, width, error));
    d->n_train = count_in(object, "n_train");
    d->n_valid = count_in(object, "n_valid");
    d->scale = json_number_value(json_object_get(object, "scale"));
    d->checked = l2r_alloc((size_t)n_checked, sizeof *d->checked);
    if (!d->checked) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: an applicability domain");
    memcpy(d->checked, checked->data, (size_t)n_checked * sizeof *d->checked);
    d->n_checked = (int32_t)n_checked;
    if (d->n_train < 0 || d->n_valid < 0 || !l2r_domain_is_sound(d))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: its applicability domain holds numbers that cannot be counts or distances",
                 where);
done:
    json_decref(object);
    return status;
}

static enum l2r_status read_weights(struct l2r_trained *t, const struct l2r_safetensors *file, const char *where,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_tensor *weights = find_floats(file, "weights", 1);
    if (!weights) goto done;
    t->n_weights = weights->shape[0];
    t->weights = l2r_alloc((size_t)t->n_weights, sizeof *t->weights);
    if (!t->weights) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the weights of graphs");
    memcpy(t->weights, weights->data, (size_t)t->n_weights * sizeof *t->weights);
    for (int64_t i = 0; i < t->n_weights; i++)
        if (!(t->weights[i] >= 0) || isinf(t->weights[i]))
            L2R_FAIL(L2R_ERR_FORMAT, "%s: the weight of graph %lld is %g; weights are not negative", where,
                     (long long)i, (double)t->weights[i]);
done:
    return status;
}

enum l2r_status l2r_trained_read(struct l2r_trained **trained, const struct l2r_safetensors *file, const char *where,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *object = NULL;
    struct l2r_config *config = NULL;
    struct l2r_trained *t = NULL;
    *trained = NULL;
    L2R_TRY(read_json(&object, file, "config", where, error));
    if (!object) L2R_FAIL(L2R_ERR_FORMAT, "%s: not an l2r model (no config in its metadata)", where);
    L2R_TRY(l2r_model_config_read(&config, object, where, error));
    L2R_TRY(l2r_trained_new(&t, config, error));
    L2R_TRY(read_members(t, file, where, error));
    L2R_TRY(read_calibration(t, file, where, error));
    L2R_TRY(read_domain(t, file, where, error));
    L2R_TRY(read_weights(t, file, where, error));
    const char *data = l2r_safetensors_metadata(file, "data"), *split = l2r_safetensors_metadata(file, "split");
    const char *epoch = l2r_safetensors_metadata(file, "epoch"), *valid = l2r_safetensors_metadata(file, "valid");
    snprintf(t->data, sizeof t->data, "%s", data ? data : "");
    snprintf(t->split, sizeof t->split, "%s", split ? split : "");
    const char *options = l2r_safetensors_metadata(file, "options");
    snprintf(t->options, sizeof t->options, "%s", options ? options : "");
    const char *chosen = l2r_safetensors_metadata(file, "chosen");
    snprintf(t->chosen, sizeof t->chosen, "%s", chosen ? chosen : "");
    if (!epoch || !l2r_parse_int(&t->epoch, epoch) || t->epoch < 0) t->epoch = 0;
    if (!valid || !l2r_parse_real(&t->valid, valid)) t->valid = (double)NAN;
    *trained = t;
    t = NULL;
done:
    l2r_trained_free(t);
    l2r_config_free(config);
    json_decref(object);
    return status;
}
