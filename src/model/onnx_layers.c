/* SPDX-License-Identifier: MIT
 *
 * See onnx_layers.h. A backbone is written by the names of its parameters and its options, as src/models has its
 * equation. Sums over neighbours are ScatterND with the reduction "add" over arcs. */
#include "model/onnx_layers.h"

#include "nn/layers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The inputs and what is made of them once; names are the same for every member. */
static const struct l2r_onnx_name features = {"node_features"}, reals = {"node_reals"},
                                  edge_features = {"edge_features"}, edge_reals = {"edge_reals"},
                                  graph_index = {"graph_index"}, from = {"arc_from"}, to = {"arc_to"},
                                  n_nodes = {"n_nodes"}, n_graphs = {"n_graphs"}, degree = {"degree_root"};

static const struct l2r_onnx_attribute axis_0[] = {{.name = "axis", .kind = L2R_ONNX_INT, .integer = 0}, {0}},
                                       axis_1[] = {{.name = "axis", .kind = L2R_ONNX_INT, .integer = 1}, {0}},
                                       add_all[] = {{.name = "reduction", .kind = L2R_ONNX_WORD, .word = "add"}, {0}},
                                       max_all[] = {{.name = "reduction", .kind = L2R_ONNX_WORD, .word = "max"}, {0}};

static struct l2r_onnx_name node_2(struct l2r_onnx *o, const char *operator, struct l2r_onnx_name a,
                                   struct l2r_onnx_name b, const struct l2r_onnx_attribute *attributes)
{
    return l2r_onnx_node(o, operator,(const struct l2r_onnx_name *const[]){&a, &b}, 2, attributes);
}

/* ---- parameters ---- */

static const struct l2r_param *find(const struct l2r_onnx_writer *w, const char *name)
{
    for (size_t i = 0; i < w->network->params.count; i++)
        if (strcmp(w->network->params.items[i]->name, name) == 0) return w->network->params.items[i];
    return NULL;
}

static bool has(const struct l2r_onnx_writer *w, const char *name)
{
    return find(w, name) != NULL;
}

/* As a matrix, or as a vector where flat. */
static struct l2r_onnx_name param(struct l2r_onnx_writer *w, const char *name, bool flat)
{
    const struct l2r_param *p = find(w, name);
    struct l2r_onnx_name own;
    snprintf(own.text, sizeof own.text, "%s%s", w->prefix, name);
    if (!p && !w->missing) w->missing = "a parameter";
    if (!p) return own;
    return flat ? l2r_onnx_vector(w->o, own.text, (const float *)p->value, p->rows * p->cols)
                : l2r_onnx_floats(w->o, own.text, (const float *)p->value, p->rows, p->cols);
}

/* x Wᵀ + b, b where there is one. */
struct l2r_onnx_name l2r_onnx_linear(struct l2r_onnx_writer *w, struct l2r_onnx_name x, const char *prefix)
{
    static const struct l2r_onnx_attribute transposed[] = {{.name = "transB", .kind = L2R_ONNX_INT, .integer = 1}, {0}};
    char name[96];
    snprintf(name, sizeof name, "%s.weight", prefix);
    struct l2r_onnx_name weight = param(w, name, false), bias;
    snprintf(name, sizeof name, "%s.bias", prefix);
    bool biased = has(w, name);
    if (biased) bias = param(w, name, true);
    return l2r_onnx_node(w->o, "Gemm", (const struct l2r_onnx_name *const[]){&x, &weight, &bias}, biased ? 3 : 2,
                         transposed);
}

/* Σ_k of a row of table k for each row of categories; and reals through a matrix. n columns, either may be 0. */
static struct l2r_onnx_name embed(struct l2r_onnx_writer *w, const char *prefix, int32_t n,
                                  struct l2r_onnx_name categories, const char *matrix, struct l2r_onnx_name numbers)
{
    char name[96];
    struct l2r_onnx_name sum = {""};
    for (int32_t k = 0; k < n; k++) {
        snprintf(name, sizeof name, "%s.%d.weight", prefix, (int)k);
        struct l2r_onnx_name column = node_2(w->o, "Gather", categories, l2r_onnx_integer(w->o, k), axis_1);
        struct l2r_onnx_name rows = node_2(w->o, "Gather", param(w, name, false), column, axis_0);
        sum = k == 0 ? rows : l2r_onnx_2(w->o, "Add", sum, rows);
    }
    if (!matrix) return sum;
    struct l2r_onnx_name rest = l2r_onnx_linear(w, numbers, matrix);
    return n > 0 ? l2r_onnx_2(w->o, "Add", sum, rest) : rest;
}

