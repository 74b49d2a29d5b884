/* SPDX-License-Identifier: MIT
 * The public calls of l2r/model.h about explanations, and those that draw. */
#include <l2r/model.h>

#include "api/graph_list.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/misuse.h"
#include "draw/pictures.h"
#include "draw/positions.h"
#include "explain/explainer.h"
#include "explain/fragments.h"

#include <math.h>
#include <string.h>

enum l2r_status l2r_explanation_new(struct l2r_explanation **explanation, const struct l2r_predictor *predictor,
                                    const struct l2r_dataset *data, int64_t graph, const struct l2r_config *options,
                                    struct l2r_error *error)
{
    if (!explanation) return l2r_fail(error, L2R_ERR_ARGUMENT, "explanation is NULL");
    return l2r_explain(explanation, predictor, data, &graph, 1, options, error);
}

enum l2r_status l2r_explain(struct l2r_explanation **explanations, const struct l2r_predictor *predictor,
                            const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                            const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *defaults = NULL;
    struct l2r_explanation *found = NULL;
    struct l2r_graph_list list = {0};
    bool made = false;
    L2R_NEED(explanations);
    if (n < 1 || n > INT32_MAX) L2R_FAIL(L2R_ERR_ARGUMENT, "n = %lld; expected a number of graphs", (long long)n);
    memset((void *)explanations, 0, (size_t)n * sizeof *explanations);
    L2R_NEED(predictor);
    L2R_NEED(data);
    L2R_TRY(l2r_graph_list_take(&list, "graphs", data, graphs, n, error));
    if (options && !l2r_config_has(options, "restarts"))
        L2R_FAIL(L2R_ERR_ARGUMENT, "options are not those of an explanation; l2r_config_for_explanation makes them");
    if (!options) L2R_TRY(l2r_config_for_explanation(&defaults, error));
    const struct l2r_explain_settings settings = l2r_explain_settings_of(options ? options : defaults);
    found = l2r_alloc((size_t)n, sizeof *found);
    if (!found) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %lld explanations", (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (!(explanations[i] = l2r_alloc(1, sizeof **explanations)))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %lld explanations", (long long)n);
    L2R_TRY(l2r_explain_graphs(found, predictor, data, list.graphs, n, &settings, error));
    for (int64_t i = 0; i < n; i++) *explanations[i] = found[i];
    made = true;
done:
    for (int64_t i = 0; explanations && found && !made && i < n; i++) {
        l2r_free(explanations[i]);
        explanations[i] = NULL;
    }
    l2r_free(found);
    l2r_graph_list_clear(&list);
    l2r_config_free(defaults);
    return status;
}

void l2r_explanation_free(struct l2r_explanation *explanation)
{
    if (!explanation) return;
    l2r_explanations_clear(explanation, 1);
    l2r_free(explanation);
}

const int32_t *l2r_explanation_ends(int64_t *n, const struct l2r_explanation *explanation)
{
    if (n) *n = explanation ? explanation->n_edges : 0;
    return explanation ? explanation->ends : NULL;
}

const float *l2r_explanation_edges(int64_t *n, const struct l2r_explanation *explanation)
{
    if (n) *n = explanation ? explanation->n_edges : 0;
    return explanation ? explanation->edge : NULL;
}

const float *l2r_explanation_nodes(int64_t *n, const struct l2r_explanation *explanation)
{
    if (n) *n = explanation ? explanation->n_nodes : 0;
    return explanation ? explanation->node : NULL;
}

const float *l2r_explanation_columns(int64_t *n, const struct l2r_explanation *explanation)
{
    if (n) *n = explanation ? explanation->n_columns : 0;
    return explanation ? explanation->column : NULL;
}

const float *l2r_explanation_edge_effects(int64_t *n, const struct l2r_explanation *explanation)
{
    const float *effects = explanation ? explanation->edge_effect : NULL;
    if (n) *n = effects ? explanation->n_edges : 0;
    return effects;
}

