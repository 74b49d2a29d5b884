/* SPDX-License-Identifier: MIT
 * See cells.h. */
#include "data/formats/smiles/cells.h"

#include "base/config.h"
#include "data/dataset.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 64 }; /* a number, or a word that stands for nothing */

static bool is_one_of(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcasecmp(word, *list) == 0) return true;
    return false;
}

bool l2r_cell_word(char *word, size_t size, const char *text)
{
    while (isspace((unsigned char)*text)) text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
    bool whole = length < size;
    if (!whole) length = size - 1;
    memcpy(word, text, length);
    word[length] = '\0';
    return whole;
}

bool l2r_next_word(char *word, size_t size, const char **list)
{
    if (**list == '\0') return false;
    size_t length = strcspn(*list, ",");
    snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), *list);
    *list += length + ((*list)[length] == ',');
    return true;
}

/* Passes over a comparison: 1, -1, or 0 when there is none. */
static int take_comparison(const char **word)
{
    static const struct {
        const char *sign;
        int bound;
    } signs[] = {{">=", 1}, {"<=", -1}, {">", 1}, {"<", -1}, {"≥", 1}, {"≤", -1}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i].sign);
        if (strncmp(*word, signs[i].sign, n) != 0) continue;
        *word += n;
        *word += strspn(*word, " \t");
        return signs[i].bound;
    }
    return 0;
}

int l2r_cell_relation(const char *text)
{
    static const char *const equal[] = {"", "=", "==", "~", "~=", "≈", "na", "nan", "null", "none", NULL};
    char word[LONGEST];
    if (!l2r_cell_word(word, sizeof word, text)) return L2R_NO_RELATION;
    size_t length = strlen(word);
    bool quoted = length >= 2 && strchr("'\"", word[0]) && word[length - 1] == word[0];
    if (quoted) word[length - 1] = '\0';
    const char *sign = quoted ? word + 1 : word;
    if (is_one_of(sign, equal)) return 0;
    int side = take_comparison(&sign);
    sign += *sign == '>' || *sign == '<'; /* >> is far above */
    return side != 0 && *sign == '\0' ? side : L2R_NO_RELATION;
}

/* Does a number separate thousands with the mark that is not decimal, beyond doubt: "1,234.5", "1,234,567"? */
static bool has_thousands(const char *word, char decimal)
{
    char mark = decimal == '.' ? ',' : '.';
    size_t groups = 0;
    word += *word == '-' || *word == '+';
    size_t digits = strspn(word, "0123456789");
    if (digits == 0 || digits > 3 || word[0] == '0') return false;
    for (word += digits; *word == mark; word += 4, groups++)
        if (strspn(word + 1, "0123456789") < 3) return false;
    bool fraction = *word == decimal;
    word += fraction;
    word += strspn(word, "0123456789");
    return *word == '\0' && groups > 0 && (fraction || groups > 1);
}

/* Digits, a point among them or not, an exponent or not. strtod reads more: 0x10, inf, nan. */
static bool is_decimal(const char *word)
{
    static const char digits[] = "0123456789";
    word += *word == '-' || *word == '+';
    size_t whole = strspn(word, digits), fraction = 0;
    word += whole;
    if (*word == '.') fraction = strspn(++word, digits);
    word += fraction;
    if (whole + fraction == 0) return false;
    if (*word != 'e' && *word != 'E') return *word == '\0';
    word++;
    word += *word == '-' || *word == '+';
    return *word != '\0' && strspn(word, digits) == strlen(word);
}

/* Is it written as something else than 0, and nearer to it than a float can be? */
static bool is_too_small(double number, const char *word)
{
    bool zero = strcspn(word, "123456789") >= strcspn(word, "eE");
    return !zero && fabs(number) < (double)FLT_TRUE_MIN;
}

/* A finite number; a typographic minus is a minus, and where the comma is decimal the point is not. */
static bool read_number(double *number, const char *word, char decimal)
{
    static const char minus[] = "−";
    char plain[LONGEST];
    size_t length = 0;
    if (strncmp(word, minus, sizeof minus - 1) == 0) {
        plain[length++] = '-';
        word += sizeof minus - 1;
    }
    bool thousands = has_thousands(word, decimal);
    for (; *word && length + 1 < sizeof plain; word++) {
        if (thousands && *word == (decimal == '.' ? ',' : '.')) continue;
        if (decimal == ',' && *word == '.') return false;
        plain[length++] = *word == decimal ? '.' : *word;
    }
    plain[length] = '\0';
    return !*word && is_decimal(plain) && l2r_parse_real(number, plain) && isfinite(*number) &&
           !is_too_small(*number, plain);
}

