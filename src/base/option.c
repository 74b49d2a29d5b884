/* SPDX-License-Identifier: MIT
 *
 * See config.h: what one option accepts. Numbers are parsed strictly: the whole text or nothing, so "5x", "", " 5" and
 * "1e3" for a whole number are mistakes that are reported, not values. Messages begin with "`name`", whether the value
 * came from a call, from the command line or from a config file.
 */
#include "base/config.h"

#include "base/decimal.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool l2r_parse_int(int64_t *number, const char *text)
{
    char *end;
    if (*text == '\0' || isspace((unsigned char)*text)) return false;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (*end != '\0' || end == text || errno == ERANGE) return false;
    *number = value;
    return true;
}

bool l2r_parse_real(double *number, const char *text)
{
    char *end;
    if (*text == '\0' || isspace((unsigned char)*text)) return false;
    double value = l2r_decimal_read(text, &end);
    if (*end != '\0' || end == text) return false;
    *number = value;
    return true;
}

static enum l2r_status check_range(const struct l2r_option *option, double number, const char *value,
                                   struct l2r_error *error)
{
    if (!isfinite(number)) return l2r_fail(error, L2R_ERR_ARGUMENT, "`%s`: %s is not finite", option->name, value);
    if (option->max <= option->min || (number >= option->min && number <= option->max)) return L2R_OK;
    if (isinf(option->max))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`%s`: %s is below %.10g", option->name, value, option->min);
    return l2r_fail(error, L2R_ERR_ARGUMENT, "`%s`: %s is outside %.10g..%.10g", option->name, value, option->min,
                    option->max);
}

void l2r_name_add(char *list, size_t size, const char *name)
{
    size_t used = strlen(list);
    snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

int l2r_choice_number(const char *choices, const char *word, size_t length)
{
    int number = 0;
    for (const char *at = choices; at; at = strchr(at, '|'), number++) {
        if (*at == '|') at++;
        if (length > 0 && strcspn(at, "|") == length && strncmp(at, word, length) == 0) return number;
    }
    return -1;
}

/* "mean|sum|max" as "mean, sum or max". */
static void list_choices(char *out, size_t size, const char *choices)
{
    const char *last = strrchr(choices, '|');
    size_t used = 0;
    for (const char *c = choices; *c && used + 6 < size; c++) {
        const char *text = c == last ? " or " : ", ";
        if (*c == '|')
            used += (size_t)snprintf(out + used, size - used, "%s", text);
        else
            out[used++] = *c;
    }
    out[used] = '\0';
}

/* Names with commas between them, each one of the choices and none twice. */
static enum l2r_status check_list(const struct l2r_option *option, const char *value, struct l2r_error *error)
{
    char choices[512];
    unsigned seen = 0; /* bit k: choice k; a list has fewer than 32 choices */
    list_choices(choices, sizeof choices, option->choices);
    for (const char *at = value;; at++) {
        size_t length = strcspn(at, ",");
        int number = l2r_choice_number(option->choices, at, length), shown = length < 100 ? (int)length : 100;
        if (number < 0)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "`%s`: \"%.*s\" is not one of %s; separate several by commas",
                            option->name, shown, at, choices);
        if (seen & 1u << number)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "`%s`: %.*s is given twice", option->name, shown, at);
        seen |= 1u << number;
        at += length;
        if (*at == '\0') return L2R_OK;
    }
}

enum l2r_status l2r_option_check(const struct l2r_option *option, const char *value, struct l2r_error *error)
{
    int64_t whole = 0;
    double real = 0;
    char choices[512];
    if (!value) return l2r_fail(error, L2R_ERR_ARGUMENT, "`%s` needs a value", option->name);
    switch (option->kind) {
    case L2R_OPTION_FLAG:
        if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0) return L2R_OK;
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`%s`: \"%.100s\" is neither true nor false", option->name, value);
    case L2R_OPTION_INT:
        if (l2r_parse_int(&whole, value)) return check_range(option, (double)whole, value, error);
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`%s`: \"%.100s\" is not a whole number%s", option->name, value,
                        l2r_parse_real(&real, value) && fabs(real) > 9e18 ? " of 64 bits" : "");
    case L2R_OPTION_REAL:
        if (l2r_parse_real(&real, value)) return check_range(option, real, value, error);
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`%s`: \"%.100s\" is not a number", option->name, value);
    case L2R_OPTION_CHOICE:
        if (l2r_choice_number(option->choices, value, strlen(value)) >= 0) return L2R_OK;
        list_choices(choices, sizeof choices, option->choices);
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`%s`: \"%.100s\" is not one of %s", option->name, value, choices);
    case L2R_OPTION_LIST:
        return check_list(option, value, error);
    case L2R_OPTION_TEXT:
        if (!option->choices || l2r_choice_number(option->choices, value, strlen(value)) >= 0) break;
        if (l2r_parse_real(&real, value) && real > option->min && real <= option->max) break;
        list_choices(choices, sizeof choices, option->choices);
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`%s`: \"%.100s\" is neither %s nor a number above %g and at most %g",
                        option->name, value, choices, option->min, option->max);
    }
    return L2R_OK;
}

