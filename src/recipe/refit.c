/* SPDX-License-Identifier: MIT
 * See refit.h. */
#include "recipe/refit.h"

#include "base/json.h"
#include "base/memory.h"
#include "methods/method.h"
#include "recipe/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const int validation[] = {L2R_PART_VALID, L2R_PART_ID_VALID};
enum { N_VALIDATION = sizeof validation / sizeof *validation };

enum l2r_status l2r_refit_check(const struct l2r_config *config, struct l2r_error *error)
{
    if (!l2r_config_flag(config, "refit")) return L2R_OK;
    const struct l2r_method *method = l2r_method_find(l2r_config_text(config, "method"));
    const char *what = method->phase || method->head_weights             ? method->name
                       : l2r_config_flag(config, "swa")                  ? "`swa`"
                       : l2r_config_is(config, "lr-schedule", "plateau") ? "`lr-schedule=plateau`"
                                                                         : NULL;
    if (!what) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "`refit` trains without validation graphs, which %s%s needs throughout; leave out one of the two",
                    what == method->name ? "method " : "", what);
}

/* Validation graphs among the training graphs; the rest as it was. */
static enum l2r_status join_parts(struct l2r_split *joined, const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    uint8_t *part = l2r_alloc((size_t)split->n_graphs, sizeof *part);
    *joined = *split;
    joined->graphs = NULL;
    joined->environments = (struct l2r_environments){.rule = "none"};
    if (!part) return l2r_fail_memory(error, (size_t)split->n_graphs, "a split");
    memset(part, L2R_PART_NONE, (size_t)split->n_graphs);
    for (int p = 0; p < L2R_N_PARTS; p++)
        for (int64_t i = 0; i < l2r_split_size(split, p); i++) part[l2r_split_part(split, p)[i]] = (uint8_t)p;
    for (int64_t g = 0; g < split->n_graphs; g++)
        for (int v = 0; v < N_VALIDATION; v++)
            if (part[g] == validation[v]) part[g] = L2R_PART_TRAIN;
    L2R_TRY(l2r_split_fill(joined, part, split->n_graphs, error));
    L2R_TRY(l2r_environments_copy(&joined->environments, &split->environments, split->n_graphs, error));
done:
    l2r_free(part);
    return status;
}

enum l2r_status l2r_refit_prepare(struct l2r_recipe *r, struct l2r_error *error)
{
    int64_t n_valid = 0;
    r->refits = false;
    for (int v = 0; v < N_VALIDATION; v++) n_valid += l2r_split_size(r->split, validation[v]);
    if (!r->options.refit) return L2R_OK;
    if (n_valid == 0) {
        l2r_summary_note(r->callbacks, "there are no validation graphs to refit on: the model stays as it is");
        return L2R_OK;
    }
    r->refits = true;
    return join_parts(&r->joined, r->split, error);
}

enum l2r_status l2r_refit_config(struct l2r_config **config, const struct l2r_fit *fit, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_trainer *t = &fit->trainer;
    char epochs[24];
    snprintf(epochs, sizeof epochs, "%" PRId64, fit->best.epoch);
    const struct l2r_default changed[] = {{"epochs", epochs},      {"steps", "0"},    {"early-stop", "0"},
                                          {"select", "ood-valid"}, {"members", "1"},  {"calibrate", "none"},
                                          {"eval-test", "false"},  {"refit", "false"}};
    L2R_TRY(l2r_config_copy(config, t->config, error));
    /* A class that was rare enough to get a weight keeps it, because the calibration depends on it. */
    if (t->options.class_weights == L2R_CLASS_WEIGHTS_AUTO && t->data->n_tasks == 1)
        L2R_TRY(l2r_config_set(*config, "class-weights", t->network.class_weight ? "limited" : "none", error));
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        L2R_TRY(l2r_config_set(*config, changed[i].option, changed[i].value, error));
done:
    return status;
}

/* `key` of `from`, if it is there, takes its place in `to`. */
static enum l2r_status move(json_t *to, json_t *from, const char *key, struct l2r_error *error)
{
    json_t *value = json_object_get(from, key);
    return value ? l2r_json_set(to, key, json_incref(value), error) : L2R_OK;
}

enum l2r_status l2r_refit_settle(struct l2r_result *result, const struct l2r_result *chosen,
                                 const struct l2r_recipe *recipe, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    json_t *groups = json_object_get(result->more, "groups"), *before = json_object();
    result->valid = chosen->valid;
    result->id_valid = chosen->id_valid;
    for (int v = 0; v < N_VALIDATION; v++) {
        L2R_TRY(move(result->more, chosen->more, l2r_part_name(validation[v]), error));
        L2R_TRY(move(groups, json_object_get(chosen->more, "groups"), l2r_part_name(validation[v]), error));
    }
    L2R_TRY(move(result->more, chosen->more, "selections", error));
    for (int p = L2R_PART_TEST; p < L2R_N_PARTS; p += L2R_PART_ID_TEST - L2R_PART_TEST)
        if (!isnan(l2r_result_part(chosen, p)))
            L2R_TRY(l2r_json_set(before, l2r_part_name(p), l2r_json_real(l2r_result_part(chosen, p)), error));
    L2R_TRY(l2r_json_set(result->more, "refit",
                         json_pack("{s:I, s:O}", "graphs", (json_int_t)l2r_split_size(&recipe->joined, L2R_PART_TRAIN),
                                   "before", before),
                         error));
done:
    json_decref(before);
    return status;
}