enum l2r_cell l2r_cell_read(double *number, int *bound, const char *text, char decimal)
{
    static const char *const missing[] = {"", "na", "n/a", "nan", "null", "none", "<na>", "#n/a", NULL};
    char word[LONGEST];
    const char *at = word;
    double found;
    *number = NAN;
    if (bound) *bound = 0;
    if (!l2r_cell_word(word, sizeof word, text)) return L2R_CELL_TEXT;
    if (is_one_of(word, missing)) return L2R_CELL_MISSING;
    int side = take_comparison(&at);
    if (!read_number(&found, at, decimal)) return L2R_CELL_TEXT;
    *number = found;
    if (bound) *bound = side;
    return side == 0 ? L2R_CELL_NUMBER : L2R_CELL_BOUND;
}

bool l2r_cell_has_comma(bool *thousands, const char *text)
{
    char word[LONGEST];
    double number;
    *thousands = false;
    if (!l2r_cell_word(word, sizeof word, text)) return false;
    const char *comma = strchr(word, ','), *at = word;
    if (!comma || strchr(comma + 1, ',')) return false;
    (void)take_comparison(&at);
    if (!read_number(&number, at, ',')) return false;
    *thousands = strlen(comma + 1) == 3 && strspn(comma + 1, "0123456789") == 3 && comma > at && at[0] != '0';
    return true;
}

const char *l2r_cell_fault(const char *text)
{
    char word[LONGEST];
    const char *at = word;
    if (!l2r_cell_word(word, sizeof word, text)) return NULL;
    (void)take_comparison(&at);
    double number;
    if (is_decimal(at) && l2r_parse_real(&number, at) && !isfinite(number)) return "too large to be kept";
    if (is_decimal(at) && l2r_parse_real(&number, at) && is_too_small(number, at))
        return "nearer to 0 than 1e-45 and cannot be kept; write 0";
    at += *at == '-' || *at == '+';
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) return "written in hexadecimal; write a decimal number";
    size_t digits = strspn(at, "0123456789.,");
    if (digits == 0) return NULL;
    at += digits;
    at += strspn(at, " ");
    if (strncmp(at, "±", strlen("±")) == 0 || strncmp(at, "+/-", 3) == 0 || strncmp(at, "+-", 2) == 0)
        return "a number with its error; write the number alone";
    bool range = *at == '-' || strncmp(at, "–", strlen("–")) == 0;
    if (range && strspn(at, "-–0123456789., ") == strlen(at) && !strchr(at + 1, '-'))
        return "a range; write one number, or a bound such as >10";
    if (isalpha((unsigned char)*at) || *at == '%' || (unsigned char)*at >= 128)
        return "a number with a unit; write numbers alone, all in one unit";
    return NULL;
}

bool l2r_cell_is_void(const char *text)
{
    static const char *const words[] = {"n.d.",        "nd",
                                        "n.d",         "n.a.",
                                        "n.a",         "-",
                                        "--",          "?",
                                        ".",           "nt",
                                        "n.t.",        "not tested",
                                        "not tested.", "not available",
                                        "missing",     "not determined",
                                        "unknown",     "inconclusive",
                                        "unspecified", "#value!",
                                        "#div/0!",     "#num!",
                                        "#ref!",       NULL};
    char word[LONGEST];
    return l2r_cell_word(word, sizeof word, text) && is_one_of(word, words);
}

int l2r_part_of(const char *cell)
{
    static const struct {
        const char *name;
        int part;
    } names[] = {{"train", L2R_PART_TRAIN},      {"training", L2R_PART_TRAIN},   {"valid", L2R_PART_VALID},
                 {"validation", L2R_PART_VALID}, {"val", L2R_PART_VALID},        {"dev", L2R_PART_VALID},
                 {"test", L2R_PART_TEST},        {"ood-valid", L2R_PART_VALID},  {"ood_val", L2R_PART_VALID},
                 {"ood-test", L2R_PART_TEST},    {"ood_test", L2R_PART_TEST},    {"id-valid", L2R_PART_ID_VALID},
                 {"id_val", L2R_PART_ID_VALID},  {"iid_val", L2R_PART_ID_VALID}, {"id-test", L2R_PART_ID_TEST},
                 {"id_test", L2R_PART_ID_TEST},  {"iid_test", L2R_PART_ID_TEST}};
    double number;
    char word[16];
    if (l2r_cell_read(&number, NULL, cell, '.') == L2R_CELL_MISSING) return L2R_PART_NONE;
    if (!l2r_cell_word(word, sizeof word, cell)) return -1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(word, names[i].name) == 0) return names[i].part;
    return -1;
}
