/* SPDX-License-Identifier: MIT
 * See drawing_check.h. A recogniser: it reads from front to back and stops at the first byte that is not allowed. */
#include "report/drawing_check.h"

#include "base/text.h"

#include <string.h>
#include <strings.h>

enum { DEEPEST = 32, MOST_ATTRIBUTES = 32 };

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

static const char *const elements[] = {"svg",     "g",    "title", "text",    "tspan",    "line", "circle",
                                       "ellipse", "rect", "path",  "polygon", "polyline", NULL};

/* Also the properties that a style may set, as far as they are no places on the page. */
static const char *const paints[] = {"fill",
                                     "fill-rule",
                                     "fill-opacity",
                                     "stroke",
                                     "stroke-width",
                                     "stroke-linecap",
                                     "stroke-linejoin",
                                     "stroke-opacity",
                                     "stroke-dasharray",
                                     "stroke-miterlimit",
                                     "opacity",
                                     "font-family",
                                     "font-size",
                                     "font-weight",
                                     "font-style",
                                     "text-anchor",
                                     "dominant-baseline",
                                     NULL};
static const char *const places[] = {"x",  "y",  "x1", "y1",    "x2",     "y2",      "cx",        "cy",     "r", "rx",
                                     "ry", "dx", "dy", "width", "height", "viewBox", "transform", "points", "d", NULL};

struct reader {
    const char *at, *end;
    const char *open[DEEPEST]; /* names of the elements that are not closed yet */
    size_t depth;
};

struct word {
    const char *text;
    size_t length;
};

static const char *find(const char *const *list, struct word word)
{
    for (; *list != NULL; list++)
        if (strlen(*list) == word.length && memcmp(*list, word.text, word.length) == 0) return *list;
    return NULL;
}

static bool take(struct reader *r, const char *text)
{
    size_t length = strlen(text);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0) return false;
    r->at += length;
    return true;
}

static struct word take_all(struct reader *r, const char *set)
{
    struct word word = {.text = r->at};
    while (r->at < r->end && *r->at != '\0' && strchr(set, *r->at) != NULL) r->at++;
    word.length = (size_t)(r->at - word.text);
    return word;
}

static bool is_name(const struct word *word, const char *wanted)
{
    return word->length == strlen(wanted) && memcmp(word->text, wanted, word->length) == 0;
}

/* Letters, digits and a few signs, none of which leads out of a value; and no keyword that refers to another file. */
static bool is_plain(struct word value)
{
    for (size_t i = 0; i < value.length; i++) {
        char c = value.text[i];
        bool known = (c >= '0' && c <= '9') || (c != '\0' && strchr(letters, c) != NULL) ||
                     (c != '\0' && strchr(" .,#%;:+-_()'\n", c) != NULL);
        if (!known || (value.length - i >= 3 && strncasecmp(value.text + i, "url", 3) == 0)) return false;
    }
    return true;
}

/* "fill:#ffffff;stroke:none" */
static bool is_style(struct word value)
{
    struct reader r = {.at = value.text, .end = value.text + value.length};
    while (take_all(&r, " ;"), r.at < r.end) {
        struct word property = {.text = r.at};
        while (r.at < r.end && *r.at != ':' && *r.at != ';') r.at++;
        property.length = (size_t)(r.at - property.text);
        if (find(paints, property) == NULL) return false;
        while (r.at < r.end && *r.at != ';') r.at++;
    }
    return true;
}

static bool is_attribute(struct word name, struct word value)
{
    if (is_name(&name, "xmlns")) return is_name(&value, "http://www.w3.org/2000/svg");
    if (!is_plain(value)) return false;
    if (is_name(&name, "style")) return is_style(value);
    return is_name(&name, "class") || is_name(&name, "role") || find(paints, name) != NULL ||
           find(places, name) != NULL;
}

/* name="value", in either kind of quotes */
static bool take_attribute(struct reader *r)
{
    char set[sizeof letters + 16];
    strcat(strcpy(set, letters), "-0123456789");
    struct word name = take_all(r, set), value;
    if (name.length == 0 || !take(r, "=") || r->at == r->end || (*r->at != '"' && *r->at != '\'')) return false;
    char quote = *r->at++;
    const char *stop = memchr(r->at, quote, (size_t)(r->end - r->at));
    if (stop == NULL) return false;
    value = (struct word){r->at, (size_t)(stop - r->at)};
    r->at = stop + 1;
    return is_attribute(name, value);
}

static bool take_open(struct reader *r)
{
    const char *name = find(elements, take_all(r, letters));
    if (name == NULL || r->depth == DEEPEST) return false;
    if (r->depth == 0 && strcmp(name, "svg") != 0) return false;
    if (r->depth > 0 && strcmp(r->open[r->depth - 1], "title") == 0) return false; /* HTML would read tags there */
    for (int n = 0; take_all(r, " \n").length > 0; n++) {
        if (r->at < r->end && (*r->at == '/' || *r->at == '>')) break;
        if (n == MOST_ATTRIBUTES || !take_attribute(r)) return false;
    }
    if (take(r, "/>")) return r->depth > 0;
    r->open[r->depth++] = name;
    return take(r, ">");
}

static bool take_close(struct reader *r)
{
    const char *name = find(elements, take_all(r, letters));
    return name != NULL && r->depth > 0 && strcmp(r->open[--r->depth], name) == 0 && take(r, ">");
}

/* "<!-- END OF HEADER -->" */
static bool take_comment(struct reader *r)
{
    char set[sizeof letters + 16];
    strcat(strcpy(set, letters), " 0123456789");
    return take_all(r, set).length > 0 && take(r, "-->");
}

static bool take_text(struct reader *r)
{
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;", NULL};
    while (r->at < r->end && *r->at != '<') {
        unsigned char c = (unsigned char)*r->at;
        if ((c < ' ' && c != '\n' && c != '\t') || c == 127) return false;
        if (c == '&') {
            size_t i = 0;
            while (entities[i] != NULL && !take(r, entities[i])) i++;
            if (entities[i] == NULL) return false;
        } else {
            r->at++;
        }
    }
    return true;
}

bool l2r_drawing_is_safe(const char *svg, size_t length)
{
    static const char begin[] = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"l2r-figure\"";
    struct reader r = {.at = svg, .end = svg + length};
    if (length < sizeof begin || memcmp(svg, begin, sizeof begin - 1) != 0 || l2r_utf8_check(svg, length) >= 0)
        return false;
    do {
        if (!take(&r, "<")) return false;
        bool good = take(&r, "/") ? take_close(&r) : take(&r, "!--") ? take_comment(&r) : take_open(&r);
        if (!good || (r.depth > 0 && !take_text(&r))) return false;
    } while (r.depth > 0);
    take_all(&r, " \n");
    return r.at == r.end;
}
