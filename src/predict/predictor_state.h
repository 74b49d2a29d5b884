/* SPDX-License-Identifier: MIT
 * What a predictor is made of; for predictor.c, which opens it, questions.c, which asks it, and those who
 * compare the outputs of several. */
#ifndef L2R_PREDICT_PREDICTOR_STATE_H
#define L2R_PREDICT_PREDICTOR_STATE_H

#include "base/memory.h"
#include "io/safetensors.h"
#include "predict/domain.h"
#include "predict/predictor.h"

struct l2r_predictor {
    struct l2r_config *config;
    struct l2r_arena arena; /* the signature as read */
    struct l2r_network network;
    struct l2r_tape tape;
    int64_t batch_size;
    char checkpoint[4096];
    char checksum[L2R_CHECKSUM_TEXT]; /* of the checkpoint's numbers; "": it has none */
    char data[17];                    /* fingerprint of the training data; "": the checkpoint does not say */
    char split[17];                   /* the same of the split */
    struct l2r_domain domain;         /* d = 0: not looked for yet */
    /* A committee: the models that answer with this one, what the network knows of them, and their files. */
    int32_t n_members;
    struct l2r_predictor **members;
    struct l2r_member *known;
};

#endif
