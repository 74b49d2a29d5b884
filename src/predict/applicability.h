/* SPDX-License-Identifier: MIT
 *
 * The applicability domain (predict/domain.h) of a trained network: made once, from the graphs of its run, and kept
 * beside its model file.
 *
 *     RUN/domain.safetensors   rows [n × d], checked [n]
 *                              metadata: format "l2r-domain-2", model (its checksum), n_train, n_valid, scale
 *
 * The checksum ties it to one model: a file that another model left behind is not used. Nothing here touches the
 * numbers of a run.
 */
#ifndef L2R_PREDICT_APPLICABILITY_H
#define L2R_PREDICT_APPLICABILITY_H

#include "data/splits/split.h"
#include "nn/network.h"
#include "predict/domain.h"

/* From the training and validation graphs (none of the latter: the domain is not calibrated); of a large part as many
 * graphs as are kept, evenly spaced. The tape is reset. */
enum l2r_status l2r_applicability_make(struct l2r_domain *domain, const struct l2r_network *network,
                                       struct l2r_tape *tape, const struct l2r_dataset *data,
                                       const struct l2r_split *split, int64_t batch_size, struct l2r_error *error);

/* model: the "xxh3" of the checkpoint that the domain belongs to. */
enum l2r_status l2r_applicability_write(const struct l2r_domain *domain, const char *path, const char *model,
                                        struct l2r_error *error);
/* A file of another model, or of another width, is L2R_ERR_FORMAT. */
enum l2r_status l2r_applicability_read(struct l2r_domain *domain, const char *path, const char *model, int64_t width,
                                       struct l2r_error *error);

/* The file beside a checkpoint: "runs/a/best.safetensors" -> "runs/a/domain.safetensors". */
enum l2r_status l2r_applicability_path(char *out, size_t size, const char *checkpoint, struct l2r_error *error);

/* At the end of a run: makes it and writes it beside the model file, whose "xxh3" is `checksum`. Ranks make it
 * together, rank 0 writes. */
enum l2r_status l2r_applicability_save(const char *checkpoint, const char *checksum, const struct l2r_network *network,
                                       struct l2r_tape *tape, const struct l2r_dataset *data,
                                       const struct l2r_split *split, int64_t batch_size, struct l2r_error *error);

#endif
