/* SPDX-License-Identifier: MIT
 *
 * The rows of `l2r list models`, and their long form, for the terminal and for the reference page: paper, equation, own
 * options and size of each backbone.
 */
#ifndef L2R_CLI_MODEL_LIST_H
#define L2R_CLI_MODEL_LIST_H

#include <jansson.h>
#include <stdio.h>

/* {"name", "title", "paper", "equation", "options": ["jk"], "defaults": {"residual": "true"}, "parameters": 528001} for
 * each. */
void cli_models_fill(json_t *rows);
void cli_models_print(FILE *stream, const json_t *rows);
/* The same as a section of the reference page. */
void cli_models_markdown(FILE *stream);

#endif
