/* SPDX-License-Identifier: MIT
 *
 * See explainer.h, "explanations as files". Scores that are not defined (NaN) are null in JSON and left
 * out of means.
 */
#include "explain/explainer.h"

#include "base/decimal.h"
#include "base/json.h"
#include "data/reader.h"
#include "explain/subject.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/json_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const l2r_explanation_score_names[] = {"p",        "fidelity_plus",  "fidelity_minus", "sparsity",
                                                   "node_auc", "node_precision", "edge_auc",       "edge_precision",
                                                   "value",    "baseline",       "answer",         NULL};

static double score_at(const struct l2r_explanation *e, int score)
{
    const double values[] = {e->p,        e->fidelity_plus,  e->fidelity_minus, e->sparsity,
                             e->node_auc, e->node_precision, e->edge_auc,       e->edge_precision,
                             e->value,    e->baseline,       e->answer};
    return values[score];
}

double l2r_explanation_score(const struct l2r_explanation *explanation, const char *name)
{
    for (int score = 0; explanation && name && l2r_explanation_score_names[score]; score++)
        if (strcmp(l2r_explanation_score_names[score], name) == 0) return score_at(explanation, score);
    return (double)NAN;
}

/* The source's name of a class; NULL: classes have numbers only. */
static const char *word_of(const struct l2r_dataset *d, float label, int32_t task)
{
    return d->task == L2R_TASK_REGRESSION || isnan(label) ? NULL : l2r_dataset_class_name(d, task, (int32_t)label);
}

/* The same of the model's classes. */
static const char *target_word(const struct l2r_signature *s, float target, int32_t task)
{
    return s->task == L2R_TASK_REGRESSION || isnan(target) ? NULL : l2r_signature_class_name(s, task, (int32_t)target);
}

static float label_of(const struct l2r_explained *all, int64_t i)
{
    return all->data->labels[(int64_t)all->explanations[i]->graph * all->data->n_tasks];
}

/* Means over the graphs of class k of the label, or over all for k < 0. */
static json_t *means(const struct l2r_explained *all, int32_t k)
{
    char name[128] = "all";
    const char *word = k >= 0 ? word_of(all->data, (float)k, 0) : NULL;
    json_t *row = json_object();
    int64_t n = 0;
    for (int64_t i = 0; i < all->n; i++) n += k < 0 || label_of(all, i) == (float)k;
    if (word)
        snprintf(name, sizeof name, "class %.100s", word);
    else if (k >= 0)
        snprintf(name, sizeof name, "class %lld", (long long)(all->data->n_classes ? all->data->class_value[k] : k));
    json_object_set_new(row, "graphs", json_string(name));
    json_object_set_new(row, "n", json_integer(n));
    for (int score = 0; l2r_explanation_score_names[score]; score++) {
        double sum = 0, count = 0;
        bool meant =
            score > 0 || l2r_committee_signature(all->model)->task != L2R_TASK_REGRESSION; /* values have no p */
        for (int64_t i = 0; meant && i < all->n; i++) {
            double value = score_at(all->explanations[i], score);
            if (isnan(value) || (k >= 0 && label_of(all, i) != (float)k)) continue;
            sum += value;
            count++;
        }
        json_object_set_new(row, l2r_explanation_score_names[score],
                            l2r_json_real(count > 0 ? sum / count : (double)NAN));
    }
    return row;
}

json_t *l2r_explanations_summary(const struct l2r_explained *all)
{
    json_t *rows = json_array();
    json_array_append_new(rows, means(all, -1));
    if (all->data->task == L2R_TASK_REGRESSION || all->data->n_tasks > 1) return rows;
    for (int32_t k = 0; k < (all->data->task == L2R_TASK_BINARY ? 2 : all->data->n_classes); k++) {
        int64_t n = 0;
        for (int64_t i = 0; i < all->n; i++) n += label_of(all, i) == (float)k;
        if (n > 0 && n < all->n) json_array_append_new(rows, means(all, k));
    }
    return rows;
}

static json_t *reals(const float *values, int64_t n)
{
    json_t *array = json_array();
    for (int64_t i = 0; i < n; i++) json_array_append_new(array, l2r_json_real((double)values[i]));
    return array;
}

