/* SPDX-License-Identifier: MIT
 *
 * What `l2r eval`, `predict`, `explain`, `fingerprint` and `weights` work on: trained models, and the graphs that they
 * are applied to. All commands select both in the same way.
 *
 * A model is a run's folder, a .safetensors file, or a folder of `l2r train --seeds`, which stands for all its runs
 * seed-0, seed-1, … The graphs:
 *
 *     RUN                          the run's data and its split.json
 *     RUN --data WHERE             all of it
 *     RUN --data WHERE --part test split.json where it is the run's data, wherever it lies now; other data by its
 *                                  official split, the run's rule or the split options typed. A table has no part of
 *                                  its own: those options must be typed
 */
#ifndef L2R_CLI_SELECTION_H
#define L2R_CLI_SELECTION_H

#include "cli/command.h"
#include "data/dataset.h"
#include "data/splits/split.h"
#include "model/ensemble.h"
#include "model/predictor.h"

/* ---- models ---- */

struct cli_models {
    char **paths; /* [n] */
    int n;
    size_t capacity;
};

/* A model, or member 1, 2, … of it alone (--member); 0: all. */
enum l2r_status cli_open_member(struct l2r_predictor **predictor, const char *path, int64_t member,
                                struct l2r_error *error);

/* The models of all arguments, in order; seeds ascend. */
enum l2r_status cli_models_of(struct cli_models *models, const struct cli_call *call, struct l2r_error *error);
/* The same. Several models without `several` are misuse, and so is one model
 * with it. */
enum l2r_status cli_models_given(struct cli_models *models, struct cli_call *call, bool several,
                                 struct l2r_error *error);
/* For validation graphs of a run with --refit, on which the model was trained, too: uses the models before the refit
 * instead, and prints a note. */
enum l2r_status cli_models_unseen(struct cli_models *models, const struct cli_call *call, struct l2r_error *error);
/* The models in the folders of a folder that is no run and holds no seeds, folds or replicates, in the order of their
 * names: those of `l2r import`, which predict different columns. None where it is something else. */
enum l2r_status cli_models_beside(struct cli_models *models, const char *folder, struct l2r_error *error);
void cli_models_clear(struct cli_models *models);

/* ---- graphs ---- */

struct cli_selection {
    struct l2r_dataset *data;
    const char *where; /* the data, as typed or as in the run's config */
    const char *part;  /* "test", "all" */
    int64_t *all;      /* 0, 1, … when part is "all" */
    bool own;          /* the data that the run was trained on */
    struct l2r_split *split;
    const int64_t *graphs; /* the graphs chosen */
    int64_t n;
    uint8_t *uses; /* [n × models]: which models have a graph in their part; NULL: all (cli_selection_of_each) */
    int most;      /* models that have the same graph in their part */
};

/* --data, --part, --cache, --threads; ends with a zero row. Declare it together with l2r_data_options and
 * the options of splits. */
extern const struct l2r_option cli_selection_options[];
/* Declares the options of splits (data/splits/split.h) among the command's own: for l2r_command.declare. */
enum l2r_status cli_declare_split(struct cli_call *call, int argc, char **argv, struct l2r_error *error);

/* Added to the error when the run's own data cannot be read. */
extern const char cli_own_data_hint[];

/* own_part: the part if neither --data nor --part is typed. labels: the command needs them, so a table must have the
 * model's label columns. */
enum l2r_status cli_selection_load(struct cli_selection *selection, const struct l2r_predictor *predictor,
                                   const struct cli_call *call, const char *own_part, bool labels,
                                   struct l2r_error *error);
/* For models of different splits, as of --folds: the part becomes that of each model. graphs are those that are in this
 * part of any model, and `uses` says of which. Nothing changes for models of one split, other data, and all graphs. */
enum l2r_status cli_selection_of_each(struct cli_selection *selection, const struct l2r_ensemble *ensemble,
                                      const struct cli_call *call, struct l2r_error *error);
/* Is the path a table of molecules, or "-", standard input? Rows of such data pass through with all their columns. */
bool cli_selection_is_table(const char *where);
/* The data of the command: --data, or the run's own; NULL: not known. */
const char *cli_selection_where(const struct l2r_predictor *predictor, const struct cli_call *call);
/* Its part: --part, or by default all of other data and own_part of the run's own. */
const char *cli_selection_part(const struct cli_call *call, const char *own_part);
/* The table of molecules (--data or the run's own; "-": standard input) if all of it is asked for, so that it can be
 * streamed; else NULL. */
const char *cli_selection_table(const struct l2r_predictor *predictor, const struct cli_call *call);
void cli_selection_clear(struct cli_selection *selection);

#endif
