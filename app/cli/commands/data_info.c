/* SPDX-License-Identifier: MIT
 *
 * l2r data info: counts, sizes, label rates and a sanity check of a data set, and how it would be split.
 */
#include "cli/command.h"
#include "cli/runs.h"
#include "cli/selection.h"
#include "data/reader.h"
#include "data/splits/split.h"
#include "data/summary.h"

#include <stdio.h>

static const struct l2r_option options[] = {
    {.name = "json", .kind = L2R_OPTION_FLAG, .group = "Output", .help = "print as JSON"}, CLI_OPTION_CACHE, {0}};

static void print_split(const struct l2r_split *split)
{
    char parts[160];
    l2r_split_describe(parts, sizeof parts, split);
    printf("%-18s %s: %s%s%s%s\n", "split", split->rule, parts, split->note[0] ? " (" : "", split->note,
           split->note[0] ? ")" : "");
}

static void print_note(void *context, const char *line)
{
    (void)context;
    printf("%-18s %s\n", "table", line);
}

static void append_note(void *context, const char *line)
{
    json_array_append_new(context, json_string(line));
}

/* What the reader of a table noted, skipped rows included. */
static json_t *notes_to_json(const struct l2r_dataset *data)
{
    json_t *array = json_array();
    if (array != NULL) l2r_notes_tell(data, 0, append_note, array);
    return array;
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *data = NULL;
    struct l2r_summary summary = {0};
    struct l2r_split split = {0};
    json_t *json = NULL;
    L2R_TRY(l2r_dataset_load_with(&data, call->arguments[0], call->options, l2r_config_flag(call->options, "cache"),
                                  error));
    L2R_TRY(l2r_summary_make(&summary, data, error));
    if (summary.sound) L2R_TRY(l2r_split_make(&split, data, call->options, error));
    if (l2r_config_flag(call->options, "json")) {
        json = l2r_summary_to_json(&summary);
        if (json != NULL && summary.sound) json_object_set_new(json, "split", l2r_split_to_json(&split));
        if (json != NULL && data->notes != NULL) json_object_set_new(json, "notes", notes_to_json(data));
        L2R_TRY(cli_json_print(stdout, json, error));
    } else {
        l2r_summary_print(stdout, &summary);
        if (summary.sound) print_split(&split);
        l2r_notes_tell(data, 0, print_note, NULL);
    }
    if (!summary.sound) L2R_FAIL(L2R_ERR_FORMAT, "%s is not sound: %s", call->arguments[0], summary.problem);
done:
    l2r_split_clear(&split);
    l2r_summary_clear(&summary);
    l2r_dataset_free(data);
    return status;
}

const struct l2r_command l2r_command_data_info = {
    .name = "data info",
    .summary = "show counts, sizes, labels and the split of a data set, and check it",
    .usage = "WHERE [--json] [SPLIT OPTIONS]",
    .about = "WHERE is a folder, a zip, a table of SMILES or a generator, as for 'l2r train --data'. The last line "
             "shows how the given options would split the data.",
    .examples = "l2r data info PROTEINS.zip\n"
                "l2r data info ogb/hiv --json\n"
                "l2r data info DD.zip --split size --max-train-nodes 200",
    .section = CLI_SECTION_DATA,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options, l2r_data_options},
    .declare = cli_declare_split,
    .run = run,
};
