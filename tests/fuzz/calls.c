/* SPDX-License-Identifier: MIT
 *
 * Any bytes as a sequence of public calls with hostile arguments: numbers out of range, NULL, NaN, handles that are not
 * there yet or are finished. Every call succeeds, or is refused with a sentence, and whatever handles are left can be
 * used and freed.
 */
#include "call_answers.h"
#include "call_arrays.h"
#include "call_loop.h"
#include "support/temporary.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void build(struct handles *h, struct input *in, struct l2r_error *error)
{
    int32_t edges[8], rows[8], nodes = mostly(in, 1 + byte(in) % 4);
    float reals[8], labels[8];
    for (int i = 0; i < 8; i++) {
        labels[i] = byte(in) % 8 ? (float)(byte(in) % 2) : real(in);
        edges[i] = byte(in) < 250 ? byte(in) % (nodes > 0 ? nodes : 1) : number(in);
        rows[i] = byte(in) < 250 ? byte(in) % 3 : number(in);
        reals[i] = byte(in) < 250 ? 0.5f : real(in);
    }
    const struct l2r_schema schema = {.size = size_of(in, sizeof schema),
                                      .task = (enum l2r_task)mostly(in, byte(in) % 3),
                                      .n_tasks = mostly(in, 1),
                                      .n_node_columns = mostly(in, byte(in) % 2) % 3,
                                      .n_node_reals = mostly(in, 1) % 2,
                                      .degree_as_feature = byte(in) % 8 == 0};
    if (!h->builder) {
        check(l2r_builder_new(&h->builder, &schema, error), error);
        h->n_tasks = schema.n_tasks;
    }
    const struct l2r_graph_view graph = {.n_nodes = nodes < 5 ? nodes : 4,
                                         .n_edges = byte(in) % 5 - (byte(in) % 8 == 0),
                                         .edges = byte(in) % 8 ? edges : NULL,
                                         .node_rows = byte(in) % 8 ? rows : NULL,
                                         .node_real = byte(in) % 8 ? reals : NULL,
                                         .labels = h->n_tasks <= 8 && byte(in) % 8 ? labels : NULL,
                                         .part = mostly(in, L2R_PART_NONE)};
    for (int i = byte(in) % 4; i >= 0; i--) check(l2r_builder_add(h->builder, &graph, error), error);
    if (byte(in) % 4) return;
    struct l2r_dataset *made = NULL;
    check(l2r_builder_finish(&made, h->builder, error), error);
    l2r_builder_free(h->builder);
    h->builder = NULL;
    take(h, made);
}

static void read_handles(const struct handles *h, struct input *in)
{
    int64_t n;
    int32_t k = number(in);
    (void)l2r_dataset_class(h->data, k);
    (void)l2r_dataset_task_name(h->data, k);
    (void)l2r_dataset_smiles(h->data, k);
    (void)l2r_dataset_row_name(h->data, k);
    (void)l2r_dataset_n_columns(h->data);
    (void)l2r_dataset_column_name(h->data, k);
    (void)l2r_dataset_column_values(h->data);
    (void)l2r_predictor_trained_on(h->predictor, h->data);
    (void)l2r_predictor_class_name(h->predictor, k, number(in));
    (void)l2r_explanation_graph(NULL);
    (void)l2r_dataset_source_row(h->data, k);
    (void)l2r_dataset_node_row(h->data, k);
    (void)l2r_dataset_edge_row(h->data, k);
    (void)l2r_dataset_node_vocabulary(h->data, k);
    (void)l2r_predictor_class(h->predictor, k);
    (void)l2r_predictor_task_name(h->predictor, k);
    (void)l2r_split_graphs(&n, h->split, k);
    (void)l2r_registry_name((enum l2r_registry)k, byte(in));
    (void)l2r_status_name((enum l2r_status)k);
    (void)l2r_dataset_node_column_name(h->data, k);
    (void)l2r_dataset_edge_column_name(h->data, k);
    (void)l2r_dataset_environment_name(h->data, k);
    (void)l2r_split_note(h->split);
    (void)l2r_predictor_config(h->predictor);
    (void)l2r_ensemble_model(NULL, k);
    (void)l2r_explanation_score(NULL, text(in));
    l2r_predictor_limit_batch(h->predictor, k);
}

