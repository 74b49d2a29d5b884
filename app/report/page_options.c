/* SPDX-License-Identifier: MIT
 *
 * The options of all groups side by side (templates/options.html), in three parts: those that differ, those that only
 * some groups have (another model or method), and those that are the same everywhere.
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
static json_t *all_keys(struct l2r_view *view, const struct l2r_run_groups *groups)
{
    json_t *keys = json_object(), *value;
    const char *key;
    for (size_t k = 0; k < groups->n; k++)
        json_object_foreach(groups->items[k].config, key, value) l2r_view_flag(view, keys, key, true);
    return keys;
}

/* Nothing is added when there are no such options, except for the last part. */
static void add_part(struct l2r_view *view, const struct l2r_run_groups *groups, json_t *keys, const char *name,
                     enum sort wanted)
{
    json_t *part = json_object(), *options = l2r_view_list(view, part, "options"), *value;
    const char *key;
    json_object_foreach(keys, key, value)
    {
        if (sort_of(groups, key) != wanted) continue;
        json_t *option = l2r_view_item(view, options);
        l2r_view_text(view, option, "option", key);
        json_t *values = l2r_view_list(view, option, "values");
        for (size_t k = 0; k < (wanted == SAME ? 1 : groups->n); k++)
            l2r_view_append_value(view, values, json_object_get(groups->items[k].config, key));
    }
    l2r_view_print(view, part, "count", "%zu", json_array_size(options));
    if (json_array_size(options) > 0 || wanted == SAME)
        l2r_view_set(view, view->root, name, part);
    else
        json_decref(part);
}

void l2r_page_options(struct l2r_report *report)
{
    json_t *keys = all_keys(&report->view, &report->groups);
    add_part(&report->view, &report->groups, keys, "differing", DIFFERS);
    add_part(&report->view, &report->groups, keys, "only_some", ONLY_SOME);
    add_part(&report->view, &report->groups, keys, "same", SAME);
    json_decref(keys);
}
