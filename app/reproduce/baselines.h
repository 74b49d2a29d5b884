/* SPDX-License-Identifier: MIT
 *
 * Baselines without a model, for the splits by size: predicting one class, and a threshold on the number of nodes.
 *
 *     constant, train    the largest class of the training graphs
 *     constant, test     the largest class of the test graphs: no model can use it, but a score near it shows little
 *     threshold          up to n nodes one class, above it another; both and n are chosen on the training graphs;
 *                        among equals the smallest n
 *
 * Scores are accuracy and balanced accuracy (the mean over classes of the share that is found) on the test graphs.
 */
#ifndef L2R_REPRODUCE_BASELINES_H
#define L2R_REPRODUCE_BASELINES_H

#include "base/config.h"
#include "data/splits/split.h"

struct l2r_baseline {
    double accuracy, balanced_accuracy;
};

struct l2r_baselines {
    struct l2r_baseline constant_train, constant_test, threshold;
    int64_t nodes;          /* of the threshold */
    double train_threshold; /* its accuracy on the training graphs */
};

/* Multi-class data only. */
enum l2r_status l2r_baselines_make(struct l2r_baselines *baselines, const struct l2r_dataset *data,
                                   const struct l2r_split *split, struct l2r_error *error);

/* To and from a line of results; from_json is false where something is missing. */
json_t *l2r_baselines_to_json(const struct l2r_baselines *baselines);
bool l2r_baselines_from_json(struct l2r_baselines *baselines, const json_t *object);

/* Names data and split options, as 16 hexadecimal digits. */
void l2r_baselines_id(char out[17], const char *data, const struct l2r_config *config);

#endif
