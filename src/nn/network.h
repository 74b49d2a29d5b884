/* SPDX-License-Identifier: MIT
 *
 * A whole network: a backbone (Z = forward(graphs), [B × d]), a head (outputs [B × k]) and the task's loss per graph.
 *
 *     head      x⁰ = [Z ‖ features],   xⁱ = dropout(act(W_i xⁱ⁻¹ + b_i)) for i = 1 … n,   outputs = W xⁿ + b
 *
 * with n = --head-layers, 0 unless given: a linear head; and the features of the molecules, where --features asks for
 * some (data/features.h). Methods learn weights from Z alone, and fingerprints and distances are those of Z.
 *
 * A network may have several copies of backbone, gates and head that train side by side (methods/dive.c) and of which
 * the chosen one predicts. They share only the block of parameters.
 */
#ifndef L2R_NN_NETWORK_H
#define L2R_NN_NETWORK_H

#include "nn/gates.h"
#include "nn/layers.h"
#include "nn/masking.h"
#include "nn/model.h"

struct l2r_head {
    int64_t n_hidden;
    struct l2r_linear *hidden; /* [n_hidden] */
    struct l2r_linear output;
    const struct l2r_activation *act;
    double dropout;
};

struct l2r_copy {
    void *model;            /* the backbone's own struct */
    struct l2r_gates gates; /* on the edges; off in most networks */
    struct l2r_head head;
};

enum { L2R_MOST_COPIES = 8 };

struct l2r_network {
    const struct l2r_model_type *type;
    struct l2r_params params;
    struct l2r_signature signature;
    struct l2r_copy *copies; /* [n_copies]; NULL: memory is out */
    int32_t n_copies;
    const struct l2r_param *chosen; /* [1]: number of the copy that predicts; NULL: there is one */
    struct l2r_masking masking;     /* the head that predicts masked nodes in training; share 0: there is none */
    int64_t width;                  /* d */
    int64_t n_backbone;             /* trainable numbers before those of the heads */
    struct l2r_sharing sharing; /* what it computes once for equal neighbourhoods (batch/batches.h), without dropout */
    const l2r_real *class_weight; /* [outputs]: per class, or per task for the positives; NULL: 1 */
    enum l2r_distance distance;   /* of a regression, in training: squared unless the trainer sets another */
    double weight_scale; /* of the data's weights, in training alone: 1 / their mean; 0: losses are not weighted */
};

/* The signature is copied. */
enum l2r_status l2r_network_init(struct l2r_network *network, const struct l2r_model_type *type,
                                 const struct l2r_config *config, const struct l2r_signature *signature, uint64_t seed,
                                 struct l2r_error *error);
void l2r_network_clear(struct l2r_network *network);

/* --copies; ends with a zero row. */
extern const struct l2r_option l2r_copies_option_table[];

/* The copy that the functions below use; the number may come from a file, so it is checked. */
static inline int32_t l2r_network_chosen(const struct l2r_network *network)
{
    double k = network->chosen ? (double)network->chosen->value[0] : 0;
    return k >= 0 && k < network->n_copies ? (int32_t)k : 0;
}
static inline const struct l2r_copy *l2r_network_copy(const struct l2r_network *network)
{
    return &network->copies[l2r_network_chosen(network)];
}
/* A network of one copy stays as it is. */
static inline void l2r_network_choose(struct l2r_network *network, int32_t copy)
{
    if (network->chosen) network->chosen->value[0] = (l2r_real)copy;
}

/* Columns that the head's last, linear layer reads; 0: the model makes its outputs itself. */
static inline int64_t l2r_network_last_width(const struct l2r_network *network)
{
    const struct l2r_param *weight = l2r_network_copy(network)->head.output.weight;
    return weight ? weight->cols : 0;
}

/* Trainable numbers of such a network, without making one; -1 when it cannot be built. */
int64_t l2r_network_size(const struct l2r_model_type *type, const struct l2r_config *config,
                         const struct l2r_signature *signature);

/* Has it learned this output? Trees without an exact label of a task have not. */
static inline bool l2r_network_can_predict(const struct l2r_network *network, int32_t output)
{
    if (network->signature.unlearned) return false;
    return !network->type->can_predict || network->type->can_predict(l2r_network_copy(network)->model, output);
}

l2r_node l2r_network_represent(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b);
/* The input of the head's last layer, [B × l2r_network_last_width]: [Z ‖ features], behind the hidden layers. b: whose
 * rows z has; NULL: features are 0, those of an average molecule. */
l2r_node l2r_network_head_input(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b,
                                l2r_node z);
l2r_node l2r_network_output(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b,
                            l2r_node z);
/* The output without the effect of class weights (model/calibration.h): o − log w, the logits of the true class
 * frequencies. Scores and explanations use these, training uses the output itself. */
l2r_node l2r_network_unweighted(const struct l2r_network *network, struct l2r_tape *t, l2r_node output);
/* [B × 1] */
l2r_node l2r_network_losses(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b,
                            l2r_node output);

#endif
