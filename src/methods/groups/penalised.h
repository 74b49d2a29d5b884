/* SPDX-License-Identifier: MIT
 *
 * The state and hooks of methods that add a penalty over environments to the loss:
 *
 *     loss = (1/B) Σ ℓ_n + λ_t P(…),     λ_t = λ from step `after` on, min(1, λ) before
 */
#ifndef L2R_METHODS_GROUPS_PENALISED_H
#define L2R_METHODS_GROUPS_PENALISED_H

#include "methods/groups/groups.h"
#include "methods/method.h"

struct penalised {
    struct l2r_graph_groups groups;
    double lambda;
    int64_t after; /* steps */
};

static inline enum l2r_status penalised_init(struct penalised *s, double lambda, int64_t after,
                                             const struct l2r_training_set *set, struct l2r_error *error)
{
    s->lambda = lambda;
    s->after = after;
    return l2r_graph_groups_make(&s->groups, set, false, error);
}

static inline void penalised_clear(void *state)
{
    l2r_graph_groups_clear(&((struct penalised *)state)->groups);
}

static inline l2r_node penalised_loss(const struct penalised *s, const struct l2r_step *step, l2r_node x,
                                      l2r_penalty_fn *penalty)
{
    double lambda = step->step >= s->after || s->lambda < 1 ? s->lambda : 1;
    if (lambda == 0) return L2R_NO_NODE;
    return l2r_penalty(step->tape, step->batch, step->data, step->network, &s->groups, x, lambda, penalty);
}

#endif
