/* SPDX-License-Identifier: MIT
 *
 * Curves over the epochs: training loss, every number of the validation and training parts, and what the weights do.
 * One series a group; runs of several seeds are thin lines around their mean.
 */
#include "report/page_parts.h"

#include "base/memory.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct curves {
    struct l2r_report *report;
    json_t *set;
    struct l2r_text flat; /* numbers without a chart because they never change: "learning rate (0.0010), …" */
};

/* Does the number stay as it is in every run, over two epochs or more? *value: what it is everywhere, or NaN. */
static bool is_flat(double *value, const struct l2r_run_list *list, const char *part, const char *key)
{
    bool several = false;
    *value = NAN;
    for (size_t i = 0, seen = 0; i < list->n; i++) {
        double first = NAN;
        for (size_t e = 0; e < json_array_size(list->runs[i].epochs); e++) {
            const json_t *line = json_array_get(list->runs[i].epochs, e);
            double now = l2r_line_number(part[0] != '\0' ? json_object_get(line, part) : line, key);
            if (isnan(now)) continue;
            if (!isnan(first) && now != first) return false;
            several = several || !isnan(first);
            first = now;
        }
        if (isnan(first)) continue;
        *value = seen++ == 0 || *value == first ? first : (double)NAN;
    }
    return several;
}

/* A number that does not change is written as text. */
static void note_flat(struct l2r_text *flat, const char *title, double value)
{
    char number[L2R_FORMAT];
    if (flat->length > 0) l2r_text_puts(flat, ", ");
    l2r_text_puts(flat, title);
    if (!isnan(value)) l2r_text_print(flat, " (%s)", l2r_format_number(number, value));
}

/* One chart of a number that epochs may have; nothing is added where none has it. */
static void add_chart(struct curves *c, const char *part, const char *key, const char *title, const char *unit)
{
    const struct l2r_report *report = c->report;
    json_t *chart = NULL;
    double value;
    if (is_flat(&value, report->list, part, key)) {
        note_flat(&c->flat, title, value);
        return;
    }
    for (size_t k = 0; k < report->groups.n; k++)
        for (size_t i = 0; i < report->groups.items[k].n; i++) {
            const struct l2r_run_files *run = &report->list->runs[report->groups.items[k].runs[i]];
            json_t *x, *y, *best = json_object_get(run->result, "best_epoch");
            if (!l2r_page_chart_curve(&x, &y, run->epochs, part, key)) continue;
            if (chart == NULL) {
                chart = l2r_page_chart_add(c->set, "lines", title, "epoch", unit);
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

static void add_part(struct curves *c, const char *part, const char *name, bool losses)
{
    json_t *keys = keys_of(c->report->list, part), *value;
    const char *key;
    json_object_foreach(keys, key, value)
    {
        char title[128];
        if ((strcmp(key, "loss") == 0) != losses) continue;
        snprintf(title, sizeof title, "%s %.80s", name, key);
        add_chart(c, part, key, title, key);
    }
    json_decref(keys);
}

/* The most epochs that a run has recorded. */
static size_t count_epochs(const struct l2r_run_list *list)
{
    size_t most = 0;
    for (size_t i = 0; i < list->n; i++) {
        size_t n = json_array_size(list->runs[i].epochs);
        most = n > most ? n : most;
    }
    return most;
}

static bool has_members(const struct l2r_run_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (json_array_size(json_object_get(json_object_get(list->runs[i].result, "more"), "members")) > 1) return true;
    return false;
}

void l2r_page_curves(struct l2r_report *report)
{
    struct l2r_view *view = &report->view;
    struct curves c = {.report = report, .set = l2r_page_chart_set(report->charts, "curves")};
    size_t epochs = count_epochs(report->list);
    if (epochs == 0) return;
    for (size_t k = 0; k < report->groups.n; k++) l2r_page_chart_series(c.set, report->groups.items[k].name);
    add_part(&c, "valid", "validation", false);
    add_chart(&c, "", "loss", "training loss", "loss");
    add_part(&c, "valid", "validation", true);
    add_part(&c, "train", "training", false);
    add_chart(&c, "reweight", "ess", "effective sample size of the weights", "ESS");
    add_chart(&c, "reweight", "dependence_after", "dependence left by the weights", "dependence");
    add_chart(&c, "", "lr", "learning rate", "learning rate");
    json_t *curves = l2r_view_object(view, view->root, "curves");
    bool drawn = json_array_size(json_object_get(c.set, "charts")) > 0 && epochs > 1;
    l2r_view_flag(view, curves, "drawn", drawn);
    if (!drawn) json_object_del(report->charts, "curves");
    if (c.flat.failed) view->failed = true;
    if (c.flat.length > 0) l2r_view_text(view, curves, "flat", c.flat.text);
    l2r_view_flag(view, curves, "members", has_members(report->list));
    l2r_view_text(view, curves, "legend",
                  report->list->n > report->groups.n
                      ? "Thin lines are the runs of a group, the thick line is their mean"
                      : "A ring marks the epoch that was kept");
    l2r_text_clear(&c.flat);
}
