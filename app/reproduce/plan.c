/* SPDX-License-Identifier: MIT
 *
 * See plan.h. The options of a run are set in layers, a later one overriding the earlier:
 *
 *     defaults of model and method  <  spec  <  its quick version  <  column (data set)  <  row (system)
 *                                   <  the row's settings for this column ("at")  <  --set  <  seed and data
 *
 * "{seed}" in any text becomes the seed, so that each seed can have its own generated graphs or split.
 */
#include "reproduce/plan.h"

#include "base/memory.h"
#include "fit/options.h"
#include "io/file.h"
#include "jobs/shared_data.h"
#include "recipe/table_defaults.h"
#include "results/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_PATH = 4096 };

bool l2r_plan_lists(const char *list, const char *label)
{
    for (const char *at = list; *at != '\0';) {
        size_t length = strcspn(at, ",");
        if (length == strlen(label) && strncasecmp(at, label, length) == 0) return true;
        at += length + (at[length] == ',');
    }
    return false;
}

/* Every label of the list must be one of the spec's. */
static enum l2r_status check_list(const char *list, const char *option, const struct l2r_spec *spec, bool rows,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char word[128];
    for (const char *at = list; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ","), n = rows ? spec->n_rows : spec->n_columns, i = 0;
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        while (i < n && strcasecmp(rows ? spec->rows[i].label : spec->columns[i].label, word) != 0) i++;
        if (i == n)
            L2R_FAIL(L2R_ERR_ARGUMENT, "--%s: %s has no %s '%s'; it has '%s', for example", option, spec->name,
                     rows ? "system" : "data set", word, rows ? spec->rows[0].label : spec->columns[0].label);
        at += length + (at[length] == ',');
    }
done:
    return status;
}

/* A copy with every {seed} replaced; NULL: out of memory. */
static char *put_seed(const char *text, int64_t seed)
{
    char number[24], *out = l2r_alloc(strlen(text) * 4 + 32, 1);
    size_t n = 0;
    if (out == NULL) return NULL;
    snprintf(number, sizeof number, "%" PRId64, seed);
    while (*text != '\0') {
        if (strncmp(text, "{seed}", 6) == 0) {
            n += (size_t)sprintf(out + n, "%s", number);
            text += 6;
        } else {
            out[n++] = *text++;
        }
    }
    return out;
}

