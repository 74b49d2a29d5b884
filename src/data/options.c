/* SPDX-License-Identifier: MIT
 * See options.h. */
#include "data/options.h"

#include "base/text.h"

#include <string.h>

const struct l2r_option l2r_data_options[] = {
    {.name = "smiles-column",
     .kind = L2R_OPTION_TEXT,
     .value = "NAME",
     .group = "Tables of SMILES (.csv, .tsv, .txt; also .gz)",
     .help = "column of the SMILES, by name or number from 1; by default the one that looks like SMILES"},
    {.name = "target-columns",
     .kind = L2R_OPTION_TEXT,
     .value = "A,B,…",
     .help = "columns of the labels, by names or numbers; by default all others that hold only numbers; "
             "none: there are no labels"},
    {.name = "task-type",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "auto",
     .choices = "auto|binary|multiclass|regression",
     .help = "what the labels are; auto: binary if all are 0 or 1, multiclass for one column of few whole numbers"},
    {.name = "split-column",
     .kind = L2R_OPTION_TEXT,
     .value = "NAME",
     .help = "column for --split column: holds train, valid and test, or values to group by, such as years"},
    {.name = "on-bad-smiles",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "skip",
     .choices = "skip|fail",
     .help = "rows without a molecule are left out and listed, or the first one is an error"},
    {.name = "header",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "auto",
     .choices = "auto|yes|no",
     .help = "whether the first line names the columns"},
    {.name = "delimiter",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "auto",
     .choices = "auto|comma|semicolon|tab",
     .help = "what separates fields; auto: whichever is most frequent in the first line"},
    {0}};

const struct l2r_option l2r_cache_option[] = {{.name = "cache",
                                               .kind = L2R_OPTION_FLAG,
                                               .neutral = true,
                                               .fallback = "true",
                                               .help = "keep a binary copy of the data, which loads faster next time"},
                                              {0}};

/* Is the option's value another than the default? */
static bool differs(const struct l2r_option *option, const char *value)
{
    if (value == NULL || option->fallback == NULL) return value != option->fallback;
    return strcmp(value, option->fallback) != 0;
}

char *l2r_data_options_text(const struct l2r_config *options)
{
    struct l2r_text text = {0};
    char *string = NULL;
    bool known = options && l2r_config_has(options, l2r_data_options[0].name);
    for (const struct l2r_option *o = l2r_data_options; known && o->name; o++) {
        const char *value = l2r_config_text(options, o->name);
        if (differs(o, value)) l2r_text_print(&text, "%s=%s\n", o->name, value);
    }
    return l2r_text_finish(&string, &text, "data options", NULL) == L2R_OK ? string : NULL;
}

enum l2r_status l2r_data_options_copy(struct l2r_config *to, const struct l2r_config *from, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (const struct l2r_option *o = l2r_data_options; o->name; o++) {
        if (!l2r_config_has(from, o->name) || !l2r_config_was_set(from, o->name)) continue;
        L2R_TRY(l2r_config_set(to, o->name, l2r_config_text(from, o->name), error));
    }
done:
    return status;
}
