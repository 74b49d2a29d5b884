/* SPDX-License-Identifier: MIT
 *
 * The options of all groups side by side, in three parts: those that differ, those that only some groups have (another
 * model or method), and those that are the same everywhere.
 */
#include "report/page_parts.h"

enum sort { DIFFERS, ONLY_SOME, SAME };

static enum sort sort_of(const struct l2r_run_groups *groups, const char *key)
{
    json_t *first = NULL;
    enum sort sort = SAME;
    for (size_t k = 0; k < groups->n; k++) {
        json_t *value = json_object_get(groups->items[k].config, key);
        if (value == NULL) {
            sort = ONLY_SOME;
            continue;
        }
        if (first != NULL && !json_equal(first, value)) return DIFFERS;
        first = value;
    }
    return sort;
}

/* Every option of any group, in the order of the first that has it. */
static json_t *all_keys(const struct l2r_run_groups *groups)
{
    json_t *keys = json_object(), *value;
    const char *key;
    for (size_t k = 0; k < groups->n; k++)
        json_object_foreach(groups->items[k].config, key, value) json_object_set_new(keys, key, json_true());
    return keys;
}

static void add_rows(struct l2r_svg *page, const struct l2r_run_groups *groups, json_t *keys, enum sort wanted)
{
    const char *key;
    json_t *value;
    json_object_foreach(keys, key, value)
    {
        if (sort_of(groups, key) != wanted) continue;
        l2r_svg_add(page, "<tr%s>", wanted == DIFFERS ? " class=\"differs\"" : "");
        l2r_html_element(page, "th", key);
        for (size_t k = 0; k < (wanted == SAME ? 1 : groups->n); k++) {
            l2r_svg_add(page, "<td>");
            l2r_html_value(page, json_object_get(groups->items[k].config, key));
            l2r_svg_add(page, "</td>");
        }
        l2r_svg_add(page, "</tr>\n");
    }
}

static size_t count(const struct l2r_run_groups *groups, json_t *keys, enum sort wanted)
{
    size_t n = 0;
    const char *key;
    json_t *value;
    json_object_foreach(keys, key, value) n += sort_of(groups, key) == wanted;
    return n;
}

static void open_table(struct l2r_svg *page, const struct l2r_run_groups *groups, bool names)
{
    l2r_svg_add(page, "<div class=\"wide\" tabindex=\"0\"><table class=\"config\">\n<thead><tr><th>option</th>");
    for (size_t k = 0; names && k < groups->n; k++) l2r_html_element(page, "th", groups->items[k].name);
    l2r_svg_add(page, "%s</tr></thead>\n<tbody>\n", names ? "" : "<th>value</th>");
}

void l2r_page_config(struct l2r_svg *page, const struct l2r_report *report)
{
    const struct l2r_run_groups *groups = &report->groups;
    json_t *keys = all_keys(groups);
    size_t differing = count(groups, keys, DIFFERS), some = count(groups, keys, ONLY_SOME);
    l2r_svg_add(page, "<section id=\"options\">\n<h2>Options</h2>\n");
    if (differing > 0) {
        l2r_svg_add(page, "<p class=\"muted\">Marked: what differs between the runs, seeds aside.</p>\n");
        open_table(page, groups, true);
        add_rows(page, groups, keys, DIFFERS);
        l2r_svg_add(page, "</tbody></table></div>\n");
    }
    if (some > 0) {
        l2r_svg_add(page, "<details><summary>%zu options that only some runs have</summary>\n", some);
        open_table(page, groups, true);
        add_rows(page, groups, keys, ONLY_SOME);
        l2r_svg_add(page, "</tbody></table></div></details>\n");
    }
    bool single = groups->n == 1;
    l2r_svg_add(page, "<details%s><summary>%s%zu options%s</summary>\n", single ? " open=\"open\"" : "",
                single ? "All " : "", count(groups, keys, SAME), single ? "" : " that are the same in all runs");
    open_table(page, groups, false);
    add_rows(page, groups, keys, SAME);
    l2r_svg_add(page, "</tbody></table></div></details>\n</section>\n");
    json_decref(keys);
}
