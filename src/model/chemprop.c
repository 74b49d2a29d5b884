/* SPDX-License-Identifier: MIT
 *
 * See chemprop.h. First the checkpoint's hyper-parameters and the shapes of its matrices give the plan of a network;
 * then a network is built by that plan and filled. A matrix is used only after its shape has been checked. */
#include "model/chemprop.h"

#include "base/memory.h"
#include "base/text.h"
#include "chem/molecule.h"
#include "io/torch_file.h"
#include "model/chemprop_features.h"
#include "model/run_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_LAYERS = 64 };

struct plan {
    struct l2r_torch_file file;
    const struct l2r_pickle *hyper, *weights; /* hyper_parameters, state_dict */
    const struct l2r_pickle *passing, *aggregation, *predictor;
    const struct l2r_chemprop_features *features;
    struct l2r_torch_tensor w_i, w_h, w_o, w_o_bias, w_i_bias, w_h_bias;
    struct l2r_torch_tensor layer[MOST_LAYERS], layer_bias[MOST_LAYERS]; /* [n_layers]: the last makes the outputs */
    struct l2r_torch_tensor gamma, beta, mean, variance;                 /* of batch norm; values NULL: none */
    struct l2r_torch_tensor target_mean, target_scale;                   /* values NULL: none */
    int64_t n_layers, hidden, depth;
    const char *activation, *readout;
    double norm; /* the aggregation's is 1/norm of a sum */
    bool message_bias;
    enum l2r_task task;
    int64_t n_outputs;
};

/* ---- what the file says ---- */

static const struct l2r_pickle *setting(const struct l2r_pickle *of, const char *key)
{
    const struct l2r_pickle *value = l2r_pickle_get(of, key);
    return value && value->kind != L2R_PICKLE_NONE ? value : NULL;
}

static bool has(const struct plan *p, const char *name)
{
    return l2r_pickle_get(p->weights, name) != NULL;
}

static enum l2r_status matrix(struct l2r_torch_tensor *out, struct plan *p, const char *name, struct l2r_error *error)
{
    return l2r_torch_tensor(out, &p->file, l2r_pickle_get(p->weights, name), name, error);
}

/* A vector of n. */
static enum l2r_status vector(struct l2r_torch_tensor *out, struct plan *p, const char *name, int64_t n,
                              struct l2r_error *error)
{
    enum l2r_status status = matrix(out, p, name, error);
    if (status != L2R_OK || (out->rows == 1 && out->cols == n)) return status;
    return l2r_fail(error, L2R_ERR_FORMAT, "%s: %s has %lld numbers instead of %lld", p->file.where, name,
                    (long long)(out->rows * out->cols), (long long)n);
}

/* The last part of the name of a class, of an object's class, or a text; "" for anything else. */
static void short_name(char out[64], const struct l2r_pickle *value)
{
    size_t n, start;
    const char *name = l2r_pickle_class(&n, value);
    if (!name && value && value->kind == L2R_PICKLE_TEXT) name = value->text, n = value->n;
    if (!name) n = 0;
    for (start = n; start > 0 && name[start - 1] != '.';) start--;
    size_t length = n - start < 63 ? n - start : 63;
    for (size_t i = 0; i < length; i++) {
        char c = name[start + i];
        out[i] = c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c >= ' ' && c < 127 ? c : '?';
    }
    out[length] = '\0';
}