static enum l2r_status apply(struct l2r_config *config, const json_t *options, int64_t seed, const char *where,
                             struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *key;
    json_t *value, *copy = NULL;
    if (options == NULL) return L2R_OK;
    copy = json_copy((json_t *)(uintptr_t)options);
    if (copy == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the options of %s", where);
    json_object_foreach((json_t *)(uintptr_t)options, key, value)
    {
        if (!json_is_string(value) || strstr(json_string_value(value), "{seed}") == NULL) continue;
        char *text = put_seed(json_string_value(value), seed);
        int failed = text == NULL ? -1 : json_object_set_new(copy, key, json_string(text));
        l2r_free(text);
        if (failed != 0) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the options of %s", where);
    }
    L2R_TRY(l2r_config_from_json(config, copy, where, error));
done:
    json_decref(copy);
    return status;
}

/* "name=value,…" for the options that this run has. *used: bit k when the k-th pair was. */
static enum l2r_status apply_typed(struct l2r_config *config, const char *pairs, uint64_t *used,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char name[64], value[256];
    int k = 0;
    for (const char *at = pairs; at != NULL && *at != '\0'; k++) {
        size_t length = strcspn(at, ","), letters = strcspn(at, "=,");
        if (letters == 0 || letters >= length || letters >= sizeof name || length - letters > sizeof value)
            L2R_FAIL(L2R_ERR_ARGUMENT, "--set: \"%.*s\" is not of the form option=value", (int)length, at);
        snprintf(name, sizeof name, "%.*s", (int)letters, at);
        snprintf(value, sizeof value, "%.*s", (int)(length - letters - 1), at + letters + 1);
        if (strcmp(name, "seed") == 0 || strcmp(name, "data") == 0 || strcmp(name, "model") == 0 ||
            strcmp(name, "method") == 0 || k >= 64)
            L2R_FAIL(L2R_ERR_ARGUMENT, "--set: --%s is set by the plan itself", name);
        if (l2r_config_has(config, name)) {
            L2R_TRY(l2r_config_set(config, name, value, error));
            *used |= (uint64_t)1 << k;
        }
        at += length + (at[length] == ',');
    }
done:
    return status;
}

static enum l2r_status check_typed(const char *pairs, uint64_t used, const struct l2r_spec *spec,
                                   struct l2r_error *error)
{
    int k = 0;
    for (const char *at = pairs; at != NULL && *at != '\0'; k++) {
        size_t length = strcspn(at, ",");
        if (!(used >> k & 1))
            return l2r_fail(error, L2R_ERR_ARGUMENT, "--set: no system of %s has an option --%.*s", spec->name,
                            (int)strcspn(at, "="), at);
        at += length + (at[length] == ',');
    }
    return L2R_OK;
}

static enum l2r_status place_data(struct l2r_planned *run, const char *data, const char *root, struct l2r_error *error)
{
    char path[LONGEST_PATH];
    run->data = put_seed(data, run->seed);
    if (run->data == NULL) return l2r_fail_memory(error, strlen(data), "the name of a data set");
    bool plain = l2r_data_is_generated(run->data) || root == NULL || *root == '\0' || run->data[0] == '/';
    if (!plain) {
        enum l2r_status status = l2r_path_join(path, sizeof path, root, run->data, error);
        if (status != L2R_OK) return status;
    }
    run->where = l2r_strdup(plain ? run->data : path);
    return run->where != NULL ? L2R_OK : l2r_fail_memory(error, strlen(data), "the name of a data set");
}

static enum l2r_status add_run(struct l2r_plan *plan, int r, int c, int64_t seed, uint64_t *used,
                               const struct l2r_plan_settings *settings, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_spec *spec = plan->spec;
    const struct l2r_spec_row *row = &spec->rows[r];
    const struct l2r_spec_column *column = &spec->columns[c];
    char number[24];
    if (!l2r_reserve((void **)&plan->runs, &plan->capacity, plan->n + 1, sizeof *plan->runs))
        return l2r_fail_memory(error, sizeof *plan->runs, "the plan");
    struct l2r_planned *run = &plan->runs[plan->n++];
    *run = (struct l2r_planned){.row = r, .column = c, .seed = seed};
    L2R_TRY(place_data(run, column->data, settings->data_root, error));
    L2R_TRY(l2r_config_new(&run->config, error));
    L2R_TRY(l2r_run_declare(run->config, row->model, row->method, error));
    const json_t *const layers[] = {spec->options, spec->quick_options, column->options, row->options,
                                    json_object_get(row->at, column->label)};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++)
        L2R_TRY(apply(run->config, layers[i], seed, spec->name, error));
    L2R_TRY(apply_typed(run->config, settings->set, used, error));
    L2R_TRY(l2r_run_resolve(run->config, true, error));
    snprintf(number, sizeof number, "%" PRId64, seed);
    L2R_TRY(l2r_config_set(run->config, "seed", number, error));
    L2R_TRY(l2r_config_set(run->config, "data", run->where, error));
    L2R_TRY(l2r_run_id(run->id, run->data, run->config, error));
done:
    return status;
}

enum l2r_status l2r_plan_make(struct l2r_plan *plan, const struct l2r_spec *spec,
                              const struct l2r_plan_settings *settings, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    uint64_t used = 0;
    int64_t n_seeds = settings->n_seeds > 0 ? settings->n_seeds : spec->seeds;
    *plan = (struct l2r_plan){.spec = spec, .set = settings->set};
    L2R_TRY(check_list(settings->only, "only", spec, true, error));
    L2R_TRY(check_list(settings->sets, "sets", spec, false, error));
    for (int64_t k = 0; k < n_seeds; k++)
        for (size_t c = 0; c < spec->n_columns; c++) {
            if (spec->columns[c].seeds > 0 && k >= spec->columns[c].seeds) continue;
            if (settings->sets != NULL && !l2r_plan_lists(settings->sets, spec->columns[c].label)) continue;
            for (size_t r = 0; r < spec->n_rows; r++) {
                if (settings->only != NULL && !l2r_plan_lists(settings->only, spec->rows[r].label)) continue;
                if (!l2r_spec_row_runs_on(&spec->rows[r], &spec->columns[c])) continue;
                int64_t seed = settings->n_seeds > 0 ? settings->seeds[k] : k;
                L2R_TRY(add_run(plan, (int)r, (int)c, seed, &used, settings, error));
            }
        }
    L2R_TRY(check_typed(settings->set, used, spec, error));
done:
    return status;
}

void l2r_plan_clear(struct l2r_plan *plan)
{
    for (size_t i = 0; i < plan->n; i++) {
        l2r_config_free(plan->runs[i].config);
        l2r_free(plan->runs[i].data);
        l2r_free(plan->runs[i].where);
    }
    l2r_free(plan->runs);
    *plan = (struct l2r_plan){0};
}