static struct l2r_onnx_name edge_rows(struct l2r_onnx_writer *w, const char *prefix)
{
    char matrix[96];
    snprintf(matrix, sizeof matrix, "%s.reals", prefix);
    return embed(w, prefix, w->s->n_edge_columns, edge_features, w->s->n_edge_reals > 0 ? matrix : NULL, edge_reals);
}

/* ---- small steps ---- */

struct l2r_onnx_name l2r_onnx_activate(struct l2r_onnx_writer *w, struct l2r_onnx_name x)
{
    struct l2r_onnx *o = w->o;
    const char *act = l2r_config_text(w->config, "activation");
    const struct l2r_onnx_attribute slope[] = {{.name = "alpha", .kind = L2R_ONNX_REAL, .real = 0.1}, {0}};
    if (!act || strcmp(act, "relu") == 0) return l2r_onnx_1(o, "Relu", x);
    if (strcmp(act, "tanh") == 0) return l2r_onnx_1(o, "Tanh", x);
    if (strcmp(act, "elu") == 0) return l2r_onnx_1(o, "Elu", x);
    if (strcmp(act, "leakyrelu") == 0)
        return l2r_onnx_node(o, "LeakyRelu", (const struct l2r_onnx_name *const[]){&x}, 1, slope);
    /* gelu: x (1 + erf(x / √2)) / 2 */
    struct l2r_onnx_name erf = l2r_onnx_1(o, "Erf", l2r_onnx_2(o, "Mul", x, l2r_onnx_number(o, (float)sqrt(0.5))));
    struct l2r_onnx_name half = l2r_onnx_2(o, "Mul", x, l2r_onnx_number(o, 0.5F));
    return l2r_onnx_2(o, "Mul", half, l2r_onnx_2(o, "Add", erf, l2r_onnx_number(o, 1)));
}

static struct l2r_onnx_name norm(struct l2r_onnx_writer *w, struct l2r_onnx_name x, const char *prefix)
{
    static const struct l2r_onnx_attribute epsilon[] = {{.name = "epsilon", .kind = L2R_ONNX_REAL, .real = 1e-5}, {0}};
    static const char *const parts[] = {"weight", "bias", "running_mean", "running_var"};
    enum l2r_norm_kind kind = l2r_norm_kind_of(w->config);
    struct l2r_onnx_name inputs[5] = {x};
    char name[96];
    if (kind == L2R_NORM_NONE) return x;
    int n = kind == L2R_NORM_BATCH ? 4 : 2;
    for (int i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s.%s", prefix, parts[i]);
        inputs[i + 1] = param(w, name, true);
    }
    return l2r_onnx_node(
        w->o, n == 4 ? "BatchNormalization" : "LayerNormalization",
        (const struct l2r_onnx_name *const[]){&inputs[0], &inputs[1], &inputs[2], &inputs[3], &inputs[4]}, n + 1,
        epsilon);
}

/* Rows of x, by numbers. */
static struct l2r_onnx_name rows_of(struct l2r_onnx_writer *w, struct l2r_onnx_name x, struct l2r_onnx_name index)
{
    return node_2(w->o, "Gather", x, index, axis_0);
}

/* [n × cols] of one number. */
static struct l2r_onnx_name filled(struct l2r_onnx_writer *w, struct l2r_onnx_name n, int64_t cols, float value)
{
    struct l2r_onnx_name shape = node_2(w->o, "Concat", n, l2r_onnx_integers(w->o, &cols, 1), axis_0);
    return l2r_onnx_2(w->o, "Expand", l2r_onnx_number(w->o, value), shape);
}

