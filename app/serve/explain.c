/* SPDX-License-Identifier: MIT
 * See explain.h. */
#include "serve/explain.h"

#include "base/memory.h"
#include "data/formats/smiles/smiles.h"
#include "explain/contributions.h"
#include "metrics/probability.h"
#include "serve/graphs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 420, HEIGHT = 320, SMALL_WIDTH = 220, SMALL_HEIGHT = 160, NEIGHBOURS = 4 };

/* ---- the body ---- */

struct wish {
    json_t *root;
    const char *smiles, *model, *explainer;
    int64_t output;
};

static enum l2r_status read_wish(struct wish *w, const char *body, size_t length, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    static const char *const keys = "smiles model output explainer";
    const char *key;
    json_t *value;
    *w = (struct wish){.explainer = "occlusion"};
    L2R_TRY(l2r_json_parse(&w->root, body, length, "the body", error));
    if (!json_is_object(w->root)) L2R_FAIL(L2R_ERR_FORMAT, "the body is no JSON object");
    json_object_foreach(w->root, key, value)
    {
        bool text = json_is_string(value);
        if (strcmp(key, "smiles") == 0 && text)
            w->smiles = json_string_value(value);
        else if (strcmp(key, "model") == 0 && text)
            w->model = json_string_value(value);
        else if (strcmp(key, "explainer") == 0 && text)
            w->explainer = json_string_value(value);
        else if (strcmp(key, "output") == 0 && json_is_integer(value) && json_integer_value(value) >= 0)
            w->output = json_integer_value(value);
        else
            L2R_FAIL(L2R_ERR_FORMAT, "the body has a key or value that means nothing here; expected %s", keys);
    }
    if (!w->smiles) L2R_FAIL(L2R_ERR_FORMAT, "the body needs \"smiles\", a text");
    if (strcmp(w->explainer, "occlusion") != 0 && strcmp(w->explainer, "shapley") != 0)
        L2R_FAIL(L2R_ERR_FORMAT, "\"explainer\" is occlusion or shapley");
done:
    return status;
}

/* ---- drawings ---- */

/* RDKit styles its shapes by style='a:b;c:d', which the page's Content-Security-Policy refuses: a='b' c='d' means the
 * same. The white ground is left out. */
static void add_shapes(struct l2r_text *text, const char *inside)
{
    const char *ground = strstr(inside, "<rect"), *after = ground ? strstr(ground, "</rect>") : NULL;
    if (after) inside = after + strlen("</rect>");
    for (const char *style; (style = strstr(inside, "style='")) != NULL;) {
        l2r_text_add(text, inside, (size_t)(style - inside));
        inside = style + strlen("style='");
        while (*inside && *inside != '\'') {
            size_t name = strcspn(inside, ":'"), value = strcspn(inside + name, ";'");
            if (inside[name] == ':') {
                l2r_text_add(text, inside, name);
                l2r_text_print(text, "='%.*s' ", (int)value - 1, inside + name + 1);
            }
            inside += name + value + (inside[name + value] == ';');
        }
        inside += *inside == '\'';
    }
    l2r_text_puts(text, inside);
}

/* A whole <svg> of the structural formula, its atoms shaded by intensities in -1 … 1; NULL: not at all. */
static enum l2r_status draw(json_t *to, const char *smiles, const float *atoms, int width, int height,
                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_molecule *molecule = NULL;
    struct l2r_text text = {0};
    char *inside = NULL, *svg = NULL;
    float *zeros = NULL;
    L2R_TRY(l2r_molecule_parse(&molecule, smiles, error));
    size_t n = (size_t)l2r_molecule_atoms(molecule) + (size_t)l2r_molecule_bonds(molecule) + 1;
    zeros = l2r_alloc(n, sizeof *zeros);
    if (!zeros) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a drawing");
    L2R_TRY(l2r_molecule_svg(&inside, molecule, atoms ? atoms : zeros, zeros, width, height, error));
    l2r_text_print(&text, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">", width, height);
    add_shapes(&text, inside);
    l2r_text_puts(&text, "</svg>");
    L2R_TRY(l2r_text_finish(&svg, &text, "a drawing", error));
    l2r_json_put(to, "svg", json_string(svg));
done:
    l2r_molecule_free(molecule);
    l2r_text_clear(&text);
    l2r_free(inside);
    l2r_free(svg);
    l2r_free(zeros);
    return status;
}

