/* SPDX-License-Identifier: MIT
 *
 * Pages of their own: one HTML file with its style and scripts inside (page.css, *.js), nothing from the network; light
 * or dark as the reader's system or choice is, and as wide as the window or phone. The text is XML too (every tag is
 * closed), so any XML reader can check it.
 */
#ifndef L2R_REPORT_HTML_H
#define L2R_REPORT_HTML_H

#include "draw/svg.h"

#include <jansson.h>

void l2r_html_begin(struct l2r_svg *page, const char *title);
/* charts: what the scripts draw (page_charts.h); or NULL. */
void l2r_html_end(struct l2r_svg *page, const json_t *charts);

/* <tag>escaped text</tag> */
void l2r_html_element(struct l2r_svg *page, const char *tag, const char *text);
void l2r_html_text(struct l2r_svg *page, const char *text); /* escaped */

/* A number with `digits` decimals and a true minus sign, "–" for NaN. No locale. */
void l2r_html_fixed(struct l2r_svg *page, double value, int digits);
/* A cell with a number as people read it: four decimals. */
void l2r_html_score(struct l2r_svg *page, double value);
/* "0.9421 ± 0.0103"; without the second part when sd is NaN. */
void l2r_html_mean_sd(struct l2r_svg *page, double mean, double sd);
/* A number with its own digits: 0.001, 64. */
void l2r_html_number(struct l2r_svg *page, double value);
/* Text, number, yes or no. */
void l2r_html_value(struct l2r_svg *page, const json_t *value);

/* Parts of a JSON object: NaN, or "–", where there is none. */
double l2r_html_number_of(const json_t *object, const char *key);
const char *l2r_html_text_of(const json_t *object, const char *key);

#endif