/* Row index[k] of the result is the sum (or the largest) of rows k of x, [n × cols]. */
struct l2r_onnx_name l2r_onnx_gather_into(struct l2r_onnx_writer *w, struct l2r_onnx_name x, struct l2r_onnx_name index,
                                          struct l2r_onnx_name n, int64_t cols, bool largest)
{
    static const int64_t last = -1;
    struct l2r_onnx_name start = filled(w, n, cols, largest ? -INFINITY : 0);
    struct l2r_onnx_name places = l2r_onnx_2(w->o, "Unsqueeze", index, l2r_onnx_integers(w->o, &last, 1));
    return l2r_onnx_node(w->o, "ScatterND", (const struct l2r_onnx_name *const[]){&start, &places, &x}, 3,
                         largest ? max_all : add_all);
}

static struct l2r_onnx_name sum_at_nodes(struct l2r_onnx_writer *w, struct l2r_onnx_name messages)
{
    return l2r_onnx_gather_into(w, messages, to, n_nodes, w->hidden, false);
}

/* ---- the stack around layers (nn/stack.c) ---- */

static struct l2r_onnx_name encode(struct l2r_onnx_writer *w, const char *tables, const char *matrix)
{
    bool bare = w->s->n_node_columns + w->s->n_node_reals == 0;
    struct l2r_onnx_name numbers = bare ? filled(w, n_nodes, 1, 1) : reals;
    return embed(w, tables, w->s->n_node_columns, features, bare || w->s->n_node_reals > 0 ? matrix : NULL, numbers);
}

static struct l2r_onnx_name after_layer(struct l2r_onnx_writer *w, struct l2r_onnx_name out, struct l2r_onnx_name in,
                                        int64_t i, bool act)
{
    char name[64];
    snprintf(name, sizeof name, "norms.%d", (int)i);
    out = norm(w, out, name);
    if (act) out = l2r_onnx_activate(w, out);
    return l2r_config_flag(w->config, "residual") ? l2r_onnx_2(w->o, "Add", out, in) : out;
}

static struct l2r_onnx_name update_virtual(struct l2r_onnx_writer *w, struct l2r_onnx_name v, struct l2r_onnx_name h,
                                           int64_t i)
{
    char name[64];
    struct l2r_onnx_name x =
        l2r_onnx_2(w->o, "Add", l2r_onnx_gather_into(w, h, graph_index, n_graphs, w->hidden, false), v);
    for (int k = 0; k < 4; k += 3) {
        snprintf(name, sizeof name, "virtual.%d.%d", (int)i, k);
        x = l2r_onnx_linear(w, x, name);
        snprintf(name, sizeof name, "virtual.%d.%d", (int)i, k + 1);
        x = l2r_onnx_activate(w, norm(w, x, name));
    }
    return l2r_config_flag(w->config, "residual") ? l2r_onnx_2(w->o, "Add", x, v) : x;
}

typedef struct l2r_onnx_name layer_fn(struct l2r_onnx_writer *w, struct l2r_onnx_name h, int64_t i);

/* each [n_layers]: what comes out of every layer; NULL: not wanted. */
static struct l2r_onnx_name layers(struct l2r_onnx_writer *w, layer_fn *layer, int64_t n, bool activate_last,
                                   struct l2r_onnx_name *each)
{
    bool virtual_node = l2r_config_flag(w->config, "virtual-node");
    struct l2r_onnx_name h = encode(w, "node_embedding", "node_linear"), v = {""};
    if (virtual_node) {
        struct l2r_onnx_name row = param(w, "virtual.embedding.weight", false);
        v = l2r_onnx_2(w->o, "Add", filled(w, n_graphs, w->hidden, 0), row);
    }
    for (int64_t i = 0; i < n; i++) {
        if (virtual_node) h = l2r_onnx_2(w->o, "Add", h, rows_of(w, v, graph_index));
        struct l2r_onnx_name out = after_layer(w, layer(w, h, i), h, i, i + 1 < n || activate_last);
        if (virtual_node && i + 1 < n) v = update_virtual(w, v, h, i);
        h = out;
        if (each) each[i] = h;
    }
    return h;
}

