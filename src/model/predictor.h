/* SPDX-License-Identifier: MIT
 *
 * A trained model, ready to score graphs: what `l2r eval`, `l2r predict` and the public calls l2r_predictor_… are built
 * on.
 *
 *     RUN or a .safetensors file ──► a trained model (model/trained.h)
 *     graphs of any data set ──the signature's view──► model/committee.h ──► outputs, representations, metrics
 *
 * It does not depend on training: a model file is all it needs.
 */
#ifndef L2R_MODEL_PREDICTOR_H
#define L2R_MODEL_PREDICTOR_H

#include "data/splits/split.h"
#include "model/trained.h"

#include <l2r/model.h>

/* A model that is in memory, which the predictor owns from here on, also after a failure. */
enum l2r_status l2r_predictor_from_trained(struct l2r_predictor **predictor, struct l2r_trained *trained,
                                           struct l2r_error *error);
/* A network that is in memory; its numbers are copied. The config is that of its run. */
enum l2r_status l2r_predictor_from_network(struct l2r_predictor **predictor, const struct l2r_network *network,
                                           const struct l2r_config *config, struct l2r_error *error);
const struct l2r_trained *l2r_predictor_trained(const struct l2r_predictor *predictor);
const struct l2r_committee *l2r_predictor_committee(const struct l2r_predictor *predictor);
/* The first member's signature: columns of the data and what is predicted. */
const struct l2r_signature *l2r_predictor_signature(const struct l2r_predictor *predictor);
/* The data that the model was trained on, wherever it is now (model/data_place.h); NULL: not recorded. */
const char *l2r_predictor_data(const struct l2r_predictor *predictor);
const char *l2r_predictor_checkpoint(const struct l2r_predictor *predictor); /* path of the file it was read from */
/* From now on the batches of a call are divided among these ranks, which all make the call; NULL: alone. */
void l2r_predictor_divide(struct l2r_predictor *predictor, struct l2r_comm *comm);

/* Outputs when one graph may fail and the others are needed: values that are not finite are left for the caller. */
enum l2r_status l2r_predictor_rows(const struct l2r_committee_rows *to, struct l2r_predictor *predictor,
                                   const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                   struct l2r_error *error);
/* The same; an output or representation that is not finite is L2R_ERR_DIVERGED with the first such graph, when all are
 * in place. */
enum l2r_status l2r_predictor_represent(float *output, float *z, struct l2r_predictor *predictor,
                                        const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                        struct l2r_error *error);
/* The reason for a graph without a prediction because its outputs or representation are not finite. */
extern const char l2r_not_finite[];
bool l2r_all_finite(const float *values, int64_t n);
/* The model on these graphs, with their labels, ready for the metrics; to be cleared. Fails where the tasks differ. */
struct l2r_scored;
enum l2r_status l2r_predictor_scored(struct l2r_scored *scored, struct l2r_predictor *predictor,
                                     const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                     struct l2r_error *error);
/* Adds what each of several members scores by itself to a report on these graphs (model/scored.h). */
enum l2r_status l2r_predictor_report_members(json_t *report, struct l2r_predictor *predictor,
                                             const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                             const char *metrics, struct l2r_error *error);
/* All that an evaluation has (l2r/model.h). New reference. */
enum l2r_status l2r_predictor_report(json_t **report, struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                     const int32_t *graphs, int64_t n, const char *metrics, struct l2r_error *error);

/* Half the widths of the intervals of a regression's targets, half [outputs] (model/calibration.h). coverage: NaN for
 * what the model was trained with. */
enum l2r_status l2r_predictor_half_widths(double *half, const struct l2r_predictor *predictor, double coverage,
                                          struct l2r_error *error);
/* unseen [n]: a category of the graph that no training graph had (nn/signature.h), or -1. */
enum l2r_status l2r_predictor_unseen(int32_t *unseen, const struct l2r_predictor *predictor,
                                     const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                     struct l2r_error *error);
/* Its applicability domain, lent; fails where the model has none. */
enum l2r_status l2r_predictor_domain(const struct l2r_domain **domain, const struct l2r_predictor *predictor,
                                     struct l2r_error *error);

/* ---- The run it came from ---- */

/* Fails if these are not the graphs and labels that the model was trained on, as far as its file records them; where:
 * their name. */
enum l2r_status l2r_predictor_check_data(const struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                         const char *where, struct l2r_error *error);
/* The split of the run, from a file. Fails if it is not the one that the model was trained with; *known: false if the
 * model does not record it. */
enum l2r_status l2r_predictor_read_split(struct l2r_split *split, bool *known, const struct l2r_predictor *predictor,
                                         const char *path, const struct l2r_dataset *data, struct l2r_error *error);
/* The data of the run and its split. */
enum l2r_status l2r_predictor_open_data(struct l2r_dataset **data, struct l2r_split *split,
                                        const struct l2r_predictor *predictor, struct l2r_error *error);

#endif
