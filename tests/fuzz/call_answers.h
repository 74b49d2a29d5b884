/* SPDX-License-Identifier: MIT
 *
 * The calls that read data, options, models, scores, results and explanations, with arguments made of a fuzzer's bytes.
 */
#ifndef L2R_FUZZ_CALL_ANSWERS_H
#define L2R_FUZZ_CALL_ANSWERS_H

#include "call_arguments.h"

#include <string.h>

enum { ANSWER_GRAPHS = 64, ANSWER_COLUMNS = 16, ANSWER_MEMBERS = 4, ANSWER_FEATURES = 2048 };

/* Every getter of a data set. */
static inline void read_data(const struct l2r_dataset *d, struct input *in, struct l2r_error *error)
{
    int32_t k = number(in);
    int64_t row;
    char reason[64];
    (void)l2r_dataset_name(d);
    (void)l2r_dataset_n_edges(d);
    (void)l2r_dataset_n_tasks(d);
    (void)l2r_dataset_n_classes(d);
    (void)l2r_dataset_class_name(d, k, number(in));
    (void)l2r_task_name(l2r_dataset_task(d));
    (void)l2r_dataset_labels(d);
    (void)l2r_dataset_weights(d);
    (void)l2r_dataset_bounds(d);
    (void)l2r_dataset_parts(d);
    (void)l2r_dataset_environments(d);
    (void)l2r_dataset_node_start(d);
    (void)l2r_dataset_arc_start(d);
    (void)l2r_dataset_neighbours(d);
    (void)l2r_dataset_n_node_reals(d);
    (void)l2r_dataset_edge_vocabulary(d, k);
    (void)l2r_dataset_edge_real(d, k);
    (void)l2r_dataset_node_real(d);
    (void)l2r_dataset_notes(d);
    (void)l2r_dataset_n_dropped(d);
    check(l2r_dataset_dropped_row(byte(in) % 8 ? &row : NULL, byte(in) % 8 ? reason : NULL, byte(in) % sizeof reason, d,
                                  k, error),
          error);
}

/* Features of molecules, of blocks that are narrow enough. */
static inline void features(const struct l2r_dataset *d, struct input *in, struct l2r_error *error)
{
    static float numbers[2 * ANSWER_FEATURES];
    static const char *const blocks[] = {"morgan", "erg", "descriptors", "pairs", "erg,descriptors", "luck", "", NULL};
    const char *block = blocks[byte(in) % 8];
    const int64_t graphs[2] = {mostly(in, 0), mostly(in, 1)};
    char name[24];
    l2r_features_column_name(byte(in) % 8 ? name : NULL, sizeof name, block, number(in));
    if (l2r_features_n_columns(block) <= ANSWER_FEATURES)
        check(l2r_dataset_features(byte(in) % 8 ? numbers : NULL, d, block, graphs, mostly(in, 2) % 3, error), error);
}

/* Options as data, and what there is to choose. */
static inline void read_options(const struct l2r_config *c, struct input *in, struct l2r_error *error)
{
    struct l2r_config *copy = NULL, *other = NULL;
    struct l2r_option_info info = {.size = size_of(in, sizeof info)};
    char *json = NULL;
    enum l2r_registry registry = (enum l2r_registry)mostly(in, byte(in) % 13);
    check(l2r_config_copy(&copy, c, error), error);
    check(l2r_config_for_data(byte(in) % 8 ? &other : NULL, error), error);
    check(l2r_config_json(byte(in) % 8 ? &json : NULL, byte(in) % 2 ? copy : other, error), error);
    check(l2r_config_describe(&info, copy, l2r_config_n_options(copy) - (size_t)mostly(in, 1), error), error);
    if (l2r_registry_n_entries(registry) > 1000) abort();
    (void)l2r_registry_help(registry, byte(in));
    (void)l2r_part_name(number(in));
    (void)l2r_version();
    (void)l2r_vector_width();
    l2r_threads_set_default(1);
    l2r_free(json);
    l2r_config_free(copy);
    l2r_config_free(other);
}

