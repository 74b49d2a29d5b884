/* SPDX-License-Identifier: MIT
 * See page.h. */
#include "report/page.h"

#include "base/config.h"
#include "base/memory.h"
#include "base/text.h"
#include "report/page_parts.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

extern const unsigned char l2r_page_style[], l2r_page_script[]; /* cmake/Embed.cmake */

/* Folds test different graphs and are shown together; of other runs of a group only the first is shown. */
static size_t runs_shown(const struct l2r_run_group *group)
{
    return l2r_line_number(group->config, "folds") > 0 ? group->n : 1;
}

/* Weights are those of the first run; `outcomes` collects the answers of all that are shown. */
static enum l2r_status collect(struct l2r_report *report, json_t *shown, struct l2r_run_scores *first,
                               struct l2r_outcomes outcomes[3], struct l2r_data_shelf *shelf, size_t number,
                               const struct l2r_report_settings *settings, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_run_scores other = {0};
    const struct l2r_run_group *group = &report->groups.items[number];
    for (size_t i = 0; i < runs_shown(group); i++) {
        struct l2r_run_scores *scores = i == 0 ? first : &other;
        const char *run = report->list->runs[group->runs[i]].dir;
        l2r_run_scores_clear(&other);
        L2R_TRY(l2r_run_scores_load(scores, shelf, run, settings->data, settings->cache, error));
        if (i == 0) L2R_TRY(l2r_page_weights(report, shown, scores, number, settings->extremes, error));
        for (int p = 0; p < 3; p++) L2R_TRY(l2r_outcomes_add(&outcomes[p], scores, p, error));
    }
done:
    l2r_run_scores_clear(&other);
    return status;
}

/* An error in weights or predictions is shown in their place, and the rest of the page is still written.
 * */
static enum l2r_status add_predictions(struct l2r_report *report, json_t *shown, struct l2r_data_shelf *shelf,
                                       size_t number, const struct l2r_report_settings *settings,
                                       struct l2r_error *error)
{
    struct l2r_run_scores scores = {0};
    struct l2r_outcomes outcomes[3] = {0};
    struct l2r_error reason = {0};
    enum l2r_status status = collect(report, shown, &scores, outcomes, shelf, number, settings, &reason);
    if (status == L2R_OK) status = l2r_page_predictions(report, shown, &scores, outcomes, number, &reason);
    for (int p = 0; p < 3; p++) l2r_outcomes_clear(&outcomes[p]);
    l2r_run_scores_clear(&scores);
    if (status == L2R_OK) return status;
    if (status == L2R_ERR_MEMORY) return l2r_fail(error, status, "%s", reason.message);
    l2r_view_text(&report->view, shown, "not_shown", reason.message);
    return L2R_OK;
}

/* "fidelity_plus" -> "fidelity plus" */
static void in_words(char words[64], const char *name)
{
    snprintf(words, 64, "%s", name);
    for (char *c = words; *c != '\0'; c++)
        if (*c == '_') *c = ' ';
}

/* Scores over the graphs explained, from explanations.json. */
static void add_explanation_scores(struct l2r_view *view, json_t *shown, const json_t *explanations)
{
    const char *name;
    char words[64];
    json_t *value, *summary = json_object_get(explanations, "summary"), *first = json_array_get(summary, 0);
    if (!json_is_object(first)) return;
    json_t *table = l2r_view_object(view, shown, "summary");
    json_t *heads = l2r_view_list(view, table, "heads"), *rows = l2r_view_list(view, table, "rows");
    json_object_foreach(first, name, value)
    {
        if (json_is_null(value)) continue;
        in_words(words, name);
        json_t *head = l2r_view_item(view, heads);
        l2r_view_flag(view, head, "numeric", !json_is_string(value));
        l2r_view_text(view, head, "words", words);
    }
    for (size_t i = 0; i < json_array_size(summary); i++) {
        const json_t *row = json_array_get(summary, i);
        json_t *cells = l2r_view_list(view, l2r_view_item(view, rows), "cells");
        json_object_foreach(first, name, value)
        {
            const json_t *cell = json_object_get(row, name);
            if (json_is_null(value)) continue;
            json_t *out = l2r_view_item(view, cells);
            in_words(words, name);
            l2r_view_text(view, out, "heading", words);
            l2r_view_flag(view, out, "numeric", !json_is_string(cell));
            if (json_is_string(cell))
                l2r_view_text(view, out, "words", json_string_value(cell));
            else if (json_is_integer(cell))
                l2r_view_print(view, out, "words", "%lld", (long long)json_integer_value(cell));
            else
                l2r_view_text(view, out, "words", l2r_format_score(words, l2r_line_number(row, name)));
        }
    }
}

