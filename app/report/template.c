/* SPDX-License-Identifier: MIT
 * See template.h. */
#include "report/template.h"

#include "base/memory.h"
#include "base/text.h"
#include "draw/svg.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16 };

/* ---- Data ---- */

void l2r_view_init(struct l2r_view *view)
{
    *view = (struct l2r_view){.root = json_object()};
    view->failed = view->root == NULL;
}

void l2r_view_clear(struct l2r_view *view)
{
    for (size_t i = 0; i < view->n; i++) l2r_free(view->fragments[i].own);
    l2r_free(view->fragments);
    json_decref(view->root);
    *view = (struct l2r_view){0};
}

void l2r_view_set(struct l2r_view *view, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0) view->failed = true;
}

/* Names of files may be broken UTF-8: unchecked here, repaired when they are escaped. */
void l2r_view_text(struct l2r_view *view, json_t *object, const char *key, const char *text)
{
    l2r_view_set(view, object, key, json_string_nocheck(text));
}

void l2r_view_print(struct l2r_view *view, json_t *object, const char *key, const char *format, ...)
{
    struct l2r_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    l2r_text_vprint(&text, format, arguments);
    va_end(arguments);
    if (text.failed) view->failed = true;
    l2r_view_text(view, object, key, text.text != NULL ? text.text : "");
    l2r_text_clear(&text);
}

void l2r_view_flag(struct l2r_view *view, json_t *object, const char *key, bool value)
{
    l2r_view_set(view, object, key, json_boolean(value));
}

json_t *l2r_view_object(struct l2r_view *view, json_t *object, const char *key)
{
    l2r_view_set(view, object, key, json_object());
    return json_object_get(object, key);
}

json_t *l2r_view_list(struct l2r_view *view, json_t *object, const char *key)
{
    l2r_view_set(view, object, key, json_array());
    return json_object_get(object, key);
}

json_t *l2r_view_item(struct l2r_view *view, json_t *list)
{
    if (json_array_append_new(list, json_object()) != 0) {
        view->failed = true;
        return NULL;
    }
    return json_array_get(list, json_array_size(list) - 1);
}

void l2r_view_append(struct l2r_view *view, json_t *list, const char *text)
{
    if (json_array_append_new(list, json_string_nocheck(text)) != 0) view->failed = true;
}

void l2r_view_markup(struct l2r_view *view, json_t *object, const char *key, const char *markup, char *own)
{
    if (!l2r_reserve((void **)&view->fragments, &view->capacity, view->n + 1, sizeof *view->fragments)) {
        view->failed = true;
        l2r_free(own);
        return;
    }
    view->fragments[view->n] = (struct l2r_fragment){markup, own};
    json_t *handle = l2r_view_object(view, object, key);
    l2r_view_set(view, handle, "trusted fragment", json_integer((json_int_t)view->n++));
}

/* ---- Filling ---- */

struct filler {
    const struct l2r_view *view;
    struct l2r_text page;
    const json_t *items[DEEPEST]; /* from the root to the innermost */
    int depth;
    const char *start; /* of the template at hand */
    struct l2r_error *error;
};

/* A tag: {{#name}} has kind '#'; plain text has kind 0. */
struct tag {
    char kind;
    char name[40];
    const char *begin, *end; /* what it takes of the template, the line included where it stands alone */
};

/* The next tag; false: there is none. */
static bool next_tag(struct tag *tag, const char *start, const char *text)
{
    const char *open = strstr(text, "{{"), *close = open != NULL ? strstr(open, "}}") : NULL;
    if (close == NULL) return false;
    const char *name = open + 2;
    tag->kind = strchr("#^/>={", *name) != NULL ? *name++ : 'a';
    size_t length = (size_t)(close - name);
    if (length >= sizeof tag->name) length = sizeof tag->name - 1;
    memcpy(tag->name, name, length);
    tag->name[length] = '\0';
    tag->begin = open;
    tag->end = close + (tag->kind == '{' ? 3 : 2);
    bool alone = (open == start || open[-1] == '\n') && *tag->end == '\n';
    if (alone && strchr("#^/>", tag->kind) != NULL) tag->end++;
    return true;
}

/* Where the section that was just opened ends. */
static bool find_close(struct tag *close, const char *start, const char *text)
{
    for (int depth = 1; next_tag(close, start, text); text = close->end) {
        if (close->kind == '#' || close->kind == '^') depth++;
        if (close->kind == '/' && --depth == 0) return true;
    }
    return false;
}

static const json_t *find(const struct filler *f, const char *name)
{
    const json_t *found = NULL;
    if (strcmp(name, ".") == 0) return f->items[f->depth - 1];
    for (int i = f->depth - 1; i >= 0 && found == NULL; i--) found = json_object_get(f->items[i], name);
    return found;
}

static bool is_there(const json_t *value)
{
    if (json_is_array(value)) return json_array_size(value) > 0;
    if (json_is_string(value)) return json_string_length(value) > 0;
    return value != NULL && !json_is_false(value) && !json_is_null(value);
}

