/* SPDX-License-Identifier: MIT
 *
 * The model file: all that prediction needs, and nothing else, in the safetensors format.
 *
 *     RUN/best.safetensors   tensors    parameters and running statistics, by the names that the network gives them
 *                            metadata   format, config (the run's options), signature (of the training data),
 *                                       fingerprints of data and split, epoch and validation score of the snapshot
 *
 * A checkpoint to resume from (train/checkpoint.h) is a model file with the state of training beside it, so it is
 * opened, checked and drafted by the same calls.
 */
#ifndef L2R_PREDICT_MODEL_FILE_H
#define L2R_PREDICT_MODEL_FILE_H

#include "base/array.h"
#include "base/memory.h"
#include "data/splits/split.h"
#include "io/safetensors.h"
#include "nn/network.h"

/* A copy of a network's numbers, to go back to. */
struct l2r_snapshot {
    l2r_real *value, *buffer;
    int64_t epoch; /* after which it was taken; 0: empty */
};
enum l2r_status l2r_snapshot_take(struct l2r_snapshot *snapshot, const struct l2r_params *params, int64_t epoch,
                                  struct l2r_error *error);
void l2r_snapshot_restore(const struct l2r_snapshot *snapshot, struct l2r_params *params);
void l2r_snapshot_clear(struct l2r_snapshot *snapshot);

/* What a model file tells about a network. */
struct l2r_model_source {
    const struct l2r_network *network;
    const struct l2r_config *config;
    const struct l2r_dataset *data;
    const struct l2r_split *split;
    const char
        *chosen; /* checksum of the model that validation chose, where a refit took its place; NULL or "": none */
};

/* Writes the snapshot. checksum, if not NULL, receives the "xxh3" by which other files refer to this model. */
enum l2r_status l2r_model_file_write(const char *path, const struct l2r_model_source *source,
                                     const struct l2r_snapshot *snapshot, double valid,
                                     char checksum[L2R_CHECKSUM_TEXT], struct l2r_error *error);

/* Writes a network as it stands; the fingerprints of its data and split may be "": not known. */
enum l2r_status l2r_model_file_save(const char *path, const struct l2r_network *network,
                                    const struct l2r_config *config, const char *data, const char *split,
                                    struct l2r_error *error);

/* Reads a file and checks all of it. L2R_ERR_FORMAT: it is damaged, or not written by l2r. */
enum l2r_status l2r_model_file_open(struct l2r_safetensors **file, const char *path, struct l2r_error *error);
/* The same from memory, which is copied; `where` names it in errors. */
enum l2r_status l2r_model_file_parse(struct l2r_safetensors **file, const void *bytes, size_t length, const char *where,
                                     struct l2r_error *error);
/* Fills a network's parameters and buffers; shapes must match. */
enum l2r_status l2r_model_file_read_params(struct l2r_params *params, const struct l2r_safetensors *file,
                                           struct l2r_error *error);
/* The same, and what the model keeps beside them (trees). */
enum l2r_status l2r_model_file_read_network(struct l2r_network *network, const struct l2r_safetensors *file,
                                            struct l2r_error *error);
/* The epoch after which the model was taken; 0: the file does not say. */
int64_t l2r_model_file_epoch(const struct l2r_safetensors *file);

/* A file under construction; it owns names and texts. Lack of memory shows when it is written. */
struct l2r_draft {
    struct l2r_arena arena;
    struct l2r_array tensors;  /* struct l2r_tensor */
    struct l2r_array metadata; /* struct l2r_metadatum */
    bool failed;
};
/* The network's tensors under their own names, from a snapshot or, with NULL, as they stand; and the metadata above. */
void l2r_draft_begin(struct l2r_draft *draft, const struct l2r_model_source *source,
                     const struct l2r_snapshot *snapshot);
/* The snapshot's tensors once more, their names behind `prefix`. */
void l2r_draft_snapshot(struct l2r_draft *draft, const char *prefix, const struct l2r_params *params,
                        const struct l2r_snapshot *snapshot);
/* One more tensor, a single row, named prefix + name; its data must last until the draft is written. */
void l2r_draft_array(struct l2r_draft *draft, const char *prefix, const char *name, enum l2r_dtype dtype,
                     const void *data, int64_t n);
void l2r_draft_text(struct l2r_draft *draft, const char *key, const char *text);
void l2r_draft_json(struct l2r_draft *draft, const char *key, json_t *value); /* steals; NULL: memory was short */
/* Writes and clears. keep, checksum: may be NULL; see l2r_safetensors_replace. */
enum l2r_status l2r_draft_finish(struct l2r_draft *draft, const char *path, const char *keep,
                                 char checksum[L2R_CHECKSUM_TEXT], struct l2r_error *error);

/* The type of l2r_real in a file, and a tensor of such numbers: rows = 1 is a vector. */
extern const enum l2r_dtype l2r_dtype_real;
enum l2r_status l2r_model_file_copy(l2r_real *out, const struct l2r_safetensors *file, const char *name, int64_t rows,
                                    int64_t cols, struct l2r_error *error);

#endif
