/* SPDX-License-Identifier: MIT
 * See explainer.h: the options of explainers, checks against the model, and the choice of a task. */
#include "explain/explainer.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const struct l2r_option l2r_explain_options[] = {
    {.name = "explainer",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "gnnexplainer",
     .choices = "gnnexplainer|occlusion|shapley|gates",
     .group = "Explainer",
     .help = "gnnexplainer: which few edges are enough for the prediction; occlusion, shapley: by how much each node "
             "and edge moves it, up or down, of a committee the mean of all members that read the graph; gates: what a "
             "model with gates on its edges (method gsat) lets through"},
    {.name = "samples",
     .kind = L2R_OPTION_INT,
     .fallback = "32",
     .min = 2,
     .max = 1e6,
     .help = "random orders in which nodes and edges enter the graph, for shapley"},
    {.name = "target",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "prediction",
     .choices = "prediction|label",
     .help = "what is explained: the model's own prediction, or the label"},
    {.name = "task",
     .kind = L2R_OPTION_TEXT,
     .value = "NAME",
     .help = "task to explain if the model has several, by name or by number from 0; by default all together"},
    {.name = "steps",
     .kind = L2R_OPTION_INT,
     .fallback = "200",
     .min = 1,
     .max = 1e6,
     .help = "Adam steps on the masks"},
    {.name = "lr",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.05",
     .min = 1e-6,
     .max = 10,
     .help = "learning rate of the masks"},
    {.name = "restarts",
     .kind = L2R_OPTION_INT,
     .fallback = "5",
     .min = 1,
     .max = 1000,
     .help = "number of masks learned from different starting values; importance is their mean"},
    {.name = "edge-size",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.005",
     .min = 0,
     .max = 1000,
     .help = "weight of the sum of the edge mask; larger values keep fewer edges"},
    {.name = "edge-entropy",
     .kind = L2R_OPTION_REAL,
     .fallback = "1",
     .min = 0,
     .max = 1000,
     .help = "weight of the mean entropy of the edge mask; larger values push it towards 0 or 1"},
    {.name = "feature-size",
     .kind = L2R_OPTION_REAL,
     .fallback = "1",
     .min = 0,
     .max = 1000,
     .help = "weight of the mean of the feature mask"},
    {.name = "important",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 1e9,
     .help = "number of edges that make up the explanation; 0: those with importance above one half"},
    {.name = "motif",
     .kind = L2R_OPTION_INT,
     .fallback = "1",
     .min = 1,
     .max = 255,
     .help = "motif that should be found, if the data marks planted motifs"},
    {.name = "seed",
     .kind = L2R_OPTION_INT,
     .fallback = "0",
     .min = 0,
     .max = 9007199254740991.0,
     .help = "seed of the starting values"},
    {0}};

static const struct l2r_explainer masks = {"gnnexplainer", "which few edges are enough for the prediction"},
                                  occlusion = {"occlusion", "what the prediction loses without each node and edge"},
                                  shapley = {"shapley", "the share of each node and edge in the prediction"},
                                  gates = {"gates", "how much of each edge a model with gates lets through"};
const struct l2r_explainer *const l2r_explainers[] = {&masks, &occlusion, &shapley, &gates, NULL};

struct l2r_explain_settings l2r_explain_settings_of(const struct l2r_config *config)
{
    const char *task = l2r_config_text(config, "task");
    int64_t number = -1;
    bool named = task && (!l2r_parse_int(&number, task) || number < -1 || number > INT32_MAX);
    enum l2r_explainer_kind kind = L2R_EXPLAINER_MASKS;
    for (size_t k = 0; l2r_explainers[k]; k++)
        if (l2r_config_is(config, "explainer", l2r_explainers[k]->name)) kind = (enum l2r_explainer_kind)k;
    return (struct l2r_explain_settings){.explainer = kind,
                                         .samples = l2r_config_int(config, "samples"),
                                         .steps = l2r_config_int(config, "steps"),
                                         .restarts = l2r_config_int(config, "restarts"),
                                         .learning_rate = l2r_config_real(config, "lr"),
                                         .edge_size = l2r_config_real(config, "edge-size"),
                                         .edge_entropy = l2r_config_real(config, "edge-entropy"),
                                         .feature_size = l2r_config_real(config, "feature-size"),
                                         .seed = (uint64_t)l2r_config_int(config, "seed"),
                                         .use_label = l2r_config_is(config, "target", "label"),
                                         .task = named ? -1 : (int32_t)number,
                                         .task_name = named ? task : NULL,
                                         .n_important = l2r_config_int(config, "important"),
                                         .motif = (int32_t)l2r_config_int(config, "motif")};
}

/* ": NR-AR, NR-AhR, …", the names of the tasks; "" where they have none. Returns out. */
static const char *list_tasks(char *out, size_t size, const struct l2r_signature *s)
{
    size_t used = 0;
    out[0] = '\0';
    for (int32_t k = 0; k < s->n_tasks; k++) {
        const char *name = l2r_signature_task_name(s, k);
        if (!name) continue;
        bool fits = used + strlen(name) + 8 < size;
        used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : ": ", fits ? name : "…");
        if (!fits) break;
    }
    return out;
}

/* A task that the settings name gets its number. */
static enum l2r_status find_task(struct l2r_explain_settings *settings, const struct l2r_signature *s,
                                 struct l2r_error *error)
{
    char names[400];
    if (!settings->task_name) return L2R_OK;
    for (int32_t k = 0; k < s->n_tasks; k++) {
        const char *name = l2r_signature_task_name(s, k);
        if (name && strcasecmp(name, settings->task_name) == 0) settings->task = k;
    }
    if (settings->task >= 0) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "`task`: there is no task %.100s, the model has %d (0 to %d)%s",
                    settings->task_name, (int)s->n_tasks, (int)s->n_tasks - 1, list_tasks(names, sizeof names, s));
}

static enum l2r_status check(const struct l2r_committee *model, const struct l2r_dataset *data,
                             const struct l2r_explain_settings *s, struct l2r_error *error)
{
    int32_t tasks = l2r_committee_signature(model)->n_tasks;
    char names[400];
    if (s->task >= tasks)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`task`: there is no task %d, the model has %d (0 to %d)",
                        (int)s->task, (int)tasks, (int)tasks - 1);
    bool contributions = s->explainer == L2R_EXPLAINER_OCCLUSION || s->explainer == L2R_EXPLAINER_SHAPLEY;
    if (contributions && s->task < 0 && tasks > 1)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "contributions are to one task, and the model has %d; choose one with `task`%s", (int)tasks,
                        list_tasks(names, sizeof names, l2r_committee_signature(model)));
    if (s->use_label && (data->task != l2r_committee_signature(model)->task || data->n_tasks != tasks))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`target=label`: the model was trained on a %s task with %d label columns, the data has a %s "
                        "task with %d",
                        l2r_task_name(l2r_committee_signature(model)->task), (int)tasks, l2r_task_name(data->task),
                        (int)data->n_tasks);
    return L2R_OK;
}

enum l2r_status l2r_explain_check(struct l2r_explain_settings *settings, const struct l2r_committee *model,
                                  const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = find_task(settings, l2r_committee_signature(model), error);
    return status == L2R_OK ? check(model, data, settings, error) : status;
}