static const char *field_of(const json_t *fragments, size_t row, size_t column)
{
    const char *text = json_string_value(json_array_get(json_array_get(fragments, row), column));
    return text != NULL ? text : "";
}

/* Numbers as scores, whole ones as they are. */
static void add_field(struct l2r_view *view, json_t *cell, const char *text)
{
    char number[L2R_FORMAT];
    double value;
    bool real = strpbrk(text, ".e") != NULL && l2r_parse_real(&value, text);
    l2r_view_text(view, cell, "words", real ? l2r_format_score(number, value) : text);
}

/* The substructures that matter over all molecules explained, as `l2r explain --fragments` lists them; without
 * columns that are empty, as that of the class is where there is one task. */
static void add_fragments(struct l2r_view *view, json_t *shown, const json_t *fragments)
{
    size_t rows = json_array_size(fragments), columns = json_array_size(json_array_get(fragments, 0));
    if (rows < 2) return;
    json_t *table = l2r_view_object(view, shown, "fragments");
    json_t *heads = l2r_view_list(view, table, "heads"), *list = l2r_view_list(view, table, "rows");
    for (size_t r = 0; r < rows; r++) {
        json_t *cells = r > 0 ? l2r_view_list(view, l2r_view_item(view, list), "cells") : heads;
        for (size_t c = 0; c < columns; c++) {
            bool filled = false;
            for (size_t i = 1; i < rows; i++) filled = filled || *field_of(fragments, i, c) != '\0';
            if (!filled) continue;
            json_t *cell = l2r_view_item(view, cells);
            l2r_view_flag(view, cell, "numeric", c > 0);
            if (c > 0) l2r_view_text(view, cell, "heading", field_of(fragments, 0, c));
            if (r == 0)
                l2r_view_text(view, cell, "words", field_of(fragments, r, c));
            else
                add_field(view, cell, field_of(fragments, r, c));
        }
    }
}

/* The scores of member i by itself on a part. */
static double member_score(const struct l2r_run_files *run, const char *part, size_t i)
{
    const json_t *more = json_object_get(json_object_get(run->result, "more"), part);
    return l2r_line_number(json_array_get(json_object_get(more, "members"), i), l2r_text_of(run->result, "metric"));
}

/* The members of a committee, as the result has them. */
static void add_members(struct l2r_view *view, json_t *shown, const struct l2r_run_files *run)
{
    const json_t *members = json_object_get(json_object_get(run->result, "more"), "members");
    size_t n = json_array_size(members);
    if (n < 2) return;
    json_t *committee = l2r_view_object(view, shown, "committee");
    l2r_view_print(view, committee, "count", "%zu", n);
    json_t *rows = l2r_view_list(view, committee, "rows");
    for (size_t i = 0; i < n; i++) {
        const json_t *member = json_array_get(members, i);
        json_t *row = l2r_view_item(view, rows);
        l2r_view_print(view, row, "number", "%zu", i + 1);
        l2r_view_text(view, row, "model", l2r_text_of(member, "model"));
        l2r_view_fixed(view, row, "seed", l2r_line_number(member, "seed"), 0);
        l2r_view_fixed(view, row, "test", member_score(run, "test", i), 4);
        l2r_view_fixed(view, row, "valid", member_score(run, "valid", i), 4);
    }
}

