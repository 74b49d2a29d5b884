/* SPDX-License-Identifier: MIT
 *
 * Pages from templates: app/report/templates/NAME.html, embedded by the build, with places that are filled from a
 * view. The language is a small part of Mustache:
 *
 *     {{name}}                    text; always escaped, so that nothing in it can become a tag or an attribute
 *     {{=name}}                   the value as JSON that is safe inside a <script>
 *     {{{name}}}                  a trusted fragment (l2r_view_markup): markup made by this program
 *     {{#name}} … {{/name}}       for each item of a list; once for any other value; not at all if there is none
 *     {{^name}} … {{/name}}       if there is no such value
 *     {{.}}                       the item itself
 *     {{>name}}                   another template
 *
 * A name is looked up in the innermost item first, then in those around it. A section tag alone on its line leaves no
 * line behind. The three kinds of places are three kinds of values: a text never fills a trusted place, a fragment
 * never a text place, so what comes from files and command lines is escaped by construction.
 *
 * Templates and views come from this program, so a place that cannot be filled means that memory ran out while the view
 * was built.
 */
#ifndef L2R_REPORT_TEMPLATE_H
#define L2R_REPORT_TEMPLATE_H

#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>

/* What the places are filled from. Failed allocations stick, so that collectors need no error handling. */
struct l2r_view {
    json_t *root;
    struct l2r_fragment {
        const char *markup;
        char *own; /* freed with the view; or NULL */
    } * fragments;
    size_t n, capacity;
    bool failed;
};

void l2r_view_init(struct l2r_view *view);
void l2r_view_clear(struct l2r_view *view);

/* Each adds to an object of the view. */
void l2r_view_set(struct l2r_view *view, json_t *object, const char *key, json_t *value); /* takes the reference */
void l2r_view_text(struct l2r_view *view, json_t *object, const char *key, const char *text);
void l2r_view_print(struct l2r_view *view, json_t *object, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void l2r_view_flag(struct l2r_view *view, json_t *object, const char *key, bool value);
/* markup outlives the view; or own is given, which the view frees. */
void l2r_view_markup(struct l2r_view *view, json_t *object, const char *key, const char *markup, char *own);
/* The markup that such a value stands for; NULL: it stands for none. */
const char *l2r_view_fragment(const struct l2r_view *view, const json_t *value);
/* Borrowed: a new object or list under the key, a new object at the end of a list. */
json_t *l2r_view_object(struct l2r_view *view, json_t *object, const char *key);
json_t *l2r_view_list(struct l2r_view *view, json_t *object, const char *key);
json_t *l2r_view_item(struct l2r_view *view, json_t *list);
void l2r_view_append(struct l2r_view *view, json_t *list, const char *text);

/* Fills the embedded template of that name, or one that is given as text. Text from l2r_alloc. */
enum l2r_status l2r_template_fill(char **page, const char *name, const struct l2r_view *view, struct l2r_error *error);
enum l2r_status l2r_template_fill_text(char **page, const char *template, const struct l2r_view *view,
                                       struct l2r_error *error);

/* The embedded files; ends with a zero row. */
struct l2r_template_text {
    const char *name;
    const unsigned char *text;
    size_t length;
};
extern const struct l2r_template_text l2r_template_texts[];

#endif
