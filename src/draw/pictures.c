/* SPDX-License-Identifier: MIT
 * See pictures.h. */
#include "draw/pictures.h"

#include "base/decimal.h"
#include "base/memory.h"
#include "base/threads.h"
#include "chem/molecule.h"
#include "data/formats/ogb/ogb.h"
#include "metrics/metrics.h"
#include "metrics/probability.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { OGB_ATOM_COLUMNS = 9, OGB_ELEMENTS = 119 };

/* "label active", "label 1", "no label". */
static void write_truth(char *out, size_t size, const struct l2r_dataset *data, int32_t graph, int32_t task)
{
    float label = task < data->n_tasks ? data->labels[(int64_t)graph * data->n_tasks + task] : NAN;
    const char *word =
        isnan(label) || data->task == L2R_TASK_REGRESSION ? NULL : l2r_dataset_class_name(data, task, (int32_t)label);
    if (isnan(label))
        snprintf(out, size, "no label");
    else if (word != NULL)
        snprintf(out, size, "label %.40s", word);
    else if (data->task == L2R_TASK_MULTICLASS)
        snprintf(out, size, "label %lld", (long long)data->class_value[(int64_t)label]);
    else
        l2r_decimal_print(out, size, "label %s%.3g", l2r_dataset_bound_sign(data, graph, task), (double)label);
}

/* "predicted active (p = 0.98)", "predicted 3.2", "p(1) = 0.98". */
static void write_answer(char *out, size_t size, const struct l2r_predictor *predictor, const struct l2r_explanation *e,
                         const float *output, int32_t task)
{
    const struct l2r_signature *s = l2r_predictor_signature(predictor);
    bool classes = s->task == L2R_TASK_MULTICLASS;
    int32_t best = classes ? l2r_decide(e->output, s->class_weight, s->task, l2r_signature_outputs(s), 0) : 0;
    const char *word = l2r_predictor_class_name(predictor, classes ? 0 : task, classes ? best : 1);
    if (classes && word != NULL)
        l2r_decimal_print(out, size, "predicted %.40s (p = %.2f)", word, (double)output[best]);
    else if (classes)
        l2r_decimal_print(out, size, "predicted %lld (p = %.2f)", (long long)l2r_predictor_class(predictor, best),
                          (double)output[best]);
    else if (l2r_predictor_task(predictor) == L2R_TASK_REGRESSION)
        l2r_decimal_print(out, size, "predicted %.3g", (double)output[task]);
    else
        l2r_decimal_print(out, size, "p(%.40s) = %.2f", word != NULL ? word : "1", (double)output[task]);
}

/* "graph 17: predicted 1 (p = 0.98), label 1"; of a table "graph 17, line 19". output [outputs]: probabilities, or
 * values in their own units. */
static void write_title(char *title, size_t size, const struct l2r_picture_source *source,
                        const struct l2r_explanation *e, const float *output)
{
    const struct l2r_dataset *data = source->data;
    int32_t graph = e->graph, task = 0, tasks = l2r_predictor_signature(source->predictor)->n_tasks;
    char truth[64], shown[96], name[64];
    while (task + 1 < tasks && isnan(e->target[task])) task++; /* the first that is explained */
    const char *of = l2r_predictor_task_name(source->predictor, task);
    write_truth(truth, sizeof truth, data, graph, task);
    write_answer(shown, sizeof shown, source->predictor, e, output, task);
    if (data->source_line != NULL)
        snprintf(name, sizeof name, "graph %d, line %lld", (int)graph, (long long)data->source_line[graph]);
    else
        snprintf(name, sizeof name, "graph %d", (int)graph);
    if (tasks == 1)
        snprintf(title, size, "%s: %s, %s", name, shown, truth);
    else if (of != NULL)
        snprintf(title, size, "%s: %.40s: %s, %s", name, of, shown, truth);
    else
        snprintf(title, size, "%s: task %d of %d: %s, %s", name, (int)task + 1, (int)tasks, shown, truth);
}

/* "0.31", "−0.04": two decimals with a minus sign that is one. */
static const char *two_decimals(char out[16], double value)
{
    l2r_decimal_print(out, 16, "%s%.2f", value <= -0.005 ? "−" : "", fabs(value));
    return out;
}

