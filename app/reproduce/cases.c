/* SPDX-License-Identifier: MIT
 * See cases.h. */
#include "reproduce/cases.h"

#include "base/memory.h"
#include "data/dataset.h"
#include "draw/pictures.h"
#include "io/file.h"
#include "io/json_file.h"

#include <stdio.h>
#include <string.h>

enum { N_CASES = 3, N_MODELS = 2 };

struct cases {
    const struct l2r_reproduce *job;
    const struct l2r_case_study *study;
    struct l2r_dataset *data;
    int32_t graphs[N_CASES];
    const char *where; /* the data */
    double test[N_MODELS];
    struct l2r_explanation explanations[N_MODELS][N_CASES];
    struct l2r_picture pictures[N_MODELS][N_CASES];
};

static enum l2r_status find_cases(struct cases *c, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_dataset *data = c->data;
    int n = 0;
    int32_t *edges = l2r_alloc((size_t)data->n_arcs, sizeof *edges);
    if (edges == NULL) return l2r_fail_memory(error, (size_t)data->n_arcs * sizeof *edges, "edges");
    for (int64_t g = 0; g < data->n_graphs && n < N_CASES; g++)
        if (data->official[g] == L2R_PART_TEST && c->study->fits(data, (int32_t)g, n, edges))
            c->graphs[n++] = (int32_t)g;
    if (n < N_CASES) L2R_FAIL(L2R_ERR_ARGUMENT, "only %d test graphs %s; %d are needed", n, c->study->which, N_CASES);
done:
    l2r_free(edges);
    return status;
}

static enum l2r_status explain_cases(struct cases *c, int model, const char *run, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *predictor = NULL;
    struct l2r_config *config = NULL;
    L2R_TRY(l2r_config_new(&config, error));
    L2R_TRY(l2r_config_declare(config, l2r_explain_options, error));
    L2R_TRY(l2r_config_set(config, "target", "label", error));
    L2R_TRY(l2r_predictor_open(&predictor, run, error));
    const struct l2r_explain_settings settings = l2r_explain_settings_of(config);
    const struct l2r_picture_source source = {.data = c->data, .predictor = predictor};
    for (int i = 0; i < N_CASES; i++) {
        struct l2r_explanation *e = &c->explanations[model][i];
        L2R_TRY(l2r_explain_graphs(e, predictor, c->data, &c->graphs[i], 1, &settings, error));
        L2R_TRY(l2r_picture_init(&c->pictures[model][i], &source, e, NULL, error));
    }
done:
    l2r_config_free(config);
    l2r_predictor_free(predictor);
    return status;
}

static enum l2r_status explain_runs(struct cases *c, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (int model = 0; model < N_MODELS; model++) {
        const json_t *line;
        char run[4096];
        L2R_TRY(l2r_reproduce_line(&line, run, c->job, model, 0, c->job->plan->runs[0].seed, error));
        c->test[model] = l2r_line_number(line, "test");
        L2R_TRY(explain_cases(c, model, run, error));
    }
done:
    return status;
}

