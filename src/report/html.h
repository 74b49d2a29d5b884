/* SPDX-License-Identifier: MIT
 *
 * Pages of their own: one HTML file, style inside, no script, nothing from the network; light or dark as the reader's system is,
 * and as wide as the window or phone. The text is XML too (every tag is closed), so any XML reader can check it.
 */
#ifndef L2R_REPORT_HTML_H
#define L2R_REPORT_HTML_H

#include "draw/svg.h"

void l2r_html_begin(struct l2r_svg *page, const char *title);
void l2r_html_end(struct l2r_svg *page);

/* <tag>escaped text</tag> */
void l2r_html_element(struct l2r_svg *page, const char *tag, const char *text);
/* A cell with a number as people read it: four decimals, "–" for NaN. */
void l2r_html_score(struct l2r_svg *page, double value);
/* A number with its own digits: 0.001, 64. */
void l2r_html_number(struct l2r_svg *page, double value);

#endif
