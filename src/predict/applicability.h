/* SPDX-License-Identifier: MIT
 *
 * The applicability domain (domain/domain.h) of a trained network: made once from the graphs of its run, kept beside its checkpoint.
 *
 *     RUN/domain.safetensors   rows [n × d], checked [n]
 *                              metadata: format "l2r-domain-1", model (checksum of the checkpoint), n_train, n_valid, scale
 *
 * The checksum ties it to one model: a file that was left behind by another is not used. Nothing here touches the numbers of a run.
 */
#ifndef L2R_PREDICT_APPLICABILITY_H
#define L2R_PREDICT_APPLICABILITY_H

#include "data/splits/split.h"
#include "nn/network.h"
#include "predict/domain.h"

/* From training graphs and validation graphs (none: the domain is not calibrated); of large parts so many as are kept, evenly spaced.
 * The tape is reset. */
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

/* At the end of a run: makes it and writes it beside the checkpoint, which must be on disk. Ranks make it together, rank 0 writes. */
enum l2r_status l2r_applicability_save(const char *checkpoint, const struct l2r_network *network, struct l2r_tape *tape,
                                       const struct l2r_dataset *data, const struct l2r_split *split,
                                       int64_t batch_size, struct l2r_error *error);

#endif