/* The scores and drawings that 'l2r explain' left in a run's folder. */
static void add_explanations(struct l2r_view *view, json_t *list, const struct l2r_run_files *run)
{
    if (run->n_drawings + run->n_foreign == 0 && run->explanations == NULL && run->fragments == NULL) return;
    json_t *shown = l2r_view_item(view, list);
    l2r_view_text(view, shown, "dir", run->dir);
    if (json_object_get(run->explanations, "explained") != NULL)
        l2r_view_text(view, shown, "explained", l2r_text_of(run->explanations, "explained"));
    add_explanation_scores(view, shown, run->explanations);
    add_fragments(view, shown, run->fragments);
    if (run->n_foreign > 0)
        l2r_view_print(view, shown, "foreign", "%zu SVG file%s", run->n_foreign,
                       run->n_foreign == 1 ? " was" : "s were");
    json_t *drawings = l2r_view_list(view, shown, "drawings");
    for (size_t i = 0; i < run->n_drawings; i++) /* checked: drawing_check.h */
        l2r_view_markup(view, l2r_view_item(view, drawings), "drawing", run->drawings[i], NULL);
}

static enum l2r_status add_group(struct l2r_report *report, struct l2r_data_shelf *shelf, size_t number,
                                 const struct l2r_report_settings *settings, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_view *view = &report->view;
    const struct l2r_run_group *group = &report->groups.items[number];
    json_t *shown = json_array_get(json_object_get(view->root, "groups"), number);
    size_t unfinished = group->n - group->n_finished;
    l2r_view_text(view, shown, "data", l2r_text_of(group->config, "data"));
    if (unfinished > 0)
        l2r_view_print(view, shown, "unfinished", "%zu of %zu runs ha%s", unfinished, group->n,
                       unfinished == 1 ? "s" : "ve");
    l2r_page_scores(report, shown, group);
    l2r_page_shift(report, shown, group);
    add_members(view, shown, &report->list->runs[group->runs[0]]);
    if (settings->predictions) {
        if (runs_shown(group) > 1)
            l2r_view_print(view, shown, "folds_together", "%zu", group->n);
        else if (group->n > 1)
            l2r_view_text(view, shown, "predictions_of", report->list->runs[group->runs[0]].dir);
        L2R_TRY(add_predictions(report, shown, shelf, number, settings, error));
    }
    json_t *explanations = l2r_view_list(view, shown, "explanations");
    for (size_t i = 0; i < group->n; i++) add_explanations(view, explanations, &report->list->runs[group->runs[i]]);
done:
    return status;
}

/* "sha256-…", as a Content-Security-Policy names the text of an element. */
static void add_hash(struct l2r_text *policy, const char *text)
{
    unsigned char digest[32], letters[48];
    unsigned int size = 0;
    if (EVP_Digest(text, strlen(text), digest, &size, EVP_sha256(), NULL) != 1) policy->failed = true;
    EVP_EncodeBlock(letters, digest, (int)sizeof digest);
    l2r_text_print(policy, "'sha256-%s'", (const char *)letters);
}

/* The browser may run this script and use this style, and nothing else: were a text of a file ever to become markup, it
 * could not act, load or send anything. Attributes of style are those of drawings and tables; they can load nothing. */
static void add_policy(struct l2r_view *view, const char *style, const char *script)
{
    struct l2r_text policy = {0};
    l2r_text_puts(&policy, "default-src 'none'; base-uri 'none'; form-action 'none'; script-src ");
    add_hash(&policy, script);
    l2r_text_puts(&policy, "; style-src 'unsafe-inline'; style-src-attr 'unsafe-inline'; style-src-elem ");
    add_hash(&policy, style);
    if (policy.failed) view->failed = true;
    l2r_view_text(view, view->root, "policy", policy.text != NULL ? policy.text : "");
    l2r_text_clear(&policy);
}

/* The text of an element as the templates have it: between tags, with the lines that make it XML too. */
static const char *add_element(struct l2r_view *view, const char *key, const char *before, const unsigned char *text,
                               const char *after)
{
    struct l2r_text whole = {0};
    struct l2r_error ignored;
    char *own = NULL;
    l2r_text_print(&whole, "%s%s%s", before, (const char *)text, after);
    if (l2r_text_finish(&own, &whole, "a page", &ignored) != L2R_OK) view->failed = true;
    l2r_view_markup(view, view->root, key, own, own);
    return view->failed ? "" : own;
}

