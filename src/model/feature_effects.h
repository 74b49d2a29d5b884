/* SPDX-License-Identifier: MIT
 *
 * What each feature of a graph as a whole adds to the answer of trees (nn/trees.h, nn/forest.h), in the units of that
 * answer: SHAP values of the logit for boosted trees; for a forest the steps of its trees from node to node, of the
 * probability (Saabas 2014); of a regression both are in the units of the target. With the constant they add up to what
 * the trees say, before calibration.
 */
#ifndef L2R_MODEL_FEATURE_EFFECTS_H
#define L2R_MODEL_FEATURE_EFFECTS_H

#include "data/features.h"
#include "nn/network.h"

struct l2r_feature_effects {
    const struct l2r_network *network;
    struct l2r_dataset view; /* the data in the network's own numbers */
    struct l2r_arena arena;
};

/* For these graphs of the data. L2R_ERR_ARGUMENT: the network is no model of trees. To be cleared, after a failure
 * too. */
enum l2r_status l2r_feature_effects_open(struct l2r_feature_effects *effects, const struct l2r_network *network,
                                         const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                         struct l2r_error *error);
/* effect [outputs × (features + 1)], the constant last. */
enum l2r_status l2r_feature_effects_of(float *effect, const struct l2r_feature_effects *effects, int32_t graph,
                                       struct l2r_error *error);
/* The graph's own number, before it was scaled; NaN: unknown. */
float l2r_feature_effects_value(const struct l2r_feature_effects *effects, int32_t graph, int32_t feature);
void l2r_feature_effects_clear(struct l2r_feature_effects *effects);

#endif
