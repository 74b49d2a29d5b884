/* SPDX-License-Identifier: MIT
 * See html.h. */
#include "report/html.h"

#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char l2r_page_style[], l2r_page_script[]; /* cmake/Embed.cmake */

void l2r_html_begin(struct l2r_svg *page, const char *title)
{
    l2r_svg_add(page, "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
                      "<meta charset=\"utf-8\"/>\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>");
    l2r_html_text(page, title);
    l2r_svg_add(page, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", (const char *)l2r_page_style);
}

/* JSON inside a page: no text in it can end the script or begin a tag. */
static void add_json(struct l2r_svg *page, const char *text)
{
    while (*text != '\0') {
        size_t n = strcspn(text, "<>&");
        l2r_svg_add(page, "%.*s", (int)n, text);
        text += n;
        if (*text != '\0') l2r_svg_add(page, "\\u%04x", (unsigned)(unsigned char)*text++);
    }
}

void l2r_html_end(struct l2r_svg *page, const json_t *charts)
{
    char *text = charts != NULL ? json_dumps(charts, JSON_COMPACT | JSON_REAL_PRECISION(5)) : NULL;
    if (charts != NULL && text == NULL) page->failed = true;
    l2r_svg_add(page, "<script type=\"application/json\" id=\"charts\">");
    add_json(page, text != NULL ? text : "{}");
    l2r_svg_add(page, "</script>\n<script>\n//<![CDATA[\n%s//]]>\n</script>\n</body>\n</html>\n",
                (const char *)l2r_page_script);
    free(text); /* from jansson */
}

void l2r_html_text(struct l2r_svg *page, const char *text)
{
    l2r_svg_escaped(page, text, strlen(text));
}

void l2r_html_element(struct l2r_svg *page, const char *tag, const char *text)
{
    l2r_svg_add(page, "<%s>", tag);
    l2r_html_text(page, text);
    l2r_svg_add(page, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void l2r_html_fixed(struct l2r_svg *page, double value, int digits)
{
    unsigned long long scale = 1;
    for (int k = 0; k < digits; k++) scale *= 10;
    if (!isfinite(value) || fabs(value) > 1e12) {
        l2r_svg_add(page, "–");
        return;
    }
    long long parts = llround(value * (double)scale);
    unsigned long long size = parts < 0 ? 0ull - (unsigned long long)parts : (unsigned long long)parts;
    l2r_svg_add(page, "%s%llu", parts < 0 ? "−" : "", size / scale);
    if (digits > 0) l2r_svg_add(page, ".%0*llu", digits, size % scale);
}

void l2r_html_score(struct l2r_svg *page, double value)
{
    l2r_svg_add(page, "<td class=\"n\">");
    l2r_html_fixed(page, value, 4);
    l2r_svg_add(page, "</td>");
}

void l2r_html_mean_sd(struct l2r_svg *page, double mean, double sd)
{
    l2r_html_fixed(page, mean, 4);
    if (isnan(sd)) return;
    l2r_svg_add(page, " <span class=\"sd\">± ");
    l2r_html_fixed(page, sd, 4);
    l2r_svg_add(page, "</span>");
}

void l2r_html_number(struct l2r_svg *page, double value)
{
    char number[32];
    l2r_json_number(number, value);
    size_t length = strlen(number);
    if (length > 2 && strcmp(number + length - 2, ".0") == 0) number[length - 2] = '\0';
    l2r_svg_add(page, "%s", number);
}

void l2r_html_value(struct l2r_svg *page, const json_t *value)
{
    if (json_is_string(value))
        l2r_svg_escaped(page, json_string_value(value), json_string_length(value));
    else if (json_is_number(value))
        l2r_html_number(page, json_number_value(value));
    else
        l2r_svg_add(page, "%s", json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "–");
}

double l2r_html_number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

const char *l2r_html_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "–";
}
