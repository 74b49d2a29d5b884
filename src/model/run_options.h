/* SPDX-License-Identifier: MIT
 *
 * The options of a run, from which its config is made: those of training, of reading and splitting data, of the model
 * and of the method. They depend on the last two, so a config is declared for one model and one method.
 */
#ifndef L2R_MODEL_RUN_OPTIONS_H
#define L2R_MODEL_RUN_OPTIONS_H

#include "base/config.h"

struct l2r_dataset;

/* Declares every option of a run with this model and method; `l2r train --help` lists them. */
enum l2r_status l2r_run_declare(struct l2r_config *config, const char *model, const char *method,
                                struct l2r_error *error);
/* Is it a table of molecules, or a folder with tables of them for training and test (data/formats/admet)? */
bool l2r_run_reads_table(const char *where);
/* Some defaults depend on the data (table_defaults.c). The default of `option`, "model" or "method", for the data at
 * `where`, which may be NULL; NULL: only the option's own. */
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

/* Fails if the config lacks an option of the model and method that it names: it was declared for others. */
enum l2r_status l2r_run_check(const struct l2r_config *config, struct l2r_error *error);

#endif
