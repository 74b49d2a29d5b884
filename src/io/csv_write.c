/* SPDX-License-Identifier: MIT
 * See csv.h: fields are written. */
#include "io/csv.h"

#include "base/decimal.h"

#include <stdlib.h>
#include <string.h>

void l2r_csv_write_first(FILE *out, char delimiter, const char *text)
{
    bool plain = strpbrk(text, "\"\r\n") == NULL && strchr(text, delimiter) == NULL;
    if (!plain) fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    if (!plain) fputc('"', out);
}

void l2r_csv_write_text(FILE *out, char delimiter, const char *text)
{
    fputc(delimiter, out);
    l2r_csv_write_first(out, delimiter, text);
}

const char *l2r_csv_format_float(char text[L2R_CSV_FLOAT], float value)
{
    for (int digits = 6; digits <= 9; digits++) {
        l2r_decimal_print(text, L2R_CSV_FLOAT, "%.*g", digits, (double)value);
        if ((float)l2r_decimal_read(text, NULL) == value) break;
    }
    return text;
}

void l2r_csv_write_float(FILE *out, char delimiter, float value)
{
    char text[L2R_CSV_FLOAT];
    fprintf(out, "%c%s", delimiter, l2r_csv_format_float(text, value));
}