/* Refuses what cannot be predicted, with the reason that a prediction would give. */
static enum l2r_status check_smiles(int32_t *atoms, const char *smiles, struct l2r_error *error)
{
    struct l2r_molecule_graph graph = {0};
    enum l2r_status status = l2r_molecule_features(&graph, smiles, false, error);
    *atoms = graph.n_atoms;
    l2r_molecule_graph_clear(&graph);
    return status;
}

enum l2r_status l2r_draw_molecule(json_t **answer, const char *body, size_t length, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct wish w;
    int32_t atoms;
    *answer = json_object();
    L2R_TRY(read_wish(&w, body, length, error));
    l2r_json_put(*answer, "smiles", json_string(w.smiles));
    status = check_smiles(&atoms, w.smiles, error);
    if (status == L2R_OK) status = draw(*answer, w.smiles, NULL, SMALL_WIDTH, SMALL_HEIGHT, error);
    l2r_json_put(*answer, "atoms", json_integer(status == L2R_OK ? atoms : 0));
    l2r_json_put(*answer, "problem", status == L2R_ERR_FORMAT ? l2r_json_name(error->message) : json_null());
    if (status == L2R_ERR_FORMAT) status = L2R_OK; /* half a SMILES, while it is being typed, is no failure */
done:
    json_decref(w.root);
    if (status != L2R_OK) json_decref(*answer), *answer = NULL;
    return status;
}

/* An alert, and the molecule with its atoms shaded. */
static enum l2r_status put_alert(json_t *list, const struct l2r_molecule_alert *alert, const char *smiles,
                                 int32_t n_atoms, struct l2r_error *error)
{
    json_t *one = json_object(), *atoms = json_array();
    float *shade = l2r_alloc((size_t)n_atoms + 1, sizeof *shade);
    l2r_json_append(list, one);
    l2r_json_put(one, "set", l2r_json_name(alert->set));
    l2r_json_put(one, "name", l2r_json_name(alert->name));
    l2r_json_put(one, "atoms", atoms);
    for (int32_t i = 0; i < alert->n_atoms; i++) {
        l2r_json_append(atoms, json_integer(alert->atoms[i]));
        if (shade && alert->atoms[i] < n_atoms) shade[alert->atoms[i]] = -1;
    }
    enum l2r_status status = shade ? draw(one, smiles, shade, SMALL_WIDTH, SMALL_HEIGHT, error)
                                   : l2r_fail_memory(error, (size_t)n_atoms * sizeof *shade, "a drawing");
    l2r_free(shade);
    return status;
}

enum l2r_status l2r_find_alerts(json_t **answer, const char *body, size_t length, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct wish w;
    struct l2r_molecule_alerts alerts = {0};
    int32_t n_atoms;
    json_t *list = json_array();
    *answer = json_object();
    l2r_json_put(*answer, "alerts", list);
    L2R_TRY(read_wish(&w, body, length, error));
    L2R_TRY(check_smiles(&n_atoms, w.smiles, error));
    L2R_TRY(l2r_molecule_alerts_find(&alerts, w.smiles, error));
    for (int32_t i = 0; i < alerts.n; i++) L2R_TRY(put_alert(list, &alerts.list[i], w.smiles, n_atoms, error));
done:
    l2r_molecule_alerts_clear(&alerts);
    json_decref(w.root);
    if (status != L2R_OK) json_decref(*answer), *answer = NULL;
    return status;
}

/* ---- one molecule as a data set ---- */

