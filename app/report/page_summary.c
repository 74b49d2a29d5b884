/* SPDX-License-Identifier: MIT
 *
 * The numbers of the page (templates/summary.html): cards with the scores that matter, a table of groups, a table of
 * runs; and, of one group, every metric on every part.
 */
#include "report/page_parts.h"

#include "base/memory.h"
#include "metrics/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CARDS = 8 };

static const char *const parts[] = {"train", "valid", "test"};

static json_t *add_card(struct l2r_view *view, json_t *cards, const char *what, const char *more)
{
    json_t *card = l2r_view_item(view, cards);
    l2r_view_text(view, card, "what", what);
    l2r_view_text(view, card, "more", more);
    return card;
}

/* One group alone: its parts side by side. */
static void add_cards_of_group(struct l2r_view *view, json_t *cards, const struct l2r_run_group *group)
{
    char text[L2R_FORMAT], count[L2R_FORMAT];
    for (int p = 2; p >= 0; p--) {
        snprintf(text, sizeof text, "%s %s", parts[p], group->metric);
        json_t *card = add_card(view, cards, text, p < 2 ? "" : l2r_run_group_count(count, group));
        l2r_view_mean_sd(view, card, group->mean[p], group->sd[p]);
    }
    if (!isnan(group->ess))
        l2r_view_fixed(view, add_card(view, cards, "effective sample size", "of the weights; 1: all equal"), "mean",
                       group->ess, 3);
    l2r_view_text(view,
                  add_card(view, cards, "training time",
                           group->n > 1                                             ? "a run, on average"
                           : strstr(group->name, " × ") || strchr(group->name, '+') ? "of member 1"
                                                                                    : ""),
                  "mean", l2r_format_seconds(text, group->seconds));
}

static void add_cards(struct l2r_view *view, const struct l2r_run_groups *groups)
{
    json_t *cards = l2r_view_list(view, view->root, "cards");
    if (groups->n == 1 && groups->items[0].metric != NULL) add_cards_of_group(view, cards, &groups->items[0]);
    for (size_t k = 0; groups->n > 1 && groups->n <= MOST_CARDS && k < groups->n; k++) {
        const struct l2r_run_group *group = &groups->items[k];
        char count[L2R_FORMAT];
        if (group->metric == NULL) continue;
        json_t *card = add_card(view, cards, group->name, "");
        l2r_view_mean_sd(view, card, group->mean[2], group->sd[2]);
        l2r_view_print(view, card, "more", "test %s, %s", group->metric, l2r_run_group_count(count, group));
    }
}

/* Is it the best test score of several groups on the same data? */
static bool is_best(const struct l2r_run_groups *groups, const struct l2r_run_group *group)
{
    size_t others = 0;
    double sign = l2r_run_group_rises(group) ? 1 : -1;
    for (size_t k = 0; k < groups->n; k++) {
        const struct l2r_run_group *other = &groups->items[k];
        if (other == group || !l2r_run_groups_compare(group, other)) continue;
        others++;
        if (sign * other->mean[2] > sign * group->mean[2]) return false;
    }
    return others > 0 && !isnan(group->mean[2]);
}

/* "+0.0123 against gcn · erm", below it "95 %: −0.0010 to 0.0256, 4 pairs" */
static void add_difference(struct l2r_view *view, json_t *shown, const struct l2r_run_groups *groups,
                           const struct l2r_run_group *group)
{
    char number[L2R_FORMAT];
    if (group->gain.n == 0) return;
    json_t *difference = l2r_view_object(view, shown, "difference");
    l2r_view_print(view, difference, "change", "%s%s", group->gain.mean > 0 ? "+" : "",
                   l2r_format_fixed(number, group->gain.mean, 4));
    l2r_view_text(view, difference, "baseline", groups->items[group->baseline].name);
    l2r_view_print(view, difference, "pairs", "%lld pair%s", (long long)group->gain.n, group->gain.n == 1 ? "" : "s");
    if (isnan(group->gain.low)) return;
    json_t *interval = l2r_view_object(view, difference, "interval");
    l2r_view_fixed(view, interval, "low", group->gain.low, 4);
    l2r_view_fixed(view, interval, "high", group->gain.high, 4);
}

