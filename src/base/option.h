/* SPDX-License-Identifier: MIT
 *
 * What one row of an option table accepts, and which name a mistyped one was meant to be.
 */
#ifndef L2R_BASE_OPTION_H
#define L2R_BASE_OPTION_H

#include "base/config.h"

/* Is `value` acceptable for the option? The error begins with "--name". */
enum l2r_status l2r_option_check(const struct l2r_option *option, const char *value, struct l2r_error *error);

/* Which of "mean|sum|max" the first `length` letters of `word` are, from 0; -1: none. */
int l2r_choice_number(const char *choices, const char *word, size_t length);

/* Whole-text parsing, independent of the locale: false unless the text is one number and nothing else. */
bool l2r_parse_int(int64_t *number, const char *text);
bool l2r_parse_real(double *number, const char *text); /* infinities and NaN parse; the check refuses them */

/* Is `typed` close enough to `known` to be proposed? The smaller the better, -1: no. A missing ending costs little. */
int l2r_name_distance(const char *typed, const char *known);

#endif
