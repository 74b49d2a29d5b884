/* SPDX-License-Identifier: MIT
 *
 * Help pages, the overview, the Markdown reference and the list of models. All of them are printed from the command
 * structs, option tables and registries; no text is written twice.
 */
#ifndef L2R_CLI_HELP_H
#define L2R_CLI_HELP_H

#include "cli/command.h"

#include <jansson.h>
#include <stdio.h>

/* Every command by section; prefix "data" shows only "data …". */
void cli_help_overview(FILE *stream, const char *prefix);
/* The page of one command with the options that its call has declared. */
void cli_help_command(FILE *stream, const struct cli_call *call);
/* docs/cli.md. */
enum l2r_status cli_help_markdown(FILE *stream, struct l2r_error *error);
/* The manual page l2r(1). */
enum l2r_status cli_help_manual(FILE *stream, struct l2r_error *error);

const char *cli_section_title(enum cli_section section);
/* "--readout mean|sum|max", "--[no-]cache", "--epochs N". */
const char *cli_option_synopsis(char *buffer, size_t size, const struct l2r_option *option);
/* "1..100; default 5", "default mean", or "". */
const char *cli_option_values(char *buffer, size_t size, const struct l2r_option *option, const char *fallback);

/* ---- models: the rows of `l2r list models` ---- */

/* For each: {"name", "title", "paper", "equation", "options": ["jk"], "defaults": {"residual": "true"},
 * "parameters": 528001}. */
void cli_models_fill(json_t *rows);
void cli_models_print(FILE *stream, const json_t *rows);
/* The same as a section of the reference page. */
void cli_models_markdown(FILE *stream);

#endif