static void add_group(struct l2r_view *view, json_t *shown, const struct l2r_run_groups *groups, size_t k)
{
    const struct l2r_run_group *group = &groups->items[k];
    char time[L2R_FORMAT];
    l2r_view_print(view, shown, "number", "%zu", k + 1);
    l2r_view_text(view, shown, "name", group->name);
    l2r_view_text(view, shown, "runs_of", l2r_run_group_count(time, group));
    l2r_view_text(view, shown, "metric", group->metric != NULL ? group->metric : "–");
    json_t *list = l2r_view_list(view, shown, "parts");
    for (int p = 2; p >= 0; p--) {
        json_t *part = l2r_view_item(view, list);
        l2r_view_mean_sd(view, part, group->mean[p], group->sd[p]);
        l2r_view_text(view, part, "part", parts[p]);
        l2r_view_flag(view, part, "best", p == 2 && is_best(groups, group));
    }
    add_difference(view, shown, groups, group);
    l2r_view_fixed(view, shown, "ess", group->ess, 3);
    l2r_view_text(view, shown, "time", l2r_format_seconds(time, group->seconds));
}

/* One number of a run, with the heading of its column, which narrow screens repeat beside it. */
static void add_number(struct l2r_view *view, json_t *numbers, json_t *heads, const char *name, const char *text)
{
    json_t *cell = l2r_view_item(view, numbers);
    if (heads != NULL) l2r_view_append(view, heads, name);
    l2r_view_text(view, cell, "heading", name);
    l2r_view_text(view, cell, "number", text);
}

static void add_runs(struct l2r_view *view, const struct l2r_run_list *list)
{
    static const char *const counts[][2] = {
        {"best_epoch", "best epoch"}, {"epochs", "epochs"}, {"n_parameters", "parameters"}};
    bool folds = false;
    json_t *runs = l2r_view_list(view, view->root, "runs");
    json_t *all_heads = l2r_view_list(view, view->root, "run_heads");
    for (size_t i = 0; i < list->n; i++) folds = folds || l2r_line_number(list->runs[i].config, "folds") > 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct l2r_run_files *run = &list->runs[i];
        json_t *shown = l2r_view_item(view, runs), *heads = i == 0 ? all_heads : NULL;
        char number[L2R_FORMAT];
        l2r_view_text(view, shown, "dir", run->dir);
        l2r_view_text(view, shown, "model", l2r_run_model(number, run->config));
        l2r_view_text(view, shown, "method", l2r_text_of(run->config, "method"));
        json_t *numbers = l2r_view_list(view, shown, "numbers");
        add_number(view, numbers, heads, "seed", l2r_format_fixed(number, l2r_line_number(run->config, "seed"), 0));
        if (folds)
            add_number(view, numbers, heads, "fold", l2r_format_fixed(number, l2r_line_number(run->config, "fold"), 0));
        for (int p = 2; p >= 0; p--)
            add_number(view, numbers, heads, parts[p],
                       l2r_format_score(number, l2r_line_number(run->result, parts[p])));
        for (int c = 0; c < 3; c++)
            add_number(view, numbers, heads, counts[c][1],
                       l2r_format_fixed(number, l2r_line_number(run->result, counts[c][0]), 0));
        add_number(view, numbers, heads, "time", l2r_format_seconds(number, l2r_line_number(run->result, "seconds")));
    }
}

void l2r_page_summary(struct l2r_report *report)
{
    struct l2r_view *view = &report->view;
    json_t *groups = l2r_view_list(view, view->root, "groups");
    add_cards(view, &report->groups);
    l2r_view_flag(view, view->root, "several_runs", report->list->n > 1);
    l2r_view_flag(view, view->root, "several_groups", report->groups.n > 1);
    for (size_t k = 0; k < report->groups.n; k++) add_group(view, l2r_view_item(view, groups), &report->groups, k);
    add_runs(view, report->list);
}