static struct l2r_onnx_name readout(struct l2r_onnx_writer *w, struct l2r_onnx_name h)
{
    const char *kind = l2r_config_text(w->config, "readout");
    struct l2r_onnx_name z = l2r_onnx_gather_into(w, h, graph_index, n_graphs, w->hidden, strcmp(kind, "max") == 0);
    if (strcmp(kind, "scaled") == 0) return l2r_onnx_2(w->o, "Mul", z, l2r_onnx_number(w->o, 0.01F));
    if (strcmp(kind, "mean") != 0) return z;
    struct l2r_onnx_name counts = l2r_onnx_gather_into(w, filled(w, n_nodes, 1, 1), graph_index, n_graphs, 1, false);
    return l2r_onnx_2(w->o, "Div", z, counts);
}

/* ---- backbones ---- */

/* Σ_u φ(h_u + e_uv), φ = ReLU with edge features */
static struct l2r_onnx_name messages(struct l2r_onnx_writer *w, struct l2r_onnx_name h, const char *edges)
{
    struct l2r_onnx_name sent = rows_of(w, h, from);
    if (!w->edges) return sent;
    return l2r_onnx_1(w->o, "Relu", l2r_onnx_2(w->o, "Add", sent, edge_rows(w, edges)));
}

static struct l2r_onnx_name gin_layer(struct l2r_onnx_writer *w, struct l2r_onnx_name h, int64_t i)
{
    char name[96];
    snprintf(name, sizeof name, "layers.%d.edge_embedding", (int)i);
    struct l2r_onnx_name sum = sum_at_nodes(w, messages(w, h, name));
    snprintf(name, sizeof name, "layers.%d.eps", (int)i);
    struct l2r_onnx_name own = l2r_onnx_2(w->o, "Add", param(w, name, true), l2r_onnx_number(w->o, 1));
    struct l2r_onnx_name x = l2r_onnx_2(w->o, "Add", l2r_onnx_2(w->o, "Mul", h, own), sum);
    snprintf(name, sizeof name, "layers.%d.mlp.0", (int)i);
    x = l2r_onnx_linear(w, x, name);
    snprintf(name, sizeof name, "layers.%d.mlp.1", (int)i);
    x = l2r_onnx_activate(w, norm(w, x, name));
    snprintf(name, sizeof name, "layers.%d.mlp.3", (int)i);
    return l2r_onnx_linear(w, x, name);
}

/* s_v (Σ_u s_u m_uv + s_v own_v), s = 1 / sqrt(degree + 1) */
static struct l2r_onnx_name symmetric(struct l2r_onnx_writer *w, struct l2r_onnx_name sent, struct l2r_onnx_name own)
{
    struct l2r_onnx *o = w->o;
    struct l2r_onnx_name sum = sum_at_nodes(w, l2r_onnx_2(o, "Div", sent, rows_of(w, degree, from)));
    return l2r_onnx_2(o, "Div", l2r_onnx_2(o, "Add", sum, l2r_onnx_2(o, "Div", own, degree)), degree);
}

static struct l2r_onnx_name gcn_layer(struct l2r_onnx_writer *w, struct l2r_onnx_name h, int64_t i)
{
    char name[96], root[96];
    snprintf(name, sizeof name, "layers.%d.linear", (int)i);
    if (!w->edges) return l2r_onnx_linear(w, symmetric(w, rows_of(w, h, from), h), name);
    struct l2r_onnx_name x = l2r_onnx_linear(w, h, name);
    snprintf(name, sizeof name, "layers.%d.edge_embedding", (int)i);
    snprintf(root, sizeof root, "layers.%d.root.weight", (int)i);
    struct l2r_onnx_name own = l2r_onnx_1(w->o, "Relu", l2r_onnx_2(w->o, "Add", x, param(w, root, false)));
    return symmetric(w, messages(w, x, name), own);
}

