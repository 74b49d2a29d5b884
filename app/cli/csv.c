/* SPDX-License-Identifier: MIT
 * See csv.h. */
#include "cli/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The fewest digits that read back as the same float. */
void cli_csv_field(FILE *out, char delimiter, float value)
{
    char text[32];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    fprintf(out, "%c%s", delimiter, text);
}

void cli_csv_number(FILE *out, float value)
{
    cli_csv_field(out, ',', value);
}

void cli_csv_label(FILE *out, const struct l2r_dataset *data, int64_t graph, int32_t task)
{
    float label = data->labels[graph * data->n_tasks + task];
    if (isnan(label))
        fputc(',', out);
    else if (data->task == L2R_TASK_MULTICLASS)
        fprintf(out, ",%lld", (long long)data->class_value[(int32_t)label]);
    else
        cli_csv_number(out, label);
}

void cli_csv_text(FILE *out, char delimiter, const char *text)
{
    bool plain = strpbrk(text, "\"\r\n") == NULL && strchr(text, delimiter) == NULL;
    fputc(delimiter, out);
    if (plain) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}