static void add_frame(struct l2r_report *report, const char *title)
{
    struct l2r_view *view = &report->view;
    l2r_view_text(view, view->root, "title", title);
    l2r_view_print(view, view->root, "runs_made", "%zu run%s", report->list->n, report->list->n == 1 ? "" : "s");
    l2r_view_text(view, view->root, "version", l2r_version());
    const char *style = add_element(view, "style", "\n", l2r_page_style, "");
    const char *script = add_element(view, "script", "\n//<![CDATA[\n", l2r_page_script, "//]]>\n");
    add_policy(view, style, script);
    report->charts = l2r_view_object(view, view->root, "charts");
}

enum l2r_status l2r_report_data(json_t **data, const struct l2r_run_list *list, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_report report = {.list = list};
    *data = NULL;
    l2r_view_init(&report.view);
    L2R_TRY(l2r_run_groups_make(&report.groups, list, error));
    report.charts = l2r_view_object(&report.view, report.view.root, "charts");
    l2r_page_summary(&report);
    l2r_page_curves(&report);
    l2r_page_options(&report);
    if (report.view.failed || report.view.n > 0) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a comparison of runs");
    *data = json_incref(report.view.root);
done:
    l2r_run_groups_clear(&report.groups);
    l2r_view_clear(&report.view);
    return status;
}

/* Drawings as text, in place of what templates fill in. */
static void put_drawings(struct l2r_view *view, json_t *weights)
{
    size_t g, i;
    json_t *gallery, *graph;
    json_array_foreach(json_object_get(weights, "galleries"), g, gallery)
    {
        json_array_foreach(json_object_get(gallery, "drawn"), i, graph)
        {
            const char *svg = l2r_view_fragment(view, json_object_get(graph, "drawing"));
            if (svg != NULL) l2r_view_text(view, graph, "drawing", svg);
        }
    }
}

enum l2r_status l2r_report_weights(json_t **data, const char *run, const struct l2r_report_settings *settings,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_report report = {0};
    struct l2r_run_scores scores = {0};
    struct l2r_data_shelf shelf = {0};
    *data = NULL;
    l2r_view_init(&report.view);
    json_t *root = report.view.root, *charts = json_object();
    L2R_TRY(l2r_run_scores_weights(&scores, &shelf, run, settings->data, settings->cache, error));
    report.charts = charts;
    L2R_TRY(l2r_page_weights(&report, root, &scores, 0, settings->extremes, error));
    json_t *weights = json_object_get(root, "weights");
    put_drawings(&report.view, weights);
    if (weights != NULL) json_object_set(weights, "charts", charts);
    if (report.view.failed || charts == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the weights of a run");
    *data = weights != NULL ? json_incref(weights) : json_null();
done:
    json_decref(charts);
    l2r_run_scores_clear(&scores);
    l2r_data_shelf_clear(&shelf);
    l2r_view_clear(&report.view);
    return status;
}

enum l2r_status l2r_report_page(char **html, const struct l2r_run_list *list,
                                const struct l2r_report_settings *settings, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_report report = {.list = list};
    struct l2r_data_shelf shelf = {0};
    const char *title = settings->title != NULL ? settings->title : list->n == 1 ? list->runs[0].dir : "l2r report";
    *html = NULL;
    l2r_view_init(&report.view);
    L2R_TRY(l2r_run_groups_make(&report.groups, list, error));
    add_frame(&report, title);
    l2r_page_summary(&report);
    l2r_page_curves(&report);
    for (size_t k = 0; k < report.groups.n; k++) L2R_TRY(add_group(&report, &shelf, k, settings, error));
    l2r_page_options(&report);
    status = l2r_template_fill(html, "page", &report.view, error);
done:
    l2r_data_shelf_clear(&shelf);
    l2r_run_groups_clear(&report.groups);
    l2r_view_clear(&report.view);
    return status;
}
