/* SPDX-License-Identifier: MIT
 *
 * One molecule looked at closely.
 *
 *     POST /api/draw      {"smiles": "CCO"}
 *                         {"smiles": …, "atoms": 3, "svg": …, "problem": null}; or why there is no drawing
 *     POST /api/explain   {"smiles": "CCO", "model": "esol", "output": 0, "explainer": "occlusion"}
 *                         and beside the drawing: by how much each atom and bond moves the answer, with a sign; the
 *                         nearest training molecules with their measured values
 *     POST /api/alerts    {"smiles": "CCO"}
 *                         {"alerts": [{"set": "PAINS", "name": …, "atoms": [0, 2], "svg": …}, …]}: structural alerts
 *
 * What cannot be had (a model that reads no graph, data that is gone) is null, with a sentence in its place.
 */
#ifndef L2R_SERVE_EXPLAIN_H
#define L2R_SERVE_EXPLAIN_H

#include "base/json.h"
#include "serve/models.h"

/* New reference. */
enum l2r_status l2r_draw_molecule(json_t **answer, const char *body, size_t length, struct l2r_error *error);
enum l2r_status l2r_find_alerts(json_t **answer, const char *body, size_t length, struct l2r_error *error);
enum l2r_status l2r_explain_molecule(json_t **answer, struct l2r_shelf *shelf, const char *body, size_t length,
                                     struct l2r_error *error);

#endif
