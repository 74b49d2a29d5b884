/* SPDX-License-Identifier: MIT
 * What a checkpoint of chemprop says of its network (chemprop.h), checked: hyper-parameters and matrices. */
#ifndef L2R_MODEL_CHEMPROP_PLAN_H
#define L2R_MODEL_CHEMPROP_PLAN_H

#include "data/dataset.h"
#include "io/torch_file.h"
#include "model/chemprop_features.h"

enum { L2R_CHEMPROP_LAYERS = 64 };

struct l2r_chemprop_plan {
    struct l2r_torch_file file;
    const struct l2r_pickle *hyper, *weights; /* hyper_parameters, state_dict */
    const struct l2r_pickle *passing, *aggregation, *predictor;
    const struct l2r_chemprop_features *features;
    struct l2r_torch_tensor w_i, w_h, w_o, w_o_bias, w_i_bias, w_h_bias;
    struct l2r_torch_tensor layer[L2R_CHEMPROP_LAYERS],
        layer_bias[L2R_CHEMPROP_LAYERS];                 /* [n_layers]: the last makes the outputs */
    struct l2r_torch_tensor gamma, beta, mean, variance; /* of batch norm; values NULL: none */
    struct l2r_torch_tensor target_mean, target_scale;   /* values NULL: none */
    int64_t n_layers, hidden, depth;
    const char *activation, *readout;
    double norm; /* the aggregation's is 1/norm of a sum */
    bool message_bias;
    enum l2r_task task;
    int64_t n_outputs;
};

/* From plan->file. L2R_ERR_FORMAT names what is not supported, or does not fit. */
enum l2r_status l2r_chemprop_plan(struct l2r_chemprop_plan *plan, struct l2r_error *error);

#endif
