/* SPDX-License-Identifier: MIT
 *
 * l2r data info: counts, sizes, label rates and a sanity check of a data set, and how it would be split.
 */
#include "base/json.h"
#include "cli/command.h"
#include "cli/runs.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "data/reader.h"

#include <stdio.h>
#include <string.h>

static const struct l2r_option options[] = {
    {.name = "json", .kind = L2R_OPTION_FLAG, .group = "Output", .help = "print as JSON"}, CLI_OPTION_CACHE, {0}};

static void print_split(const struct l2r_split *split, const struct l2r_dataset *data)
{
    char parts[160];
    const char *note = l2r_split_note(split);
    int64_t shared = l2r_split_shared(split, data);
    l2r_split_describe(parts, sizeof parts, split);
    printf("%-18s %s: %s%s%s%s\n", "split", l2r_split_rule_name(split), parts, note[0] ? " (" : "", note,
           note[0] ? ")" : "");
    if (shared > 0)
        printf(
            "%-18s %lld molecule%s in several parts, so scores are too optimistic; --duplicates drop keeps each once\n",
            "", (long long)shared, shared == 1 ? " is" : "s are");
}

/* context: the data set; only tables know lines. */
static void print_note(void *context, const char *line)
{
    char text[1024];
    const struct l2r_dataset *data = context;
    printf("%-18s %s\n", l2r_dataset_source_row(data, 0) >= 0 ? "table" : "note",
           cli_format_options(text, sizeof text, line));
}

static void append_note(void *context, const char *line)
{
    char text[1024];
    json_array_append_new(context, json_string(cli_format_options(text, sizeof text, line)));
}

/* What the reader of a table noted, skipped rows included. */
static json_t *notes_to_json(const struct l2r_dataset *data)
{
    json_t *array = json_array();
    if (array != NULL) l2r_notes_report(data, 0, append_note, array);
    return array;
}

static json_t *split_to_json(const struct l2r_split *split, const struct l2r_dataset *data)
{
    json_t *object = json_pack("{s:s, s:I}", "rule", l2r_split_rule_name(split), "shared_molecules",
                               (json_int_t)l2r_split_shared(split, data));
    for (int p = 0; object != NULL && p < L2R_N_PARTS; p++) {
        int64_t n;
        (void)l2r_split_graphs(&n, split, p);
        if (p <= L2R_PART_TEST || n > 0) json_object_set_new(object, l2r_part_name(p), json_integer((json_int_t)n));
    }
    return object;
}

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *data = NULL;
    struct l2r_split *split = NULL;
    json_t *json = NULL;
    char *page = NULL, *text = NULL;
    L2R_TRY(l2r_dataset_open(&data, call->arguments[0], call->options, error));
    L2R_TRY(l2r_dataset_summary_json(&text, data, error));
    L2R_TRY(l2r_json_parse(&json, text, strlen(text), "the summary", error));
    bool sound = json_is_true(json_object_get(json, "sound"));
    if (sound) L2R_TRY(l2r_split_new(&split, data, call->options, error));
    if (l2r_config_flag(call->options, "json")) {
        if (sound) json_object_set_new(json, "split", split_to_json(split, data));
        if (*l2r_dataset_notes(data)) json_object_set_new(json, "notes", notes_to_json(data));
        L2R_TRY(cli_json_print(stdout, json_incref(json), error));
    } else {
        L2R_TRY(l2r_dataset_summary(&page, data, error));
        fputs(page, stdout);
        if (sound) print_split(split, data);
        l2r_notes_report(data, 0, print_note, data);
    }
    if (!sound)
        L2R_FAIL(L2R_ERR_FORMAT, "%s is not sound: %s", call->arguments[0],
                 json_string_value(json_object_get(json, "problem")));
done:
    json_decref(json);
    l2r_free(page);
    l2r_free(text);
    l2r_split_free(split);
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
