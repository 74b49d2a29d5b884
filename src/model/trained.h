/* SPDX-License-Identifier: MIT
 *
 * A trained model: everything that prediction, evaluation, explanation and a report need, in memory and as one file.
 *
 *     members          n >= 1 networks or trees, each with the options that build it and its signature of the data
 *     calibration      of their mean, fitted on validation graphs (model/calibration.h)
 *     domain           the applicability domain: representations of training graphs (model/domain.h)
 *     weights          what a method learned for the training graphs
 *     config           the options that build it, and how its data was read (model/model_options.h)
 *
 *     FILE.safetensors   tensors    "1.NAME" …  the numbers of each member, once
 *                                   "domain.rows", "domain.checked", "weights" [graphs of the data]
 *                        metadata   format, config, members, calibration, domain; fingerprints of data, split and the
 *                                   options of the run; epoch and validation score of the first member
 *
 * Nothing here depends on training.
 */
#ifndef L2R_MODEL_TRAINED_H
#define L2R_MODEL_TRAINED_H

#include "base/config.h"
#include "io/safetensors.h"
#include "model/committee.h"
#include "model/domain.h"

#include <inttypes.h>
#include <stdio.h>

struct l2r_member {
    struct l2r_config *config;
    struct l2r_arena arena; /* the signature as read */
    struct l2r_network network;
};

enum { L2R_FINGERPRINT_TEXT = 17, L2R_MOST_MEMBERS = 64 };

/* Fingerprints of data and split as files have them. */
static inline void l2r_fingerprint_text(char text[L2R_FINGERPRINT_TEXT], uint64_t fingerprint)
{
    snprintf(text, L2R_FINGERPRINT_TEXT, "%016" PRIx64, fingerprint);
}

struct l2r_trained {
    struct l2r_config *config;
    struct l2r_member **members;         /* [n] */
    const struct l2r_network **networks; /* [n]: the members' */
    int32_t n;
    struct l2r_arena arena;                    /* of the calibration */
    const struct l2r_calibration *calibration; /* NULL: none */
    struct l2r_domain domain;                  /* d = 0: there is none */
    float *weights;                            /* [n_weights]: of the graphs of the data; NULL: all count 1 */
    int64_t n_weights;
    char data[L2R_FINGERPRINT_TEXT], split[L2R_FINGERPRINT_TEXT], options[L2R_FINGERPRINT_TEXT]; /* "": not known */
    char chosen[L2R_CHECKSUM_TEXT]; /* checksum of the model that validation chose, where a refit replaced it; "" */
    int64_t epoch;                  /* of the first member; 0: not known */
    double valid;                   /* its score; NaN: none */
};

/* Without members. The config is that of a run, or of a model. */
enum l2r_status l2r_trained_new(struct l2r_trained **trained, const struct l2r_config *config, struct l2r_error *error);
/* NULL is fine. */
void l2r_trained_free(struct l2r_trained *trained);
/* A copy of the network as it stands becomes one more member. */
enum l2r_status l2r_trained_add(struct l2r_trained *trained, const struct l2r_network *network,
                                const struct l2r_config *config, struct l2r_error *error);
enum l2r_status l2r_trained_copy(struct l2r_trained **copy, const struct l2r_trained *from, struct l2r_error *error);

/* Was it trained on the validation graphs, too? */
static inline bool l2r_trained_is_refitted(const struct l2r_trained *t)
{
    return *t->chosen != '\0';
}

static inline struct l2r_committee l2r_trained_committee(const struct l2r_trained *t)
{
    return (struct l2r_committee){t->networks, t->n, t->calibration};
}

/* Members made one by one: empty, to be filled in (trained_file.c), or a copy of a network. take gives a member to the
 * model, and frees it where that fails. */
enum l2r_status l2r_member_new(struct l2r_member **member, struct l2r_error *error);
enum l2r_status l2r_member_copy(struct l2r_member **member, const struct l2r_network *network,
                                const struct l2r_config *config, struct l2r_error *error);
void l2r_member_free(struct l2r_member *member);
enum l2r_status l2r_trained_take(struct l2r_trained *trained, struct l2r_member *member, struct l2r_error *error);

enum l2r_status l2r_trained_write(const struct l2r_trained *trained, const char *path, struct l2r_error *error);
/* The bytes of that file, to be freed with l2r_free. */
enum l2r_status l2r_trained_pack(void **packed, size_t *n_packed, const struct l2r_trained *trained,
                                 struct l2r_error *error);
/* The "xxh3" by which other files refer to this model. */
enum l2r_status l2r_trained_checksum(char checksum[L2R_CHECKSUM_TEXT], const struct l2r_trained *trained,
                                     struct l2r_error *error);
/* From an opened file (model/model_file.h); `where` names it in errors. Every number in it is checked. */
enum l2r_status l2r_trained_read(struct l2r_trained **trained, const struct l2r_safetensors *file, const char *where,
                                 struct l2r_error *error);

#endif
