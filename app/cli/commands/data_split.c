/* SPDX-License-Identifier: MIT
 *
 * l2r data split: writes a split as JSON, for `l2r train --split-file FILE`.
 */
#include "cli/command.h"
#include "cli/selection.h"
#include "data/reader.h"

#include <stdio.h>

static const struct l2r_option options[] = {
    {.name = "out", .kind = L2R_OPTION_TEXT, .value = "FILE", .group = "Output", .help = "JSON file to write"},
    CLI_OPTION_CACHE,
    {0}};

static enum l2r_status run(struct cli_call *call, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *data = NULL;
    struct l2r_split *split = NULL;
    char parts[160];
    const char *out = l2r_config_text(call->options, "out");
    if (out == NULL) return cli_misuse(call, error, "'l2r data split' needs --out FILE");
    L2R_TRY(l2r_dataset_open(&data, call->arguments[0], call->options, error));
    L2R_TRY(l2r_split_new(&split, data, call->options, error));
    L2R_TRY(l2r_split_save(split, out, error));
    l2r_split_describe(parts, sizeof parts, split);
    printf("%s: %s split, %s\n", out, l2r_split_rule_name(split), parts);
done:
    l2r_split_free(split);
    l2r_dataset_free(data);
    return status;
}

const struct l2r_command l2r_command_data_split = {
    .name = "data split",
    .summary = "divide a data set into train, valid and test graphs",
    .usage = "WHERE --out FILE [OPTIONS]",
    .about = "The file can be edited, shared, and used with --split-file by every command that splits data.",
    .examples = "l2r data split PROTEINS.zip --split stratified --split-seed 1 --out split.json",
    .section = CLI_SECTION_DATA,
    .min_arguments = 1,
    .max_arguments = 1,
    .options = {options, l2r_data_options},
    .declare = cli_declare_split,
    .run = run,
};
