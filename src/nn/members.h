/* SPDX-License-Identifier: MIT
 *
 * A committee: a network and other networks or trees, trained on the same graphs, that answer together.
 *
 *     classes      p = mean over the members of their probabilities, as a logit again
 *     regression   the mean of their values
 *
 * Trees that had no exact label of a task to learn from are left out of its mean. An output that is not finite makes
 * the mean NaN: it must not become a class.
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

/* Can `member` answer with `network`, be it from a file that anyone may have written? It must hold no members itself,
 * read the same columns and categories of nodes and edges, and its outputs must be the same tasks and classes, on the
 * same scale; features may differ. L2R_ERR_FORMAT: it cannot, and `where` and `number` say who. */
enum l2r_status l2r_member_check(const struct l2r_network *network, const struct l2r_network *member, const char *where,
                                 int number, struct l2r_error *error);
/* Has voice k learned this output? Who has not is left out of its mean. */
static inline bool l2r_network_knows(const struct l2r_network *voice, int32_t output)
{
    return !voice->type->knows || voice->type->knows(voice->model, output);
}

/* What the network and its members, if it has any, say of a batch whose Z is `z`: logits without class weights, or
 * standardised values. For scoring; no gradients flow. */
l2r_node l2r_network_answer(const struct l2r_network *network, struct l2r_tape *t, const struct l2r_batch *b,
                            l2r_node z);

/* Computes the features of these graphs that the network or a member reads; fails where the data cannot give them. */
enum l2r_status l2r_network_describe(const struct l2r_network *network, const struct l2r_dataset *data,
                                     const int32_t *graphs, int64_t n, struct l2r_error *error);

#endif
