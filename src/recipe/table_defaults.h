/* SPDX-License-Identifier: MIT
 *
 * Defaults of a run that depend on its data: a table of molecules has its own, and without `model` a committee.
 */
#ifndef L2R_RECIPE_TABLE_DEFAULTS_H
#define L2R_RECIPE_TABLE_DEFAULTS_H

#include "base/config.h"

struct l2r_dataset;

/* Is it a table of molecules, or a folder with tables of them for training and test (data/formats/admet)? */
bool l2r_run_reads_table(const char *where);
/* The default of `option`, "model" or "method", for the data at `where`, which may be NULL; NULL: only the option's
 * own. */
const char *l2r_run_default(const char *option, const char *where);
/* Gives options that are not set the defaults for the data at `where`, or for a data set in memory. */
enum l2r_status l2r_run_suit(struct l2r_config *config, const char *where, struct l2r_error *error);
enum l2r_status l2r_run_suit_data(struct l2r_config *config, const struct l2r_dataset *data, struct l2r_error *error);

#define L2R_COMMITTEE_MODEL "dmpnn" /* the first member, whose options are those of the run */
/* Puts the committee for tables of molecules, with its options as defaults, where `members` is "auto"; or one model
 * where a committee is not possible: no table and none requested, a method other than erm, a model of another run. If
 * no model was chosen, the config becomes one for the first member. */
enum l2r_status l2r_run_resolve(struct l2r_config *config, bool table, struct l2r_error *error);
/* The default of an option under that committee; NULL: as without it. */
const char *l2r_committee_default(const char *option);

#endif
