/* SPDX-License-Identifier: MIT
 *
 * How data is read, where its files alone do not tell: the columns of a table of SMILES. Commands that load data
 * declare these options, and a run's config keeps them.
 */
#ifndef L2R_DATA_OPTIONS_H
#define L2R_DATA_OPTIONS_H

#include "base/config.h"
#include "data/dataset.h"

/* --smiles-column, --target-columns, --task-type, --split-column, --on-bad-smiles, --header, --delimiter; ends with a
 * zero row. */
extern const struct l2r_option l2r_data_options[];

/* --cache alone; ends with a zero row. */
extern const struct l2r_option l2r_cache_option[];

/* l2r_dataset_load with options: a config in which l2r_data_options are declared, or NULL for the defaults. */
enum l2r_status l2r_dataset_load_with(struct l2r_dataset **data, const char *where, const struct l2r_config *options,
                                      bool use_cache, struct l2r_error *error);

/* A text that tells two sets of data options apart; "" when all have their defaults. From l2r_alloc; NULL: out of
 * memory. */
char *l2r_data_options_text(const struct l2r_config *options);

/* Sets the data options of `to` as they were set by the user in `from`. */
enum l2r_status l2r_data_options_copy(struct l2r_config *to, const struct l2r_config *from, struct l2r_error *error);

#endif
