/* SPDX-License-Identifier: MIT
 *
 * The first section of the report page: cards with the scores that matter, a table of groups, a table of runs.
 */
#include "report/page_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CARDS = 8 };

static const char *const part_titles[] = {"train", "valid", "test"};

static void open_card(struct l2r_svg *page, const char *what)
{
    l2r_svg_add(page, "<div class=\"card\"><div class=\"what\">");
    l2r_html_text(page, what);
    l2r_svg_add(page, "</div><div class=\"value\">");
}

static void close_card(struct l2r_svg *page, const char *more)
{
    l2r_svg_add(page, "</div><div class=\"more\">");
    l2r_html_text(page, more);
    l2r_svg_add(page, "</div></div>\n");
}

/* "+0.0123 against gcn · erm", below it "95 %: −0.0010 to 0.0256, 4 pairs" */
static void add_difference(struct l2r_svg *page, const struct l2r_run_groups *groups, const struct l2r_run_group *group)
{
    if (group->n_pairs == 0) {
        l2r_svg_add(page, "–");
        return;
    }
    l2r_svg_add(page, "%s", group->difference > 0 ? "+" : "");
    l2r_html_fixed(page, group->difference, 4);
    l2r_svg_add(page, " against ");
    l2r_html_text(page, groups->items[group->baseline].name);
    l2r_svg_add(page, "<br/><span class=\"muted\">");
    if (!isnan(group->half)) {
        l2r_svg_add(page, "95 %%: ");
        l2r_html_fixed(page, group->difference - group->half, 4);
        l2r_svg_add(page, " to ");
        l2r_html_fixed(page, group->difference + group->half, 4);
        l2r_svg_add(page, ", ");
    }
    l2r_svg_add(page, "%lld pair%s</span>", (long long)group->n_pairs, group->n_pairs == 1 ? "" : "s");
}

static void add_seconds(struct l2r_svg *page, double seconds)
{
    if (isnan(seconds))
        l2r_svg_add(page, "–");
    else if (seconds < 60) {
        l2r_html_fixed(page, seconds, 1);
        l2r_svg_add(page, " s");
    } else
        l2r_svg_add(page, "%lld:%02lld min", llround(seconds) / 60, llround(seconds) % 60);
}

/* One group alone: its parts side by side. */
static void add_cards_of_group(struct l2r_svg *page, const struct l2r_run_group *group)
{
    char what[64];
    for (int p = 2; p >= 0; p--) {
        snprintf(what, sizeof what, "%s %s", part_titles[p], group->metric);
        open_card(page, what);
        l2r_html_mean_sd(page, group->mean[p], group->sd[p]);
        close_card(page, p == 2 ? group->name : "");
    }
    if (!isnan(group->ess)) {
        open_card(page, "effective sample size");
        l2r_html_fixed(page, group->ess, 3);
        close_card(page, "of the weights; 1: all equal");
    }
    open_card(page, "training time");
    add_seconds(page, group->seconds);
    close_card(page, group->n > 1 ? "a run, on average" : "");
}

static void add_cards(struct l2r_svg *page, const struct l2r_run_groups *groups)
{
    l2r_svg_add(page, "<div class=\"cards\">\n");
    if (groups->n == 1 && groups->items[0].metric != NULL) add_cards_of_group(page, &groups->items[0]);
    for (size_t k = 0; groups->n > 1 && groups->n <= MOST_CARDS && k < groups->n; k++) {
        const struct l2r_run_group *group = &groups->items[k];
        if (group->metric == NULL) continue;
        open_card(page, group->name);
        l2r_html_mean_sd(page, group->mean[2], group->sd[2]);
        l2r_svg_add(page, "</div><div class=\"more\">test %s, %zu seed%s</div></div>\n", group->metric,
                    group->n_finished, group->n_finished == 1 ? "" : "s");
    }
    l2r_svg_add(page, "</div>\n");
}

static bool are_comparable(const struct l2r_run_group *a, const struct l2r_run_group *b)
{
    return a->metric != NULL && b->metric != NULL && strcmp(a->metric, b->metric) == 0 &&
           json_equal(json_object_get(a->config, "data"), json_object_get(b->config, "data"));
}

/* The best test score of several groups on the same data? */
static bool is_best(const struct l2r_run_groups *groups, const struct l2r_run_group *group)
{
    size_t others = 0;
    double sign = l2r_run_group_rises(group) ? 1 : -1;
    for (size_t k = 0; k < groups->n; k++) {
        const struct l2r_run_group *other = &groups->items[k];
        if (other == group || !are_comparable(group, other)) continue;
        others++;
        if (sign * other->mean[2] > sign * group->mean[2]) return false;
    }
    return others > 0 && !isnan(group->mean[2]);
}