static void draw(const struct handles *h, struct input *in, struct l2r_error *error)
{
    char *svg = NULL;
    double xy[32]; /* the largest molecule has ten atoms */
    int32_t g = mostly(in, 0);
    check(l2r_dataset_layout(byte(in) % 8 ? xy : NULL, h->data, g, error), error);
    if (byte(in) % 4 == 0) check(l2r_dataset_svg(byte(in) % 8 ? &svg : NULL, h->data, g, error), error);
    l2r_free(svg);
}

static const char *file(const char *kind)
{
    static char folder[TEMPORARY_LENGTH], path[TEMPORARY_LENGTH + 24];
    if (!folder[0] && !temporary_folder_in_memory(folder)) abort();
    snprintf(path, sizeof path, "%s/calls.%s", folder, kind);
    return path;
}

/* What is there is saved and opened again, or is not there; the files go before the next sequence. */
static void keep(struct handles *h, struct input *in, struct l2r_error *error)
{
    struct l2r_predictor *again = NULL;
    struct l2r_split *split = NULL;
    struct l2r_dataset *data = NULL;
    char junk[16];
    for (size_t i = 0; i < sizeof junk; i++) junk[i] = (char)byte(in);
    check(l2r_predictor_member(&again, h->predictor, l2r_predictor_n_members(h->predictor) - 1, error), error);
    l2r_predictor_free(again);
    check(l2r_predictor_copy(&again, h->predictor, error), error);
    l2r_predictor_free(again);
    again = NULL;
    check(l2r_predictor_from_bytes(&again, byte(in) % 8 ? junk : NULL, sizeof junk, error), error);
    l2r_predictor_free(again);
    if (byte(in) % 16 == 0) { /* five files or more */
        check(l2r_dataset_export(h->data, byte(in) % 8 ? file("tu") : NULL, error), error);
        l2r_remove_tree(file("tu"));
    }
    check(l2r_split_save(h->split, file("json"), error), error);
    check(l2r_split_open(&split, byte(in) % 8 ? file("json") : text(in), h->data, error), error);
    check(l2r_dataset_save(h->data, byte(in) % 8 ? file("l2r") : "", error), error);
    check(l2r_dataset_open(&data, file("l2r"), NULL, error), error);
    unlink(file("json"));
    unlink(file("l2r"));
    l2r_split_free(split);
    l2r_dataset_free(data);
}

/* The model, several times, as an ensemble. */
static void together(struct handles *h, struct input *in, struct l2r_error *error)
{
    enum { MOST = 2, COLUMNS = 16 };
    float output[MOST * COLUMNS], spread[MOST * COLUMNS], low[MOST * COLUMNS], high[MOST * COLUMNS], far[MOST];
    int64_t graphs[MOST] = {mostly(in, 0), mostly(in, 1)};
    int32_t choice[MOST * COLUMNS], unseen[MOST];
    struct l2r_evaluation *scores = NULL;
    struct l2r_ensemble *ensemble = NULL;
    if (l2r_predictor_n_outputs(h->predictor) > COLUMNS) return;
    check(l2r_predictor_save(h->predictor, file("safetensors"), error), error);
    const char *const paths[] = {file("safetensors"), byte(in) % 8 ? file("safetensors") : text(in)};
    if (byte(in) % 8 == 0) { /* files of other programs */
        check(l2r_predictor_export(h->predictor, byte(in) % 8 ? file("onnx") : NULL, error), error);
        check(l2r_predictor_import(byte(in) % 8 ? file("imported") : NULL, byte(in) % 8 ? paths : NULL,
                                   mostly(in, 1) % 3, error),
              error);
        unlink(file("onnx"));
        l2r_remove_tree(file("imported"));
    }
    struct l2r_predictor *opened = NULL;
    check(l2r_predictor_open(&opened, paths[byte(in) % 2], error), error);
    l2r_predictor_free(opened);
    check(l2r_ensemble_open(&ensemble, byte(in) % 16 ? paths : NULL, mostly(in, 2) % 3, error), error);
    unlink(file("safetensors"));
    struct l2r_answers answers = {.size = size_of(in, sizeof answers), .output = output};
    if (byte(in) % 2) answers.spread = spread, answers.choice = choice;
    if (byte(in) % 4 == 0) answers.low = low, answers.high = high;
    if (byte(in) % 8 == 0) answers.distance = far, answers.unseen = unseen;
    answers.coverage = byte(in) % 4 ? 0 : (double)real(in);
    answers.batch_size = mostly(in, 0);
    check(l2r_ensemble_predict(&answers, ensemble, h->data, graphs, mostly(in, 2) % (MOST + 1), error), error);
    check(l2r_ensemble_evaluate(&scores, ensemble, h->data, graphs, MOST, NULL, error), error);
    (void)l2r_ensemble_shares_split(ensemble);
    (void)l2r_ensemble_model(ensemble, number(in));
    l2r_evaluation_free(scores);
    l2r_ensemble_free(ensemble);
}