static json_t *settings_to_json(const struct l2r_explain_settings *s)
{
    static const char *const kinds[] = {"gnnexplainer", "occlusion", "shapley", "gates"};
    return json_pack("{s:s, s:I, s:s, s:o, s:I, s:f, s:I, s:f, s:f, s:f, s:I, s:i, s:I}", "explainer",
                     kinds[s->explainer], "samples", (json_int_t)s->samples, "target",
                     s->use_label ? "label" : "prediction", "task",
                     s->task_name ? json_string(s->task_name) : json_integer(s->task), "steps", (json_int_t)s->steps,
                     "lr", s->learning_rate, "restarts", (json_int_t)s->restarts, "edge-size", s->edge_size,
                     "edge-entropy", s->edge_entropy, "feature-size", s->feature_size, "important",
                     (json_int_t)s->n_important, "motif", (int)s->motif, "seed", (json_int_t)s->seed);
}

/* A label, or a target: the class's word or the source's integer; 0, 1 or a value otherwise; null where there is
 * none. */
static json_t *label_to_json(float label, const char *word, const int64_t *class_value)
{
    if (word) return l2r_json_name(word);
    return class_value && !isnan(label) ? json_integer(class_value[(int64_t)label]) : l2r_json_real((double)label);
}

static json_t *labels_to_json(const struct l2r_dataset *d, int32_t graph)
{
    const float *labels = d->labels + (int64_t)graph * d->n_tasks;
    const int64_t *values = d->task == L2R_TASK_MULTICLASS ? d->class_value : NULL;
    json_t *array = json_array();
    for (int32_t k = 0; k < d->n_tasks; k++) {
        const char *sign = l2r_dataset_bound_sign(d, graph, k);
        char bound[40];
        l2r_decimal_print(bound, sizeof bound, "%s%.9g", sign, (double)labels[k]);
        json_t *label = label_to_json(labels[k], *sign ? bound : word_of(d, labels[k], k), values);
        if (d->n_tasks == 1) {
            json_decref(array);
            return label;
        }
        json_array_append_new(array, label);
    }
    return array;
}

static json_t *targets_to_json(const struct l2r_explanation *e, const struct l2r_signature *s)
{
    const int64_t *values = s->task == L2R_TASK_MULTICLASS ? s->class_value : NULL;
    if (s->n_tasks == 1) return label_to_json(e->target[0], target_word(s, e->target[0], 0), values);
    json_t *array = json_array();
    for (int32_t k = 0; k < s->n_tasks; k++)
        json_array_append_new(array, label_to_json(e->target[k], target_word(s, e->target[k], k), values));
    return array;
}

double l2r_explanation_sum(const struct l2r_explanation *e)
{
    double sum = e->adds_up ? 0 : (double)NAN;
    for (int64_t v = 0; e->adds_up && v < e->n_nodes; v++) sum += (double)e->node_effect[v];
    return sum;
}

json_t *l2r_explanation_to_json(const struct l2r_explanation *e, const struct l2r_signature *s,
                                const struct l2r_dataset *d)
{
    json_t *graph = json_object(), *edges = json_array();
    const char *smiles = l2r_dataset_smiles(d, e->graph), *name = l2r_dataset_row_name(d, e->graph);
    json_object_set_new(graph, "graph", json_integer(e->graph));
    if (d->source_line) json_object_set_new(graph, "line", json_integer(d->source_line[e->graph]));
    if (name) json_object_set_new(graph, "name", l2r_json_name(name));
    if (smiles) json_object_set_new(graph, "smiles", l2r_json_name(smiles));
    json_object_set_new(graph, "label", labels_to_json(d, e->graph));
    json_object_set_new(graph, "target", targets_to_json(e, s));
    json_object_set_new(graph, "p", l2r_json_real(e->p));
    json_object_set_new(graph, "p_without", l2r_json_real(e->p_without));
    json_object_set_new(graph, "p_only", l2r_json_real(e->p_only));
    for (int score = 1; l2r_explanation_score_names[score]; score++)
        json_object_set_new(graph, l2r_explanation_score_names[score], l2r_json_real(score_at(e, score)));
    if (e->node_effect) {
        json_object_set_new(graph, "node_contributions", reals(e->node_effect, e->n_nodes));
        json_object_set_new(graph, "edge_contributions", reals(e->edge_effect, e->n_edges));
        json_object_set_new(graph, "sum", l2r_json_real(l2r_explanation_sum(e)));
    }
    if (e->n_members > 1) {
        json_object_set_new(graph, "members", json_integer(e->n_members));
        json_object_set_new(graph, "members_explained", json_integer(e->n_explained));
    }
    if (e->saturated) json_object_set_new(graph, "saturated", json_true());
    json_object_set_new(graph, "columns", reals(e->column, e->n_columns));
    json_object_set_new(graph, "nodes", reals(e->node, e->n_nodes));
    for (int64_t i = 0; i < e->n_edges; i++)
        json_array_append_new(edges, json_pack("[i, i, f, b]", (int)e->ends[2 * i], (int)e->ends[2 * i + 1],
                                               (double)e->edge[i], (int)e->important[i]));
    json_object_set_new(graph, "edges", edges);
    return graph;
}

