/* SPDX-License-Identifier: MIT
 * See model_options.h. */
#include "model/model_options.h"

#include "base/json.h"
#include "data/environments.h"
#include "data/features.h"
#include "data/reader.h"
#include "data/splits/split.h"
#include "methods/method.h"
#include "nn/gates.h"
#include "nn/masking.h"
#include "nn/model.h"
#include "nn/network.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

const struct l2r_option l2r_source_option[] = {
    {.name = "data",
     .kind = L2R_OPTION_TEXT,
     .neutral = true, /* the data may have moved; the split is checked */
     .value = "WHERE",
     .group = "Data",
     .help = "folder, zip, table of SMILES, or generator such as motif:mu=0.8"},
    {0}};

const struct l2r_option l2r_network_options[] = {
    {.name = "model",
     .kind = L2R_OPTION_TEXT,
     .value = "NAME",
     .fallback = "gin",
     .group = "What to train",
     .help = "backbone; see l2r list models"},
    {.name = "method",
     .kind = L2R_OPTION_TEXT,
     .value = "NAME",
     .fallback = "erm",
     .help = "training method; see l2r list methods"},
    {.name = "features",
     .kind = L2R_OPTION_LIST,
     .choices = L2R_FEATURE_CHOICES,
     .fallback = "none",
     .help = "numbers about the whole molecule that the head reads beside the graph, several separated by commas"},
    {0}};

const struct l2r_option l2r_epochs_option[] = {{.name = "epochs",
                                                .kind = L2R_OPTION_INT,
                                                .fallback = "100",
                                                .min = 0,
                                                .max = 1e6,
                                                .group = "Training",
                                                .help = "passes over the training graphs"},
                                               {0}};

const struct l2r_option l2r_scoring_option[] = {
    {.name = "eval-batch-size",
     .kind = L2R_OPTION_INT,
     .neutral = true,
     .fallback = "512",
     .min = 1,
     .max = 1e6,
     .help = "maximum graphs per batch when scoring, fewer if they are large; affects only speed and memory"},
    {0}};

const struct l2r_method *l2r_method_find(const char *name)
{
    for (size_t i = 0; l2r_methods[i]; i++)
        if (strcmp(l2r_methods[i]->name, name) == 0) return l2r_methods[i];
    return NULL;
}

enum l2r_status l2r_model_names_find(const struct l2r_model_type **type, const struct l2r_method **method,
                                     const char *model, const char *method_name, struct l2r_error *error)
{
    char names[512] = "";
    *type = l2r_model_find(model);
    *method = l2r_method_find(method_name);
    if (*type && *method) return L2R_OK;
    for (size_t i = 0; !*type && l2r_models[i]; i++) l2r_name_add(names, sizeof names, l2r_models[i]->name);
    for (size_t i = 0; *type && l2r_methods[i]; i++) l2r_name_add(names, sizeof names, l2r_methods[i]->name);
    return l2r_fail(error, L2R_ERR_ARGUMENT, "there is no %s \"%.100s\"; there are %s", *type ? "method" : "model",
                    *type ? method_name : model, names);
}

static enum l2r_status declare(struct l2r_config *config, const struct l2r_model_type *type,
                               const struct l2r_method *method, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_config_declare(config, l2r_source_option, error));
    L2R_TRY(l2r_config_declare(config, l2r_cache_option, error));
    L2R_TRY(l2r_config_declare(config, l2r_network_options, error));
    L2R_TRY(l2r_config_declare(config, l2r_scoring_option, error));
    L2R_TRY(l2r_config_declare(config, l2r_data_options, error));
    L2R_TRY(l2r_split_declare(config, error));
    L2R_TRY(l2r_config_declare(config, l2r_environment_options, error));
    if (type->fit) L2R_TRY(l2r_config_declare(config, l2r_epochs_option, error));
    L2R_TRY(l2r_model_declare(config, type, error));
    L2R_TRY(l2r_config_declare(config, l2r_masking_options, error));
    if (l2r_method_shares(method, l2r_gates_option_table))
        L2R_TRY(l2r_config_declare(config, l2r_gates_option_table, error));
    if (l2r_method_shares(method, l2r_copies_option_table))
        L2R_TRY(l2r_config_declare(config, l2r_copies_option_table, error));
done:
    return status;
}

enum l2r_status l2r_model_config_new(struct l2r_config **config, const char *model, const char *method,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_model_type *type;
    const struct l2r_method *how;
    *config = NULL;
    L2R_TRY(l2r_model_names_find(&type, &how, model, method, error));
    L2R_TRY(l2r_config_new(config, error));
    L2R_TRY(declare(*config, type, how, error));
    L2R_TRY(l2r_config_set(*config, "model", model, error));
    L2R_TRY(l2r_config_set(*config, "method", method, error));
done:
    if (status != L2R_OK) {
        l2r_config_free(*config);
        *config = NULL;
    }
    return status;
}

enum l2r_status l2r_model_config_take(struct l2r_config **config, const struct l2r_config *from,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_option *option;
    L2R_TRY(l2r_model_config_new(config, l2r_config_text(from, "model"), l2r_config_text(from, "method"), error));
    for (size_t i = 0; (option = l2r_config_option(*config, i)); i++) {
        const char *value = l2r_config_has(from, option->name) ? l2r_config_text(from, option->name) : NULL;
        if (value) L2R_TRY(l2r_config_set(*config, option->name, value, error));
    }
done:
    if (status != L2R_OK) {
        l2r_config_free(*config);
        *config = NULL;
    }
    return status;
}

enum l2r_status l2r_model_config_read(struct l2r_config **config, const json_t *object, const char *where,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_option *option;
    json_t *own = json_object();
    const char *model = json_string_value(json_object_get(object, "model"));
    const char *method = json_string_value(json_object_get(object, "method"));
    *config = NULL;
    if (!own) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the options of a model");
    if (!model || !method) L2R_FAIL(L2R_ERR_FORMAT, "%s: its config names no model or no method", where);
    L2R_TRY(l2r_model_config_new(config, model, method, error));
    for (size_t i = 0; (option = l2r_config_option(*config, i)); i++) {
        json_t *value = json_object_get(object, option->name);
        if (value) L2R_TRY(l2r_json_set(own, option->name, json_incref(value), error));
    }
    L2R_TRY(l2r_config_from_json(*config, own, where, error));
done:
    json_decref(own);
    if (status != L2R_OK) {
        l2r_config_free(*config);
        *config = NULL;
    }
    return status;
}

enum l2r_status l2r_options_fingerprint(char text[L2R_OPTIONS_TEXT], const struct l2r_config *config,
                                        struct l2r_error *error)
{
    const struct l2r_option *option;
    json_t *options = l2r_config_to_json(config);
    for (size_t i = 0; (option = l2r_config_option(config, i)); i++)
        if (option->neutral) json_object_del(options, option->name);
    char *canonical = options ? json_dumps(options, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(options);
    if (!canonical) return l2r_fail(error, L2R_ERR_MEMORY, "out of memory for the options of a run");
    snprintf(text, L2R_OPTIONS_TEXT, "%016" PRIx64, (uint64_t)XXH3_64bits(canonical, strlen(canonical)));
    free(canonical);
    return L2R_OK;
}
