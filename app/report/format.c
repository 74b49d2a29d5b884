/* SPDX-License-Identifier: MIT
 * See format.h. */
#include "report/format.h"

#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *l2r_format_fixed(char out[L2R_FORMAT], double value, int digits)
{
    unsigned long long scale = 1;
    for (int k = 0; k < digits; k++) scale *= 10;
    if (!isfinite(value) || fabs(value) > 1e12) return strcpy(out, "–");
    long long parts = llround(value * (double)scale);
    unsigned long long size = parts < 0 ? 0ull - (unsigned long long)parts : (unsigned long long)parts;
    int n = snprintf(out, L2R_FORMAT, "%s%llu", parts < 0 ? "−" : "", size / scale);
    if (digits > 0) snprintf(out + n, L2R_FORMAT - (size_t)n, ".%0*llu", digits < 9 ? digits : 9, size % scale);
    return out;
}

const char *l2r_format_number(char out[L2R_FORMAT], double value)
{
    if (!isfinite(value)) return strcpy(out, "–");
    l2r_json_number(out, value);
    size_t length = strlen(out);
    if (length > 2 && strcmp(out + length - 2, ".0") == 0) out[length - 2] = '\0';
    return out;
}

const char *l2r_format_score(char out[L2R_FORMAT], double value)
{
    if (!isfinite(value) || value == 0 || (fabs(value) >= 0.00095 && fabs(value) < 1e9))
        return l2r_format_fixed(out, value, 4);
    int power = (int)floor(log10(fabs(value)));
    double digits = value / pow(10, power);
    char number[L2R_FORMAT];
    snprintf(out, L2R_FORMAT, "%se%d", l2r_format_fixed(number, digits, 3), power);
    return out;
}

const char *l2r_format_seconds(char out[L2R_FORMAT], double seconds)
{
    if (isnan(seconds)) return strcpy(out, "–");
    if (seconds < 60)
        strcat(strcpy(out, l2r_format_fixed((char[L2R_FORMAT]){0}, seconds, 1)), " s");
    else
        snprintf(out, L2R_FORMAT, "%lld:%02lld min", llround(seconds) / 60, llround(seconds) % 60);
    return out;
}

void l2r_view_fixed(struct l2r_view *view, json_t *object, const char *key, double value, int digits)
{
    char number[L2R_FORMAT];
    l2r_view_text(view, object, key, l2r_format_fixed(number, value, digits));
}

void l2r_view_mean_sd(struct l2r_view *view, json_t *object, double mean, double sd)
{
    char number[L2R_FORMAT];
    l2r_view_text(view, object, "mean", l2r_format_score(number, mean));
    if (!isnan(sd)) l2r_view_text(view, object, "sd", l2r_format_score(number, sd));
}

void l2r_view_append_value(struct l2r_view *view, json_t *list, const json_t *value)
{
    char number[L2R_FORMAT];
    if (json_is_string(value))
        l2r_view_append(view, list, json_string_value(value));
    else if (json_is_number(value))
        l2r_view_append(view, list, l2r_format_number(number, json_number_value(value)));
    else
        l2r_view_append(view, list, json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "–");
}

const char *l2r_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "–";
}
