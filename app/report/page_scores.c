/* SPDX-License-Identifier: MIT
 *
 * Every metric of a group on every part: mean ± sd over its runs, from the "more" of their results.
 */
#include "report/page_parts.h"

#include "base/memory.h"
#include "train/run.h"

#include "metrics/statistics.h"

#include <math.h>
#include <string.h>

static const char *const parts[] = {"train", "valid", "test"};

static double score_of(const struct l2r_run_files *run, int part, const char *metric)
{
    return l2r_html_number_of(json_object_get(json_object_get(run->result, "more"), parts[part]), metric);
}

static void add_row(struct l2r_svg *page, const struct l2r_report *report, const struct l2r_run_group *group,
                    const char *metric, double *values /* [group->n] */)
{
    bool counts = strcmp(metric, "n") == 0;
    l2r_svg_add(page, "<tr>");
    l2r_html_element(page, "td", counts ? "graphs" : metric);
    for (int p = 2; p >= 0; p--) {
        int64_t n = 0;
        double mean, sd;
        for (size_t i = 0; i < group->n; i++) {
            double score = score_of(&report->list->runs[group->runs[i]], p, metric);
            if (!isnan(score)) values[n++] = score;
        }
        l2r_mean_sd(&mean, &sd, values, n);
        l2r_svg_add(page, "<td class=\"n\">");
        if (counts)
            l2r_html_fixed(page, mean, 0);
        else
            l2r_html_mean_sd(page, mean, sd);
        l2r_svg_add(page, "</td>");
    }
    l2r_svg_add(page, "</tr>\n");
}

/* Rows: the metrics of the first finished run, of its test part or of the first part that has some. */
void l2r_page_scores(struct l2r_svg *page, const struct l2r_report *report, const struct l2r_run_group *group)
{
    const json_t *more = NULL;
    json_t *rows = NULL, *value;
    const char *metric;
    for (size_t i = 0; i < group->n && more == NULL; i++)
        more = json_object_get(report->list->runs[group->runs[i]].result, "more");
    for (int p = 2; p >= 0 && json_object_size(rows) < 2; p--) rows = json_object_get(more, parts[p]);
    if (rows == NULL) return;
    double *values = l2r_alloc(group->n, sizeof *values);
    if (values == NULL) {
        page->failed = true;
        return;
    }
    l2r_svg_add(page, "<h3>Scores</h3>\n<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr><th>metric</th>"
                      "<th class=\"n\">test</th><th class=\"n\">valid</th><th class=\"n\">train</th></tr></thead>\n"
                      "<tbody>\n");
    json_object_foreach(rows, metric, value) add_row(page, report, group, metric, values);
    l2r_svg_add(page, "</tbody></table></div>\n");
    l2r_free(values);
}