const float *l2r_explanation_node_effects(int64_t *n, const struct l2r_explanation *explanation)
{
    const float *effects = explanation ? explanation->node_effect : NULL;
    if (n) *n = effects ? explanation->n_nodes : 0;
    return effects;
}

int64_t l2r_explanation_graph(const struct l2r_explanation *explanation)
{
    return explanation ? explanation->graph : -1;
}

/* Is it an explanation of a graph of this data, by a model like this one? */
static enum l2r_status check_source(const struct l2r_explanation *e, const struct l2r_predictor *predictor,
                                    const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_explanation *explanation = e;
    L2R_NEED(explanation);
    L2R_NEED(predictor);
    L2R_NEED(data);
    if (e->graph >= data->n_graphs || l2r_dataset_nodes_of(data, e->graph) != e->n_nodes)
        L2R_FAIL(L2R_ERR_ARGUMENT, "data is not the data set of this explanation");
    if (l2r_predictor_task(predictor) == L2R_TASK_MULTICLASS &&
        !(e->target[0] < (float)l2r_predictor_n_outputs(predictor)))
        L2R_FAIL(L2R_ERR_ARGUMENT, "predictor is not the model of this explanation");
done:
    return status;
}

enum l2r_status l2r_explanation_json(char **json, const struct l2r_explanation *explanation,
                                     const struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(json);
    *json = NULL;
    L2R_TRY(check_source(explanation, predictor, data, error));
    L2R_TRY(l2r_json_text(json, l2r_explanation_to_json(explanation, l2r_predictor_signature(predictor), data), error));
done:
    return status;
}

/* ---- fragments ---- */

void l2r_fragments_free(struct l2r_fragments *fragments)
{
    if (fragments) l2r_fragments_clear(fragments);
    l2r_free(fragments);
}

enum l2r_status l2r_fragments_new(struct l2r_fragments **fragments, struct l2r_explanation *const *explanations,
                                  int64_t n, const struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_fragments *made = NULL;
    L2R_NEED(fragments);
    *fragments = NULL;
    if (n < 0) L2R_FAIL(L2R_ERR_ARGUMENT, "n = %lld; expected a number of explanations", (long long)n);
    if (n > 0) L2R_NEED(explanations);
    L2R_NEED(predictor);
    L2R_NEED(data);
    for (int64_t i = 0; i < n; i++) L2R_TRY(check_source(explanations[i], predictor, data, error));
    made = l2r_alloc(1, sizeof *made);
    if (!made) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for fragments");
    L2R_TRY(l2r_fragments_find(made, predictor, data, explanations, n, error));
    *fragments = made;
    made = NULL;
done:
    l2r_fragments_free(made);
    return status;
}

int64_t l2r_fragments_n_entries(const struct l2r_fragments *fragments)
{
    return fragments ? (int64_t)fragments->n : 0;
}

enum l2r_status l2r_fragments_entry(struct l2r_fragment_score *entry, const struct l2r_fragments *fragments, int64_t i,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(fragments);
    if (i < 0 || i >= (int64_t)fragments->n)
        L2R_FAIL(L2R_ERR_ARGUMENT, "i = %lld; there are %zu fragments", (long long)i, fragments->n);
    const struct l2r_fragment *f = &fragments->items[i];
    const struct l2r_fragment_score own = {.smiles = f->smiles,
                                           .target = f->target,
                                           .n_molecules = f->molecules,
                                           .n = f->count,
                                           .mean = f->mean,
                                           .sd = f->sd,
                                           .min = f->least,
                                           .max = f->most};
    L2R_TRY(l2r_struct_give(entry, &own, sizeof own, "entry", error));
done:
    return status;
}

enum l2r_status l2r_fragments_json(char **json, const struct l2r_fragments *fragments,
                                   const struct l2r_predictor *predictor, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    L2R_NEED(json);
    *json = NULL;
    L2R_NEED(fragments);
    L2R_NEED(predictor);
    const struct l2r_signature *signature = l2r_predictor_signature(predictor);
    for (size_t k = 0; k < fragments->n; k++)
        if (fragments->items[k].target >= (signature->task == L2R_TASK_MULTICLASS ? signature->n_classes : 0))
            L2R_FAIL(L2R_ERR_ARGUMENT, "predictor is not the model of these fragments");
    L2R_TRY(l2r_json_text(json, l2r_fragments_to_json(fragments, signature), error));
done:
    return status;
}