int l2r_name_distance(const char *typed, const char *known)
{
    enum { LONGEST = 64 };
    /* Levenshtein, one row of the table at a time. */
    int row[LONGEST + 1]; /* row[j]: edits from the first i letters of `typed` to the first j of `known` */
    int n = (int)strnlen(typed, LONGEST + 1), m = (int)strnlen(known, LONGEST + 1);
    if (n == 0 || n > LONGEST || m > LONGEST) return -1;
    /* "--epoch" for "--epochs": a prefix is nearly always what was meant. */
    if (n >= 3 && n < m && strncmp(typed, known, (size_t)n) == 0) return 1;
    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = 1; i <= n; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int replaced = diagonal + (typed[i - 1] != known[j - 1]);
            int shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
            diagonal = row[j];
            row[j] = replaced < shorter + 1 ? replaced : shorter + 1;
        }
    }
    return row[m] <= (n + 2) / 3 ? row[m] : -1; /* more than a third wrong: not a typing mistake */
}

/* ---- the fields of a struct ---- */

void l2r_config_fill(void *options, const struct l2r_option *table, const struct l2r_config *config)
{
    for (const struct l2r_option *o = table; o->name; o++) {
        void *field = o->at > 0 ? (char *)options + o->at - 1 : NULL;
        if (!field) continue;
        const char *text = l2r_config_text(config, o->name);
        switch (o->kind) {
        case L2R_OPTION_FLAG:
            *(bool *)field = l2r_config_flag(config, o->name);
            break;
        case L2R_OPTION_INT:
            *(int64_t *)field = l2r_config_int(config, o->name);
            break;
        case L2R_OPTION_REAL:
            *(double *)field = l2r_config_real(config, o->name);
            break;
        case L2R_OPTION_TEXT:
            *(const char **)field = text;
            break;
        case L2R_OPTION_CHOICE:
            *(int32_t *)field = text ? (int32_t)l2r_choice_number(o->choices, text, strlen(text)) : -1;
            break;
        case L2R_OPTION_LIST:
            *(unsigned *)field = l2r_config_list(config, o->name);
            break;
        }
    }
}

/* ---- all options of a config ---- */

enum l2r_status l2r_config_check_texts(const struct l2r_config *config, struct l2r_error *error)
{
    const struct l2r_option *option;
    for (size_t i = 0; (option = l2r_config_option(config, i)); i++) {
        const char *value = l2r_config_text(config, option->name);
        char shown[200];
        int64_t odd = value ? l2r_utf8_check(value, strlen(value)) : -1;
        if (odd < 0) continue;
        l2r_text_excerpt(shown, sizeof shown, value);
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "`%s`: \"%s\": its byte %lld (0x%02x) is not UTF-8, but a run saves its options as UTF-8; "
                        "rename the file, or link to it under another name",
                        option->name, shown, (long long)odd + 1, (unsigned char)value[odd]);
    }
    return L2R_OK;
}

enum l2r_status l2r_config_epochs(int64_t *epochs, const struct l2r_config *config, const char *name, int64_t all,
                                  struct l2r_error *error)
{
    const char *text = l2r_config_text(config, name);
    size_t length = strlen(text);
    char number[32] = "";
    double share = -1;
    if (l2r_parse_int(epochs, text) && *epochs >= 0) return L2R_OK;
    if (length > 1 && length < sizeof number && text[length - 1] == '%') {
        memcpy(number, text, length - 1);
        if (!l2r_parse_real(&share, number)) share = -1;
    }
    *epochs = (int64_t)(share / 100 * (double)all);
    if (share >= 0 && share <= 100) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "`%s`: \"%s\" is neither a number of epochs nor a share of them such as 20%%", name, text);
}