/* The data as texts, and another data set from a generator, which is small. */
static void describe(const struct handles *h, struct input *in, struct l2r_error *error)
{
    char *shown = NULL;
    struct l2r_config *options = NULL;
    struct l2r_dataset *made = NULL;
    check(l2r_dataset_summary(byte(in) % 8 ? &shown : NULL, h->data, error), error);
    l2r_free(shown);
    shown = NULL;
    check(l2r_dataset_summary_json(&shown, h->data, error), error);
    l2r_free(shown);
    check(l2r_config_for_generator(&options, byte(in) % 4 ? "motif" : text(in), error), error);
    if (options) check(l2r_config_set_json(options, "{\"train\": 2, \"valid\": 1, \"test\": 1}", error), error);
    const struct l2r_config *given = byte(in) % 8 ? options : h->config;
    if (given) /* the defaults make thousands of graphs */
        check(l2r_dataset_generate(&made, byte(in) % 4 ? "motif" : text(in), given, error), error);
    l2r_dataset_free(made);
    l2r_config_free(options);
}

static bool stop(void *context)
{
    return (*(int *)context)-- <= 0;
}

/* A whole run in memory, of a batch or two. */
static void run(struct handles *h, struct input *in, struct l2r_error *error)
{
    int left = byte(in) % 4;
    struct l2r_callbacks callbacks = L2R_CALLBACKS_INIT;
    struct l2r_run run = L2R_RUN_INIT;
    struct l2r_result *result = NULL;
    callbacks.context = &left;
    callbacks.stop = stop;
    callbacks.size = size_of(in, callbacks.size);
    run.size = size_of(in, run.size);
    run.config = h->config;
    run.data = byte(in) % 8 ? h->data : NULL;
    run.split = byte(in) % 2 ? h->split : NULL;
    run.resume = byte(in) % 16 == 0;
    run.callbacks = &callbacks;
    if (h->config) check(l2r_config_set_json(h->config, "{\"hidden\": 2, \"layers\": 1, \"epochs\": 1}", error), error);
    struct l2r_predictor *made = NULL;
    check(l2r_train(byte(in) % 16 ? &result : NULL, byte(in) % 4 ? &made : NULL, &run, error), error);
    if (made) l2r_predictor_free(h->predictor);
    if (made) h->predictor = made;
    (void)l2r_result_score(result, number(in), text(in));
    read_result(result, in, error);
    l2r_result_free(result);
}

