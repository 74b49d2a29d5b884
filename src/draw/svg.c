/* SPDX-License-Identifier: MIT
 *
 * See svg.h. Text comes from users' files: it is escaped, and bytes that XML forbids are replaced, so that a drawing
 * can be put into a page as it is.
 */
#include "draw/svg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *l2r_svg_decimal(char out[32], double value)
{
    long long hundredths = isfinite(value) && fabs(value) < 1e12 ? llround(value * 100) : 0;
    unsigned long long size = (unsigned long long)llabs(hundredths);
    const char *sign = hundredths < 0 ? "-" : "";
    if (size % 100 == 0)
        snprintf(out, 32, "%s%llu", sign, size / 100);
    else if (size % 10 == 0)
        snprintf(out, 32, "%s%llu.%llu", sign, size / 100, size % 100 / 10);
    else
        snprintf(out, 32, "%s%llu.%02llu", sign, size / 100, size % 100);
    return out;
}

void l2r_svg_attribute(struct l2r_text *svg, const char *name, double value)
{
    char number[32];
    l2r_text_print(svg, " %s=\"%s\"", name, l2r_svg_decimal(number, value));
}

/* Bytes of the UTF-8 character at text (n bytes are left); 0: it is broken or forbidden in XML. */
static size_t character_length(const unsigned char *text, size_t n)
{
    if (text[0] < 0x80) return text[0] >= 0x20 || text[0] == '\t' || text[0] == '\n' ? 1 : 0;
    size_t length = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    if (text[0] < 0xC2 || text[0] > 0xF4 || length > n) return 0;
    for (size_t i = 1; i < length; i++)
        if ((text[i] & 0xC0) != 0x80) return 0;
    unsigned long code = text[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++) code = code << 6 | (text[i] & 0x3Fu);
    bool overlong = code < (length == 4 ? 0x10000ul : length == 3 ? 0x800ul : 0x80ul);
    bool forbidden = (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF;
    return overlong || forbidden ? 0 : length;
}

void l2r_svg_escaped(struct l2r_text *svg, const char *text, size_t length)
{
    for (size_t i = 0; i < length && text[i] != '\0';) {
        size_t n = character_length((const unsigned char *)text + i, length - i);
        const char *name = text[i] == '<'   ? "&lt;"
                           : text[i] == '>' ? "&gt;"
                           : text[i] == '&' ? "&amp;"
                           : text[i] == '"' ? "&quot;"
                           : n == 0         ? "?"
                                            : NULL;
        l2r_text_add(svg, name != NULL ? name : text + i, name != NULL ? strlen(name) : n);
        i += n == 0 ? 1 : n;
    }
}

void l2r_svg_line(struct l2r_text *svg, double x1, double y1, double x2, double y2, const char *style)
{
    l2r_text_print(svg, "<line");
    l2r_svg_attribute(svg, "x1", x1);
    l2r_svg_attribute(svg, "y1", y1);
    l2r_svg_attribute(svg, "x2", x2);
    l2r_svg_attribute(svg, "y2", y2);
    l2r_text_print(svg, " %s/>\n", style);
}

void l2r_svg_circle(struct l2r_text *svg, double x, double y, double radius, const char *style)
{
    l2r_text_print(svg, "<circle");
    l2r_svg_attribute(svg, "cx", x);
    l2r_svg_attribute(svg, "cy", y);
    l2r_svg_attribute(svg, "r", radius);
    l2r_text_print(svg, " %s/>\n", style);
}

void l2r_svg_rect(struct l2r_text *svg, struct l2r_box box, const char *style)
{
    l2r_text_print(svg, "<rect");
    l2r_svg_attribute(svg, "x", box.x);
    l2r_svg_attribute(svg, "y", box.y);
    l2r_svg_attribute(svg, "width", box.width);
    l2r_svg_attribute(svg, "height", box.height);
    l2r_text_print(svg, " %s/>\n", style);
}

void l2r_svg_text(struct l2r_text *svg, double x, double y, double size, enum l2r_anchor anchor, const char *text,
                  size_t length, const char *style)
{
    l2r_text_print(svg, "<text");
    l2r_svg_attribute(svg, "x", x);
    l2r_svg_attribute(svg, "y", y);
    l2r_svg_attribute(svg, "font-size", size);
    l2r_text_print(svg, "%s %s>", anchor == L2R_ANCHOR_MIDDLE ? " text-anchor=\"middle\"" : "", style);
    l2r_svg_escaped(svg, text, length);
    l2r_text_print(svg, "</text>\n");
}

/* Of a character in shares of the size: those of a wide face, so an upper bound for the usual ones, near enough to
 * break lines and to centre. */
static double share_of(unsigned char c)
{
    if (strchr("ijlI.,:;'|! ()[]", c) != NULL) return 0.4;
    if (strchr("mwMW@%", c) != NULL) return 1;
    if (strchr("=+<>~#&", c) != NULL) return 0.84;
    return c >= 'A' && c <= 'Z' ? 0.75 : 0.62;
}

double l2r_text_width(const char *text, size_t length, double size)
{
    double width = 0;
    for (size_t i = 0; i < length && text[i] != '\0'; i++)
        if (((unsigned char)text[i] & 0xC0) != 0x80) width += share_of((unsigned char)text[i]); /* else inside one */
    return width * size;
}

/* How many bytes of a word that is longer than a line go on it; at least one character. */
static size_t part_of_word(const char *word, size_t length, double width, double size)
{
    size_t fits = 0;
    for (size_t i = 1; i <= length; i++) {
        bool whole = i == length || ((unsigned char)word[i] & 0xC0) != 0x80; /* not within a UTF-8 character */
        if (!whole) continue;
        if (fits > 0 && l2r_text_width(word, i, size) > width) break;
        fits = i;
    }
    return fits;
}

/* How many bytes of the text go on one line. Words stay whole unless one is longer than a line, as a SMILES may be. */
static size_t line_length(const char *text, double width, double size)
{
    size_t fits = 0;
    for (size_t i = 0;; i++) {
        if (text[i] != '\0' && text[i] != ' ' && text[i] != '\n') continue;
        if (l2r_text_width(text, i, size) > width) return fits > 0 ? fits : part_of_word(text, i, width, size);
        fits = i;
        if (text[i] != ' ') return fits;
    }
}

double l2r_svg_paragraph(struct l2r_text *svg, double x, double y, double width, double size, enum l2r_anchor anchor,
                         const char *text, const char *style)
{
    double height = 0;
    while (text != NULL && *text != '\0') {
        size_t n = line_length(text, width, size);
        if (svg != NULL) l2r_svg_text(svg, x, y + height + size, size, anchor, text, n, style);
        height += 1.35 * size;
        text += n;
        if (*text == ' ' || *text == '\n') text++;
    }
    return height;
}