static void add_group_row(struct l2r_svg *page, const struct l2r_run_groups *groups, size_t k)
{
    const struct l2r_run_group *group = &groups->items[k];
    l2r_svg_add(page, "<tr><td class=\"text\"><a href=\"#group-%zu\">", k + 1);
    l2r_html_text(page, group->name);
    l2r_svg_add(page, "</a></td><td class=\"n\">%zu</td>", group->n);
    l2r_html_element(page, "td", group->metric != NULL ? group->metric : "–");
    for (int p = 2; p >= 0; p--) {
        l2r_svg_add(page, "<td class=\"n%s\">", p == 2 && is_best(groups, group) ? " best" : "");
        l2r_html_mean_sd(page, group->mean[p], group->sd[p]);
        l2r_svg_add(page, "</td>");
    }
    if (groups->n > 1) {
        l2r_svg_add(page, "<td class=\"text\">");
        add_difference(page, groups, group);
        l2r_svg_add(page, "</td>");
    }
    l2r_svg_add(page, "<td class=\"n\">");
    l2r_html_fixed(page, group->ess, 3);
    l2r_svg_add(page, "</td><td class=\"n\">");
    add_seconds(page, group->seconds);
    l2r_svg_add(page, "</td></tr>\n");
}

static void add_groups(struct l2r_svg *page, const struct l2r_run_groups *groups)
{
    l2r_svg_add(page,
                "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th>runs</th><th class=\"n\">seeds</th>"
                "<th>metric</th><th class=\"n\">test</th><th class=\"n\">valid</th><th class=\"n\">train</th>%s"
                "<th class=\"n\">ESS</th><th class=\"n\">time</th></tr></thead>\n<tbody>\n",
                groups->n > 1 ? "<th>paired difference</th>" : "");
    for (size_t k = 0; k < groups->n; k++) add_group_row(page, groups, k);
    l2r_svg_add(page,
                "</tbody></table></div>\n<p class=\"muted\">The epoch that was best on validation is tested. Mean ± "
                "standard deviation over seeds%s. ESS: effective sample size of the weights as a share of the training "
                "graphs, 1 when all weights are equal.</p>\n",
                groups->n > 1 ? "; differences are taken seed by seed, with a 95 % interval (Student's t)" : "");
}

static void add_runs(struct l2r_svg *page, const struct l2r_run_list *list)
{
    l2r_svg_add(page,
                "<details%s><summary>Every run</summary>\n<div class=\"wide\" tabindex=\"0\"><table>\n"
                "<thead><tr><th>run</th><th>model</th><th>method</th><th class=\"n\">seed</th>"
                "<th class=\"n\">test</th><th class=\"n\">valid</th><th class=\"n\">train</th><th class=\"n\">best "
                "epoch</th><th class=\"n\">epochs</th><th class=\"n\">parameters</th><th class=\"n\">time</th>"
                "</tr></thead>\n<tbody>\n",
                list->n == 1 ? " open=\"open\"" : "");
    for (size_t i = 0; i < list->n; i++) {
        const struct l2r_run_files *run = &list->runs[i];
        static const char *const counts[] = {"best_epoch", "epochs", "n_parameters"};
        l2r_svg_add(page, "<tr>");
        l2r_html_element(page, "td", run->dir);
        l2r_html_element(page, "td", l2r_html_text_of(run->config, "model"));
        l2r_html_element(page, "td", l2r_html_text_of(run->config, "method"));
        l2r_svg_add(page, "<td class=\"n\">");
        l2r_html_fixed(page, l2r_html_number_of(run->config, "seed"), 0);
        l2r_svg_add(page, "</td>");
        for (int p = 2; p >= 0; p--) l2r_html_score(page, l2r_html_number_of(run->result, part_titles[p]));
        for (int c = 0; c < 3; c++) {
            l2r_svg_add(page, "<td class=\"n\">");
            l2r_html_fixed(page, l2r_html_number_of(run->result, counts[c]), 0);
            l2r_svg_add(page, "</td>");
        }
        l2r_svg_add(page, "<td class=\"n\">");
        add_seconds(page, l2r_html_number_of(run->result, "seconds"));
        l2r_svg_add(page, "</td></tr>\n");
    }
    l2r_svg_add(page, "</tbody></table></div></details>\n");
}

void l2r_page_summary(struct l2r_svg *page, const struct l2r_report *report)
{
    l2r_svg_add(page, "<section id=\"summary\">\n<h2>Summary</h2>\n");
    add_cards(page, &report->groups);
    if (report->list->n > 1) add_groups(page, &report->groups);
    add_runs(page, report->list);
    l2r_svg_add(page, "</section>\n");
}
