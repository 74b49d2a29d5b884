/* SPDX-License-Identifier: MIT
 * See trained.h; files are in trained_file.c. */
#include "model/trained.h"

#include "base/array.h"
#include "base/memory.h"
#include "model/model_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum l2r_status l2r_trained_new(struct l2r_trained **trained, const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trained *t = l2r_alloc(1, sizeof *t);
    *trained = NULL;
    if (!t) return l2r_fail_memory(error, sizeof *t, "a model");
    l2r_arena_init(&t->arena);
    t->valid = (double)NAN;
    L2R_TRY(l2r_model_config_take(&t->config, config, error));
    *trained = t;
    t = NULL;
done:
    l2r_trained_free(t);
    return status;
}

void l2r_member_free(struct l2r_member *m)
{
    if (!m) return;
    l2r_config_free(m->config);
    l2r_network_clear(&m->network);
    l2r_arena_clear(&m->arena);
    l2r_free(m);
}

void l2r_trained_free(struct l2r_trained *t)
{
    if (!t) return;
    for (int32_t k = 0; k < t->n; k++) l2r_member_free(t->members[k]);
    l2r_free((void *)t->members);
    l2r_free((void *)t->networks);
    l2r_config_free(t->config);
    l2r_arena_clear(&t->arena);
    l2r_domain_clear(&t->domain);
    l2r_free(t->weights);
    l2r_free(t);
}

/* Trees, which lie beside the parameters. */
static enum l2r_status copy_learned(struct l2r_network *to, const struct l2r_network *from, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_array tensors = {0};
    struct l2r_arena arena;
    if (!from->type->save) return L2R_OK;
    l2r_arena_init(&arena);
    L2R_TRY(from->type->save(&tensors, &arena, l2r_network_copy(from)->model, error));
    L2R_TRY(to->type->load(l2r_network_copy(to)->model, tensors.items, tensors.n, error));
done:
    l2r_array_clear(&tensors);
    l2r_arena_clear(&arena);
    return status;
}

static enum l2r_status copy_network(struct l2r_member *m, const struct l2r_network *from, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_params *p = &from->params;
    L2R_TRY(l2r_network_init(&m->network, from->type, m->config, &from->signature, 0, error));
    memcpy(m->network.params.value, p->value, (size_t)p->n_trainable * sizeof *p->value);
    if (p->n_buffer > 0) memcpy(m->network.params.buffer, p->buffer, (size_t)p->n_buffer * sizeof *p->buffer);
    L2R_TRY(copy_learned(&m->network, from, error));
done:
    return status;
}

enum l2r_status l2r_trained_take(struct l2r_trained *t, struct l2r_member *m, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (!t->members) t->members = l2r_alloc(L2R_MOST_MEMBERS, sizeof *t->members);
    if (!t->networks) t->networks = l2r_alloc(L2R_MOST_MEMBERS, sizeof *t->networks);
    if (!t->members || !t->networks) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the members of a model");
    if (t->n == L2R_MOST_MEMBERS) L2R_FAIL(L2R_ERR_ARGUMENT, "a model has at most %d members", L2R_MOST_MEMBERS);
    t->networks[t->n] = &m->network;
    t->members[t->n++] = m;
    m = NULL;
done:
    l2r_member_free(m);
    return status;
}

enum l2r_status l2r_member_new(struct l2r_member **member, struct l2r_error *error)
{
    *member = l2r_alloc(1, sizeof **member);
    if (!*member) return l2r_fail_memory(error, sizeof **member, "a member of a model");
    l2r_arena_init(&(*member)->arena);
    return L2R_OK;
}

enum l2r_status l2r_member_copy(struct l2r_member **member, const struct l2r_network *network,
                                const struct l2r_config *config, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(l2r_member_new(member, error));
    L2R_TRY(l2r_model_config_take(&(*member)->config, config, error));
    L2R_TRY(copy_network(*member, network, error));
done:
    if (status != L2R_OK) {
        l2r_member_free(*member);
        *member = NULL;
    }
    return status;
}

enum l2r_status l2r_trained_add(struct l2r_trained *t, const struct l2r_network *network,
                                const struct l2r_config *config, struct l2r_error *error)
{
    struct l2r_member *m = NULL;
    enum l2r_status status = l2r_member_copy(&m, network, config, error);
    return status == L2R_OK ? l2r_trained_take(t, m, error) : status;
}

static enum l2r_status copy_domain(struct l2r_domain *to, const struct l2r_domain *from, struct l2r_error *error)
{
    size_t places = ((size_t)from->n_rows + L2R_DOMAIN_LANES - 1) / L2R_DOMAIN_LANES * L2R_DOMAIN_LANES;
    size_t blocks = places * (size_t)from->d, checked = (size_t)from->n_checked;
    if (from->d == 0) return L2R_OK;
    *to = *from;
    to->blocks = l2r_alloc_raw(blocks, sizeof *to->blocks);
    to->checked = l2r_alloc_raw(checked, sizeof *to->checked);
    if (!to->blocks || !to->checked)
        return l2r_fail_memory(error, blocks * sizeof *to->blocks, "an applicability domain");
    memcpy(to->blocks, from->blocks, blocks * sizeof *to->blocks);
    if (checked > 0) memcpy(to->checked, from->checked, checked * sizeof *to->checked);
    return L2R_OK;
}

enum l2r_status l2r_trained_copy(struct l2r_trained **copy, const struct l2r_trained *from, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trained *t = NULL;
    *copy = NULL;
    L2R_TRY(l2r_trained_new(&t, from->config, error));
    for (int32_t k = 0; k < from->n; k++)
        L2R_TRY(l2r_trained_add(t, from->networks[k], from->members[k]->config, error));
    if (from->calibration) t->calibration = l2r_calibration_copy(&t->arena, from->calibration);
    if (from->calibration && !t->calibration) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a calibration");
    L2R_TRY(copy_domain(&t->domain, &from->domain, error));
    if (from->weights) t->weights = l2r_alloc_raw((size_t)from->n_weights, sizeof *t->weights);
    if (from->weights && !t->weights) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the weights of graphs");
    if (from->weights) memcpy(t->weights, from->weights, (size_t)from->n_weights * sizeof *t->weights);
    t->n_weights = from->n_weights;
    memcpy(t->data, from->data, sizeof t->data);
    memcpy(t->split, from->split, sizeof t->split);
    memcpy(t->options, from->options, sizeof t->options);
    memcpy(t->chosen, from->chosen, sizeof t->chosen);
    t->epoch = from->epoch;
    t->valid = from->valid;
    *copy = t;
    t = NULL;
done:
    l2r_trained_free(t);
    return status;
}
