/* SPDX-License-Identifier: MIT
 *
 * See chemprop.h. The checkpoint gives the plan of a network (chemprop_plan.h); here one is built by it and filled. */
#include "model/chemprop.h"

#include "base/memory.h"
#include "base/text.h"
#include "chem/molecule.h"
#include "model/chemprop_plan.h"
#include "model/model_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The names of the columns that it was trained on, where the file has one for each output. */
static enum l2r_status task_names(struct l2r_signature *s, struct l2r_arena *arena, const struct l2r_chemprop_plan *p,
                                  struct l2r_error *error)
{
    const struct l2r_pickle *names = l2r_pickle_get(p->file.root, "output_columns");
    size_t size = 0;
    if (!names || names->kind != L2R_PICKLE_LIST || names->n != (size_t)s->n_tasks) return L2R_OK;
    for (size_t k = 0; k < names->n; k++) {
        if (names->items[k]->kind != L2R_PICKLE_TEXT || names->items[k]->n > 1000) return L2R_OK;
        size += names->items[k]->n + 1;
    }
    char *text = l2r_arena_zeroed(arena, size, 1);
    if (!text) return l2r_fail_memory(error, size, "names of tasks");
    s->task_names = text;
    s->n_task_names = (int64_t)size;
    for (size_t k = 0; k < names->n; k++) {
        const struct l2r_pickle *name = names->items[k];
        for (size_t i = 0; i < name->n; i++) text[i] = name->text[i] ? name->text[i] : '?';
        if (l2r_utf8_check(text, name->n) >= 0)
            return l2r_fail(error, L2R_ERR_FORMAT, "%s: the name of output %zu is not UTF-8", p->file.where, k);
        text += name->n + 1;
    }
    return L2R_OK;
}

static enum l2r_status make_signature(struct l2r_signature *s, struct l2r_arena *arena,
                                      const struct l2r_chemprop_plan *p, struct l2r_error *error)
{
    int64_t n = p->task == L2R_TASK_MULTICLASS ? 1 : p->n_outputs;
    double *mean = l2r_arena_zeroed(arena, (size_t)n, sizeof *mean),
           *sd = l2r_arena_alloc(arena, (size_t)n, sizeof *sd);
    int64_t *classes = l2r_arena_alloc(arena, (size_t)p->n_outputs, sizeof *classes);
    if (!mean || !sd || !classes) return l2r_fail_memory(error, (size_t)n * sizeof *mean, "a signature");
    for (int64_t k = 0; k < p->n_outputs; k++) classes[k] = k;
    for (int64_t k = 0; k < n; k++) sd[k] = 1;
    for (int64_t k = 0; p->target_mean.values && k < n; k++) {
        mean[k] = p->target_mean.values[k];
        sd[k] = p->target_scale.values[k];
        if (!(sd[k] > 0)) return l2r_fail(error, L2R_ERR_FORMAT, "%s: a target's scale is %g", p->file.where, sd[k]);
    }
    *s = (struct l2r_signature){.task = p->task,
                                .n_tasks = (int32_t)n,
                                .n_classes = p->task == L2R_TASK_MULTICLASS ? (int32_t)p->n_outputs : 0,
                                .n_node_columns = L2R_ATOM_COLUMNS + L2R_ATOM_DETAILS,
                                .n_edge_columns = L2R_BOND_COLUMNS + L2R_BOND_DETAILS,
                                .node_vocabulary = l2r_atom_detail_vocabulary,
                                .edge_vocabulary = l2r_bond_detail_vocabulary,
                                .class_value = classes,
                                .target = {mean, sd, NULL}};
    return task_names(s, arena, p, error);
}

static enum l2r_status make_config(struct l2r_config **config, const struct l2r_chemprop_plan *p,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char hidden[24], depth[24], layers[24], width[24];
    snprintf(hidden, sizeof hidden, "%lld", (long long)p->hidden);
    snprintf(depth, sizeof depth, "%lld", (long long)p->depth);
    snprintf(layers, sizeof layers, "%lld", (long long)p->n_layers - 1);
    snprintf(width, sizeof width, "%lld", (long long)(p->n_layers > 1 ? p->layer[0].rows : 0));
    const char *const options[][2] = {{"model", "dmpnn"},
                                      {"method", "erm"},
                                      {"hidden", hidden},
                                      {"layers", depth},
                                      {"activation", p->activation},
                                      {"dropout", "0"},
                                      {"readout", p->readout},
                                      {"norm", "none"},
                                      {"head-layers", layers},
                                      {"head-hidden", width},
                                      {"self-features", "true"},
                                      {"message-bias", p->message_bias ? "true" : "false"}};
    L2R_TRY(l2r_model_config_new(config, "dmpnn", "erm", error));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        L2R_TRY(l2r_config_set(*config, options[i][0], options[i][1], error));
done:
    return status;
}

/* A parameter of the network, which the plan has made so large. */
static l2r_real *param(const struct l2r_network *network, const char *name)
{
    for (size_t i = 0; i < network->params.count; i++)
        if (strcmp(network->params.items[i]->name, name) == 0) return network->params.items[i]->value;
    return NULL;
}

/* to [rows × cols] = columns first … of from; NULL values leave `to` as it is. */
static void fill(const struct l2r_network *network, const char *name, const struct l2r_torch_tensor *from,
                 int64_t first, int64_t cols)
{
    l2r_real *to = param(network, name);
    for (int64_t i = 0; to && from->values && i < from->rows; i++)
        for (int64_t k = 0; k < cols; k++) to[i * cols + k] = (l2r_real)from->values[i * from->cols + first + k];
}

