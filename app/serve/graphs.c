/* SPDX-License-Identifier: MIT
 * See graphs.h. */
#include "serve/graphs.h"

#include "base/memory.h"
#include "draw/pictures.h"
#include "explain/explainer.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 150 /* nodes of a graph that is drawn */ };

struct wish {
    json_t *root;
    const char *model, *explainer;
    int64_t graph, output;
};

static enum l2r_status read_wish(struct wish *w, const char *body, size_t length, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *key;
    json_t *value;
    *w = (struct wish){.explainer = "occlusion", .graph = -1};
    L2R_TRY(l2r_json_parse(&w->root, body, length, "the body", error));
    if (!json_is_object(w->root)) L2R_FAIL(L2R_ERR_FORMAT, "the body is no JSON object");
    json_object_foreach(w->root, key, value)
    {
        if (strcmp(key, "model") == 0 && json_is_string(value))
            w->model = json_string_value(value);
        else if (strcmp(key, "explainer") == 0 && json_is_string(value))
            w->explainer = json_string_value(value);
        else if (strcmp(key, "graph") == 0 && json_is_integer(value))
            w->graph = json_integer_value(value);
        else if (strcmp(key, "output") == 0 && json_is_integer(value) && json_integer_value(value) >= 0)
            w->output = json_integer_value(value);
        else
            L2R_FAIL(L2R_ERR_FORMAT,
                     "the body has a key or value that means nothing here; expected model, graph, output, explainer");
    }
    if (!w->model || w->graph < 0) L2R_FAIL(L2R_ERR_FORMAT, "the body needs \"model\" and \"graph\", a number from 0");
    if (strcmp(w->explainer, "occlusion") != 0 && strcmp(w->explainer, "shapley") != 0)
        L2R_FAIL(L2R_ERR_FORMAT, "\"explainer\" is occlusion or shapley");
done:
    return status;
}

json_t *l2r_graph_labels(const struct l2r_dataset *data, int64_t graph)
{
    json_t *object = json_object();
    for (int32_t t = 0; t < data->n_tasks; t++) {
        const char *name = l2r_dataset_task_name(data, t);
        float label = data->labels[graph * data->n_tasks + t];
        const char *word =
            isnan(label) || data->task == L2R_TASK_REGRESSION ? NULL : l2r_dataset_class_name(data, t, (int32_t)label);
        char number[16];
        snprintf(number, sizeof number, "%d", (int)t);
        l2r_json_put(object, name ? name : number, word ? l2r_json_name(word) : l2r_json_real((double)label));
    }
    return object;
}

static json_t *part_of(const struct l2r_split *split, int64_t graph)
{
    for (int part = 0; part < L2R_N_PARTS; part++) {
        const int32_t *graphs = l2r_split_part(split, part);
        for (int64_t i = 0; i < l2r_split_size(split, part); i++)
            if (graphs[i] == graph) return json_string(l2r_part_name(part));
    }
    return json_null();
}

static enum l2r_status put_prediction(json_t *answer, struct l2r_served_model *m, int32_t graph,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_answers answers = {0};
    const struct l2r_question *q = &m->question;
    const struct l2r_backdrop *b = m->backdrop;
    const int64_t graphs[] = {graph};
    L2R_TRY(l2r_answers_make(&answers, q, 1, error));
    pthread_mutex_lock(&m->scoring);
    status = l2r_ensemble_predict(&answers, q->ensemble, b->data, graphs, 1, error);
    pthread_mutex_unlock(&m->scoring);
    if (status != L2R_OK) goto done;
    json_t *object = json_object();
    const struct l2r_columns columns = {q, ',', ""};
    l2r_columns_json(object, &columns, &answers, 0, NULL);
    l2r_json_put(answer, "prediction", object);
done:
    l2r_answers_clear(&answers);
    return status;
}

static json_t *numbers(const float *values, int64_t n)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++) l2r_json_append(list, l2r_json_real((double)values[i]));
    return list;
}

static void put_contributions(json_t *answer, const struct l2r_explanation *e, const struct wish *w, bool values)
{
    json_t *object = json_object(), *ends = json_array();
    for (int64_t i = 0; i < 2 * e->n_edges; i++) l2r_json_append(ends, json_integer(e->ends[i]));
    l2r_json_put(object, "explainer", json_string(w->explainer));
    l2r_json_put(object, "unit", json_string(values ? "value" : "log-odds"));
    l2r_json_put(object, "nodes", numbers(e->node_effect, e->n_nodes));
    l2r_json_put(object, "edges", numbers(e->edge_effect, e->n_edges));
    l2r_json_put(object, "ends", ends);
    l2r_json_put(object, "value", l2r_json_real(e->value));
    l2r_json_put(object, "baseline", l2r_json_real(e->baseline));
    l2r_json_put(answer, "contributions", object);
}

static enum l2r_status put_svg(json_t *answer, struct l2r_picture *picture, struct l2r_error *error)
{
    char *svg = NULL;
    enum l2r_status status = l2r_drawing_svg(&svg, &picture->drawing, error);
    if (status == L2R_OK) l2r_json_put(answer, "svg", l2r_json_name(svg));
    l2r_free(svg);
    return status;
}