static enum l2r_status draw(const struct cases *c, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_drawing cells[N_MODELS * N_CASES];
    char names[N_CASES][40], caption[600], stem[4096], *svg = NULL;
    struct l2r_painter painter = {0};
    const char *columns[N_CASES], *rows[N_MODELS];
    for (int i = 0; i < N_MODELS; i++) rows[i] = c->job->spec->rows[i].label;
    for (int i = 0; i < N_MODELS * N_CASES; i++) {
        cells[i] = c->pictures[i / N_CASES][i % N_CASES].drawing;
        const char *after = strstr(cells[i].title, ": "); /* the columns name the graphs */
        if (after != NULL) cells[i].title = after + 2;
    }
    for (int i = 0; i < N_CASES; i++) {
        snprintf(names[i], sizeof names[i], "graph %d", (int)c->graphs[i]);
        columns[i] = names[i];
    }
    snprintf(
        caption, sizeof caption,
        "Test accuracy: %s %.3f, %s %.3f (one seed, %s). The first %d test graphs that %s; explained: why the label. "
        "Important: edges above one half.",
        rows[0], c->test[0], rows[1], c->test[1], c->where, N_CASES, c->study->which);
    const struct l2r_drawing_grid figure = {.n_rows = N_MODELS,
                                            .n_columns = N_CASES,
                                            .cells = cells,
                                            .row_title = rows,
                                            .column_title = columns,
                                            .title = c->study->title,
                                            .caption = caption};
    L2R_TRY(l2r_drawing_grid_svg(&svg, &figure, error));
    L2R_TRY(l2r_path_join(stem, sizeof stem, c->job->dir, c->job->spec->name, error));
    L2R_TRY(l2r_svg_write(&painter, svg, stem, L2R_DRAW_SVG | L2R_DRAW_PNG, error));
done:
    l2r_painter_stop(&painter);
    l2r_free(svg);
    return status;
}

static enum l2r_status write_scores(const struct cases *c, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[4096], name[128];
    json_t *models = json_array(), *root = json_object();
    snprintf(name, sizeof name, "%s.json", c->job->spec->name);
    json_object_set_new(root, "data", json_string(c->where));
    for (int model = 0; model < N_MODELS; model++) {
        json_t *graphs = json_array();
        for (int i = 0; i < N_CASES; i++) {
            const struct l2r_explanation *e = &c->explanations[model][i];
            json_array_append_new(graphs, json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "graph", (int)e->graph, "p",
                                                    l2r_json_real(e->p), "node_auc", l2r_json_real(e->node_auc),
                                                    "node_precision", l2r_json_real(e->node_precision), "edge_auc",
                                                    l2r_json_real(e->edge_auc), "edge_precision",
                                                    l2r_json_real(e->edge_precision)));
        }
        json_array_append_new(models, json_pack("{s:s, s:o, s:o}", "model", c->job->spec->rows[model].label, "test",
                                                l2r_json_real(c->test[model]), "graphs", graphs));
    }
    json_object_set_new(root, "models", models);
    L2R_TRY(l2r_path_join(path, sizeof path, c->job->dir, name, error));
    L2R_TRY(l2r_json_write(root, path, error));
done:
    json_decref(root);
    return status;
}

static void report_cases(const struct cases *c)
{
    if (c->job->report == NULL) return;
    for (int model = 0; model < N_MODELS; model++)
        for (int i = 0; i < N_CASES; i++) {
            const struct l2r_explanation *e = &c->explanations[model][i];
            char line[200];
            snprintf(line, sizeof line, "%-8s graph %d: p(label) %.3f, AUC against the motif: nodes %.3f, edges %.3f",
                     c->job->spec->rows[model].label, (int)e->graph, e->p, e->node_auc, e->edge_auc);
            c->job->report(c->job->context, line);
        }
}

enum l2r_status l2r_case_study_make(const struct l2r_case_study *study, const struct l2r_reproduce *job,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct cases c = {.job = job, .study = study};
    if (job->plan->n < N_MODELS)
        L2R_FAIL(L2R_ERR_ARGUMENT, "%s compares two systems; leave out --only", job->spec->name);
    c.where = job->plan->runs[0].where;
    L2R_TRY(l2r_dataset_load(&c.data, c.where, false, error));
    L2R_TRY(find_cases(&c, error));
    L2R_TRY(explain_runs(&c, error));
    L2R_TRY(draw(&c, error));
    L2R_TRY(write_scores(&c, error));
    report_cases(&c);
done:
    for (int model = 0; model < N_MODELS; model++) {
        l2r_explanations_clear(c.explanations[model], N_CASES);
        for (int i = 0; i < N_CASES; i++) l2r_picture_clear(&c.pictures[model][i]);
    }
    l2r_dataset_free(c.data);
    return status;
}