/* Rows of the table that hold no molecule. */
static json_t *skipped_to_json(const struct l2r_dataset *data)
{
    json_t *rows = json_array();
    char reason[200];
    int64_t line, n = l2r_notes_dropped(data, 0, NULL, NULL, 0);
    for (int64_t i = 0; i < n; i++) {
        (void)l2r_notes_dropped(data, i, &line, reason, sizeof reason);
        if (line < 0) break; /* only counted */
        json_array_append_new(rows,
                              json_pack("{s:I, s:o}", "line", (json_int_t)line, "problem", l2r_json_name(reason)));
    }
    return rows;
}

static enum l2r_status write_json(const struct l2r_explained *all, const char *path, struct l2r_error *error)
{
    json_t *graphs = json_array(), *root = json_object();
    struct l2r_subject subject;
    char sentence[1600];
    enum l2r_status status = l2r_subject_init(&subject, all->model, all->settings->explainer, error);
    for (int64_t i = 0; i < all->n; i++)
        json_array_append_new(
            graphs, l2r_explanation_to_json(all->explanations[i], l2r_committee_signature(all->model), all->data));
    json_object_set_new(root, "run", l2r_json_name(all->run));
    json_object_set_new(root, "model", json_string(all->model->members[0]->type->name));
    if (status == L2R_OK && all->model->n > 1) {
        l2r_subject_describe(sentence, sizeof sentence, &subject);
        json_object_set_new(root, "members", l2r_subject_to_json(&subject));
        if (*sentence) json_object_set_new(root, "explained", json_string(sentence));
    }
    json_object_set_new(root, "data", l2r_json_name(all->data_name));
    json_object_set_new(root, "settings", settings_to_json(all->settings));
    if (l2r_notes_dropped(all->data, 0, NULL, NULL, 0) > 0)
        json_object_set_new(root, "skipped", skipped_to_json(all->data));
    json_object_set_new(root, "summary", l2r_explanations_summary(all));
    json_object_set_new(root, "graphs", graphs);
    if (status == L2R_OK) status = l2r_json_write(root, path, error);
    json_decref(root);
    l2r_subject_clear(&subject);
    return status;
}

/* A JSON value as a field: several tasks are separated by blanks. */
static void write_value(FILE *out, json_t *value)
{
    char text[32] = "";
    fputc(',', out);
    for (size_t k = 0; json_is_array(value) && k < json_array_size(value); k++) {
        const json_t *one = json_array_get(value, k);
        fprintf(out, "%s", k > 0 ? " " : "");
        if (json_is_string(one))
            fputs(json_string_value(one), out);
        else if (json_is_number(one))
            l2r_decimal_write(out, "%.6g", json_number_value(one));
        else
            fputc('-', out);
    }
    if (json_is_string(value)) l2r_csv_write_first(out, ',', json_string_value(value));
    if (json_is_number(value)) l2r_decimal_print(text, sizeof text, "%.6g", json_number_value(value));
    fputs(text, out);
    json_decref(value);
}

/* A label or target of one task where one is explained, which a table can be sorted by; otherwise those of all. */
static json_t *of_explained(json_t *values, const struct l2r_explained *all)
{
    int32_t task = all->settings->task;
    if (!json_is_array(values) || task < 0 || (size_t)task >= json_array_size(values)) return values;
    json_t *one = json_incref(json_array_get(values, (size_t)task));
    json_decref(values);
    return one;
}

