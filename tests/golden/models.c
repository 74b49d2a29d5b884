/* SPDX-License-Identifier: MIT
 *
 * GCN and GIN against PyTorch: golden/models/NAME.safetensors, written by export_models.py, holds graphs, initial numbers and
 * what an independent implementation makes of them. Compared here, for every file in the folder:
 *
 *     training mode      outputs, loss and the gradient of every parameter
 *     ten Adam steps     the loss before each, then all parameters and running statistics
 *     evaluation mode    predictions in the targets' own units, scored in batches of 3
 *
 * Criterion, element by element:  |found − expected| <= tolerance · max(|expected|, rms of the expected tensor).
 * models_f64.c builds this file once more in double with a tighter tolerance (the files hold float32).
 *
 * Biases right before a batch norm have a gradient of 0 but for rounding, which Adam would turn into steps of full size. The
 * reference lists them as "still" and does not train them. Here their gradient is shown to be rounding, then set to 0.
 */
#include "data/builder.h"
#include "train/optimiser.h"
#include "train/run.h"
#include "train/safetensors.h"
#include "train/score.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_CASES = 64, FEWEST_CASES = 24 };

static const double tolerance = sizeof(l2r_real) == 8 ? 2e-7 : 1e-4;
static const double rounding = sizeof(l2r_real) == 8 ? 1e-12 : 1e-5; /* of a gradient that should be 0 */

struct golden {
    struct l2r_safetensors *file;
    json_t *places, *still; /* {"head.weight": [offset, rows, cols], …}, ["layers.0.mlp.0.bias", …] */
    struct l2r_dataset *data;
    struct l2r_config *config;
    struct l2r_arena arena; /* signature, class weights, numbers of the graphs */
    struct l2r_network network;
    struct l2r_tape tape;
    int32_t *graphs; /* 0 … n-1 */
    l2r_real *weights;
};

static void must(enum l2r_status status, const struct l2r_error *error)
{
    if (status != L2R_OK) fail_msg("%s", error->message);
}

static const struct l2r_tensor *tensor(const struct golden *g, const char *name)
{
    const struct l2r_tensor *found = l2r_safetensors_find(g->file, name);
    if (!found) fail_msg("the file has no tensor %s", name);
    return found;
}

static json_t *parsed(const struct golden *g, const char *key)
{
    json_t *value = json_loads(l2r_safetensors_metadata(g->file, key), 0, NULL);
    assert_non_null(value);
    return value;
}

/* found [n] against elements first .. first + n of a tensor. */
static void expect_close(const l2r_real *found, const struct l2r_tensor *expected, int64_t first, int64_t n,
                         const char *what)
{
    const float *wanted = (const float *)expected->data + first;
    double square = 0;
    for (int64_t i = 0; i < n; i++) square += (double)wanted[i] * (double)wanted[i];
    double rms = sqrt(square / (double)n);
    for (int64_t i = 0; i < n; i++) {
        double bound = tolerance * fmax(fabs((double)wanted[i]), rms);
        if (!(fabs((double)found[i] - (double)wanted[i]) <= bound))
            fail_msg("%s, %s[%lld]: %.9g, expected %.9g (±%.1g)", expected->name, what, (long long)i, (double)found[i],
                     (double)wanted[i], bound);
    }
}

static void read_vocabulary(int32_t out[8], const json_t *list)
{
    for (size_t k = 0; k < json_array_size(list); k++) out[k] = (int32_t)json_integer_value(json_array_get(list, k));
}

static enum l2r_task task_of(const char *name)
{
    if (strcmp(name, "multiclass") == 0) return L2R_TASK_MULTICLASS;
    return strcmp(name, "binary") == 0 ? L2R_TASK_BINARY : L2R_TASK_REGRESSION;
}