/* Adds a line, which is cut where the caption is full. */
static void add_line(char *caption, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void add_line(char *caption, size_t size, const char *format, ...)
{
    size_t n = strlen(caption);
    va_list arguments;
    if (n > 0 && n + 1 < size) caption[n++] = '\n', caption[n] = '\0';
    va_start(arguments, format);
    l2r_decimal_vprint(caption + n, size - n, format, arguments);
    va_end(arguments);
}

/* Which prediction is explained, if it is not the one in the title, and whether contributions add up to it. */
static void write_subject(char *caption, size_t size, const struct l2r_explanation *e, enum l2r_task task,
                          bool molecule)
{
    bool part = e->n_explained < e->n_members, values = task == L2R_TASK_REGRESSION;
    char shown[64];
    if (values)
        l2r_decimal_print(shown, sizeof shown, "%.3g", e->value);
    else
        l2r_decimal_print(shown, sizeof shown, "p = %.2g, log-odds %.3g", l2r_sigmoid(e->value), e->value);
    if (part && isnan(e->value))
        add_line(caption, size, "explained: %d of %d members, target p = %.2f", (int)e->n_explained, (int)e->n_members,
                 e->p);
    else if (part)
        add_line(caption, size, "explained: %d of %d members, prediction %s", (int)e->n_explained, (int)e->n_members,
                 shown);
    else if (e->node_effect && !values)
        add_line(caption, size, "log-odds %.3g", e->value);
    if (e->adds_up)
        add_line(caption, size, "baseline %.3g, %s %+.3g, together %.3g", e->baseline, molecule ? "atoms" : "nodes",
                 l2r_explanation_sum(e), e->value);
    else if (e->node_effect)
        add_line(caption, size, "shades: the change without one %s;\nthey need not add up",
                 molecule ? "atom or bond" : "node or edge");
}

/* Scores of the explanation; what is explained; a note on masks that are all equal; the molecule. */
static void write_caption(char *caption, size_t size, const struct l2r_explanation *e, enum l2r_task task,
                          const char *motif, const char *smiles, const char *name)
{
    char plus[16], minus[16];
    caption[0] = '\0';
    write_subject(caption, size, e, task, smiles != NULL);
    if (e->saturated)
        add_line(caption, size, "all masks are equal: no edge stands out");
    else
        add_line(caption, size, "fidelity+ = %s, fidelity− = %s, sparsity %.2f", two_decimals(plus, e->fidelity_plus),
                 two_decimals(minus, e->fidelity_minus), e->sparsity);
    if (!isnan(e->node_auc))
        add_line(caption, size, "AUC against the %s %.2f", motif != NULL ? motif : "planted motif", e->node_auc);
    if (name != NULL) add_line(caption, size, "%.90s", name);
    if (smiles != NULL) add_line(caption, size, "%.90s%s", smiles, strlen(smiles) > 90 ? "…" : "");
}

enum l2r_status l2r_picture_label(struct l2r_picture *picture, const struct l2r_dataset *data, int32_t graph,
                                  struct l2r_error *error)
{
    const struct l2r_categories *nodes = &data->nodes;
    int64_t first = data->node_start[graph], n = l2r_dataset_nodes_of(data, graph);
    bool atoms = nodes->n_columns == OGB_ATOM_COLUMNS && nodes->vocabulary[0] == OGB_ELEMENTS;
    bool single = nodes->n_columns == 1 && nodes->vocabulary[0] > 1;
    if (!atoms && !single) return L2R_OK;
    picture->text = l2r_alloc((size_t)n, sizeof *picture->text);
    picture->label = l2r_alloc((size_t)n, sizeof *picture->label);
    if (picture->text == NULL || picture->label == NULL)
        return l2r_fail_memory(error, 16 * (size_t)n, "the labels of a drawing");
    for (int64_t v = 0; v < n; v++) {
        int32_t category = nodes->rows[nodes->type[first + v] * nodes->n_columns];
        long long value = nodes->n_values > 0 ? (long long)nodes->value[category] : category;
        if (atoms)
            snprintf(picture->text[v], sizeof *picture->text, "%s", l2r_element_symbol(category + 1));
        else
            snprintf(picture->text[v], sizeof *picture->text, "%d", (int)(value % 1000000));
        picture->label[v] = picture->text[v];
    }
    return L2R_OK;
}

/* The model's answer as probabilities. */
static enum l2r_status copy_answer(float **output, const struct l2r_predictor *predictor,
                                   const struct l2r_explanation *e, struct l2r_error *error)
{
    size_t n = (size_t)l2r_predictor_n_outputs(predictor);
    *output = l2r_alloc(n, sizeof **output);
    if (*output == NULL) return l2r_fail_memory(error, n * sizeof **output, "a prediction");
    memcpy(*output, e->output, n * sizeof **output);
    l2r_predictor_probabilities(*output, predictor, 1);
    return L2R_OK;
}

/* What is shaded: importance with the sign of the contribution, and of a molecule whose explanation has a given size
 * that many atoms and bonds alone. */
static enum l2r_status choose_shades(struct l2r_picture *picture, const struct l2r_explanation *e, bool molecule,
                                     struct l2r_error *error)
{
    bool few = molecule && e->important_node != NULL;
    if (!e->node_effect && !few) return L2R_OK;
    picture->node = l2r_alloc((size_t)e->n_nodes, sizeof *picture->node);
    picture->edge = l2r_alloc((size_t)e->n_edges, sizeof *picture->edge);
    if (!picture->node || !picture->edge) return l2r_fail_memory(error, (size_t)e->n_nodes * 8, "a drawing's shades");
    for (int64_t v = 0; v < e->n_nodes; v++)
        if (!few || e->important_node[v])
            picture->node[v] = e->node_effect && e->node_effect[v] < 0 ? -e->node[v] : e->node[v];
    for (int64_t i = 0; i < e->n_edges; i++)
        if (!few || e->important[i])
            picture->edge[i] = e->edge_effect && e->edge_effect[i] < 0 ? -e->edge[i] : e->edge[i];
    return L2R_OK;
}

enum l2r_status l2r_picture_init(struct l2r_picture *picture, const struct l2r_picture_source *source,
                                 const struct l2r_explanation *e, const char *smiles, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    float *output = NULL;
    *picture = (struct l2r_picture){0};
    L2R_TRY(copy_answer(&output, source->predictor, e, error));
    L2R_TRY(l2r_picture_label(picture, source->data, e->graph, error));
    for (int mark = 1; mark <= 2; mark++)
        picture->mark_name[mark - 1] = l2r_motif_shape(e->mark, e->n_nodes, e->ends, e->n_edges, mark);
    L2R_TRY(choose_shades(picture, e, smiles != NULL, error));
    write_title(picture->title, sizeof picture->title, source, e, output);
    write_caption(picture->caption, sizeof picture->caption, e, l2r_predictor_task(source->predictor),
                  picture->mark_name[0], smiles, l2r_dataset_row_name(source->data, e->graph));
    picture->drawing = (struct l2r_drawing){.n_nodes = (int32_t)e->n_nodes,
                                            .n_edges = e->n_edges,
                                            .edges = e->ends,
                                            .node_importance = picture->node ? picture->node : e->node,
                                            .edge_importance = picture->edge ? picture->edge : e->edge,
                                            .is_signed = e->node_effect != NULL,
                                            .edge_chosen = e->important,
                                            .node_mark = e->mark,
                                            .mark_name = picture->mark_name,
                                            .node_label = picture->label,
                                            .smiles = smiles,
                                            .title = picture->title,
                                            .caption = picture->caption};
done:
    l2r_free(output);
    return status;
}

void l2r_picture_clear(struct l2r_picture *picture)
{
    l2r_free(picture->node);
    l2r_free(picture->edge);
    l2r_free(picture->text);
    l2r_free(picture->label);
    *picture = (struct l2r_picture){0};
}

/* One chunk a picture; what failed is kept for each. */
struct drawing_job {
    const char *dir;
    struct l2r_picture *pictures;
    struct l2r_explanation *const *explanations;
    unsigned formats;
    struct l2r_error *errors;     /* [n] */
    struct l2r_painter *painters; /* [threads] */
};

static void draw_one(void *context, int64_t i)
{
    struct drawing_job *job = context;
    struct l2r_error *error = &job->errors[i];
    char stem[4096], *svg = NULL;
    if (snprintf(stem, sizeof stem, "%s/graph-%d", job->dir, (int)job->explanations[i]->graph) >= (int)sizeof stem)
        l2r_fail(error, L2R_ERR_ARGUMENT, "the path %.100s… is too long", job->dir);
    else if (l2r_drawing_svg(&svg, &job->pictures[i].drawing, error) == L2R_OK)
        l2r_svg_write(&job->painters[l2r_worker()], svg, stem, job->formats, error);
    l2r_free(svg);
}

/* One painter for each thread that will have something to paint, started before the threads. */
static enum l2r_status start_painters(struct drawing_job *job, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int threads = l2r_threads_get();
    for (int i = 0; i < threads && i < n && job->formats & L2R_DRAW_PNG; i++)
        L2R_TRY(l2r_painter_start(&job->painters[i], error));
done:
    return status;
}

enum l2r_status l2r_pictures_write(const char *dir, const struct l2r_picture_source *source,
                                   struct l2r_explanation *const *explanations, int64_t n, unsigned formats,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t count = (size_t)n;
    int threads = l2r_threads_get();
    struct drawing_job job = {.dir = dir, .explanations = explanations, .formats = formats};
    job.pictures = l2r_alloc(count, sizeof *job.pictures);
    job.errors = l2r_alloc(count, sizeof *job.errors);
    job.painters = l2r_alloc((size_t)threads, sizeof *job.painters);
    if (!job.pictures || !job.errors || !job.painters) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %zu drawings", count);
    for (int64_t i = 0; i < n; i++) {
        const char *smiles = source->where ? l2r_dataset_smiles(source->data, explanations[i]->graph) : NULL;
        L2R_TRY(l2r_picture_init(&job.pictures[i], source, explanations[i], smiles, error));
    }
    L2R_TRY(start_painters(&job, n, error));
    l2r_parallel(n, draw_one, &job);
    for (int64_t i = 0; i < n; i++)
        if (job.errors[i].status != L2R_OK) L2R_FAIL(job.errors[i].status, "%s", job.errors[i].message);
done:
    for (int64_t i = 0; i < n; i++) {
        if (job.pictures != NULL) l2r_picture_clear(&job.pictures[i]);
    }
    for (int i = 0; i < threads && job.painters != NULL; i++) l2r_painter_stop(&job.painters[i]);
    l2r_free(job.painters);
    l2r_free(job.pictures);
    l2r_free(job.errors);
    return status;
}

int64_t l2r_picture_edges(int32_t *ends, const struct l2r_dataset *data, int32_t graph)
{
    int64_t first = data->node_start[graph], n = 0;
    for (int64_t v = first; v < data->node_start[graph + 1]; v++)
        for (int64_t a = data->arc_start[v]; a < data->arc_start[v + 1]; a++) {
            if (data->neighbour[a] < v - first) continue;
            ends[2 * n] = (int32_t)(v - first);
            ends[2 * n++ + 1] = data->neighbour[a];
        }
    return n;
}

/* ---- Motifs ---- */

/* Recognises the motifs of the motif task (data/generators/motif.c) by their numbers of edges and degrees:
 *
 *     n nodes      edges     degrees
 *     star         n − 1     one n − 1
 *     circle       n         all 2
 *     wheel        2n − 2    one n − 1, the others 3
 *     diamond      2n − 3    at most 4, two nodes of degree 2
 *     grid         fewer than 2n − 2, at most 4
 */
struct counts {
    int64_t nodes, edges, largest, twos, threes;
};

/* Marked graphs come from generators and are small, so that counting a node's edges anew costs less than memory that
 * might not be there: a caption must not depend on that. */
static void count_degrees(struct counts *c, const uint8_t *mark, int64_t n_nodes, const int32_t *ends, int64_t n_edges,
                          int wanted)
{
    for (int64_t v = 0; v < n_nodes; v++) {
        int64_t degree = 0;
        if (mark[v] != wanted) continue;
        for (int64_t i = 0; i < n_edges; i++) {
            const int32_t *end = ends + 2 * i;
            if (mark[end[0]] == wanted && mark[end[1]] == wanted) degree += (end[0] == v) + (end[1] == v);
        }
        c->nodes++;
        c->edges += degree; /* each edge twice, halved below */
        c->twos += degree == 2;
        c->threes += degree == 3;
        if (degree > c->largest) c->largest = degree;
    }
    c->edges /= 2;
}

const char *l2r_motif_shape(const uint8_t *node_mark, int64_t n_nodes, const int32_t *ends, int64_t n_edges, int mark)
{
    struct counts c = {0};
    if (node_mark == NULL) return NULL;
    count_degrees(&c, node_mark, n_nodes, ends, n_edges, mark);
    if (c.nodes == 0) return NULL;
    int64_t n = c.nodes;
    if (n < 4) return "motif";
    if (c.edges == n - 1 && c.largest == n - 1) return "star";
    if (c.edges == n && c.twos == n) return "circle";
    if (c.edges == 2 * n - 2 && c.largest == n - 1 && c.threes >= n - 1) return "wheel";
    if (c.edges == 2 * n - 3 && c.largest <= 4 && c.twos == 2) return "diamond";
    if (c.edges < 2 * n - 2 && c.edges > n - 1 && c.largest <= 4) return "grid";
    return "motif";
}
