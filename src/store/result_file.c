/* SPDX-License-Identifier: MIT
 * See result_file.h. */
#include "store/result_file.h"

#include "base/json.h"
#include "io/json_file.h"
#include "store/ownership.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum l2r_status l2r_result_write(const struct l2r_result *r, const struct l2r_config *config, const char *path,
                                 const char *dir, const char *run, const char *model, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *object = l2r_result_to_json(r);
    if (!object) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for %s", path);
    L2R_TRY(l2r_json_set(object, "run", json_string(run), error));
    L2R_TRY(l2r_json_set(object, "model", json_string(model), error));
    L2R_TRY(l2r_json_set(object, "options", l2r_config_record(config), error));
    L2R_TRY(l2r_json_set(object, "files", l2r_manifest_make(dir), error));
    if (!l2r_seal(object, run)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for %s", path);
    L2R_TRY(l2r_json_write(object, path, error));
done:
    json_decref(object);
    return status;
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

enum l2r_status l2r_result_check(const json_t *object, const char *path, struct l2r_error *error)
{
    const char *run = json_string_value(json_object_get(object, "run"));
    if (l2r_seal_check(object, run ? run : "") != L2R_SEAL_BROKEN) return L2R_OK;
    return l2r_fail(error, L2R_ERR_FORMAT, "%s: is not as the run wrote it: it was changed or damaged afterwards",
                    path);
}

enum l2r_status l2r_result_read(struct l2r_result *r, json_t **about, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *object = NULL;
    *r = (struct l2r_result){0};
    L2R_TRY(l2r_json_read(&object, path, error));
    const char *metric = json_string_value(json_object_get(object, "metric"));
    if (!metric) L2R_FAIL(L2R_ERR_FORMAT, "%s: holds no \"metric\"; is it the result of a run?", path);
    L2R_TRY(l2r_result_check(object, path, error));
    snprintf(r->metric, sizeof r->metric, "%s", metric);
    r->train = number(object, "train");
    r->valid = number(object, "valid");
    r->test = number(object, "test");
    r->id_valid = number(object, "id-valid");
    r->id_test = number(object, "id-test");
    const char *select = json_string_value(json_object_get(object, "select"));
    r->by_id_valid = select && strcmp(select, "id-valid") == 0;
    r->best_epoch = json_integer_value(json_object_get(object, "best_epoch"));
    r->epochs = json_integer_value(json_object_get(object, "epochs"));
    r->seconds = number(object, "seconds");
    r->graphs_per_second = number(object, "graphs_per_second");
    r->n_parameters = json_integer_value(json_object_get(object, "n_parameters"));
    const char *vector = json_string_value(json_object_get(object, "vector"));
    snprintf(r->vector, sizeof r->vector, "%s", vector ? vector : "");
    r->more = json_incref(json_object_get(object, "more"));
    r->conclusion = json_incref(json_object_get(object, "conclusion"));
    if (about) *about = json_incref(object);
done:
    json_decref(object);
    return status;
}
