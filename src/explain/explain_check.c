/* SPDX-License-Identifier: MIT
 * See explainer.h: can this model be explained so, and which task is meant? */
#include "explain/explainer.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

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

static enum l2r_status check(const struct l2r_network *network, const struct l2r_dataset *data,
                             const struct l2r_explain_settings *s, struct l2r_error *error)
{
    int32_t tasks = network->signature.n_tasks;
    char names[400];
    if (network->type->unmaskable)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s cannot be explained by masks on edges: %s", network->type->name,
                        network->type->unmaskable);
    if (s->task >= tasks)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`task`: there is no task %d, the model has %d (0 to %d)",
                        (int)s->task, (int)tasks, (int)tasks - 1);
    if (s->explainer == L2R_EXPLAINER_GATES && !network->gates.on)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`explainer=gates`: the model has no gates on its edges; train with `method=gsat` for some");
    bool contributions = s->explainer == L2R_EXPLAINER_OCCLUSION || s->explainer == L2R_EXPLAINER_SHAPLEY;
    if (contributions && s->task < 0 && tasks > 1)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "contributions are to one task, and the model has %d; choose one with `task`%s", (int)tasks,
                        list_tasks(names, sizeof names, &network->signature));
    if (s->use_label && (data->task != network->signature.task || data->n_tasks != tasks))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`target=label`: the model was trained on a %s task with %d label columns, the data has a %s "
                        "task with %d",
                        l2r_task_name(network->signature.task), (int)tasks, l2r_task_name(data->task),
                        (int)data->n_tasks);
    return L2R_OK;
}

enum l2r_status l2r_explain_check(struct l2r_explain_settings *settings, const struct l2r_network *network,
                                  const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = find_task(settings, &network->signature, error);
    return status == L2R_OK ? check(network, data, settings, error) : status;
}
