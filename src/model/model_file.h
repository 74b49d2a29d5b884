/* SPDX-License-Identifier: MIT
 *
 * Networks in the safetensors format: the parts that model files (model/trained.h) and checkpoints to resume from
 * (store/checkpoint.h) have in common.
 *
 *     tensors    PREFIX + the names that a network gives its parameters and running statistics; trees: PREFIX "learned"
 *     metadata   format, config (the run's options), fingerprints of data and split
 */
#ifndef L2R_MODEL_MODEL_FILE_H
#define L2R_MODEL_MODEL_FILE_H

#include "base/array.h"
#include "base/config.h"
#include "base/memory.h"
#include "io/safetensors.h"
#include "nn/network.h"

/* A copy of a network's numbers, to restore later. */
struct l2r_snapshot {
    l2r_real *value, *buffer;
    int64_t epoch; /* after which it was taken; 0: empty */
};
enum l2r_status l2r_snapshot_take(struct l2r_snapshot *snapshot, const struct l2r_params *params, int64_t epoch,
                                  struct l2r_error *error);
void l2r_snapshot_restore(const struct l2r_snapshot *snapshot, struct l2r_params *params);
void l2r_snapshot_clear(struct l2r_snapshot *snapshot);

/* The file formats: "l2r-3", "l2r-checkpoint-3". */
extern const char l2r_format_model[], l2r_format_checkpoint[];

/* Reads a file of this format and checks all of it. L2R_ERR_FORMAT: it is damaged, or something else. */
enum l2r_status l2r_model_file_open(struct l2r_safetensors **file, const char *path, const char *format,
                                    struct l2r_error *error);
/* The same from memory, which is copied; `where` names it in errors. */
enum l2r_status l2r_model_file_parse(struct l2r_safetensors **file, const void *bytes, size_t length, const char *where,
                                     const char *format, struct l2r_error *error);
/* Fills a network's parameters and buffers, whose shapes must match, and what the model keeps beside them (trees). */
enum l2r_status l2r_model_file_read_network(struct l2r_network *network, const char *prefix,
                                            const struct l2r_safetensors *file, struct l2r_error *error);

/* A file under construction; it owns names and texts. A lack of memory is reported when it is written. */
struct l2r_draft {
    struct l2r_arena arena;
    struct l2r_array tensors;  /* struct l2r_tensor */
    struct l2r_array metadata; /* struct l2r_metadatum */
    bool failed;
};
void l2r_draft_begin(struct l2r_draft *draft, const char *format, const struct l2r_config *config, const char *data,
                     const char *split);
/* All that the network has learned: its tensors as they stand, and its trees. */
void l2r_draft_network(struct l2r_draft *draft, const char *prefix, const struct l2r_network *network);
/* The snapshot's tensors, their names behind `prefix`. */
void l2r_draft_snapshot(struct l2r_draft *draft, const char *prefix, const struct l2r_params *params,
                        const struct l2r_snapshot *snapshot);
/* One more tensor, named prefix + name; its data must last until the draft is written. */
void l2r_draft_array(struct l2r_draft *draft, const char *prefix, const char *name, enum l2r_dtype dtype,
                     const void *data, int64_t n);
void l2r_draft_rows(struct l2r_draft *draft, const char *name, enum l2r_dtype dtype, const void *data, int64_t rows,
                    int64_t columns);
void l2r_draft_text(struct l2r_draft *draft, const char *key, const char *text);
void l2r_draft_json(struct l2r_draft *draft, const char *key, json_t *value); /* steals; NULL: memory was short */
/* Writes and clears. keep may be NULL; see l2r_safetensors_replace. */
enum l2r_status l2r_draft_finish(struct l2r_draft *draft, const char *path, const char *keep, struct l2r_error *error);
/* The bytes of the file that it would become, to be freed with l2r_free; clears. */
enum l2r_status l2r_draft_pack(struct l2r_draft *draft, void **packed, size_t *n_packed, struct l2r_error *error);
/* The checksum of the file that it would become; clears. */
enum l2r_status l2r_draft_checksum(struct l2r_draft *draft, char checksum[L2R_CHECKSUM_TEXT], struct l2r_error *error);

/* The type of l2r_real in a file, and a tensor of such numbers: rows = 1 is a vector. */
extern const enum l2r_dtype l2r_dtype_real;
enum l2r_status l2r_model_file_copy(l2r_real *out, const struct l2r_safetensors *file, const char *name, int64_t rows,
                                    int64_t cols, struct l2r_error *error);

#endif