static enum l2r_status find_parts(struct plan *p, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_pickle *root = p->file.root;
    const char *where = p->file.where;
    p->hyper = l2r_pickle_get(root, "hyper_parameters");
    p->weights = l2r_pickle_get(root, "state_dict");
    if (!p->weights) L2R_FAIL(L2R_ERR_FORMAT, "%s: no checkpoint of chemprop (it has no state_dict)", where);
    if (has(p, "encoder.encoder.0.W_i.weight") || l2r_pickle_get(root, "args"))
        L2R_FAIL(L2R_ERR_FORMAT,
                 "%s: a checkpoint of chemprop 1; turn it into one of version 2 with `chemprop convert`", where);
    if (has(p, "message_passing.blocks.0.W_i.weight"))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the model reads several molecules at a time, which is not supported", where);
    if (!p->hyper || !has(p, "message_passing.W_i.weight"))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: no checkpoint of a molecule model of chemprop 2", where);
    p->passing = setting(p->hyper, "message_passing");
    p->aggregation = setting(p->hyper, "agg");
    p->predictor = setting(p->hyper, "predictor");
    if (!p->passing || !p->aggregation || !p->predictor)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: its hyper-parameters lack message_passing, agg or predictor", where);
done:
    return status;
}

/* Of message passing and of the predictor, which must be the same one. */
static enum l2r_status find_activation(struct plan *p, struct l2r_error *error)
{
    static const char *const known[] = {"relu", "tanh", "elu", "leakyrelu"};
    char name[64], other[64];
    short_name(name, setting(p->passing, "activation"));
    short_name(other, setting(p->predictor, "activation"));
    if (!*name) snprintf(name, sizeof name, "relu");
    if (!*other) snprintf(other, sizeof other, "relu");
    if (strcmp(name, other) != 0)
        return l2r_fail(error, L2R_ERR_FORMAT,
                        "%s: its activations differ, %s in message passing and %s in the predictor, which is not "
                        "supported",
                        p->file.where, name, other);
    const struct l2r_pickle *slope = setting(setting(p->passing, "activation"), "negative_slope");
    bool usual = !slope || fabs(slope->real - 0.1) < 1e-12;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i]) == 0 && usual) p->activation = known[i];
    if (p->activation) return L2R_OK;
    return l2r_fail(error, L2R_ERR_FORMAT,
                    "%s: its activation %s%s is not supported; relu, leakyrelu (slope 0.1), "
                    "tanh and elu are",
                    p->file.where, name, usual ? "" : " with another slope");
}

static enum l2r_status find_aggregation(struct plan *p, struct l2r_error *error)
{
    char name[64];
    const struct l2r_pickle *norm = setting(p->aggregation, "norm");
    short_name(name, setting(p->aggregation, "cls"));
    p->norm = 100;
    if (strcmp(name, "meanaggregation") == 0) p->readout = "mean";
    if (strcmp(name, "sumaggregation") == 0) p->readout = "sum";
    if (strcmp(name, "normaggregation") == 0) p->readout = "scaled";
    if (p->readout && strcmp(p->readout, "scaled") == 0 && norm) p->norm = norm->real;
    if (!p->readout)
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: its aggregation %s is not supported; mean, sum and norm are",
                        p->file.where, name);
    if (!(p->norm > 0) || isinf(p->norm))
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: its aggregation divides by %g", p->file.where, p->norm);
    return L2R_OK;
}

static enum l2r_status find_task(struct plan *p, struct l2r_error *error)
{
    char name[64];
    short_name(name, setting(p->predictor, "cls"));
    if (strcmp(name, "regressionffn") == 0)
        p->task = L2R_TASK_REGRESSION;
    else if (strcmp(name, "binaryclassificationffn") == 0)
        p->task = L2R_TASK_BINARY;
    else if (strcmp(name, "multiclassclassificationffn") == 0)
        p->task = L2R_TASK_MULTICLASS;
    else
        return l2r_fail(error, L2R_ERR_FORMAT,
                        "%s: its predictor %s is not supported; RegressionFFN, BinaryClassificationFFN and "
                        "MulticlassClassificationFFN are",
                        p->file.where, name);
    const struct l2r_pickle *tasks = setting(p->predictor, "n_tasks");
    if (p->task == L2R_TASK_MULTICLASS && tasks && tasks->integer != 1)
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: it has several multi-class tasks, which is not supported",
                        p->file.where);
    return L2R_OK;
}

