/* SPDX-License-Identifier: MIT
 *
 * A trained model, ready to score graphs: what `l2r eval`, `l2r predict` and the public API stand on.
 */
#ifndef L2R_TRAIN_PREDICTOR_H
#define L2R_TRAIN_PREDICTOR_H

#include "base/config.h"
#include "data/dataset.h"
#include "nn/network.h"

const struct l2r_config *l2r_predictor_config(const struct l2r_predictor *predictor);   /* the run's resolved config */
const struct l2r_network *l2r_predictor_network(const struct l2r_predictor *predictor); /* the predictor's own */
/* Every metric that suits the task, for these graphs: {"rocauc": 0.79, "accuracy": …, "n": 152}. New reference. */
enum l2r_status l2r_predictor_evaluate(json_t **report, struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                       const int32_t *graphs, int64_t n, struct l2r_error *error);

#endif