static struct l2r_onnx_name sgc_layer(struct l2r_onnx_writer *w, struct l2r_onnx_name h, int64_t i)
{
    (void)i;
    for (int64_t k = 0; k < l2r_config_int(w->config, "layers"); k++) h = symmetric(w, rows_of(w, h, from), h);
    return l2r_onnx_linear(w, h, "linear");
}

/* Scores of the arcs and then of the nodes themselves: a · LeakyReLU(z), head by head; [n × heads]. */
static struct l2r_onnx_name attention_scores(struct l2r_onnx_writer *w, struct l2r_onnx_name z, struct l2r_onnx_name a,
                                             int64_t heads)
{
    static const struct l2r_onnx_attribute slope[] = {{.name = "alpha", .kind = L2R_ONNX_REAL, .real = 0.2}, {0}};
    static const struct l2r_onnx_attribute keep[] = {{.name = "keepdims", .kind = L2R_ONNX_INT, .integer = 0}, {0}};
    const int64_t shape[] = {-1, heads, w->hidden / heads}, two = 2;
    struct l2r_onnx_name x = l2r_onnx_node(w->o, "LeakyRelu", (const struct l2r_onnx_name *const[]){&z}, 1, slope);
    x = l2r_onnx_2(w->o, "Reshape", l2r_onnx_2(w->o, "Mul", x, a), l2r_onnx_integers(w->o, shape, 3));
    return node_2(w->o, "ReduceSum", x, l2r_onnx_integers(w->o, &two, 1), keep);
}

/* kernels/attention.h: a node attends to its neighbours and to itself. */
static struct l2r_onnx_name gat_layer(struct l2r_onnx_writer *w, struct l2r_onnx_name h, int64_t i)
{
    struct l2r_onnx *o = w->o;
    char name[96];
    int64_t heads = l2r_config_int(w->config, "heads");
    const int64_t block[] = {-1, heads, w->hidden / heads}, whole[] = {-1, w->hidden}, one[] = {-1, heads, 1};
    static const struct l2r_onnx_name all_from = {"attend_from"}, all_to = {"attend_to"};
    snprintf(name, sizeof name, "layers.%d.sender", (int)i);
    struct l2r_onnx_name sender = l2r_onnx_linear(w, h, name);
    snprintf(name, sizeof name, "layers.%d.receiver", (int)i);
    struct l2r_onnx_name receiver = l2r_onnx_linear(w, h, name);
    struct l2r_onnx_name z = l2r_onnx_2(o, "Add", rows_of(w, sender, from), rows_of(w, receiver, to));
    snprintf(name, sizeof name, "layers.%d.edge_embedding", (int)i);
    if (w->edges) z = l2r_onnx_2(o, "Add", z, edge_rows(w, name));
    z = node_2(o, "Concat", z, l2r_onnx_2(o, "Add", sender, receiver), axis_0);
    snprintf(name, sizeof name, "layers.%d.attention", (int)i);
    struct l2r_onnx_name score = attention_scores(w, z, param(w, name, false), heads);
    struct l2r_onnx_name most = l2r_onnx_gather_into(w, score, all_to, n_nodes, heads, true);
    struct l2r_onnx_name e = l2r_onnx_1(o, "Exp", l2r_onnx_2(o, "Sub", score, rows_of(w, most, all_to)));
    struct l2r_onnx_name sum = l2r_onnx_gather_into(w, e, all_to, n_nodes, heads, false);
    struct l2r_onnx_name alpha = l2r_onnx_2(o, "Div", e, rows_of(w, sum, all_to));
    struct l2r_onnx_name sent = l2r_onnx_2(o, "Reshape", rows_of(w, sender, all_from), l2r_onnx_integers(o, block, 3));
    alpha = l2r_onnx_2(o, "Reshape", alpha, l2r_onnx_integers(o, one, 3));
    sent = l2r_onnx_2(o, "Reshape", l2r_onnx_2(o, "Mul", sent, alpha), l2r_onnx_integers(o, whole, 2));
    return l2r_onnx_gather_into(w, sent, all_to, n_nodes, w->hidden, false);
}