enum l2r_status l2r_explanation_svg(char **svg, const struct l2r_explanation *explanation,
                                    struct l2r_predictor *predictor, const struct l2r_dataset *data,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_picture picture = {0};
    L2R_NEED(svg);
    *svg = NULL;
    L2R_TRY(check_source(explanation, predictor, data, error));
    const struct l2r_picture_source source = {data, predictor, NULL};
    L2R_TRY(l2r_picture_init(&picture, &source, explanation, l2r_dataset_smiles(data, explanation->graph), error));
    L2R_TRY(l2r_drawing_svg(svg, &picture.drawing, error));
done:
    l2r_picture_clear(&picture);
    return status;
}

/* ---- graphs without an explanation ---- */

/* The undirected edges of a graph, each once: [*n × 2], from l2r_alloc. */
static enum l2r_status list_edges(int32_t **edges, int64_t *n, const struct l2r_dataset *data, int64_t g,
                                  struct l2r_error *error)
{
    int64_t first = data->node_start[g], last = data->node_start[g + 1];
    *n = 0;
    *edges = l2r_alloc((size_t)l2r_dataset_arcs_of(data, g) + 1, 2 * sizeof **edges);
    if (!*edges) return l2r_fail_memory(error, (size_t)l2r_dataset_arcs_of(data, g) * sizeof **edges, "a drawing");
    for (int64_t v = first; v < last; v++)
        for (int64_t a = data->arc_start[v]; a < data->arc_start[v + 1]; a++) {
            if (data->neighbour[a] < v - first) continue;
            (*edges)[2 * *n] = (int32_t)(v - first);
            (*edges)[2 * (*n)++ + 1] = data->neighbour[a];
        }
    return L2R_OK;
}

static enum l2r_status check_graph(const struct l2r_dataset *data, int64_t g, struct l2r_error *error)
{
    if (!data) return l2r_fail(error, L2R_ERR_ARGUMENT, "data is NULL");
    if (g >= 0 && g < data->n_graphs) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "g = %lld; expected 0 … %lld", (long long)g,
                    (long long)data->n_graphs - 1);
}

enum l2r_status l2r_dataset_svg(char **svg, const struct l2r_dataset *data, int64_t g, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_picture picture = {0};
    int32_t *edges = NULL;
    L2R_NEED(svg);
    *svg = NULL;
    L2R_TRY(check_graph(data, g, error));
    L2R_TRY(list_edges(&edges, &picture.drawing.n_edges, data, g, error));
    L2R_TRY(l2r_picture_label(&picture, data, (int32_t)g, error));
    picture.drawing.n_nodes = (int32_t)l2r_dataset_nodes_of(data, g);
    picture.drawing.edges = edges;
    picture.drawing.node_label = picture.label;
    picture.drawing.node_mark = data->node_mark ? data->node_mark + data->node_start[g] : NULL;
    picture.drawing.smiles = l2r_dataset_smiles(data, g);
    L2R_TRY(l2r_drawing_svg(svg, &picture.drawing, error));
done:
    l2r_picture_clear(&picture);
    l2r_free(edges);
    return status;
}

enum l2r_status l2r_dataset_layout(double *xy, const struct l2r_dataset *data, int64_t g, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_positions positions = {0};
    int32_t *edges = NULL;
    int64_t n = 0;
    L2R_NEED(xy);
    L2R_TRY(check_graph(data, g, error));
    L2R_TRY(list_edges(&edges, &n, data, g, error));
    int64_t nodes = l2r_dataset_nodes_of(data, g);
    L2R_TRY(l2r_positions_make(&positions, (int32_t)nodes, edges, n, error));
    if (nodes > 0) memcpy(xy, positions.xy, 2 * (size_t)nodes * sizeof *xy);
done:
    l2r_positions_clear(&positions);
    l2r_free(edges);
    return status;
}
