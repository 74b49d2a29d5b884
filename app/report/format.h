/* SPDX-License-Identifier: MIT
 *
 * Numbers and JSON values as people read them on the page: the same bytes in every locale.
 */
#ifndef L2R_REPORT_FORMAT_H
#define L2R_REPORT_FORMAT_H

#include "report/template.h"

enum { L2R_FORMAT = 64 };

/* A number with `digits` decimals and a true minus sign; "–" for NaN. Returns out. */
const char *l2r_format_fixed(char out[L2R_FORMAT], double value, int digits);
/* A number with its own digits: "0.001", "64". Returns out. */
const char *l2r_format_number(char out[L2R_FORMAT], double value);
/* A score with four decimals, or, where these would hide it, as "3.120e-7": targets have any unit. Returns out. */
const char *l2r_format_score(char out[L2R_FORMAT], double value);
/* "12.3 s", "3:05 min"; "–" for NaN. Returns out. */
const char *l2r_format_seconds(char out[L2R_FORMAT], double seconds);

/* The same as values of a page's data. */
void l2r_view_fixed(struct l2r_view *view, json_t *object, const char *key, double value, int digits);
/* "mean", and "sd" unless it is NaN, as scores. */
void l2r_view_mean_sd(struct l2r_view *view, json_t *object, double mean, double sd);
/* At the end of a list: text, a number with its own digits (0.001, 64), yes or no. */
void l2r_view_append_value(struct l2r_view *view, json_t *list, const json_t *value);

/* A text of a JSON object; "–" where there is none. */
const char *l2r_text_of(const json_t *object, const char *key);

#endif
