/* SPDX-License-Identifier: MIT
 * See workload.h. Numbers of graphs are chosen for epochs of a few seconds at most. */
#include "bench/workload.h"

#include "base/memory.h"
#include "train/run.h"

#include <stdio.h>
#include <string.h>

const struct l2r_workload l2r_workloads[] = {
    {"gcn-5x300", "GCN, 5 layers of 300, bond features", "gcn", "5", "300", true, "molecules", 1280},
    {"gin-5x300", "GIN, 5 layers of 300, MLP 300-600-300, bond features", "gin", "5", "300", true, "molecules", 1280},
    {"gcn-3x128", "GCN, 3 layers of 128", "gcn", "3", "128", false, "molecules", 5120},
    {"gin-3x128", "GIN, 3 layers of 128, MLP 128-256-128", "gin", "3", "128", false, "molecules", 5120},
    {"dd-gcn-3x128", "GCN, 3 layers of 128, graphs as large as proteins", "gcn", "3", "128", false, "proteins", 512},
    {0}};

const struct l2r_workload *l2r_workload_find(const char *name)
{
    for (const struct l2r_workload *w = l2r_workloads; w->name; w++)
        if (strcmp(w->name, name) == 0) return w;
    return NULL;
}

/* What a user has typed, where this config knows it. */
static enum l2r_status take_over(struct l2r_config *config, const struct l2r_config *typed, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_option *option;
    for (size_t i = 0; typed && (option = l2r_config_option(typed, i)); i++)
        if (l2r_config_was_set(typed, option->name) && l2r_config_has(config, option->name) &&
            strcmp(option->name, "model") != 0 && strcmp(option->name, "method") != 0)
            L2R_TRY(l2r_config_set(config, option->name, l2r_config_text(typed, option->name), error));
done:
    return status;
}

enum l2r_status l2r_workload_configure(struct l2r_config *config, const struct l2r_workload *w, const char *method,
                                       const struct l2r_config *typed, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_default settings[] = {
        {"layers", w->layers}, {"hidden", w->hidden},  {"edge-features", w->edge_features ? "true" : "false"},
        {"batch-size", "128"}, {"dropout", "0.5"},     {"optimiser", "adam"},
        {"readout", "mean"},   {"batch-norm", "true"}, {"epochs", "5"}};
    L2R_TRY(l2r_run_declare(config, w->model, method, error));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        L2R_TRY(l2r_config_set_default(config, settings[i].option, settings[i].value, error));
    L2R_TRY(take_over(config, typed, error));
done:
    return status;
}

json_t *l2r_workload_to_json(const struct l2r_workload *w)
{
    static const char *const shown[] = {"model",      "layers",          "hidden",  "edge-features",
                                        "batch-size", "eval-batch-size", "dropout", "optimiser",
                                        "batch-norm", "readout",         "lr"};
    struct l2r_config *config = NULL;
    json_t *row = NULL, *all = NULL;
    if (l2r_config_new(&config, NULL) == L2R_OK && l2r_workload_configure(config, w, "erm", NULL, NULL) == L2R_OK &&
        (all = l2r_config_to_json(config))) {
        row = json_pack("{s:s, s:s}", "name", w->name, "title", w->title);
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
            json_object_set(row, shown[i], json_object_get(all, shown[i]));
        json_object_set_new(row, "data", json_string(w->generator));
        json_object_set_new(row, "graphs", json_integer(w->graphs));
    }
    json_decref(all);
    l2r_config_free(config);
    return row;
}