static struct l2r_onnx_name jknet(struct l2r_onnx_writer *w)
{
    enum { MOST = 64 };
    struct l2r_onnx_name each[MOST];
    const struct l2r_onnx_name *list[MOST];
    int64_t n = l2r_config_int(w->config, "layers");
    bool last = l2r_config_is(w->config, "jk", "last");
    if (n > MOST) w->missing = "more than 64 layers";
    if (n > MOST) return (struct l2r_onnx_name){""};
    struct l2r_onnx_name h = layers(w, gcn_layer, n, !last, each);
    for (int64_t i = 0; i < n; i++) list[i] = &each[i];
    if (l2r_config_is(w->config, "jk", "concat"))
        return l2r_onnx_linear(w, l2r_onnx_node(w->o, "Concat", list, (int)n, axis_1), "join");
    return last ? h : l2r_onnx_node(w->o, "Max", list, (int)n, NULL);
}

/* The rows of the opposite arcs: 1, 0, 3, 2, … */
static struct l2r_onnx_name opposite(struct l2r_onnx_writer *w, struct l2r_onnx_name h)
{
    const int64_t pairs[] = {-1, 2, w->hidden}, flat[] = {-1, w->hidden}, first = -1, end = INT64_MIN + 1, axis = 1;
    struct l2r_onnx *o = w->o;
    struct l2r_onnx_name x = l2r_onnx_2(o, "Reshape", h, l2r_onnx_integers(o, pairs, 3));
    struct l2r_onnx_name inputs[] = {x, l2r_onnx_integers(o, &first, 1), l2r_onnx_integers(o, &end, 1),
                                     l2r_onnx_integers(o, &axis, 1), l2r_onnx_integers(o, &first, 1)};
    x = l2r_onnx_node(o, "Slice",
                      (const struct l2r_onnx_name *const[]){&inputs[0], &inputs[1], &inputs[2], &inputs[3], &inputs[4]},
                      5, NULL);
    return l2r_onnx_2(o, "Reshape", x, l2r_onnx_integers(o, flat, 2));
}

static struct l2r_onnx_name dmpnn_layer(struct l2r_onnx_writer *w, struct l2r_onnx_name x, int64_t i)
{
    struct l2r_onnx *o = w->o;
    (void)i;
    struct l2r_onnx_name p = rows_of(w, x, from);
    if (w->edges) p = l2r_onnx_2(o, "Add", p, edge_rows(w, "edge_embedding"));
    struct l2r_onnx_name h = l2r_onnx_activate(w, p);
    for (int64_t k = 1; k < l2r_config_int(w->config, "layers"); k++) {
        struct l2r_onnx_name heard = l2r_onnx_2(o, "Sub", rows_of(w, sum_at_nodes(w, h), from), opposite(w, h));
        h = l2r_onnx_activate(w, l2r_onnx_2(o, "Add", p, l2r_onnx_linear(w, heard, "message")));
    }
    bool own = l2r_config_has(w->config, "self-features") && l2r_config_flag(w->config, "self-features");
    struct l2r_onnx_name self = own ? encode(w, "self_embedding", "self_linear") : l2r_onnx_linear(w, x, "self");
    return l2r_onnx_2(o, "Add", self, l2r_onnx_linear(w, sum_at_nodes(w, h), "neighbours"));
}

/* Z; its name is "" where the backbone cannot be written. */
struct l2r_onnx_name l2r_onnx_represent(struct l2r_onnx_writer *w)
{
    const char *model = w->network->type->name;
    int64_t n = l2r_config_int(w->config, "layers");
    if (strcmp(model, "gin") == 0) return readout(w, layers(w, gin_layer, n, false, NULL));
    if (strcmp(model, "gcn") == 0) return readout(w, layers(w, gcn_layer, n, false, NULL));
    if (strcmp(model, "gat") == 0) return readout(w, layers(w, gat_layer, n, false, NULL));
    if (strcmp(model, "sgc") == 0) return readout(w, layers(w, sgc_layer, 1, false, NULL));
    if (strcmp(model, "dmpnn") == 0) return readout(w, layers(w, dmpnn_layer, 1, true, NULL));
    if (strcmp(model, "jknet") == 0) return readout(w, jknet(w));
    return (struct l2r_onnx_name){""};
}