static enum l2r_status find_passing(struct plan *p, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *where = p->file.where;
    const struct l2r_pickle *depth = setting(p->passing, "depth"), *undirected = setting(p->passing, "undirected");
    char name[64];
    short_name(name, setting(p->passing, "cls"));
    if (*name && strcmp(name, "bondmessagepassing") != 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: its message passing %s is not supported; BondMessagePassing is", where, name);
    if (undirected && undirected->integer != 0)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: its messages are undirected, which is not supported", where);
    if (has(p, "message_passing.W_d.weight") || has(p, "message_passing.graph_transform.V_transform.mean"))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: it reads descriptors of atoms or bonds that no SMILES has", where);
    p->depth = depth && depth->kind == L2R_PICKLE_INT ? depth->integer : 3;
    if (p->depth < 1 || p->depth > 1000) L2R_FAIL(L2R_ERR_FORMAT, "%s: its depth %lld", where, (long long)p->depth);
    L2R_TRY(matrix(&p->w_i, p, "message_passing.W_i.weight", error));
    L2R_TRY(matrix(&p->w_h, p, "message_passing.W_h.weight", error));
    L2R_TRY(matrix(&p->w_o, p, "message_passing.W_o.weight", error));
    p->hidden = p->w_i.rows;
    L2R_TRY(vector(&p->w_o_bias, p, "message_passing.W_o.bias", p->hidden, error));
    if (p->w_h.rows != p->hidden || p->w_h.cols != p->hidden || p->w_o.rows != p->hidden || p->w_o.cols <= p->hidden)
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the sizes of W_i, W_h and W_o do not go together", where);
    p->features = l2r_chemprop_features_find(p->w_o.cols - p->hidden, p->w_i.cols - (p->w_o.cols - p->hidden));
    if (!p->features)
        L2R_FAIL(L2R_ERR_FORMAT,
                 "%s: it reads %lld numbers of an atom and %lld of a bond, which is none of chemprop's featurisers",
                 where, (long long)(p->w_o.cols - p->hidden), (long long)(p->w_i.cols + p->hidden - p->w_o.cols));
    p->message_bias = has(p, "message_passing.W_h.bias");
    if (p->message_bias) L2R_TRY(vector(&p->w_h_bias, p, "message_passing.W_h.bias", p->hidden, error));
    if (has(p, "message_passing.W_i.bias"))
        L2R_TRY(vector(&p->w_i_bias, p, "message_passing.W_i.bias", p->hidden, error));
done:
    return status;
}

/* "predictor.ffn.0.0", then "predictor.ffn.K.2" behind an activation and a dropout. */
static void layer_name(char out[64], int64_t k, const char *what)
{
    snprintf(out, 64, "predictor.ffn.%d.%d.%s", (int)k, k == 0 ? 0 : 2, what);
}

static enum l2r_status find_layers(struct plan *p, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *where = p->file.where;
    char name[64];
    int64_t in = p->hidden;
    for (layer_name(name, 0, "weight"); has(p, name); layer_name(name, p->n_layers, "weight")) {
        int64_t k = p->n_layers;
        if (k == MOST_LAYERS) L2R_FAIL(L2R_ERR_FORMAT, "%s: its predictor has more than %d layers", where, MOST_LAYERS);
        L2R_TRY(matrix(&p->layer[k], p, name, error));
        if (k == 0 && p->layer[0].cols > in)
            L2R_FAIL(L2R_ERR_FORMAT,
                     "%s: its predictor reads %lld descriptors of molecules (X_d) beside the graph, which a checkpoint "
                     "does not say how to compute",
                     where, (long long)(p->layer[0].cols - in));
        if (p->layer[k].cols != in || (k > 1 && p->layer[k - 1].rows != p->layer[0].rows))
            L2R_FAIL(L2R_ERR_FORMAT, "%s: the sizes of the predictor's layers do not go together, or differ", where);
        in = p->layer[k].rows;
        layer_name(name, k, "bias");
        L2R_TRY(vector(&p->layer_bias[k], p, name, in, error));
        p->n_layers++;
    }
    if (p->n_layers == 0) L2R_FAIL(L2R_ERR_FORMAT, "%s: its predictor has no layers", where);
    p->n_outputs = in;
    if (in > 4096 || (p->task == L2R_TASK_MULTICLASS && in < 2))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: it has %lld outputs", where, (long long)in);
    if (has(p, "bn.running_mean")) {
        L2R_TRY(vector(&p->gamma, p, "bn.weight", p->hidden, error));
        L2R_TRY(vector(&p->beta, p, "bn.bias", p->hidden, error));
        L2R_TRY(vector(&p->mean, p, "bn.running_mean", p->hidden, error));
        L2R_TRY(vector(&p->variance, p, "bn.running_var", p->hidden, error));
    }
    if (p->task == L2R_TASK_REGRESSION && has(p, "predictor.output_transform.mean")) {
        L2R_TRY(vector(&p->target_mean, p, "predictor.output_transform.mean", in, error));
        L2R_TRY(vector(&p->target_scale, p, "predictor.output_transform.scale", in, error));
    }
done:
    return status;
}

static enum l2r_status make_plan(struct plan *p, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_TRY(find_parts(p, error));
    L2R_TRY(find_passing(p, error));
    L2R_TRY(find_activation(p, error));
    L2R_TRY(find_aggregation(p, error));
    L2R_TRY(find_task(p, error));
    L2R_TRY(find_layers(p, error));
done:
    return status;
}

/* ---- the network ---- */

/* The names of the columns that it was trained on, where the file has one for each output. */
static enum l2r_status task_names(struct l2r_signature *s, struct l2r_arena *arena, const struct plan *p,
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

static enum l2r_status make_signature(struct l2r_signature *s, struct l2r_arena *arena, const struct plan *p,
                                      struct l2r_error *error)
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
                                .target_mean = mean,
                                .target_sd = sd};
    return task_names(s, arena, p, error);
}