static enum l2r_status make_data(struct l2r_dataset **data, char **fragment, const char *smiles,
                                 const struct l2r_served_model *m, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_molecule_table table = {.delimiter = ',', .largest_fragment = m->largest_fragment};
    struct l2r_molecule_chunk chunk;
    *data = NULL;
    L2R_TRY(l2r_molecule_chunk_init(&chunk, &table, NULL, error));
    chunk.room = chunk.n = 1;
    chunk.describe = m->describe;
    chunk.rows[0] = (struct l2r_molecule_row){.raw = smiles, .smiles = smiles};
    L2R_TRY(l2r_molecule_chunk_make(&chunk, error));
    if (!l2r_molecule_row_is_good(&chunk.rows[0])) L2R_FAIL(L2R_ERR_FORMAT, "%s", chunk.rows[0].reason);
    if (!(*fragment = l2r_strdup(chunk.rows[0].smiles))) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a molecule");
    L2R_TRY(l2r_molecule_chunk_pack(data, &chunk, error));
done:
    l2r_molecule_chunk_clear(&chunk);
    return status;
}

/* ---- contributions ---- */

/* Effects of atoms and bonds, means over the models of an ensemble. */
struct effects {
    int64_t n_atoms, n_bonds;
    int32_t *ends;
    float *atom, *bond;
    double value, baseline;
    bool adds_up;
    int32_t n_members, n_explained;
};

static void effects_clear(struct effects *e)
{
    l2r_free(e->ends);
    l2r_free(e->atom);
    l2r_free(e->bond);
}

static enum l2r_status add_effects(struct effects *to, const struct l2r_explanation *e, int n, struct l2r_error *error)
{
    if (!to->atom) {
        to->n_atoms = e->n_nodes;
        to->n_bonds = e->n_edges;
        to->adds_up = true;
        to->atom = l2r_alloc((size_t)e->n_nodes, sizeof *to->atom);
        to->bond = l2r_alloc((size_t)e->n_edges, sizeof *to->bond);
        to->ends = l2r_alloc(2 * (size_t)e->n_edges, sizeof *to->ends);
        if (!to->atom || !to->bond || !to->ends) return l2r_fail_memory(error, 0, "contributions");
        if (e->n_edges > 0) memcpy(to->ends, e->ends, 2 * (size_t)e->n_edges * sizeof *to->ends);
    }
    for (int64_t i = 0; i < e->n_nodes; i++) to->atom[i] += e->node_effect[i] / (float)n;
    for (int64_t i = 0; i < e->n_edges; i++) to->bond[i] += e->edge_effect[i] / (float)n;
    to->value += e->value / n;
    to->baseline += e->baseline / n;
    to->adds_up = to->adds_up && e->adds_up;
    to->n_members += e->n_members;
    to->n_explained += e->n_explained;
    return L2R_OK;
}

static enum l2r_status find_effects(struct effects *to, const struct l2r_served_model *m, const struct wish *w,
                                    const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_question *q = &m->question;
    struct l2r_config *options = NULL;
    static const int32_t first = 0;
    L2R_TRY(l2r_config_new(&options, error));
    L2R_TRY(l2r_config_declare(options, l2r_explain_options, error));
    L2R_TRY(l2r_config_set(options, "explainer", w->explainer, error));
    struct l2r_explain_settings settings = l2r_explain_settings_of(options);
    if (q->task != L2R_TASK_MULTICLASS && q->n_outputs > 1) settings.task = (int32_t)w->output;
    for (int k = 0; k < q->ensemble->n_models; k++) {
        struct l2r_explanation e = {0};
        L2R_TRY(l2r_explain_check(&settings, l2r_predictor_committee(q->ensemble->models[k]), data, error));
        L2R_TRY(l2r_explain_graphs(&e, q->ensemble->models[k], data, &first, 1, &settings, error));
        status = add_effects(to, &e, q->ensemble->n_models, error);
        l2r_explanations_clear(&e, 1);
        if (status != L2R_OK) goto done;
    }
done:
    l2r_config_free(options);
    return status;
}