static void explain(struct handles *h, struct input *in, struct l2r_error *error)
{
    struct l2r_explanation *found[3] = {0};
    struct l2r_config *options = NULL;
    const int64_t graphs[3] = {mostly(in, 0), mostly(in, 0), mostly(in, 1)};
    int64_t n = mostly(in, 2) % 4;
    char *json = NULL;
    check(l2r_config_for_explanation(&options, error), error);
    static const char *const kinds[] = {"gnnexplainer", "occlusion", "shapley", "gates"};
    if (options)
        check(l2r_config_set_json(options, "{\"steps\": 1, \"restarts\": 1, \"samples\": 2, \"task\": \"0\"}", error),
              error);
    if (options) check(l2r_config_set(options, "explainer", kinds[byte(in) % 4], error), error);
    check(l2r_explain(found, h->predictor, h->data, byte(in) % 8 ? graphs : NULL, n, byte(in) % 8 ? options : h->config,
                      error),
          error);
    check(l2r_explanation_json(&json, found[0], h->predictor, h->data, error), error);
    l2r_free(json);
    json = NULL;
    if (byte(in) % 4 == 0) check(l2r_explanation_svg(&json, found[0], h->predictor, h->data, error), error);
    l2r_free(json);
    json = NULL;
    struct l2r_fragments *fragments = NULL;
    struct l2r_fragment_score entry = {.size = size_of(in, sizeof entry)};
    check(l2r_fragments_new(byte(in) % 8 ? &fragments : NULL, byte(in) % 8 ? found : NULL, mostly(in, 1) % 4,
                            h->predictor, h->data, error),
          error);
    check(l2r_fragments_entry(&entry, fragments, l2r_fragments_n_entries(fragments) - mostly(in, 1), error), error);
    check(l2r_fragments_json(&json, fragments, h->predictor, error), error);
    l2r_fragments_free(fragments);
    l2r_free(json);
    if (byte(in) % 8 == 0 && !found[0])
        check(l2r_explanation_new(&found[0], h->predictor, h->data, mostly(in, 0), options, error), error);
    read_explanation(found[0]);
    int64_t edges;
    (void)l2r_explanation_edge_effects(&edges, found[0]);
    (void)l2r_explanation_score(found[0], "answer");
    for (int i = 0; i < 3; i++) l2r_explanation_free(found[i]);
    l2r_config_free(options);
}

static void divide(struct handles *h, struct input *in, struct l2r_error *error)
{
    int64_t list[4] = {mostly(in, 0), mostly(in, 1), mostly(in, 2), mostly(in, 3)};
    l2r_split_free(h->split);
    h->split = NULL;
    uint8_t parts[64];
    for (int i = 0; i < 64; i++) parts[i] = (uint8_t)(i % 6);
    parts[byte(in) % 64] = byte(in);
    if (byte(in) % 4 == 0 && l2r_dataset_n_graphs(h->data) <= 64) {
        check(l2r_split_from_parts(&h->split, h->data, byte(in) % 8 ? parts : NULL, error), error);
        return;
    }
    switch (byte(in) % 3) {
    case 0:
        check(l2r_split_new(&h->split, h->data, byte(in) % 2 ? h->config : NULL, error), error);
        break;
    case 1:
        check(l2r_split_fold(&h->split, h->data, mostly(in, 0), mostly(in, 3), NULL, error), error);
        break;
    default:
        check(l2r_split_from_indices(&h->split, h->data, list, byte(in) % 3, list + 2, byte(in) % 3 - 1, NULL,
                                     number(in) > 5, error),
              error);
    }
}

static void predict(struct handles *h, struct input *in, struct l2r_error *error)
{
    enum { MOST = 3, COLUMNS = 64 };
    int64_t graphs[MOST] = {mostly(in, 0), mostly(in, 0), mostly(in, 1)};
    int64_t n = mostly(in, 2) % (MOST + 1);
    float output[MOST * COLUMNS];
    char *json = NULL;
    struct l2r_evaluation *scores = NULL;
    if (l2r_predictor_n_outputs(h->predictor) > COLUMNS) return;
    check(l2r_predictor_predict(byte(in) % 8 ? output : NULL, h->predictor, h->data, graphs, n, error), error);
    l2r_predictor_probabilities(output, h->predictor, byte(in) % 8 ? 0 : -1);
    check(l2r_predictor_evaluate(&scores, h->predictor, h->data, graphs, n, text(in), error), error);
    if (scores) check(l2r_evaluation_json(&json, scores, error), error);
    l2r_free(json);
    l2r_evaluation_free(scores);
    json = NULL;
    check(l2r_predictor_signature_json(&json, h->predictor, error), error);
    l2r_free(json);
    float low[MOST * COLUMNS], high[MOST * COLUMNS], z[MOST * COLUMNS], far[MOST];
    memset(output, 0, sizeof output);
    check(l2r_predictor_intervals(low, byte(in) % 8 ? high : NULL, output, h->predictor, n, (double)real(in), error),
          error);
    if (l2r_predictor_width(h->predictor) <= COLUMNS)
        check(l2r_predictor_embed(z, NULL, h->predictor, h->data, graphs, n, error), error);
    check(l2r_predictor_applicability(far, NULL, h->predictor, h->data, graphs, n, error), error);
}

