/* SPDX-License-Identifier: MIT
 *
 * A trained model, ready to score graphs: what `l2r eval`, `l2r predict` and the public API stand on.
 */
#ifndef L2R_TRAIN_PREDICTOR_H
#define L2R_TRAIN_PREDICTOR_H

#include "base/config.h"
#include "data/dataset.h"

struct l2r_predictor;

/* path: a run folder (its best checkpoint is used) or a .safetensors file. */
enum l2r_status l2r_predictor_new(struct l2r_predictor **predictor, const char *path, struct l2r_error *error);
void l2r_predictor_free(struct l2r_predictor *predictor);

const struct l2r_config *l2r_predictor_config(const struct l2r_predictor *predictor); /* the run's resolved config */
enum l2r_task l2r_predictor_task(const struct l2r_predictor *predictor);
int32_t l2r_predictor_outputs(const struct l2r_predictor *predictor); /* columns: classes, or tasks */
/* The source's integer for class k (multi-class). */
int64_t l2r_predictor_class(const struct l2r_predictor *predictor, int32_t k);

/* Logits, or values in the targets' own units: output [n × outputs], rows in the order of `graphs`. An error names the first
 * property of the data that the model was not trained for (feature columns, category out of vocabulary). */
enum l2r_status l2r_predictor_score(float *output, struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                    const int32_t *graphs, int64_t n, struct l2r_error *error);

/* Logits to what a user expects: softmax (multi-class), sigmoid (binary), unchanged (regression). In place. */
void l2r_predictor_probabilities(float *output, const struct l2r_predictor *predictor, int64_t n);

/* Every metric that suits the task, for these graphs: {"rocauc": 0.79, "accuracy": …, "n": 152}. New reference. */
enum l2r_status l2r_predictor_evaluate(json_t **report, struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                       const int32_t *graphs, int64_t n, struct l2r_error *error);

#endif
