/* SPDX-License-Identifier: MIT
 *
 * The folder of `l2r explain`:
 *
 *     explanations.json, graphs.csv, edges.csv, nodes.csv     explain/explainer.h
 *     fragments.csv                                           with --fragments (explain/fragments.h)
 *     contributions.csv                                       of trees (cli/contributions.h): beside these where they
 *                                                             are members of a committee, otherwise instead
 *     graph-I.svg, graph-I.png                                drawings
 *
 * It may hold files of the user: those stay. Files of an earlier call are replaced; they are recognised by their first
 * line (tables) or because explanations.json lists their graphs (drawings).
 */
#ifndef L2R_CLI_EXPLANATION_FOLDER_H
#define L2R_CLI_EXPLANATION_FOLDER_H

#include "explain/explainer.h"
#include "explain/fragments.h"

/* Refuses to replace files that l2r explain did not write, by name. formats: of the drawings (draw/pictures.h); 0:
 * none. */
enum l2r_status cli_explanations_check(const char *dir, const int64_t *graphs, int64_t n, unsigned formats,
                                       struct l2r_error *error);

/* All files and drawings. They are made beside the folder and then moved into it: a kill leaves the old explanations,
 * or the new, or a folder marked as incomplete. fragments: NULL: none were requested. */
enum l2r_status cli_explanations_write(const struct l2r_explained *all, const struct l2r_fragments *fragments,
                                       const char *dir, struct l2r_predictor *predictor, unsigned formats,
                                       struct l2r_error *error);

#endif
