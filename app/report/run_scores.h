/* SPDX-License-Identifier: MIT
 *
 * What a report needs beyond the numbers in a run's folder: predictions for its validation and
 * test graphs, the weights of its training graphs, and pictures of those with the lowest and highest weights.
 *
 *     best.safetensors + data + split.json  ->  output [graphs of a part × outputs], as from `l2r predict`
 *     best.safetensors                      ->  weight [n_graphs], if the method learned weights
 */
#ifndef L2R_REPORT_RUN_SCORES_H
#define L2R_REPORT_RUN_SCORES_H

#include "data/dataset.h"
#include "data/splits/split.h"

/* The data set that was read last: runs that are shown behind each other mostly share theirs. Zero it first. */
struct l2r_data_shelf {
    char *where, *options; /* options.h */
    struct l2r_dataset *data;
};
void l2r_data_shelf_clear(struct l2r_data_shelf *shelf);

struct l2r_run_scores {
    const struct l2r_dataset *data; /* of the shelf */
    const char *where;
    struct l2r_ensemble *ensemble;         /* of this run alone, with the members of a committee */
    const struct l2r_predictor *predictor; /* its model */
    struct l2r_split split;
    float *output[3];   /* by L2R_PART_*, probabilities or values; NULL: train, and test after --no-eval-test */
    int32_t *choice[3]; /* the classes of these graphs, of binary tasks [graphs × outputs]; NULL of a regression */
    float *weight;      /* [n_graphs], by graph; NULL: the method has none */
};

/* where: the data; NULL: what the run was trained on. Clear it also after a failure. */
enum l2r_status l2r_run_scores_load(struct l2r_run_scores *scores, struct l2r_data_shelf *shelf, const char *run,
                                    const char *where, bool cache, struct l2r_error *error);
/* The same without predictions, for the weights alone; of a method that learns none the model alone, without data. */
enum l2r_status l2r_run_scores_weights(struct l2r_run_scores *scores, struct l2r_data_shelf *shelf, const char *run,
                                       const char *where, bool cache, struct l2r_error *error);
void l2r_run_scores_clear(struct l2r_run_scores *scores);

/* The graphs of the training part by weight, lowest first, equal ones by their number. sorted [n of the part]. */
enum l2r_status l2r_run_scores_order(int32_t *sorted, const struct l2r_run_scores *scores, struct l2r_error *error);

enum { L2R_LARGEST_PICTURE = 150 }; /* nodes */

/* SVG text (l2r_free each) of n graphs as they are, on all threads; NULL for those with more than
 * L2R_LARGEST_PICTURE nodes. On an error all are NULL. */
enum l2r_status l2r_run_scores_draw(char **svg, const struct l2r_run_scores *scores, const int32_t *graphs, int64_t n,
                                    struct l2r_error *error);

/* "label 1", "active", "label −0.77", "no label"; of several tasks the first, "label 1, …". */
void l2r_run_scores_label(char *out, size_t size, const struct l2r_dataset *data, int32_t graph);

#endif