static json_t *numbers(const float *values, int64_t n)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < n; i++) l2r_json_append(list, l2r_json_real((double)values[i]));
    return list;
}

/* Shades are shares of the largest effect of an atom. */
static enum l2r_status draw_effects(json_t *to, const struct effects *e, const char *smiles, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_molecule *molecule = NULL;
    float most = 0, *atom = NULL;
    L2R_TRY(l2r_molecule_parse(&molecule, smiles, error));
    int32_t n_atoms = l2r_molecule_atoms(molecule);
    atom = l2r_alloc((size_t)n_atoms, sizeof *atom);
    if (!atom) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a drawing");
    for (int64_t i = 0; i < e->n_atoms; i++) most = fmaxf(most, fabsf(e->atom[i]));
    for (int64_t i = 0; most > 0 && i < e->n_atoms && i < n_atoms; i++) atom[i] = e->atom[i] / most;
    L2R_TRY(draw(to, smiles, atom, WIDTH, HEIGHT, error));
done:
    l2r_molecule_free(molecule);
    l2r_free(atom);
    return status;
}

static enum l2r_status put_effects(json_t *answer, const struct l2r_served_model *m, const struct wish *w,
                                   const struct l2r_dataset *data, const char *smiles, struct l2r_error *error)
{
    struct effects e = {0};
    struct l2r_error reason = {0};
    enum l2r_status status = find_effects(&e, m, w, data, &reason);
    if (status == L2R_OK) {
        json_t *object = json_object();
        l2r_json_put(object, "explainer", json_string(w->explainer));
        l2r_json_put(object, "unit", json_string(m->question.task == L2R_TASK_REGRESSION ? "value" : "log-odds"));
        l2r_json_put(object, "atoms", numbers(e.atom, e.n_atoms));
        l2r_json_put(object, "bonds", numbers(e.bond, e.n_bonds));
        l2r_json_put(object, "value", l2r_json_real(e.value));
        l2r_json_put(object, "baseline", l2r_json_real(e.baseline));
        l2r_json_put(object, "adds_up", json_boolean(e.adds_up));
        l2r_json_put(object, "members", json_integer(e.n_members));
        l2r_json_put(object, "explained", json_integer(e.n_explained));
        l2r_json_put(answer, "contributions", object);
        status = draw_effects(answer, &e, smiles, error);
    } else if (status == L2R_ERR_MEMORY) {
        status = l2r_fail(error, status, "%s", reason.message);
    } else {
        l2r_json_put(answer, "contributions", json_null());
        l2r_json_put(answer, "no_contributions", l2r_json_name(reason.message));
        status = draw(answer, smiles, NULL, WIDTH, HEIGHT, error);
    }
    effects_clear(&e);
    return status;
}

/* ---- neighbours ---- */

struct neighbour {
    double distance;
    int64_t row;
};

static int by_distance(const void *a, const void *b)
{
    const struct neighbour *x = a, *y = b;
    return x->distance < y->distance ? -1 : x->distance > y->distance ? 1 : x->row < y->row ? -1 : 1;
}

/* All kept training graphs of the model by their distance from the molecule; the caller frees *all. */
static enum l2r_status sort_rows(struct neighbour **all, struct l2r_served_model *m, const struct l2r_domain *domain,
                                 const struct l2r_dataset *data, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    static const int32_t first = 0;
    int64_t n = domain->n_rows, d = domain->d;
    float *z = l2r_alloc((size_t)d, sizeof *z), *rows = l2r_alloc_raw((size_t)(n * d), sizeof *rows);
    *all = l2r_alloc((size_t)n, sizeof **all);
    if (!z || !rows || !*all) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: neighbours");
    const struct l2r_committee_rows to = {.z = z};
    pthread_mutex_lock(&m->scoring);
    status = l2r_predictor_rows(&to, m->question.ensemble->models[0], data, &first, 1, error);
    pthread_mutex_unlock(&m->scoring);
    if (status != L2R_OK) goto done;
    l2r_domain_rows(rows, domain);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t k = 0; k < d; k++) {
            double difference = (double)rows[i * d + k] - (double)z[k];
            sum += difference * difference;
        }
        (*all)[i] = (struct neighbour){sqrt(sum) / domain->scale, i};
    }
    qsort(*all, (size_t)n, sizeof **all, by_distance);
