/* SPDX-License-Identifier: MIT
 * See onnx.h; the networks are in onnx_layers.c. */
#include "model/onnx.h"

#include "base/memory.h"
#include "io/file.h"
#include "model/onnx_layers.h"
#include "model/predictor_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct l2r_onnx_name from = {"arc_from"}, to = {"arc_to"}, n_nodes = {"n_nodes"}, n_graphs = {"n_graphs"},
                                  degree = {"degree_root"};

static const struct l2r_onnx_attribute axis_0[] = {{.name = "axis", .kind = L2R_ONNX_INT, .integer = 0}, {0}},
                                       axis_1[] = {{.name = "axis", .kind = L2R_ONNX_INT, .integer = 1}, {0}};

/* ---- head and prediction ---- */

enum { MOST_OUTPUTS = 4096 };

/* Per output: a number for each. */
static struct l2r_onnx_name each_output(struct l2r_onnx_writer *w, const double *values, double (*of)(double))
{
    float row[MOST_OUTPUTS];
    int32_t n = l2r_signature_outputs(w->s);
    for (int32_t k = 0; k < n && k < MOST_OUTPUTS; k++) row[k] = (float)(of ? of(values[k]) : values[k]);
    return l2r_onnx_vector(w->o, NULL, row, n < MOST_OUTPUTS ? n : MOST_OUTPUTS);
}

static struct l2r_onnx_name predict(struct l2r_onnx_writer *w, struct l2r_onnx_name z)
{
    struct l2r_onnx *o = w->o;
    char name[64];
    for (int64_t i = 0; i < l2r_config_int(w->config, "head-layers"); i++) {
        snprintf(name, sizeof name, "head.hidden.%d", (int)i);
        z = l2r_onnx_activate(w, l2r_onnx_linear(w, z, name));
    }
    struct l2r_onnx_name out = l2r_onnx_linear(w, z, "head");
    if (w->s->class_weight) out = l2r_onnx_2(o, "Sub", out, each_output(w, w->s->class_weight, log));
    if (w->s->task == L2R_TASK_BINARY) return l2r_onnx_1(o, "Sigmoid", out);
    if (w->s->task == L2R_TASK_MULTICLASS)
        return l2r_onnx_node(o, "Softmax", (const struct l2r_onnx_name *const[]){&out}, 1, axis_1);
    out = l2r_onnx_2(o, "Mul", out, each_output(w, w->s->target.sd, NULL));
    return l2r_onnx_2(o, "Add", out, each_output(w, w->s->target.mean, NULL));
}

/* ---- the model ---- */

/* What every member reads of the graphs. */
static void add_inputs(struct l2r_onnx *o, const struct l2r_signature *s)
{
    char cols[24];
    snprintf(cols, sizeof cols, "%d", (int)s->n_node_columns);
    if (s->n_node_columns > 0) (void)l2r_onnx_input(o, "node_features", L2R_ONNX_INT64, "nodes", cols);
    snprintf(cols, sizeof cols, "%d", (int)s->n_node_reals);
    if (s->n_node_reals > 0) (void)l2r_onnx_input(o, "node_reals", L2R_ONNX_FLOAT, "nodes", cols);
    struct l2r_onnx_name edges = l2r_onnx_input(o, "edge_index", L2R_ONNX_INT64, "2", "arcs");
    snprintf(cols, sizeof cols, "%d", (int)s->n_edge_columns);
    if (s->n_edge_columns > 0) (void)l2r_onnx_input(o, "edge_features", L2R_ONNX_INT64, "arcs", cols);
    snprintf(cols, sizeof cols, "%d", (int)s->n_edge_reals);
    if (s->n_edge_reals > 0) (void)l2r_onnx_input(o, "edge_reals", L2R_ONNX_FLOAT, "arcs", cols);
    struct l2r_onnx_name index = l2r_onnx_input(o, "graph_index", L2R_ONNX_INT64, "nodes", NULL);
    struct l2r_onnx_name zero = l2r_onnx_integer(o, 0), one = l2r_onnx_integer(o, 1);
    l2r_onnx_node_named(o, from.text, "Gather", (const struct l2r_onnx_name *const[]){&edges, &zero}, 2, axis_0);
    l2r_onnx_node_named(o, to.text, "Gather", (const struct l2r_onnx_name *const[]){&edges, &one}, 2, axis_0);
    l2r_onnx_node_named(o, n_nodes.text, "Shape", (const struct l2r_onnx_name *const[]){&index}, 1, NULL);
    struct l2r_onnx_name last = l2r_onnx_1(o, "ReduceMax", index); /* [1] */
    static const int64_t flat = -1;
    struct l2r_onnx_name count = l2r_onnx_2(o, "Add", last, one);
    struct l2r_onnx_name shape = l2r_onnx_integers(o, &flat, 1);
    l2r_onnx_node_named(o, n_graphs.text, "Reshape", (const struct l2r_onnx_name *const[]){&count, &shape}, 2, NULL);
}

