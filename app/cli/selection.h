/* SPDX-License-Identifier: MIT
 *
 * The graphs that a trained model is asked about: `l2r eval` and `l2r predict` choose them in the same way.
 *
 *     RUN                          the run's data and its split.json
 *     RUN --data WHERE             other data, all of it
 *     RUN --data WHERE --part test other data, split by the run's rule or by the split options typed
 */
#ifndef L2R_CLI_SELECTION_H
#define L2R_CLI_SELECTION_H

#include "cli/command.h"
#include "data/dataset.h"
#include "data/splits/split.h"
#include "predict/predictor.h"

struct cli_selection {
    struct l2r_dataset *data;
    const char *where; /* the data, as typed or as in the run's config */
    const char *part;  /* "test", "all" */
    int32_t *all;      /* 0, 1, … when part is "all" */
    struct l2r_split split;
    const int32_t *graphs; /* the graphs chosen */
    int64_t n;
};

/* --data, --part, --cache, --threads; ends with a zero row. To be declared together with l2r_data_options and the
 * options of splits. */
extern const struct l2r_option cli_selection_options[];
/* Declares the options of splits (data/splits/split.h) among the command's own: for l2r_command.declare. */
enum l2r_status cli_declare_split(struct cli_call *call, int argc, char **argv, struct l2r_error *error);

/* Behind a sentence that says that the run's own data cannot be read. */
extern const char cli_own_data_hint[];

/* own_part: the part when neither --data nor --part is typed. labels: they are needed, a table must have the columns of
 * the model's. */
enum l2r_status cli_selection_load(struct cli_selection *selection, const struct l2r_predictor *predictor,
                                   const struct cli_call *call, const char *own_part, bool labels,
                                   struct l2r_error *error);
/* The table of molecules that is asked about as a whole, --data or the run's own, which can be passed through; NULL:
 * anything else. */
const char *cli_selection_table(const struct l2r_predictor *predictor, const struct cli_call *call);
void cli_selection_clear(struct cli_selection *selection);

#endif
