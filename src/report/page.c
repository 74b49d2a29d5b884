/* SPDX-License-Identifier: MIT
 * See page.h. */
#include "report/page.h"

#include "report/html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const parts[] = {"train", "valid", "test"};

static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "–";
}

/* All runs in one table. */
static void add_overview(struct l2r_svg *page, const struct l2r_run_list *list)
{
    l2r_svg_add(page, "<section>\n<h2>All runs</h2>\n<div class=\"wide\"><table>\n<tr><th>run</th><th>data</th>"
                      "<th>model</th><th>method</th><th class=\"n\">seed</th><th>metric</th><th class=\"n\">train</th>"
                      "<th class=\"n\">valid</th><th class=\"n\">test</th></tr>\n");
    for (size_t i = 0; i < list->n; i++) {
        const struct l2r_run_files *run = &list->runs[i];
        l2r_svg_add(page, "<tr><td><a href=\"#run-%zu\">", i + 1);
        l2r_svg_escaped(page, run->dir, strlen(run->dir));
        l2r_svg_add(page, "</a></td>");
        l2r_html_element(page, "td", text_of(run->config, "data"));
        l2r_html_element(page, "td", text_of(run->config, "model"));
        l2r_html_element(page, "td", text_of(run->config, "method"));
        l2r_svg_add(page, "<td class=\"n\">%lld</td>", (long long)number_of(run->config, "seed"));
        l2r_html_element(page, "td", text_of(run->result, "metric"));
        for (int p = 0; p < 3; p++) l2r_html_score(page, number_of(run->result, parts[p]));
        l2r_svg_add(page, "</tr>\n");
    }
    l2r_svg_add(page, "</table></div>\n</section>\n");
}

/* Rows: every metric of the test part, or of the first part that has some. */
static void add_scores(struct l2r_svg *page, const json_t *result)
{
    json_t *more = json_object_get(result, "more"), *rows = json_object_get(more, "test"), *value;
    const char *metric;
    for (int p = 0; p < 3 && json_object_size(rows) == 0; p++) rows = json_object_get(more, parts[p]);
    l2r_svg_add(page, "<h3>Scores</h3>\n<div class=\"wide\"><table>\n<tr><th>metric</th><th class=\"n\">train</th>"
                      "<th class=\"n\">valid</th><th class=\"n\">test</th></tr>\n");
    json_object_foreach(rows, metric, value)
    {
        if (strcmp(metric, "n") == 0) continue;
        l2r_svg_add(page, "<tr>");
        l2r_html_element(page, "td", metric);
        for (int p = 0; p < 3; p++) l2r_html_score(page, number_of(json_object_get(more, parts[p]), metric));
        l2r_svg_add(page, "</tr>\n");
    }
    l2r_svg_add(page, "<tr><td>graphs</td>");
    for (int p = 0; p < 3; p++) {
        double n = number_of(json_object_get(more, parts[p]), "n");
        l2r_svg_add(page, "<td class=\"n\">%lld</td>", isnan(n) ? 0ll : (long long)n);
    }
    l2r_svg_add(page, "</tr>\n</table></div>\n");
}

static void add_value(struct l2r_svg *page, const json_t *value)
{
    if (json_is_string(value))
        l2r_svg_escaped(page, json_string_value(value), json_string_length(value));
    else if (json_is_number(value))
        l2r_html_number(page, json_number_value(value));
    else
        l2r_svg_add(page, "%s", json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "–");
}

static void add_options(struct l2r_svg *page, json_t *config)
{
    const char *name;
    json_t *value;
    l2r_svg_add(page, "<details><summary>All options of the run</summary>\n<div class=\"options\">\n");
    json_object_foreach(config, name, value)
    {
        l2r_svg_add(page, "<div>");
        l2r_html_element(page, "b", name);
        l2r_svg_add(page, " ");
        add_value(page, value);
        l2r_svg_add(page, "</div>\n");
    }
    l2r_svg_add(page, "</div></details>\n");
}

