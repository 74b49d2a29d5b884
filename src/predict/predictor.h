/* SPDX-License-Identifier: MIT
 *
 * A trained model, ready to score graphs: what `l2r eval`, `l2r predict` and the public calls l2r_predictor_… are built
 * on.
 *
 *     RUN or a .safetensors file ──model_file.h──► config, signature, parameters ──► network
 *     graphs of any data set ──the signature's view──► score.h ──► outputs, representations, metrics
 *
 * It knows nothing of training: a model file is all it needs.
 */
#ifndef L2R_PREDICT_PREDICTOR_H
#define L2R_PREDICT_PREDICTOR_H

#include "base/config.h"
#include "data/dataset.h"
#include "data/splits/split.h"
#include "nn/network.h"
#include "predict/run_options.h"

#include <l2r/model.h>

/* A model that is in memory; its numbers and members are copied. The config is that of its run. */
enum l2r_status l2r_predictor_from_network(struct l2r_predictor **predictor, const struct l2r_network *network,
                                           const struct l2r_config *config, struct l2r_error *error);
/* The data that the model was trained on, wherever it is now (predict/data_place.h); NULL: it does not say. */
const char *l2r_predictor_data(const struct l2r_predictor *predictor);
const struct l2r_network *l2r_predictor_network(const struct l2r_predictor *predictor); /* the predictor's own */
/* The model on these graphs, with their labels, ready for the metrics; to be cleared. Fails where the tasks differ. */
struct l2r_scored;
enum l2r_status l2r_predictor_judge(struct l2r_scored *scored, struct l2r_predictor *predictor,
                                    const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                    struct l2r_error *error);
/* Adds what each member of a committee scores by itself to a report on these graphs (predict/score.h). */
enum l2r_status l2r_predictor_report_members(json_t *report, struct l2r_predictor *predictor,
                                             const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                             const char *metrics, struct l2r_error *error);
/* From now on the batches of a call are divided among these ranks, which all make the call; NULL: alone. */
void l2r_predictor_divide(struct l2r_predictor *predictor, struct l2r_comm *comm);
const char *l2r_predictor_checkpoint(const struct l2r_predictor *predictor); /* path of the file it was read from */

/* Fails where these are not the graphs and labels that the model was trained on, as far as its file knows; where: their
 * name. */
enum l2r_status l2r_predictor_check_data(const struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                         const char *where, struct l2r_error *error);

/* l2r_predictor_represent where one graph may fail and the others are wanted: outputs that are not finite are left in
 * place for the caller to see. */
enum l2r_status l2r_predictor_ask(float *output, float *z, struct l2r_predictor *predictor,
                                  const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                  struct l2r_error *error);
/* Why a graph has no answer whose outputs or representation are not finite. */
extern const char l2r_not_finite[];
bool l2r_all_finite(const float *values, int64_t n);

/* Half the widths of the intervals of a regression's targets, half [outputs] (nn/calibration.h). coverage: NaN for what
 * the model was trained with. */
enum l2r_status l2r_predictor_half_widths(double *half, const struct l2r_predictor *predictor, double coverage,
                                          struct l2r_error *error);

/* unseen [n]: a category of the graph that no training graph had (nn/signature.h), or -1. */
enum l2r_status l2r_predictor_unseen(int32_t *unseen, const struct l2r_predictor *predictor,
                                     const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                     struct l2r_error *error);

/* The split of the run, from a file. Fails where it is not the one that the model was trained with; *known: false, if
 * the model, of an older version, does not tell. */
enum l2r_status l2r_predictor_open_data(struct l2r_dataset **data, struct l2r_split *split,
                                        const struct l2r_predictor *predictor, struct l2r_error *error);
enum l2r_status l2r_predictor_read_split(struct l2r_split *split, bool *known, const struct l2r_predictor *predictor,
                                         const char *path, const struct l2r_dataset *data, struct l2r_error *error);

/* The model's applicability domain, read at the first call from the file beside the model. Where there is none it is
 * made from the graphs of the run, if they are still available, and kept there if the folder can be written to. The
 * result lives as long as the predictor. */
struct l2r_domain;
enum l2r_status l2r_predictor_domain(const struct l2r_domain **domain, struct l2r_predictor *predictor,
                                     struct l2r_error *error);

#endif