/* One row a graph, for people: its name and label, and the model's prediction. */
static enum l2r_status write_graphs(const struct l2r_explained *all, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic file = {0};
    L2R_TRY(l2r_atomic_open(&file, path, error));
    fputs("graph,line,name,smiles,label,target,answer,p,value,baseline,sum\n", file.stream);
    for (int64_t i = 0; i < all->n; i++) {
        const struct l2r_explanation *e = all->explanations[i];
        const char *name = l2r_dataset_row_name(all->data, e->graph), *smiles = l2r_dataset_smiles(all->data, e->graph);
        bool probable = l2r_committee_signature(all->model)->task != L2R_TASK_REGRESSION;
        fprintf(file.stream, "%d", (int)e->graph);
        write_value(file.stream, all->data->source_line ? json_integer(all->data->source_line[e->graph]) : json_null());
        l2r_csv_write_text(file.stream, ',', name ? name : "");
        l2r_csv_write_text(file.stream, ',', smiles ? smiles : "");
        write_value(file.stream, of_explained(labels_to_json(all->data, e->graph), all));
        write_value(file.stream, of_explained(targets_to_json(e, l2r_committee_signature(all->model)), all));
        write_value(file.stream, l2r_json_real(e->answer));
        write_value(file.stream, l2r_json_real(probable ? e->p : (double)NAN));
        write_value(file.stream, l2r_json_real(e->value));
        write_value(file.stream, l2r_json_real(e->baseline));
        write_value(file.stream, l2r_json_real(l2r_explanation_sum(e)));
        fputc('\n', file.stream);
    }
done:
    return l2r_atomic_close(&file, status, error);
}

static enum l2r_status write_edges(const struct l2r_explained *all, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic file = {0};
    L2R_TRY(l2r_atomic_open(&file, path, error));
    fprintf(file.stream, "graph,u,v,importance,important,contribution\n");
    for (int64_t g = 0; g < all->n; g++) {
        const struct l2r_explanation *e = all->explanations[g];
        for (int64_t i = 0; i < e->n_edges; i++) {
            l2r_decimal_write(file.stream, "%d,%d,%d,%.6g,%d,", (int)e->graph, (int)e->ends[2 * i],
                              (int)e->ends[2 * i + 1], (double)e->edge[i], (int)e->important[i]);
            if (e->edge_effect) l2r_decimal_write(file.stream, "%.6g", (double)e->edge_effect[i]);
            fputc('\n', file.stream);
        }
    }
done:
    return l2r_atomic_close(&file, status, error);
}

static enum l2r_status write_nodes(const struct l2r_explained *all, const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic file = {0};
    L2R_TRY(l2r_atomic_open(&file, path, error));
    fprintf(file.stream, "graph,node,importance,mark,contribution\n");
    for (int64_t g = 0; g < all->n; g++) {
        const struct l2r_explanation *e = all->explanations[g];
        for (int64_t v = 0; v < e->n_nodes; v++) {
            l2r_decimal_write(file.stream, "%d,%lld,%.6g,", (int)e->graph, (long long)v, (double)e->node[v]);
            if (e->mark) fprintf(file.stream, "%d", (int)e->mark[v]);
            fputc(',', file.stream);
            if (e->node_effect) l2r_decimal_write(file.stream, "%.6g", (double)e->node_effect[v]);
            fputc('\n', file.stream);
        }
    }
done:
    return l2r_atomic_close(&file, status, error);
}

enum l2r_status l2r_explanations_write(const struct l2r_explained *all, const char *dir, struct l2r_error *error)
{
    static const struct {
        const char *name;
        enum l2r_status (*write)(const struct l2r_explained *all, const char *path, struct l2r_error *error);
    } files[] = {{"graphs.csv", write_graphs},
                 {"edges.csv", write_edges},
                 {"nodes.csv", write_nodes},
                 {"explanations.json", write_json}};
    enum l2r_status status = L2R_OK;
    char path[4096];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        L2R_TRY(l2r_path_join(path, sizeof path, dir, files[i].name, error));
        L2R_TRY(files[i].write(all, path, error));
    }
done:
    return status;
}
