/* SPDX-License-Identifier: MIT
 *
 * A committee: a network and other networks or trees, trained on the same graphs, that answer together.
 *
 *     classes      p = mean over the members of their probabilities, as a logit again
 *     regression   the mean of their values
 *
 * What validation calibrates (nn/calibration.h) is this mean; the members themselves are not calibrated. Members see
 * the same batch, each with the features that it was trained on. Z, and with it distances, is the first network's own.
 */
#ifndef L2R_NN_MEMBERS_H
#define L2R_NN_MEMBERS_H

#include "nn/network.h"

/* The network and its members one by one: voice 0 is the network itself, which is asked without the others only where
 * its n_members is set to 0. */
static inline int32_t l2r_network_voices(const struct l2r_network *network)
{
    return 1 + network->n_members;
}
static inline const struct l2r_network *l2r_network_voice(const struct l2r_network *network, int32_t k)
{
    return k == 0 ? network : network->members[k - 1].network;
}

/* What the network and its members, if it has any, say of a batch whose Z is `z`: logits without class weights, or
 * standardised values. For scoring; no gradients flow. */
l2r_node l2r_network_answer(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b,
                            l2r_node z);

/* Computes the features of these graphs that the network or a member reads; fails where the data cannot give them. */
enum l2r_status l2r_network_describe(const struct l2r_network *network, const struct l2r_dataset *data,
                                     const int32_t *graphs, int64_t n, struct l2r_error *error);

#endif
