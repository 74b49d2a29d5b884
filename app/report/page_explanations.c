/* SPDX-License-Identifier: MIT
 *
 * The explanations of a run: mean scores, and the drawings that 'l2r explain' left in its folder.
 */
#include "report/page_parts.h"

#include <stdio.h>

/* Scores over the graphs explained, from explanations.json. */
static void add_scores(struct l2r_svg *page, const json_t *explanations)
{
    const char *name;
    json_t *value, *summary = json_object_get(explanations, "summary"), *first = json_array_get(summary, 0);
    if (!json_is_object(first)) return;
    l2r_svg_add(page, "<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>");
    json_object_foreach(first, name, value)
    {
        char words[64];
        if (json_is_null(value)) continue;
        snprintf(words, sizeof words, "%s", name);
        for (char *c = words; *c != '\0'; c++)
            if (*c == '_') *c = ' ';
        l2r_html_element(page, json_is_string(value) ? "th" : "th class=\"n\"", words);
    }
    l2r_svg_add(page, "</tr></thead>\n<tbody>\n");
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
                l2r_html_score(page, l2r_html_number_of(row, name));
        }
        l2r_svg_add(page, "</tr>\n");
    }
    l2r_svg_add(page, "</tbody></table></div>\n");
}

void l2r_page_explanations(struct l2r_svg *page, const struct l2r_run_files *run)
{
    if (run->n_drawings + run->n_foreign == 0 && run->explanations == NULL) return;
    l2r_svg_add(page, "<h3>Explanations <span class=\"muted\">");
    l2r_html_text(page, run->dir);
    l2r_svg_add(page, "</span></h3>\n");
    add_scores(page, run->explanations);
    if (run->n_foreign > 0)
        l2r_svg_add(page, "<p class=\"note\">%zu SVG file%s not drawn by l2r and left out.</p>\n", run->n_foreign,
                    run->n_foreign == 1 ? " was" : "s were");
    l2r_svg_add(page, "<div class=\"gallery\">\n");
    for (size_t i = 0; i < run->n_drawings; i++) l2r_svg_add(page, "<figure>%s</figure>\n", run->drawings[i]);
    l2r_svg_add(page, "</div>\n");
}