static enum l2r_status make_config(struct l2r_config **config, const struct plan *p, struct l2r_error *error)
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
    L2R_TRY(l2r_config_new(config, error));
    L2R_TRY(l2r_run_declare(*config, "dmpnn", "erm", error));
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
                       const struct plan *p, const struct l2r_torch_tensor *from, const struct l2r_torch_tensor *bias,
                       bool edges)
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
static void fill_first(const struct l2r_network *network, const char *prefix, const struct plan *p)
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

static void fill_network(const struct l2r_network *network, const struct plan *p)
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

enum l2r_status l2r_chemprop_read(struct l2r_member **member, const void *bytes, size_t length, const char *where,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct plan *p = l2r_alloc(1, sizeof *p);
    struct l2r_member *m = NULL;
    struct l2r_signature signature;
    *member = NULL;
    if (!p) return l2r_fail_memory(error, sizeof *p, "a checkpoint");
    L2R_TRY(l2r_torch_file_read(&p->file, bytes, length, where, error));
    L2R_TRY(make_plan(p, error));
    if (l2r_element_mass(6) == 0)
        L2R_FAIL(L2R_ERR_MISSING, "models of molecules need RDKit, but this program was built without it");
    L2R_TRY(l2r_member_new(&m, error));
    L2R_TRY(make_config(&m->config, p, error));
    L2R_TRY(make_signature(&signature, &m->arena, p, error));
    L2R_TRY(l2r_network_init(&m->network, l2r_model_find("dmpnn"), m->config, &signature, 0, error));
    fill_network(&m->network, p);
    *member = m;
    m = NULL;
done:
    l2r_member_free(m);
    l2r_torch_file_clear(&p->file);
    l2r_free(p);
    return status;
}