/* Escaped so that no text in it can end the script or begin a tag. */
static bool put_json(struct l2r_text *page, const json_t *value)
{
    char *text = value != NULL ? json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(5)) : NULL;
    for (const char *at = text; at != NULL && *at != '\0';) {
        size_t n = strcspn(at, "<>&");
        l2r_text_add(page, at, n);
        at += n;
        if (*at != '\0') l2r_text_print(page, "\\u%04x", (unsigned)(unsigned char)*at++);
    }
    free(text); /* from jansson */
    return text != NULL;
}

const char *l2r_view_fragment(const struct l2r_view *view, const json_t *value)
{
    const json_t *number = json_object_get(value, "trusted fragment");
    if (!json_is_integer(number) || (size_t)json_integer_value(number) >= view->n) return NULL;
    return view->fragments[json_integer_value(number)].markup;
}

static bool put_markup(struct filler *f, const json_t *value)
{
    const char *markup = l2r_view_fragment(f->view, value);
    if (markup != NULL) l2r_text_puts(&f->page, markup);
    return markup != NULL;
}

static bool put_text(struct filler *f, const json_t *value)
{
    if (!json_is_string(value)) return false;
    l2r_svg_escaped(&f->page, json_string_value(value), json_string_length(value));
    return true;
}

static enum l2r_status fill(struct filler *f, const char *text, const char *end);

static enum l2r_status fill_item(struct filler *f, const json_t *item, const char *text, const char *end)
{
    if (f->depth == DEEPEST) return l2r_fail(f->error, L2R_ERR_ARGUMENT, "a template nests more than %d deep", DEEPEST);
    f->items[f->depth++] = item;
    enum l2r_status status = fill(f, text, end);
    f->depth--;
    return status;
}

static enum l2r_status fill_section(struct filler *f, const struct tag *open, const struct tag *close)
{
    enum l2r_status status = L2R_OK;
    const json_t *value = find(f, open->name);
    if (open->kind == '^') return is_there(value) ? L2R_OK : fill(f, open->end, close->begin);
    if (!is_there(value)) return L2R_OK;
    if (!json_is_array(value)) return fill_item(f, value, open->end, close->begin);
    for (size_t i = 0; i < json_array_size(value) && status == L2R_OK; i++)
        status = fill_item(f, json_array_get(value, i), open->end, close->begin);
    return status;
}

static const char *find_template(const char *name)
{
    const struct l2r_template_text *t = l2r_template_texts;
    while (t->name != NULL && strcmp(t->name, name) != 0) t++;
    return (const char *)t->text;
}

static enum l2r_status fill_whole(struct filler *f, const char *text)
{
    const char *outer = f->start;
    f->start = text;
    enum l2r_status status = fill(f, text, text + strlen(text));
    f->start = outer;
    return status;
}

static enum l2r_status fill_place(struct filler *f, const struct tag *tag)
{
    const json_t *value = find(f, tag->name);
    bool filled = tag->kind == '='   ? put_json(&f->page, value)
                  : tag->kind == '{' ? put_markup(f, value)
                                     : put_text(f, value);
    return filled ? L2R_OK
                  : l2r_fail(f->error, L2R_ERR_MEMORY, "out of memory: nothing to fill {{%s}} with", tag->name);
}

static enum l2r_status fill(struct filler *f, const char *text, const char *end)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error *error = f->error;
    for (struct tag tag, close; status == L2R_OK; text = tag.end) {
        bool found = next_tag(&tag, f->start, text) && tag.begin < end;
        l2r_text_add(&f->page, text, (size_t)((found ? tag.begin : end) - text));
        if (!found) break;
        if (tag.kind == '#' || tag.kind == '^') {
            if (!find_close(&close, f->start, tag.end)) L2R_FAIL(L2R_ERR_ARGUMENT, "{{%s}} has no end", tag.name);
            L2R_TRY(fill_section(f, &tag, &close));
            tag.end = close.end;
        } else if (tag.kind == '>') {
            const char *other = find_template(tag.name);
            if (other == NULL) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no template '%s'", tag.name);
            L2R_TRY(fill_whole(f, other));
        } else {
            L2R_TRY(fill_place(f, &tag));
        }
    }
done:
    return status;
}

enum l2r_status l2r_template_fill_text(char **page, const char *template, const struct l2r_view *view,
                                       struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct filler f = {.view = view, .items = {view->root}, .depth = 1, .error = error};
    *page = NULL;
    if (view->failed) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: what a page shows");
    L2R_TRY(fill_whole(&f, template));
    status = l2r_text_finish(page, &f.page, "a page", error);
done:
    l2r_text_clear(&f.page);
    return status;
}

enum l2r_status l2r_template_fill(char **page, const char *name, const struct l2r_view *view, struct l2r_error *error)
{
    const char *template = find_template(name);
    *page = NULL;
    if (template == NULL) return l2r_fail(error, L2R_ERR_ARGUMENT, "there is no template '%s'", name);
    return l2r_template_fill_text(page, template, view, error);
}