/* Processes: there is one. */
static inline void alone(struct l2r_error *error)
{
    struct l2r_comm *comm = NULL;
    check(l2r_comm_open(&comm, error), error);
    if (l2r_comm_n_ranks(comm) != 1 || l2r_comm_rank(comm) != 0) abort();
    l2r_comm_abort(comm, 1);
    l2r_comm_close(comm);
}

static inline void read_scores(struct l2r_evaluation *e, struct input *in, struct l2r_error *error)
{
    struct l2r_group_score group = {.size = size_of(in, sizeof group)};
    int32_t k = number(in);
    (void)l2r_evaluation_n_graphs(e);
    (void)l2r_evaluation_n_tasks(e);
    (void)l2r_evaluation_value(e, l2r_evaluation_metric(e, mostly(in, 0)), k);
    (void)l2r_evaluation_task_name(e, k);
    (void)l2r_evaluation_n_labels(e, k);
    (void)l2r_evaluation_member_value(e, k, l2r_evaluation_metric(e, l2r_evaluation_n_metrics(e) - 1));
    (void)l2r_evaluation_n_members(e);
    (void)l2r_evaluation_n_groups(e);
    check(l2r_evaluation_group(&group, e, mostly(in, 0), error), error);
    l2r_evaluation_free(e);
}

static inline void read_result(const struct l2r_result *r, struct input *in, struct l2r_error *error)
{
    struct l2r_evaluation *scores = NULL;
    struct l2r_predictor *chosen = NULL;
    char *json = NULL, line[32];
    int64_t n;
    check(l2r_result_json(byte(in) % 8 ? &json : NULL, r, error), error);
    l2r_free(json);
    json = NULL;
    check(l2r_result_history_json(&json, r, error), error);
    l2r_free(json);
    check(l2r_result_evaluation(&scores, r, mostly(in, byte(in) % 5), error), error);
    read_scores(scores, in, error);
    check(l2r_result_chosen(&chosen, r, error), error);
    l2r_predictor_free(chosen);
    for (int32_t k = -1; k <= l2r_result_n_curves(r); k++) (void)l2r_result_curve(&n, r, l2r_result_curve_name(r, k));
    (void)l2r_result_metric(r);
    (void)l2r_result_n_parts(r);
    (void)l2r_result_best_epoch(r);
    (void)l2r_result_n_epochs(r);
    (void)l2r_result_n_parameters(r);
    (void)l2r_result_seconds(r);
    (void)l2r_result_graphs_per_second(r);
    (void)l2r_result_conclusion(r);
    (void)l2r_result_config(r);
    (void)l2r_split_rule_name(l2r_result_split(r));
    l2r_split_describe(byte(in) % 8 ? line : NULL, sizeof line, l2r_result_split(r));
    (void)l2r_result_weights(&n, r);
}

static inline void read_explanation(const struct l2r_explanation *e)
{
    int64_t n;
    (void)l2r_explanation_ends(&n, e);
    (void)l2r_explanation_edges(&n, e);
    (void)l2r_explanation_nodes(&n, e);
    (void)l2r_explanation_columns(&n, e);
    (void)l2r_explanation_node_effects(&n, e);
}

/* What is inside a model. */
static inline void read_model(struct l2r_predictor *p, const struct l2r_dataset *d, struct input *in,
                              struct l2r_error *error)
{
    struct l2r_parameter parameter = {.size = size_of(in, sizeof parameter)};
    struct l2r_split *split = NULL;
    float weights[ANSWER_GRAPHS];
    char name[24];
    int32_t member = mostly(in, 0);
    check(l2r_predictor_parameter(&parameter, p, member, (size_t)mostly(in, 0), error), error);
    check(l2r_predictor_find(&parameter, p, member, text(in), error), error);
    if (l2r_predictor_n_parameters(p, member) > 1000) abort();
    l2r_predictor_feature_name(byte(in) % 8 ? name : NULL, sizeof name, p, member, number(in));
    l2r_predictor_category(byte(in) % 8 ? name : NULL, sizeof name, p, number(in));
    (void)l2r_predictor_task(p);
    check(l2r_predictor_split(&split, p, d, error), error);
    l2r_split_free(split);
    if (l2r_dataset_n_graphs(d) <= ANSWER_GRAPHS)
        check(l2r_predictor_weights(byte(in) % 8 ? weights : NULL, p, d, error), error);
}

