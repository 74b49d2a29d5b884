/* SPDX-License-Identifier: MIT
 *
 * Curves over the epochs: training loss, every number of the validation and training parts, and what the weights do.
 * One series a group; runs of several seeds are thin lines around their mean.
 */
#include "report/page_parts.h"

#include <stdio.h>
#include <string.h>

/* Do all recorded epochs of all runs have one learning rate? */
static bool is_constant(const struct l2r_run_list *list, const char *key)
{
    const json_t *first = NULL;
    for (size_t i = 0; i < list->n; i++)
        for (size_t e = 0; e < json_array_size(list->runs[i].epochs); e++) {
            const json_t *value = json_object_get(json_array_get(list->runs[i].epochs, e), key);
            if (first != NULL && json_number_value(first) != json_number_value(value)) return false;
            first = value;
        }
    return true;
}

/* One chart of a number that epochs may have; nothing is added where none has it. */
static void add_chart(json_t *set, const struct l2r_report *report, const char *part, const char *key,
                      const char *title, const char *unit)
{
    json_t *chart = NULL;
    for (size_t k = 0; k < report->groups.n; k++)
        for (size_t i = 0; i < report->groups.items[k].n; i++) {
            const struct l2r_run_files *run = &report->list->runs[report->groups.items[k].runs[i]];
            json_t *x, *y, *best = json_object_get(run->result, "best_epoch");
            if (!l2r_page_chart_curve(&x, &y, run->epochs, part, key)) continue;
            if (chart == NULL) {
                chart = l2r_page_chart_add(set, "lines", title, "epoch", unit);
                if (strcmp(unit, "loss") == 0 || strcmp(unit, "dependence") == 0)
                    json_object_set_new(chart, "log", json_true());
            }
            json_t *line = l2r_page_chart_line(chart, (int)k, x, y);
            if (best != NULL) json_object_set(line, "mark", best);
        }
}

/* The keys of "valid" in all runs, each once, in the order in which they are met. */
static json_t *keys_of(const struct l2r_run_list *list, const char *part)
{
    json_t *keys = json_object(), *value;
    const char *key;
    for (size_t i = 0; i < list->n; i++) {
        json_t *first = json_array_get(list->runs[i].epochs, 0);
        json_object_foreach(json_object_get(first, part), key, value) json_object_set_new(keys, key, json_true());
    }
    return keys;
}

static void add_part(json_t *set, const struct l2r_report *report, const char *part, const char *name, bool losses)
{
    json_t *keys = keys_of(report->list, part), *value;
    const char *key;
    json_object_foreach(keys, key, value)
    {
        char title[128];
        if ((strcmp(key, "loss") == 0) != losses) continue;
        snprintf(title, sizeof title, "%s %.80s", name, key);
        add_chart(set, report, part, key, title, key);
    }
    json_decref(keys);
}

void l2r_page_curves(struct l2r_report *report)
{
    struct l2r_view *view = &report->view;
    json_t *set = l2r_page_chart_set(report->charts, "curves");
    for (size_t k = 0; k < report->groups.n; k++) l2r_page_chart_series(set, report->groups.items[k].name);
    add_part(set, report, "valid", "validation", false);
    add_chart(set, report, "", "loss", "training loss", "loss");
    add_part(set, report, "valid", "validation", true);
    add_part(set, report, "train", "training", false);
    add_chart(set, report, "reweight", "ess", "effective sample size of the weights", "ESS");
    add_chart(set, report, "reweight", "dependence_after", "dependence left by the weights", "dependence");
    if (!is_constant(report->list, "lr")) add_chart(set, report, "", "lr", "learning rate", "learning rate");
    if (json_array_size(json_object_get(set, "charts")) == 0) return;
    l2r_view_text(view, l2r_view_object(view, view->root, "curves"), "legend",
                  report->list->n > report->groups.n ? "Thin lines are seeds, the thick line is their mean"
                                                     : "A ring marks the epoch that was kept");
}