static void set(struct handles *h, struct input *in, struct l2r_error *error)
{
    const char *value;
    if (!h->config)
        check(l2r_config_for_run(&h->config, byte(in) % 8 ? NULL : text(in), byte(in) % 2 ? "l2r" : NULL, error),
              error);
    check(l2r_config_set(h->config, text(in), text(in), error), error);
    check(l2r_config_get(&value, h->config, text(in), error), error);
    check(l2r_config_set_json(h->config, text(in), error), error);
}

/* Some sequences begin with data, options and a model, to which random calls seldom get. */
static void prepare(struct handles *h, struct input *in, struct l2r_error *error)
{
    enum { N = 8, NODES = 3, EDGES = 2 };
    int64_t nodes[N], edges[N];
    int32_t pairs[N * EDGES * 2], rows[N * NODES], places[N];
    float labels[N];
    const uint8_t parts[N] = {0, 0, 0, 0, 1, 1, 2, 2};
    for (int g = 0; g < N; g++) {
        nodes[g] = NODES, edges[g] = EDGES, labels[g] = (float)(g % 2), places[g] = g / 2 % 2;
        for (int v = 0; v < NODES; v++) rows[g * NODES + v] = (g + v) % 3;
        for (int e = 0; e < 2 * EDGES; e++) pairs[g * 2 * EDGES + e] = (e + 1) / 2; /* 0 - 1 - 2 */
    }
    const struct l2r_arrays a = {.size = sizeof a,
                                 .task = (enum l2r_task)(byte(in) % 3),
                                 .n_tasks = 1,
                                 .n_graphs = N,
                                 .node_counts = nodes,
                                 .edge_counts = edges,
                                 .edges = pairs,
                                 .n_node_columns = 1,
                                 .node_rows = rows,
                                 .labels = labels,
                                 .parts = parts,
                                 .n_environments = 2,
                                 .environments = places};
    static const char *const methods[] = {"erm", "l2r", "headfit", "jtt"};
    check(l2r_config_for_run(&h->config, NULL, methods[byte(in) % 4], error), error);
    check(l2r_dataset_from_arrays(&h->data, &a, error), error);
    if (byte(in) % 4) learn(h, in, error);
}

static void made_of_arrays(struct handles *h, struct input *in, struct l2r_error *error)
{
    static void (*const ways[])(struct handles *, struct input *, struct l2r_error *) = {columns, molecules, flat,
                                                                                         again, table};
    ways[byte(in) % 5](h, in, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    struct handles h = {0};
    struct l2r_error error = {0};
    l2r_threads_set(1);
    if (byte(&in) % 4 == 0 && size > 0) prepare(&h, &in, &error);
    for (int calls = 0; in.at < in.end && calls < 64; calls++) switch (byte(&in) % 16) {
        case 0:
        case 1:
            build(&h, &in, &error);
            break;
        case 2:
            made_of_arrays(&h, &in, &error);
            break;
        case 3:
        case 4:
            set(&h, &in, &error);
            break;
        case 5:
        case 6:
            divide(&h, &in, &error);
            break;
        case 7:
            learn(&h, &in, &error);
            break;
        case 8:
            loop(&h, file("training"), &in, &error);
            unlink(file("training"));
            break;
        case 9:
            predict(&h, &in, &error);
            break;
        case 10:
            answer(&h, &in, &error);
            break;
        case 11:
            describe(&h, &in, &error);
            break;
        case 12:
            run(&h, &in, &error);
            break;
        case 13:
            explain(&h, &in, &error);
            break;
        case 14:
            read_handles(&h, &in);
            draw(&h, &in, &error);
            arrays_of(&h, &in, &error);
            plain(&in, &error);
            break;
        default:
            keep(&h, &in, &error);
            together(&h, &in, &error);
        }
    l2r_predictor_free(h.predictor);
    l2r_training_free(h.training);
    l2r_split_free(h.split);
    l2r_dataset_free(h.data);
    l2r_builder_free(h.builder);
    l2r_config_free(h.config);
    return 0;
}
