/* SPDX-License-Identifier: MIT
 * What a predictor is made of; for the files of this folder. */
#ifndef L2R_MODEL_PREDICTOR_STATE_H
#define L2R_MODEL_PREDICTOR_STATE_H

#include "model/predictor.h"

struct l2r_predictor {
    struct l2r_trained *trained;
    struct l2r_committee committee; /* the trained model's */
    struct l2r_tape tape;
    int64_t batch_size;
    char checkpoint[4096]; /* path of the file it was read from; a few words where there is none */
    char where[4096];      /* the data of the run; "": not recorded */
};

#endif
