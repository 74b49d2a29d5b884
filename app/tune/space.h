/* SPDX-License-Identifier: MIT
 *
 * A search space as typed: options and the values that are tried for each.
 *
 *     lr=1e-4..1e-2:log,hidden=64|128,dropout=0..0.6:4,layers=2..5
 *
 *     A..B        a range, ends included; whole numbers for an option that takes these
 *     A..B:log    uniform in the logarithm
 *     A..B:N      only N evenly spaced values of it (both: A..B:log:N)
 *     A|B|C       one of these; a single value holds for every trial
 *
 * Names, kinds and limits are those of the option tables; an option that not every method has is tried where it exists.
 * Options that decide how trials are ranked or what they cost (data, split, metric, epochs, seed) cannot be searched
 * and are refused.
 */
#ifndef L2R_TUNE_SPACE_H
#define L2R_TUNE_SPACE_H

#include "base/config.h"

enum { L2R_SPACE_NAME = 64, L2R_SPACE_VALUE = 256 };

/* One option and its values: a list, or a range. */
struct l2r_dimension {
    char name[L2R_SPACE_NAME];
    char **values; /* [n_values] of a list */
    int64_t n_values;
    char low_text[32], high_text[32]; /* ends of a range as typed */
    double low, high;
    bool whole;     /* whole numbers */
    bool log;       /* evenly in the logarithm */
    int64_t points; /* number of values in the range; 0: any */
};

struct l2r_space {
    char *text; /* as typed */
    struct l2r_dimension *dimensions;
    size_t n, capacity;
};

/* configs [n_configs]: those of the runs, one per method, with every option declared. Clear it after an error too. */
enum l2r_status l2r_space_parse(struct l2r_space *space, const char *text, const struct l2r_config *const *configs,
                                int n_configs, struct l2r_error *error);
void l2r_space_clear(struct l2r_space *space);

/* The default search space: that of the model and of the methods (l2r_model_type, l2r_method), without the options that
 * were set in `typed`; "": all of them were. configs [n_configs]: as above, of one model. */
enum { L2R_SPACE_DEFAULT = 2048 };
void l2r_space_default(char text[L2R_SPACE_DEFAULT], const struct l2r_config *typed,
                       const struct l2r_config *const *configs, int n_configs);

/* The dimension of that name, or NULL. */
const struct l2r_dimension *l2r_space_find(const struct l2r_space *space, const char *name);

#endif
