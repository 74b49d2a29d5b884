/* SPDX-License-Identifier: MIT
 *
 * Adds SVG elements to a text (base/text.h). A failed allocation sticks to the text, so drawing code has no error
 * handling between its lines. Numbers are written as fixed-point integers: no locale, the same bytes everywhere; so
 * never use %f in l2r_text_print here.
 *
 *     struct l2r_text svg = {0};
 *     l2r_svg_line(&svg, x1, y1, x2, y2, "class=\"l2r-ink\" stroke=\"#1b1f24\"");
 *     status = l2r_text_finish(&string, &svg, "a drawing", error);
 *
 * Colours are given as attributes, which every viewer knows, and as classes, which a page's style sheet can override
 * (dark mode).
 */
#ifndef L2R_DRAW_SVG_H
#define L2R_DRAW_SVG_H

#include "base/text.h"

#define L2R_INK "#1b1f24"     /* class l2r-ink, l2r-ink-line: text, outlines */
#define L2R_MUTED "#57606a"   /* class l2r-muted: captions */
#define L2R_PAPER "#ffffff"   /* class l2r-paper: background */
#define L2R_ACCENT "#0b3d91"  /* class l2r-accent, l2r-accent-line: the important subgraph; nearly black in grey */
#define L2R_AGAINST "#a8480f" /* class l2r-against, l2r-against-line: negative contributions */
#define L2R_RING "#c2410c"    /* class l2r-ring: planted motifs */

/* Where a drawing goes. */
struct l2r_box {
    double x, y, width, height;
};

enum l2r_anchor { L2R_ANCHOR_START, L2R_ANCHOR_MIDDLE };

/* A number with at most two decimals: "12", "-0.25". Returns out. */
const char *l2r_svg_decimal(char out[32], double value);
/* name="number" with a blank in front. */
void l2r_svg_attribute(struct l2r_text *svg, const char *name, double value);
/* At most `length` bytes of text with <, >, & and quotes escaped; what XML does not allow (control characters, broken
 * UTF-8) becomes "?". */
void l2r_svg_escaped(struct l2r_text *svg, const char *text, size_t length);

/* Elements; `style` holds further attributes as text. */
void l2r_svg_line(struct l2r_text *svg, double x1, double y1, double x2, double y2, const char *style);
void l2r_svg_circle(struct l2r_text *svg, double x, double y, double radius, const char *style);
void l2r_svg_rect(struct l2r_text *svg, struct l2r_box box, const char *style);
/* One line of text, y is its base line. */
void l2r_svg_text(struct l2r_text *svg, double x, double y, double size, enum l2r_anchor anchor, const char *text,
                  size_t length, const char *style);

/* Text of several lines, broken at blanks to fit `width`: draws it from y downwards when svg is not NULL. Returns the
 * height. Widths are estimated for a wide sans serif face, so real text is narrower. */
double l2r_svg_paragraph(struct l2r_text *svg, double x, double y, double width, double size, enum l2r_anchor anchor,
                         const char *text, const char *style);
double l2r_text_width(const char *text, size_t length, double size);

#endif