/* What a model says of graphs, member by member and feature by feature; calibrated on some of them. */
static inline void take_apart(struct l2r_predictor *p, const struct l2r_dataset *d, struct input *in,
                              struct l2r_error *error)
{
    static float members[ANSWER_MEMBERS * 2 * ANSWER_COLUMNS], spread[2 * ANSWER_COLUMNS],
        shares[2 * ANSWER_COLUMNS * 8], values[2 * 8];
    static const char *const methods[] = {"none", "temperature", "platt", "isotonic"};
    const int64_t graphs[2] = {mostly(in, 0), mostly(in, 1)};
    int64_t n = mostly(in, 2) % 3;
    if (l2r_predictor_n_outputs(p) > ANSWER_COLUMNS || l2r_predictor_n_members(p) > ANSWER_MEMBERS) return;
    check(l2r_predictor_predict_members(byte(in) % 4 ? members : NULL, byte(in) % 2 ? spread : NULL, p, d, graphs, n,
                                        error),
          error);
    if (l2r_predictor_n_features(p, 0) < 8)
        check(l2r_predictor_contributions(shares, values, p, mostly(in, 0), d, graphs, n, error), error);
    const char *method = byte(in) % 8 ? methods[byte(in) % 4] : text(in);
    const int64_t *some = byte(in) % 4 ? NULL : graphs;
    check(l2r_predictor_calibrate(p, method, byte(in) % 4 ? 0 : (double)real(in), d, some,
                                  some ? n : l2r_dataset_n_graphs(d), error),
          error);
}

/* Models in memory that answer together. */
static inline void gather(struct l2r_predictor *p, const struct l2r_dataset *d, struct input *in,
                          struct l2r_error *error)
{
    const struct l2r_predictor *const models[] = {p, byte(in) % 8 ? p : NULL};
    struct l2r_ensemble *ensemble = NULL;
    struct l2r_evaluation *scores = NULL;
    check(l2r_ensemble_from_models(byte(in) % 16 ? &ensemble : NULL, byte(in) % 16 ? models : NULL, mostly(in, 2) % 3,
                                   error),
          error);
    (void)l2r_ensemble_model(ensemble, l2r_ensemble_n_models(ensemble) - 1);
    check(l2r_ensemble_find_applicability(ensemble, error), error);
    check(l2r_ensemble_evaluate(&scores, ensemble, d, NULL, l2r_dataset_n_graphs(d), byte(in) % 2 ? NULL : text(in),
                                error),
          error);
    read_scores(scores, in, error);
    l2r_ensemble_free(ensemble);
}

/* A model as bytes, mostly whole, and back: it answers as before. */
static inline void pickle(struct handles *h, struct input *in, struct l2r_error *error)
{
    void *bytes = NULL;
    size_t n = 0;
    struct l2r_predictor *again = NULL;
    check(l2r_predictor_to_bytes(byte(in) % 16 ? &bytes : NULL, &n, h->predictor, error), error);
    if (n > 0 && byte(in) % 4 == 0) ((uint8_t *)bytes)[(size_t)byte(in) * n / 256] ^= (uint8_t)(1 + byte(in) % 255);
    check(l2r_predictor_from_bytes(&again, bytes, n, error), error);
    l2r_free(bytes);
    if (!again) return;
    l2r_predictor_free(h->predictor);
    h->predictor = again;
}

static inline void answer(struct handles *h, struct input *in, struct l2r_error *error)
{
    switch (byte(in) % 8) {
    case 0:
    case 1:
        take_apart(h->predictor, h->data, in, error);
        break;
    case 2:
        gather(h->predictor, h->data, in, error);
        break;
    case 3:
    case 4:
        pickle(h, in, error);
        break;
    case 5:
        read_options(h->config, in, error);
        alone(error);
        break;
    case 6:
        features(h->data, in, error);
        break;
    default:
        read_data(h->data, in, error);
        read_model(h->predictor, h->data, in, error);
    }
}

#endif
