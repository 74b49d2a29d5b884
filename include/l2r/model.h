/* SPDX-License-Identifier: MIT
 *
 * Trained models: from the folder of a run or a file to outputs, probabilities and representations of graphs.
 */
#ifndef L2R_MODEL_H
#define L2R_MODEL_H

#include <l2r/data.h>

#ifdef __cplusplus
extern "C" {
#endif

struct l2r_predictor; /* one thread at a time */

/* path: the folder of a run (its best checkpoint is used) or a .safetensors file. */
L2R_API enum l2r_status l2r_predictor_new(struct l2r_predictor **predictor, const char *path, struct l2r_error *error);
L2R_API void l2r_predictor_free(struct l2r_predictor *predictor);
L2R_API enum l2r_task l2r_predictor_task(const struct l2r_predictor *predictor);
/* Columns of the output: classes, or tasks. */
L2R_API int32_t l2r_predictor_outputs(const struct l2r_predictor *predictor);
/* The source's integer for class k (multi-class); INT64_MIN: there is no such class. */
L2R_API int64_t l2r_predictor_class(const struct l2r_predictor *predictor, int32_t k);
/* Logits, or values in the targets' own units: output [n × outputs], rows in the order of `graphs` [n]. An error names
 * the first property of the data that the model was not trained for, or (L2R_ERR_DIVERGED) the first graph with an
 * output that is not a finite number; in the latter case all outputs are in place, and rows without such a number hold.
 */
L2R_API enum l2r_status l2r_predictor_score(float *output, struct l2r_predictor *predictor,
                                            const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                            struct l2r_error *error);
/* The learned representation Z: width columns a graph, the row that the last linear layer is applied to. */
L2R_API int32_t l2r_predictor_width(const struct l2r_predictor *predictor);
/* output [n × outputs] as above and z [n × width] in one pass; either may be NULL. */
L2R_API enum l2r_status l2r_predictor_represent(float *output, float *z, struct l2r_predictor *predictor,
                                                const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                                struct l2r_error *error);
/* In place: softmax (multi-class), sigmoid (binary), unchanged (regression). What is not finite becomes NaN: there is
 * no probability, and no class. */
L2R_API void l2r_predictor_probabilities(float *output, const struct l2r_predictor *predictor, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