static void build_data(struct golden *g)
{
    struct l2r_builder *builder;
    struct l2r_error error;
    int32_t node_vocabulary[8], edge_vocabulary[8];
    json_t *vocabulary = parsed(g, "vocabulary");
    read_vocabulary(node_vocabulary, json_array_get(vocabulary, 0));
    read_vocabulary(edge_vocabulary, json_array_get(vocabulary, 1));
    json_decref(vocabulary);
    const int32_t *nodes = tensor(g, "graph.nodes")->data, *edges = tensor(g, "graph.edges")->data;
    const struct l2r_tensor *node_rows = tensor(g, "node_rows"), *edge_rows = tensor(g, "edge_rows"),
                            *reals = tensor(g, "node_real"), *labels = tensor(g, "labels");
    struct l2r_schema schema = {.name = "golden",
                                .task = task_of(l2r_safetensors_metadata(g->file, "task")),
                                .n_tasks = (int32_t)labels->shape[1],
                                .n_node_columns = (int32_t)node_rows->shape[1],
                                .n_edge_columns = (int32_t)edge_rows->shape[1],
                                .n_node_reals = (int32_t)reals->shape[1],
                                .node_vocabulary = node_vocabulary,
                                .edge_vocabulary = edge_vocabulary};
    must(l2r_builder_new(&builder, &schema, &error), &error);
    int64_t node = 0, edge = 0;
    for (int64_t i = 0; i < labels->shape[0]; i++) {
        struct l2r_graph_view view = {.n_nodes = nodes[i],
                                      .n_edges = edges[i],
                                      .edges = (const int32_t *)tensor(g, "edges")->data + 2 * edge,
                                      .node_rows = (const int32_t *)node_rows->data + node * schema.n_node_columns,
                                      .edge_rows = (const int32_t *)edge_rows->data + edge * schema.n_edge_columns,
                                      .node_real = (const float *)reals->data + node * schema.n_node_reals,
                                      .labels = (const float *)labels->data + i * schema.n_tasks,
                                      .part = L2R_PART_NONE};
        must(l2r_builder_add(builder, &view, &error), &error);
        node += nodes[i];
        edge += edges[i];
    }
    must(l2r_builder_finish(&g->data, builder, &error), &error);
    l2r_builder_free(builder);
}

static void build_config(struct golden *g)
{
    struct l2r_error error;
    json_t *options = parsed(g, "options");
    must(l2r_config_new(&g->config, &error), &error);
    must(l2r_run_declare(g->config, l2r_safetensors_metadata(g->file, "model"), "erm", &error), &error);
    must(l2r_config_from_json(g->config, options, "options", &error), &error);
    json_decref(options);
}

/* A tensor of per-graph or per-class numbers that not every case has. */
static l2r_real *optional(struct golden *g, const char *name)
{
    const struct l2r_tensor *found = l2r_safetensors_find(g->file, name);
    if (!found) return NULL;
    l2r_real *copy = l2r_arena_alloc(&g->arena, (size_t)found->shape[0], sizeof *copy);
    for (int64_t i = 0; i < found->shape[0]; i++) copy[i] = (l2r_real)((const float *)found->data)[i];
    return copy;
}

/* Where the file keeps this parameter; the shapes must agree. */
static int64_t place_of(const struct golden *g, const struct l2r_param *p)
{
    const json_t *place = json_object_get(g->places, p->name);
    if (!place) fail_msg("the reference has no %s", p->name);
    assert_int_equal(json_integer_value(json_array_get(place, 1)), p->rows);
    assert_int_equal(json_integer_value(json_array_get(place, 2)), p->cols);
    return json_integer_value(json_array_get(place, 0));
}

static void build_network(struct golden *g)
{
    struct l2r_error error;
    struct l2r_signature signature;
    const struct l2r_model_type *type = l2r_model_find(l2r_config_text(g->config, "model"));
    must(l2r_signature_make(&signature, &g->arena, g->data, g->graphs, g->data->n_graphs, &error), &error);
    must(l2r_network_init(&g->network, type, g->config, &signature, 0, &error), &error);
    g->network.class_weight = optional(g, "class_weight");
    g->weights = optional(g, "weights");
    assert_int_equal(json_object_size(g->places), g->network.params.count);
    for (size_t i = 0; i < g->network.params.count; i++) {
        struct l2r_param *p = g->network.params.items[i];
        const float *initial = (const float *)tensor(g, "initial")->data + place_of(g, p);
        for (int64_t k = 0; k < p->rows * p->cols; k++) p->value[k] = (l2r_real)initial[k];
    }
}

static struct golden open_golden(const char *path)
{
    struct golden g = {0};
    struct l2r_error error;
    must(l2r_safetensors_read(&g.file, path, &error), &error);
    g.places = parsed(&g, "places");
    g.still = parsed(&g, "still");
    l2r_arena_init(&g.arena);
    l2r_tape_init(&g.tape);
    build_data(&g);
    build_config(&g);
    g.graphs = l2r_arena_alloc(&g.arena, (size_t)g.data->n_graphs, sizeof *g.graphs);
    for (int32_t i = 0; i < g.data->n_graphs; i++) g.graphs[i] = i;
    build_network(&g);
    return g;
}

static void close_golden(struct golden *g)
{
    l2r_network_clear(&g->network);
    l2r_tape_clear(&g->tape);
    l2r_arena_clear(&g->arena);
    l2r_config_free(g->config);
    l2r_dataset_free(g->data);
    json_decref(g->places);
    json_decref(g->still);
    l2r_safetensors_free(g->file);
}