/* Mean scores over the graphs explained, from explanations.json. */
static void add_explanation_scores(struct l2r_svg *page, const json_t *explanations)
{
    const char *name;
    json_t *value, *summary = json_object_get(explanations, "summary"), *first = json_array_get(summary, 0);
    if (!json_is_object(first)) return;
    l2r_svg_add(page, "<div class=\"wide\"><table>\n<tr>");
    json_object_foreach(first, name, value)
    {
        char words[64];
        if (json_is_null(value)) continue;
        snprintf(words, sizeof words, "%s", name);
        for (char *c = words; *c != '\0'; c++)
            if (*c == '_') *c = ' ';
        l2r_html_element(page, json_is_string(value) ? "th" : "th class=\"n\"", words);
    }
    l2r_svg_add(page, "</tr>\n");
    for (size_t i = 0; i < json_array_size(summary); i++) {
        json_t *row = json_array_get(summary, i);
        l2r_svg_add(page, "<tr>");
        json_object_foreach(first, name, value)
        {
            const json_t *cell = json_object_get(row, name);
            if (json_is_null(value)) continue;
            if (json_is_string(cell))
                l2r_html_element(page, "td", json_string_value(cell));
            else if (json_is_integer(cell))
                l2r_svg_add(page, "<td class=\"n\">%lld</td>", (long long)json_integer_value(cell));
            else
                l2r_html_score(page, number_of(row, name));
        }
        l2r_svg_add(page, "</tr>\n");
    }
    l2r_svg_add(page, "</table></div>\n");
}

static void add_gallery(struct l2r_svg *page, const struct l2r_run_files *run)
{
    if (run->n_drawings + run->n_foreign == 0 && run->explanations == NULL) return;
    l2r_svg_add(page, "<h3>Explanations</h3>\n");
    add_explanation_scores(page, run->explanations);
    if (run->n_foreign > 0)
        l2r_svg_add(page, "<p class=\"muted\">%zu SVG files were not drawn by l2r and are left out.</p>\n",
                    run->n_foreign);
    l2r_svg_add(page, "<div class=\"gallery\">\n");
    for (size_t i = 0; i < run->n_drawings; i++) l2r_svg_add(page, "<figure>%s</figure>\n", run->drawings[i]);
    l2r_svg_add(page, "</div>\n");
}

static void add_run(struct l2r_svg *page, const struct l2r_run_files *run, size_t number)
{
    l2r_svg_add(page, "<section id=\"run-%zu\">\n", number);
    l2r_html_element(page, "h2", run->dir);
    l2r_svg_add(page, "\n<p>");
    l2r_html_element(page, "b", text_of(run->config, "model"));
    l2r_svg_add(page, " with method ");
    l2r_html_element(page, "b", text_of(run->config, "method"));
    l2r_svg_add(page, " on ");
    l2r_html_element(page, "b", text_of(run->config, "data"));
    l2r_svg_add(page, ", seed %lld</p>\n", (long long)number_of(run->config, "seed"));
    if (run->result != NULL) {
        l2r_svg_add(page, "<p class=\"muted\">best epoch %lld of %lld, %lld parameters</p>\n",
                    (long long)number_of(run->result, "best_epoch"), (long long)number_of(run->result, "epochs"),
                    (long long)number_of(run->result, "n_parameters"));
        add_scores(page, run->result);
    } else
        l2r_svg_add(page, "<p class=\"muted\">This run has not finished: there is no result.json.</p>\n");
    add_gallery(page, run);
    add_options(page, run->config);
    l2r_svg_add(page, "</section>\n");
}

enum l2r_status l2r_report_page(char **html, const struct l2r_run_list *list, struct l2r_error *error)
{
    struct l2r_svg page = {0};
    l2r_html_begin(&page, list->n == 1 ? list->runs[0].dir : "l2r report");
    l2r_svg_add(&page, "<h1>%s</h1>\n<p class=\"muted\">made by l2r %s</p>\n",
                list->n == 1 ? "Report of a run" : "Report of several runs", l2r_version());
    if (list->n > 1) add_overview(&page, list);
    for (size_t i = 0; i < list->n; i++) add_run(&page, &list->runs[i], i + 1);
    l2r_html_end(&page);
    return l2r_svg_finish(html, &page, error);
}
