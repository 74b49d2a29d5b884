/* SPDX-License-Identifier: MIT
 * See chemprop_plan.h. */
#include "model/chemprop_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- what the file says ---- */

static const struct l2r_pickle *setting(const struct l2r_pickle *of, const char *key)
{
    const struct l2r_pickle *value = l2r_pickle_get(of, key);
    return value && value->kind != L2R_PICKLE_NONE ? value : NULL;
}

static bool has(const struct l2r_chemprop_plan *p, const char *name)
{
    return l2r_pickle_get(p->weights, name) != NULL;
}

static enum l2r_status matrix(struct l2r_torch_tensor *out, struct l2r_chemprop_plan *p, const char *name,
                              struct l2r_error *error)
{
    return l2r_torch_tensor(out, &p->file, l2r_pickle_get(p->weights, name), name, error);
}

/* A vector of n. */
static enum l2r_status vector(struct l2r_torch_tensor *out, struct l2r_chemprop_plan *p, const char *name, int64_t n,
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

static enum l2r_status find_parts(struct l2r_chemprop_plan *p, struct l2r_error *error)
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
static enum l2r_status find_activation(struct l2r_chemprop_plan *p, struct l2r_error *error)
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

static enum l2r_status find_aggregation(struct l2r_chemprop_plan *p, struct l2r_error *error)
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

static enum l2r_status find_task(struct l2r_chemprop_plan *p, struct l2r_error *error)
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

static enum l2r_status find_passing(struct l2r_chemprop_plan *p, struct l2r_error *error)
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

static enum l2r_status find_layers(struct l2r_chemprop_plan *p, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *where = p->file.where;
    char name[64];
    int64_t in = p->hidden;
    for (layer_name(name, 0, "weight"); has(p, name); layer_name(name, p->n_layers, "weight")) {
        int64_t k = p->n_layers;
        if (k == L2R_CHEMPROP_LAYERS)
            L2R_FAIL(L2R_ERR_FORMAT, "%s: its predictor has more than %d layers", where, L2R_CHEMPROP_LAYERS);
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

enum l2r_status l2r_chemprop_plan(struct l2r_chemprop_plan *p, struct l2r_error *error)
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
