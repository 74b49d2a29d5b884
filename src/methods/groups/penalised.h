/* SPDX-License-Identifier: MIT
 *
 * The state and hooks of methods that add a penalty over environments to the loss:
 *
 *     loss = (1/B) Σ ℓ_n + λ_t P(…),     λ_t = λ from step `after` on, min(1, λ) before
 *
 * λ is the method's option NAME-weight; `after` is NAME-after, 0 where there is none.
 */
#ifndef L2R_METHODS_GROUPS_PENALISED_H
#define L2R_METHODS_GROUPS_PENALISED_H

#include "methods/groups/groups.h"
#include "methods/method.h"

#include <stdio.h>

struct penalised {
    struct l2r_graph_groups groups;
    double lambda;
    int64_t after; /* steps */
};

/* Rows of an option table: the weight, and the steps before it counts. */
#define PENALISED_WEIGHT(NAME, TITLE, DEFAULT, HELP)                                                                   \
    {                                                                                                                  \
        .name = NAME "-weight", .kind = L2R_OPTION_REAL, .fallback = DEFAULT, .max = 1e9, .group = TITLE, .help = HELP \
    }
#define PENALISED_AFTER(NAME, DEFAULT)                                                                                 \
    {                                                                                                                  \
        .name = NAME "-after", .kind = L2R_OPTION_INT, .fallback = DEFAULT, .max = 1e12,                               \
        .help = "steps with weight 1 before, unless the weight is smaller"                                             \
    }

static inline enum l2r_status penalised_init(struct penalised *s, const char *name, const struct l2r_config *config,
                                             const struct l2r_training_set *set, struct l2r_error *error)
{
    char option[32];
    snprintf(option, sizeof option, "%s-weight", name);
    s->lambda = l2r_config_real(config, option);
    snprintf(option, sizeof option, "%s-after", name);
    s->after = l2r_config_has(config, option) ? l2r_config_int(config, option) : 0;
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