/* sqrt(degree + 1), [nodes × 1], and the arcs of attention with each node's own. */
static void add_shared(struct l2r_onnx_writer *w)
{
    struct l2r_onnx *o = w->o;
    static const int64_t flat = -1, minus = -1;
    const struct l2r_onnx_attribute float_kind[] = {{.name = "to", .kind = L2R_ONNX_INT, .integer = L2R_ONNX_FLOAT},
                                                    {0}};
    struct l2r_onnx_name zeros = l2r_onnx_2(o, "Mul", to, l2r_onnx_integer(o, 0));
    struct l2r_onnx_name ones = l2r_onnx_node(o, "Cast", (const struct l2r_onnx_name *const[]){&zeros}, 1, float_kind);
    ones =
        l2r_onnx_2(o, "Unsqueeze", l2r_onnx_2(o, "Add", ones, l2r_onnx_number(o, 1)), l2r_onnx_integers(o, &minus, 1));
    struct l2r_onnx_name d =
        l2r_onnx_2(o, "Add", l2r_onnx_gather_into(w, ones, to, n_nodes, 1, false), l2r_onnx_number(o, 1));
    l2r_onnx_node_named(o, degree.text, "Sqrt", (const struct l2r_onnx_name *const[]){&d}, 1, NULL);
    struct l2r_onnx_name count = l2r_onnx_2(o, "Reshape", n_nodes, l2r_onnx_integers(o, &flat, 0));
    struct l2r_onnx_name own = l2r_onnx_3(o, "Range", l2r_onnx_integer(o, 0), count, l2r_onnx_integer(o, 1));
    l2r_onnx_node_named(o, "attend_from", "Concat", (const struct l2r_onnx_name *const[]){&from, &own}, 2, axis_0);
    l2r_onnx_node_named(o, "attend_to", "Concat", (const struct l2r_onnx_name *const[]){&to, &own}, 2, axis_0);
}

/* Backbones that are not written, and why. */
static const char *const not_written[][2] = {
    {"factorgcn", "it makes its own graphs for each factor"},
    {"pna", "it has minima, maxima and deviations over neighbours"},
    {"sagpool", "its graph gets smaller between layers"},
    {"topkpool", "its graph gets smaller between layers"},
};

/* Why a member cannot be written; NULL: it can. */
static const char *problem_of(const struct l2r_network *network, const struct l2r_config *config)
{
    static const char *const written[] = {"gin", "gcn", "gat", "sgc", "jknet", "dmpnn"};
    bool known = false;
    if (network->type->output) return "it consists of trees";
    if (network->signature.features.n > 0) return "it reads features of whole molecules, which l2r alone computes";
    for (size_t i = 0; i < sizeof not_written / sizeof *not_written; i++)
        if (strcmp(network->type->name, not_written[i][0]) == 0) return not_written[i][1];
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        known = known || strcmp(network->type->name, written[i]) == 0;
    if (!known) return "its layers have no ONNX form here";
    if (network->n_copies > 1 || l2r_network_copy(network)->gates.on) return "it has gates on its edges";
    if (l2r_config_is(config, "readout", "diffpool")) return "its readout is diffpool";
    if (l2r_signature_outputs(&network->signature) > MOST_OUTPUTS) return "it has more than 4096 outputs";
    return NULL;
}