done:
    l2r_free(z);
    l2r_free(rows);
    return status;
}

static enum l2r_status put_neighbours(json_t *answer, struct l2r_served_model *m, const struct l2r_dataset *data,
                                      struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_domain *domain;
    const struct l2r_backdrop *b = m->backdrop;
    struct neighbour *all = NULL;
    json_t *list = json_null();
    int64_t n_train = b && b->data ? l2r_split_size(&b->split, L2R_PART_TRAIN) : 0;
    if (n_train == 0 || !b->data->smiles_start ||
        l2r_predictor_domain(&domain, m->question.ensemble->models[0], NULL) != L2R_OK || domain->n_train != n_train)
        goto done;
    list = json_array();
    L2R_TRY(sort_rows(&all, m, domain, data, error));
    for (int64_t i = 0; i < NEIGHBOURS && i < domain->n_rows; i++) {
        int64_t graph = l2r_split_part(&b->split, L2R_PART_TRAIN)[all[i].row * n_train / domain->n_rows];
        const char *smiles = l2r_dataset_smiles(b->data, graph), *name = l2r_dataset_row_name(b->data, graph);
        json_t *one = json_object();
        l2r_json_append(list, one);
        l2r_json_put(one, "smiles", l2r_json_name(smiles));
        l2r_json_put(one, "name", name ? l2r_json_name(name) : json_null());
        l2r_json_put(one, "distance", l2r_json_real(all[i].distance));
        l2r_json_put(one, "labels", l2r_graph_labels(b->data, graph));
        L2R_TRY(draw(one, smiles, NULL, SMALL_WIDTH, SMALL_HEIGHT, error));
    }
done:
    l2r_free(all);
    l2r_json_put(answer, "neighbours", list);
    return status;
}

/* ---- all of it ---- */

static enum l2r_status explain(json_t *answer, struct l2r_served_model *m, const struct wish *w,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *data = NULL;
    char *smiles = NULL;
    if (w->output < 0 || w->output >= m->question.n_outputs)
        L2R_FAIL(L2R_ERR_ARGUMENT, "\"output\" is %lld; %s has %d", (long long)w->output, m->name,
                 (int)m->question.n_outputs);
    if (!m->molecules)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s reads graphs that are no molecules; /api/graph looks at those of its data",
                 m->name);
    if (m->feature_columns)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s reads columns of a table, which a molecule alone has not", m->name);
    L2R_TRY(make_data(&data, &smiles, w->smiles, m, error));
    l2r_json_put(answer, "smiles", json_string(smiles));
    l2r_json_put(answer, "model", json_string(m->name));
    L2R_TRY(put_effects(answer, m, w, data, smiles, error));
    L2R_TRY(put_neighbours(answer, m, data, error));
done:
    l2r_dataset_free(data);
    l2r_free(smiles);
    return status;
}

enum l2r_status l2r_explain_molecule(json_t **answer, struct l2r_shelf *shelf, const char *body, size_t length,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct wish w;
    struct l2r_served_model *m = NULL;
    *answer = json_object();
    L2R_TRY(read_wish(&w, body, length, error));
    if (shelf->n == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "this server has no model");
    int k = w.model ? l2r_shelf_find(shelf, w.model, strlen(w.model)) : 0;
    if (k < 0) L2R_FAIL(L2R_ERR_ARGUMENT, "there is no such model; /api/models lists those that are there");
    m = l2r_shelf_take(shelf, k);
    L2R_TRY(explain(*answer, m, &w, error));
done:
    l2r_shelf_put(m);
    json_decref(w.root);
    if (status != L2R_OK) json_decref(*answer), *answer = NULL;
    return status;
}