/* The shaded drawing, where the model can be explained. */
static enum l2r_status explain(json_t *answer, struct l2r_served_model *m, const struct wish *w,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_question *q = &m->question;
    const struct l2r_backdrop *b = m->backdrop;
    struct l2r_config *options = NULL;
    struct l2r_explanation e = {0};
    struct l2r_picture picture = {0};
    struct l2r_predictor *first = q->ensemble->models[0];
    const int32_t graph = (int32_t)w->graph;
    L2R_TRY(l2r_config_new(&options, error));
    L2R_TRY(l2r_config_declare(options, l2r_explain_options, error));
    L2R_TRY(l2r_config_set(options, "explainer", w->explainer, error));
    struct l2r_explain_settings settings = l2r_explain_settings_of(options);
    if (q->task != L2R_TASK_MULTICLASS && q->n_outputs > 1) settings.task = (int32_t)w->output;
    L2R_TRY(l2r_explain_check(&settings, l2r_predictor_committee(first), b->data, error));
    L2R_TRY(l2r_explain_graphs(&e, first, b->data, &graph, 1, &settings, error));
    put_contributions(answer, &e, w, q->task == L2R_TASK_REGRESSION);
    const struct l2r_picture_source source = {b->data, first, NULL};
    L2R_TRY(l2r_picture_init(&picture, &source, &e, NULL, error));
    picture.title[0] = picture.caption[0] = '\0'; /* the page says it */
    picture.drawing.title = picture.drawing.caption = NULL;
    L2R_TRY(put_svg(answer, &picture, error));
done:
    l2r_picture_clear(&picture);
    l2r_explanations_clear(&e, 1);
    l2r_config_free(options);
    return status;
}

static enum l2r_status draw_plain(json_t *answer, const struct l2r_dataset *data, int32_t graph,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_picture picture = {0};
    int32_t *ends = l2r_alloc((size_t)l2r_dataset_arcs_of(data, graph) + 1, 2 * sizeof *ends);
    if (!ends) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a drawing");
    picture.drawing.n_edges = l2r_picture_edges(ends, data, graph);
    L2R_TRY(l2r_picture_label(&picture, data, graph, error));
    picture.drawing.n_nodes = (int32_t)l2r_dataset_nodes_of(data, graph);
    picture.drawing.edges = ends;
    picture.drawing.node_label = picture.label;
    L2R_TRY(put_svg(answer, &picture, error));
done:
    l2r_picture_clear(&picture);
    l2r_free(ends);
    return status;
}

static enum l2r_status look(json_t *answer, struct l2r_served_model *m, const struct wish *w, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_error reason = {0};
    const struct l2r_backdrop *b = m->backdrop;
    if (!b || !b->data)
        L2R_FAIL(L2R_ERR_ARGUMENT, "the data of %s %s", m->name,
                 b ? "cannot be read here; the server's messages say why" : "is being read; try again in a moment");
    if (w->graph >= b->data->n_graphs)
        L2R_FAIL(L2R_ERR_ARGUMENT, "\"graph\" is %lld; %s has 0 to %lld", (long long)w->graph, m->name,
                 (long long)b->data->n_graphs - 1);
    if (w->output < 0 || w->output >= m->question.n_outputs)
        L2R_FAIL(L2R_ERR_ARGUMENT, "\"output\" is %lld; %s has %d", (long long)w->output, m->name,
                 (int)m->question.n_outputs);
    int64_t n_nodes = l2r_dataset_nodes_of(b->data, w->graph);
    l2r_json_put(answer, "model", json_string(m->name));
    l2r_json_put(answer, "graph", json_integer(w->graph));
    l2r_json_put(answer, "graphs", json_integer(b->data->n_graphs));
    l2r_json_put(answer, "nodes", json_integer(n_nodes));
    l2r_json_put(answer, "edges", json_integer(l2r_dataset_arcs_of(b->data, w->graph) / 2));
    l2r_json_put(answer, "part", part_of(&b->split, w->graph));
    l2r_json_put(answer, "labels", l2r_graph_labels(b->data, w->graph));
    L2R_TRY(put_prediction(answer, m, (int32_t)w->graph, error));
    if (n_nodes > LARGEST) {
        snprintf(reason.message, sizeof reason.message, "graphs of more than %d nodes are not drawn", (int)LARGEST);
    } else if (explain(answer, m, w, &reason) != L2R_OK) {
        L2R_TRY(draw_plain(answer, b->data, (int32_t)w->graph, error));
    }
    if (!json_object_get(answer, "contributions")) {
        l2r_json_put(answer, "contributions", json_null());
        l2r_json_put(answer, "no_contributions", l2r_json_name(reason.message));
    }
    if (!json_object_get(answer, "svg")) l2r_json_put(answer, "svg", json_null());
done:
    return status;
}

enum l2r_status l2r_explain_graph(json_t **answer, struct l2r_shelf *shelf, const char *body, size_t length,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct wish w;
    struct l2r_served_model *m = NULL;
    *answer = json_object();
    L2R_TRY(read_wish(&w, body, length, error));
    int k = l2r_shelf_find(shelf, w.model, strlen(w.model));
    if (k < 0) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no such model; /api/models lists those that are there");
    m = l2r_shelf_take(shelf, k);
    L2R_TRY(look(*answer, m, &w, error));
done:
    l2r_shelf_put(m);
    json_decref(w.root);
    if (status != L2R_OK) json_decref(*answer), *answer = NULL;
    return status;
}