/* The table of column k: a row for each category, [D]. bias: goes into the first column. */
static void fill_table(const struct l2r_network *network, const char *prefix, int32_t k, int32_t rows,
                       const struct l2r_chemprop_plan *p, const struct l2r_torch_tensor *from,
                       const struct l2r_torch_tensor *bias, bool edges)
{
    char name[64];
    struct l2r_chemprop_share shares[L2R_CHEMPROP_SHARES];
    snprintf(name, sizeof name, "%s.%d.weight", prefix, (int)k);
    l2r_real *table = param(network, name);
    for (int32_t value = 0; table && value < rows; value++) {
        int n =
            edges ? l2r_chemprop_bond(shares, p->features, k, value) : l2r_chemprop_atom(shares, p->features, k, value);
        for (int64_t d = 0; d < p->hidden; d++) {
            double sum = k == 0 && bias && bias->values ? bias->values[d] : 0;
            for (int i = 0; i < n; i++) sum += shares[i].factor * from->values[d * from->cols + shares[i].column];
            table[value * p->hidden + d] = (l2r_real)sum;
        }
    }
}

/* The head's first layer reads what the readout makes: behind it come the norm of the aggregation and batch norm,
 *
 *     y = W (γ (c z − μ) / sqrt(σ² + ε) + β) + b,    c = 100 / norm for a norm, else 1. */
static void fill_first(const struct l2r_network *network, const char *prefix, const struct l2r_chemprop_plan *p)
{
    char name[64];
    snprintf(name, sizeof name, "%s.weight", prefix);
    l2r_real *weight = param(network, name);
    snprintf(name, sizeof name, "%s.bias", prefix);
    l2r_real *bias = param(network, name);
    const struct l2r_torch_tensor *w = &p->layer[0];
    for (int64_t i = 0; weight && bias && i < w->rows; i++) {
        double sum = p->layer_bias[0].values[i];
        for (int64_t d = 0; d < w->cols; d++) {
            double scale = 1, shift = 0;
            if (p->mean.values) {
                scale = p->gamma.values[d] / sqrt(p->variance.values[d] + 1e-5);
                shift = p->beta.values[d] - scale * p->mean.values[d];
            }
            weight[i * w->cols + d] = (l2r_real)(w->values[i * w->cols + d] * scale * 100 / p->norm);
            sum += w->values[i * w->cols + d] * shift;
        }
        bias[i] = (l2r_real)sum;
    }
}

static void fill_network(const struct l2r_network *network, const struct l2r_chemprop_plan *p)
{
    char name[64];
    int64_t d_v = p->w_o.cols - p->hidden;
    struct l2r_torch_tensor of_bonds = p->w_i; /* the columns after the atom's */
    for (int32_t k = 0; k < L2R_ATOM_COLUMNS + L2R_ATOM_DETAILS; k++) {
        fill_table(network, "node_embedding", k, l2r_atom_detail_vocabulary[k], p, &p->w_i, &p->w_i_bias, false);
        fill_table(network, "self_embedding", k, l2r_atom_detail_vocabulary[k], p, &p->w_o, &p->w_o_bias, false);
    }
    of_bonds.values += d_v;
    for (int32_t k = 0; k < L2R_BOND_COLUMNS + L2R_BOND_DETAILS; k++)
        fill_table(network, "edge_embedding", k, l2r_bond_detail_vocabulary[k], p, &of_bonds, NULL, true);
    fill(network, "message.weight", &p->w_h, 0, p->hidden);
    fill(network, "message.bias", &p->w_h_bias, 0, p->hidden);
    fill(network, "neighbours.weight", &p->w_o, d_v, p->hidden);
    for (int64_t k = 0; k < p->n_layers; k++) {
        char prefix[48] = "head";
        if (k + 1 < p->n_layers) snprintf(prefix, sizeof prefix, "head.hidden.%d", (int)k);
        if (k == 0) fill_first(network, prefix, p);
        if (k == 0) continue;
        snprintf(name, sizeof name, "%s.weight", prefix);
        fill(network, name, &p->layer[k], 0, p->layer[k].cols);
        snprintf(name, sizeof name, "%s.bias", prefix);
        fill(network, name, &p->layer_bias[k], 0, p->layer_bias[k].cols);
    }
}

/* A negative variance, or products beyond the range of floats. */
static bool is_finite(const struct l2r_params *p)
{
    for (int64_t i = 0; i < p->n_trainable; i++)
        if (!isfinite((double)p->value[i])) return false;
    return true;
}

enum l2r_status l2r_chemprop_read(struct l2r_member **member, const void *bytes, size_t length, const char *where,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_chemprop_plan *p = l2r_alloc(1, sizeof *p);
    struct l2r_member *m = NULL;
    struct l2r_signature signature;
    *member = NULL;
    if (!p) return l2r_fail_memory(error, sizeof *p, "a checkpoint");
    L2R_TRY(l2r_torch_file_read(&p->file, bytes, length, where, error));
    L2R_TRY(l2r_chemprop_plan(p, error));
    if (l2r_element_mass(6) == 0)
        L2R_FAIL(L2R_ERR_MISSING, "models of molecules need RDKit, but this program was built without it");
    L2R_TRY(l2r_member_new(&m, error));
    L2R_TRY(make_config(&m->config, p, error));
    L2R_TRY(make_signature(&signature, &m->arena, p, error));
    L2R_TRY(l2r_network_init(&m->network, l2r_model_find("dmpnn"), m->config, &signature, 0, error));
    fill_network(&m->network, p);
    if (!is_finite(&m->network.params))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: its numbers give weights that are not finite", where);
    *member = m;
    m = NULL;
done:
    l2r_member_free(m);
    l2r_torch_file_clear(&p->file);
    l2r_free(p);
    return status;
}