static enum l2r_status check(const struct l2r_trained *t, const char *where, struct l2r_error *error)
{
    if (sizeof(l2r_real) != sizeof(float)) return l2r_fail(error, L2R_ERR_ARGUMENT, "built for double precision");
    for (int32_t k = 0; t->networks[0]->signature.target.map && k < t->networks[0]->signature.n_tasks; k++)
        if (t->networks[0]->signature.target.map[k].kind == L2R_MAP_RANK)
            return l2r_fail(
                error, L2R_ERR_ARGUMENT,
                "%s: it was trained on ranks of its targets (`transform=rank`), which are not written as ONNX", where);
    if (t->calibration && t->calibration->n_maps > 0)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: its probabilities are calibrated, which is not written as ONNX",
                        where);
    for (int32_t k = 0; k < t->n; k++) {
        const char *problem = problem_of(t->networks[k], t->members[k]->config);
        if (problem && t->n == 1)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: %s cannot be written as ONNX: %s", where,
                            t->networks[k]->type->name, problem);
        if (problem)
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "%s: member %d, %s, cannot be written as ONNX: %s; `member` chooses another", where,
                            (int)k + 1, t->networks[k]->type->name, problem);
    }
    return L2R_OK;
}

/* The mean of the members, which of targets trained as logarithms is one of these: 10^mean. */
static void add_output(struct l2r_onnx *o, const struct l2r_signature *s, struct l2r_onnx_name mean)
{
    float is_log[MOST_OUTPUTS];
    int32_t n = l2r_signature_outputs(s);
    bool any = false;
    for (int32_t k = 0; k < n; k++) {
        is_log[k] = s->target.map && s->target.map[k].kind == L2R_MAP_LOG10 ? 1 : 0;
        any = any || is_log[k] > 0;
    }
    if (!any) {
        l2r_onnx_node_named(o, "prediction", "Identity", (const struct l2r_onnx_name *const[]){&mean}, 1, NULL);
        return;
    }
    struct l2r_onnx_name half = l2r_onnx_number(o, 0.5F), power = l2r_onnx_2(o, "Pow", l2r_onnx_number(o, 10), mean);
    struct l2r_onnx_name which = l2r_onnx_2(o, "Greater", l2r_onnx_vector(o, NULL, is_log, n), half);
    l2r_onnx_node_named(o, "prediction", "Where", (const struct l2r_onnx_name *const[]){&which, &power, &mean}, 3,
                        NULL);
}

enum l2r_status l2r_onnx_pack(char **bytes, size_t *length, const struct l2r_trained *t, const char *where,
                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_onnx o = {0};
    char cols[24];
    struct l2r_onnx_name sum = {""};
    *bytes = NULL;
    L2R_TRY(check(t, where, error));
    add_inputs(&o, &t->networks[0]->signature);
    for (int32_t k = 0; k < t->n; k++) {
        const struct l2r_network *network = t->networks[k];
        struct l2r_onnx_writer w = {
            .o = &o, .network = network, .config = t->members[k]->config, .s = &network->signature};
        w.hidden = l2r_config_int(w.config, "hidden");
        w.edges = l2r_config_flag(w.config, "edge-features") && l2r_signature_has_edges(w.s);
        snprintf(w.prefix, sizeof w.prefix, "%d.", (int)k + 1);
        if (k == 0) add_shared(&w);
        struct l2r_onnx_name own = predict(&w, l2r_onnx_represent(&w));
        sum = k == 0 ? own : l2r_onnx_2(&o, "Add", sum, own);
        if (w.missing) L2R_FAIL(L2R_ERR_ARGUMENT, "%s: member %d: %s is not as expected", where, (int)k + 1, w.missing);
    }
    struct l2r_onnx_name mean = l2r_onnx_2(&o, "Mul", sum, l2r_onnx_number(&o, 1 / (float)t->n));
    add_output(&o, &t->networks[0]->signature, mean);
    snprintf(cols, sizeof cols, "%d", (int)l2r_signature_outputs(&t->networks[0]->signature));
    l2r_onnx_output(&o, "prediction", "graphs", cols);
    L2R_TRY(l2r_onnx_finish(bytes, length, &o, t->networks[0]->type->name, error));
done:
    l2r_onnx_clear(&o);
    return status;
}

enum l2r_status l2r_predictor_export(const struct l2r_predictor *predictor, const char *path, struct l2r_error *error)
{
    char *bytes = NULL;
    size_t length = 0;
    if (!predictor || !path) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", predictor ? "path" : "predictor");
    enum l2r_status status = l2r_onnx_pack(&bytes, &length, predictor->trained, predictor->checkpoint, error);
    if (status == L2R_OK) status = l2r_file_write(path, bytes, length, error);
    l2r_free(bytes);
    return status;
}
