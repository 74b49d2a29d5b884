/* SPDX-License-Identifier: MIT
 * See page.h. */
#include "report/page.h"

#include "base/memory.h"
#include "report/page_parts.h"

static void add_head(struct l2r_svg *page, const struct l2r_report *report, const char *title)
{
    l2r_svg_add(page, "<header>\n<div>\n");
    l2r_html_element(page, "h1", title);
    l2r_svg_add(page,
                "\n<p class=\"muted\">%zu run%s, made by l2r %s</p>\n</div>\n"
                "<button type=\"button\" id=\"theme\" hidden=\"hidden\">auto</button>\n</header>\n",
                report->list->n, report->list->n == 1 ? "" : "s", l2r_version());
    l2r_svg_add(page, "<nav aria-label=\"Sections\"><a href=\"#summary\">Summary</a> <a href=\"#curves\">Curves</a>");
    for (size_t k = 0; k < report->groups.n; k++) {
        l2r_svg_add(page, " <a href=\"#group-%zu\">", k + 1);
        l2r_html_text(page, report->groups.items[k].name);
        l2r_svg_add(page, "</a>");
    }
    l2r_svg_add(page, " <a href=\"#options\">Options</a></nav>\n"
                      "<noscript><p class=\"note\">Curves and histograms are drawn by a script inside this file, and "
                      "scripts are switched off. Everything else is here.</p></noscript>\n<main>\n");
}

/* What stands in the way of weights and predictions is said in their place: a report of the rest is better than
 * none. */
static enum l2r_status add_evidence(struct l2r_svg *page, struct l2r_report *report, struct l2r_data_shelf *shelf,
                                    size_t number, const struct l2r_report_settings *settings, struct l2r_error *error)
{
    struct l2r_evidence evidence = {0};
    struct l2r_error reason = {0};
    const struct l2r_run_group *group = &report->groups.items[number];
    const char *run = report->list->runs[group->runs[0]].dir;
    enum l2r_status status = l2r_evidence_load(&evidence, shelf, run, settings->data, settings->cache, &reason);
    if (status == L2R_OK) status = l2r_page_weights(page, report, &evidence, number, settings->extremes, &reason);
    if (status == L2R_OK) status = l2r_page_predictions(page, report, &evidence, number, &reason);
    l2r_evidence_clear(&evidence);
    if (status == L2R_OK) return status;
    if (status == L2R_ERR_MEMORY) return l2r_fail(error, status, "%s", reason.message);
    l2r_svg_add(page, "<p class=\"note\">Weights and predictions are not shown: ");
    l2r_html_text(page, reason.message);
    l2r_svg_add(page, "</p>\n");
    return L2R_OK;
}

static enum l2r_status add_group(struct l2r_svg *page, struct l2r_report *report, struct l2r_data_shelf *shelf,
                                 size_t number, const struct l2r_report_settings *settings, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_run_group *group = &report->groups.items[number];
    const struct l2r_run_files *first = &report->list->runs[group->runs[0]];
    l2r_svg_add(page, "<section id=\"group-%zu\">\n", number + 1);
    l2r_html_element(page, "h2", group->name);
    l2r_svg_add(page, "\n<p class=\"muted\">on ");
    l2r_html_text(page, l2r_html_text_of(group->config, "data"));
    l2r_svg_add(page, "</p>\n");
    if (group->n_finished < group->n)
        l2r_svg_add(page, "<p class=\"note\">%zu of %zu runs ha%s not finished: no result.json.</p>\n",
                    group->n - group->n_finished, group->n, group->n - group->n_finished == 1 ? "s" : "ve");
    l2r_page_scores(page, report, group);
    if (settings->evidence) {
        if (group->n > 1) {
            l2r_svg_add(page, "<p class=\"muted\">Weights and predictions are those of ");
            l2r_html_text(page, first->dir);
            l2r_svg_add(page, ".</p>\n");
        }
        L2R_TRY(add_evidence(page, report, shelf, number, settings, error));
    }
    for (size_t i = 0; i < group->n; i++) l2r_page_explanations(page, &report->list->runs[group->runs[i]]);
    l2r_svg_add(page, "</section>\n");
done:
    return status;
}

enum l2r_status l2r_report_page(char **html, const struct l2r_run_list *list,
                                const struct l2r_report_settings *settings, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_report report = {.list = list, .charts = json_object()};
    struct l2r_data_shelf shelf = {0};
    struct l2r_svg page = {0};
    const char *title = settings->title != NULL ? settings->title : list->n == 1 ? list->runs[0].dir : "l2r report";
    *html = NULL;
    L2R_TRY(l2r_run_groups_make(&report.groups, list, error));
    l2r_html_begin(&page, title);
    add_head(&page, &report, title);
    l2r_page_summary(&page, &report);
    l2r_page_curves(&page, &report);
    for (size_t k = 0; k < report.groups.n; k++) L2R_TRY(add_group(&page, &report, &shelf, k, settings, error));
    l2r_page_config(&page, &report);
    l2r_svg_add(&page, "</main>\n");
    l2r_html_end(&page, report.charts);
    status = l2r_svg_finish(html, &page, error);
done:
    l2r_free(page.text);
    l2r_data_shelf_clear(&shelf);
    l2r_run_groups_clear(&report.groups);
    json_decref(report.charts);
    return status;
}
