/* SPDX-License-Identifier: MIT
 *
 * Gates on the edges of a network, learned with it (GSAT, Miao et al. 2022). The backbone runs twice over a graph: its
 * nodes' representations h say how much of each message may pass, and with these gates it runs again. With
 * --gates-backbone own a second backbone makes h (DIVE, Sun et al. 2024), and neither disturbs the other's norms.
 *
 *     arc u → v      a_uv = σ(MLP([h_u ‖ h_v]) + noise)      MLP: 2D → 4D → D → 1, each hidden layer followed by
 *                                                            instance norm, ReLU and dropout
 *     edge {u, v}    (a_uv + a_vu) / 2, a factor of the messages over it in both directions, in every layer
 *
 *     budget         the model's own loss: weight · (1/B) Σ_g (mean gate of the edges of g − η)²
 *
 * The noise is logistic in training (the concrete distribution at temperature 1) and absent in prediction. A gated
 * network needs a backbone whose messages may be weighted edge by edge (struct l2r_model_type, unmaskable).
 */
#ifndef L2R_NN_GATES_H
#define L2R_NN_GATES_H

#include "nn/layers.h"

struct l2r_gates {
    bool on;
    const void *model;                     /* the backbone whose nodes they are made of */
    double dropout, budget, budget_weight; /* budget 0: none */
    struct l2r_linear sender, receiver; /* [4D × D]: the two halves of the first layer; the bias is the receiver's */
    struct l2r_linear second, last;
};

/* --gates, …; ends with a zero row. */
extern const struct l2r_option l2r_gates_option_table[];

bool l2r_gates_are_enabled(const struct l2r_config *config);
/* Declares the parameters where the options ask for gates on the backbone `model`; a backbone that cannot have them
 * fails the params. */
struct l2r_gates l2r_gates_add(const struct l2r_build *build, const struct l2r_model_type *type, const void *model);
/* From h [N × D]: the tape's masks become the gates (times those that it has), and tape->gates names them. */
void l2r_gates_put(const struct l2r_gates *gates, struct l2r_tape *t, const struct l2r_batch *b, l2r_node h);

#endif
