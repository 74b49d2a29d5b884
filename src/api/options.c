/* SPDX-License-Identifier: MIT
 * The public calls of l2r/options.h. A config made here keeps its model and method. */
#include <l2r/options.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "data/reader.h"
#include "data/splits/split.h"
#include "explain/explainer.h"
#include "fit/options.h"

#include <string.h>

/* Returns a new config to the caller, or frees it after a failure. */
static enum l2r_status hand_over(struct l2r_config **config, struct l2r_config *made, enum l2r_status status)
{
    if (status == L2R_OK)
        *config = made;
    else
        l2r_config_free(made);
    return status;
}

enum l2r_status l2r_config_for_run(struct l2r_config **config, const char *model, const char *method,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *made = NULL;
    L2R_NEED(config);
    *config = NULL;
    L2R_TRY(l2r_config_new(&made, error));
    L2R_TRY(l2r_run_declare(made, model ? model : "gin", method ? method : "erm", error));
    if (!model) L2R_TRY(l2r_config_advise(made, "members", "auto", error));
    l2r_config_fix(made, "model");
    l2r_config_fix(made, "method");
done:
    return hand_over(config, made, status);
}

enum l2r_status l2r_config_for_data(struct l2r_config **config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *made = NULL;
    L2R_NEED(config);
    *config = NULL;
    L2R_TRY(l2r_config_new(&made, error));
    L2R_TRY(l2r_config_declare(made, l2r_cache_option, error));
    L2R_TRY(l2r_config_declare(made, l2r_data_options, error));
    L2R_TRY(l2r_split_declare(made, error));
done:
    return hand_over(config, made, status);
}

enum l2r_status l2r_config_for_generator(struct l2r_config **config, const char *generator, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *made = NULL;
    char names[256] = "";
    L2R_NEED(config);
    *config = NULL;
    L2R_NEED(generator);
    const struct l2r_generator *found = strchr(generator, ':') ? NULL : l2r_generator_find(generator);
    for (size_t i = 0; l2r_generators[i]; i++) l2r_name_add(names, sizeof names, l2r_generators[i]->name);
    if (!found) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no generator \"%.100s\"; there are %s", generator, names);
    L2R_TRY(l2r_config_new(&made, error));
    L2R_TRY(l2r_config_declare(made, found->options, error));
done:
    return hand_over(config, made, status);
}

enum l2r_status l2r_config_for_explanation(struct l2r_config **config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *made = NULL;
    L2R_NEED(config);
    *config = NULL;
    L2R_TRY(l2r_config_new(&made, error));
    L2R_TRY(l2r_config_declare(made, l2r_explain_options, error));
done:
    return hand_over(config, made, status);
}

enum l2r_status l2r_config_get(const char **value, const struct l2r_config *config, const char *name,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(value);
    L2R_NEED(config);
    L2R_NEED(name);
    L2R_TRY(l2r_config_need(config, name, error));
    *value = l2r_config_text(config, name);
done:
    return status;
}

enum l2r_status l2r_config_json(char **json, const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(config);
    L2R_TRY(l2r_json_text(json, l2r_config_to_json(config), error));
done:
    return status;
}

enum l2r_status l2r_config_set_json(struct l2r_config *config, const char *json, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *trial = NULL;
    json_t *object = NULL;
    L2R_NEED(config);
    L2R_NEED(json);
    L2R_TRY(l2r_json_parse(&object, json, strlen(json), "json", error));
    L2R_TRY(l2r_config_copy(&trial, config, error));
    L2R_TRY(l2r_config_from_json(trial, object, "json", error));
    l2r_config_swap(config, trial);
done:
    l2r_config_free(trial);
    json_decref(object);
    return status;
}

size_t l2r_config_n_options(const struct l2r_config *config)
{
    size_t n = 0;
    while (config && l2r_config_option(config, n)) n++;
    return n;
}

/* The heading of option i: its own, or that of an option before it. */
static const char *group_of(const struct l2r_config *config, size_t i)
{
    for (size_t k = i + 1; k-- > 0;)
        if (l2r_config_option(config, k)->group) return l2r_config_option(config, k)->group;
    return NULL;
}

enum l2r_status l2r_config_describe(struct l2r_option_info *info, const struct l2r_config *config, size_t i,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(info);
    L2R_NEED(config);
    const struct l2r_option *option = l2r_config_option(config, i);
    if (!option) L2R_FAIL(L2R_ERR_ARGUMENT, "i = %zu; the config has %zu options", i, l2r_config_n_options(config));
    bool ranged = option->max > option->min;
    const struct l2r_option_info own = {.name = option->name,
                                        .kind = option->kind,
                                        .is_set = l2r_config_was_set(config, option->name),
                                        .neutral = option->neutral,
                                        .value = l2r_config_text(config, option->name),
                                        .fallback = l2r_config_default(config, option->name),
                                        .min = ranged ? option->min : 0,
                                        .max = ranged ? option->max : 0,
                                        .choices = option->choices,
                                        .unit = option->value,
                                        .group = group_of(config, i),
                                        .help = option->help};
    L2R_TRY(l2r_struct_give(info, &own, sizeof own, "info", error));
done:
    return status;
}
