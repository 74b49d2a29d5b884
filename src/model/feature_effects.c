/* SPDX-License-Identifier: MIT
 * See feature_effects.h. */
#include "model/feature_effects.h"

#include <math.h>

enum l2r_status l2r_feature_effects_open(struct l2r_feature_effects *e, const struct l2r_network *network,
                                         const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                         struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *e = (struct l2r_feature_effects){.network = network};
    l2r_arena_init(&e->arena);
    if (!network->type->contributions)
        L2R_FAIL(L2R_ERR_ARGUMENT, "the model %s is not made of trees, whose features have contributions",
                 network->type->name);
    L2R_TRY(l2r_signature_view(&e->view, &e->arena, &network->signature, data, error));
    L2R_TRY(l2r_features_fill(&e->view, graphs, n, error));
done:
    return status;
}

enum l2r_status l2r_feature_effects_of(float *effect, const struct l2r_feature_effects *e, int32_t graph,
                                       struct l2r_error *error)
{
    const struct l2r_network *network = e->network;
    const struct l2r_signature *s = &network->signature;
    bool regression = s->task == L2R_TASK_REGRESSION, logits = !regression && !network->type->votes;
    enum l2r_status status =
        network->type->contributions(effect, l2r_network_copy(network)->model, &e->view, graph, error);
    for (int32_t k = 0; status == L2R_OK && k < l2r_signature_outputs(s); k++) {
        float *row = effect + (int64_t)k * (s->features.n + 1);
        double factor = regression ? s->target.sd[k] : 1, offset = regression ? s->target.mean[k] : 0;
        if (logits && s->class_weight) offset = -log(s->class_weight[k]); /* what class weights added */
        for (int32_t i = 0; i <= s->features.n; i++) row[i] = (float)(factor * (double)row[i]);
        row[s->features.n] = (float)((double)row[s->features.n] + offset);
    }
    return status;
}

float l2r_feature_effects_value(const struct l2r_feature_effects *e, int32_t graph, int32_t feature)
{
    const struct l2r_feature_scale *scale = &e->network->signature.features;
    int block = 0;
    while (feature >= scale->first[block + 1]) block++;
    return l2r_feature_raw(&e->view, block, graph, scale->column[feature]);
}

void l2r_feature_effects_clear(struct l2r_feature_effects *e)
{
    l2r_arena_clear(&e->arena);
}