/* One pass forward and back over all graphs. Returns the outputs (until the next pass) and the loss. */
static const l2r_real *differentiate(struct golden *g, l2r_real *loss, uint64_t step)
{
    struct l2r_batch batch;
    struct l2r_error error;
    l2r_tape_reset(&g->tape);
    must(l2r_batch_make(&batch, &g->tape.arena, g->data, g->graphs, g->data->n_graphs, &error), &error);
    l2r_tape_mode_train(&g->tape, 0, step);
    l2r_node output = l2r_network_output(&g->network, &g->tape, l2r_network_represent(&g->network, &g->tape, &batch));
    l2r_node losses = l2r_network_losses(&g->network, &g->tape, &batch, output);
    l2r_node total = l2r_weighted_mean(&g->tape, losses, g->weights);
    l2r_params_zero_grad(&g->network.params);
    l2r_tape_backward(&g->tape, total);
    must(g->tape.status, &g->tape.error);
    *loss = l2r_value_of(&g->tape, total)->data[0];
    return l2r_value_of(&g->tape, output)->data;
}

static bool is_still(const struct golden *g, const struct l2r_param *p)
{
    size_t i;
    json_t *name;
    json_array_foreach(g->still, i, name) if (strcmp(json_string_value(name), p->name) == 0) return true;
    return false;
}

/* Gradients of still tensors are rounding, compared with the largest gradient of the network; then 0. */
static void settle_still(struct golden *g)
{
    struct l2r_params *params = &g->network.params;
    double largest = 0;
    for (int64_t i = 0; i < params->n_trainable; i++) largest = fmax(largest, fabs((double)params->grad[i]));
    for (size_t i = 0; i < params->count; i++) {
        struct l2r_param *p = params->items[i];
        for (int64_t k = 0; p->trainable && is_still(g, p) && k < p->rows * p->cols; k++) {
            if (!(fabs((double)p->grad[k]) <= rounding * largest))
                fail_msg("the gradient of %s[%lld] is %g, expected 0", p->name, (long long)k, (double)p->grad[k]);
            p->grad[k] = 0;
        }
    }
}

static void expect_gradients(const struct golden *g)
{
    for (size_t i = 0; i < g->network.params.count; i++) {
        const struct l2r_param *p = g->network.params.items[i];
        if (p->trainable && !is_still(g, p))
            expect_close(p->grad, tensor(g, "gradient"), place_of(g, p), p->rows * p->cols, p->name);
    }
}

static void expect_predictions(struct golden *g)
{
    struct l2r_error error;
    int64_t n = g->data->n_graphs, outputs = l2r_signature_outputs(&g->network.signature);
    float *scored = l2r_arena_alloc(&g->arena, (size_t)(n * outputs), sizeof *scored);
    l2r_real *found = l2r_arena_alloc(&g->arena, (size_t)(n * outputs), sizeof *found);
    must(l2r_score(scored, NULL, &g->network, &g->tape, g->data, g->graphs, n, 3, &error), &error);
    for (int64_t i = 0; i < n * outputs; i++) found[i] = (l2r_real)scored[i];
    expect_close(found, tensor(g, "prediction"), 0, n * outputs, "evaluation mode");
}

static void agrees_with_torch(void **state)
{
    struct golden g = open_golden(*state);
    struct l2r_optimiser adam;
    struct l2r_error error;
    struct l2r_params *params = &g.network.params;
    const struct l2r_tensor *losses = tensor(&g, "losses");
    must(l2r_optimiser_init(&adam, "adam", params->n_trainable, &error), &error);
    assert_int_equal(losses->shape[0], 10);
    for (int64_t step = 0; step < losses->shape[0]; step++) {
        l2r_real loss;
        const l2r_real *output = differentiate(&g, &loss, (uint64_t)step);
        if (step == 0) {
            expect_close(output, tensor(&g, "output"), 0,
                         g.data->n_graphs * l2r_signature_outputs(&g.network.signature), "training mode");
            expect_gradients(&g);
        }
        expect_close(&loss, losses, step, 1, "loss");
        settle_still(&g);
        l2r_optimiser_step(&adam, params->value, params->grad, params->n_trainable, l2r_config_real(g.config, "lr"));
    }
    for (size_t i = 0; i < params->count; i++) {
        const struct l2r_param *p = params->items[i];
        expect_close(p->value, tensor(&g, "final"), place_of(&g, p), p->rows * p->cols, p->name);
    }
    expect_predictions(&g);
    l2r_optimiser_clear(&adam);
    close_golden(&g);
}

int main(void)
{
    static struct CMUnitTest tests[MOST_CASES];
    glob_t files;
    if (glob(L2R_TEST_DIR "/golden/models/*.safetensors", 0, NULL, &files) != 0 || files.gl_pathc < FEWEST_CASES ||
        files.gl_pathc > MOST_CASES)
        return EXIT_FAILURE;
    for (size_t i = 0; i < files.gl_pathc; i++)
        tests[i] = (struct CMUnitTest){.name = strrchr(files.gl_pathv[i], '/') + 1,
                                       .test_func = agrees_with_torch,
                                       .initial_state = files.gl_pathv[i]};
    int failures = _cmocka_run_group_tests("models", tests, files.gl_pathc, NULL, NULL);
    globfree(&files);
    return failures;
}
