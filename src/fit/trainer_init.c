/* SPDX-License-Identifier: MIT
 *
 * What a trainer is made of (trainer.h): weights of classes and graphs, features, network, method, optimiser. */
#include "fit/trainer.h"

#include "base/memory.h"
#include "fit/environments.h"
#include "fit/phases.h"
#include "fit/transfer.h"
#include "model/predictor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Graphs of output k among the training graphs with a known label: of class k, or positive in task k. */
static void count_labels(int64_t *positive, int64_t *known, const struct l2r_trainer *t, int32_t k)
{
    const int32_t *train = l2r_split_part(t->split, L2R_PART_TRAIN);
    bool classes = t->data->task == L2R_TASK_MULTICLASS;
    *positive = *known = 0;
    for (int64_t i = 0; i < l2r_split_size(t->split, L2R_PART_TRAIN); i++) {
        float label = t->data->labels[(int64_t)train[i] * t->data->n_tasks + (classes ? 0 : k)];
        *known += !isnan(label);
        *positive += classes ? label == (float)k : label == 1;
    }
}

/* Of n classes, one with less than 0.4/n of the labels is rare: a fifth of two. The share of the rarest that occurs is
 * kept. */
static bool is_rare(struct l2r_trainer *t, int64_t positive, int64_t known, int32_t n)
{
    bool classes = t->data->task == L2R_TASK_MULTICLASS;
    int64_t fewer = classes || positive < known - positive ? positive : known - positive;
    if (fewer <= 0) return false;
    double share = (double)fewer / (double)known;
    if (!(share >= t->rarest)) t->rarest = share;
    return share < 0.4 / (classes ? n : 2);
}

/* Where one graph of a thousand is active, a weight of 1000 makes every step one towards the few actives of its batch,
 * and networks end with the same output for all. */
static const double largest_weight = 20;

/* "balanced": classes by n / (K n_k); positives of a binary task by negatives / positives. From training labels alone.
 * "limited": the same between 1/20 and 20. "auto": the latter, for tasks and classes where one is rare. */
static enum l2r_status class_weights(struct l2r_trainer *t, struct l2r_error *error)
{
    bool classes = t->data->task == L2R_TASK_MULTICLASS, chosen = t->options.class_weights == L2R_CLASS_WEIGHTS_AUTO;
    bool any = false, limited = t->options.class_weights != L2R_CLASS_WEIGHTS_BALANCED;
    t->rarest = NAN;
    if (t->options.class_weights == L2R_CLASS_WEIGHTS_NONE || t->data->task == L2R_TASK_REGRESSION) return L2R_OK;
    int32_t n = l2r_signature_outputs(&t->network.signature);
    l2r_real *weight = l2r_arena_alloc(&t->network.params.arena, (size_t)n, sizeof *weight);
    double *known_weight = l2r_arena_alloc(&t->network.params.arena, (size_t)n, sizeof *known_weight);
    if (!weight || !known_weight) return l2r_fail_memory(error, (size_t)n * sizeof *weight, "class weights");
    for (int32_t k = 0; k < n; k++) {
        int64_t positive, known;
        count_labels(&positive, &known, t, k);
        double ratio = classes ? (double)known / (n * (double)positive) : (double)(known - positive) / (double)positive;
        bool rare = is_rare(t, positive, known, n);
        if (limited) ratio = fmin(fmax(ratio, 1 / largest_weight), largest_weight);
        weight[k] = positive > 0 && ratio > 0 && (rare || classes || !chosen) ? (l2r_real)ratio : 1;
        known_weight[k] = (double)weight[k];
        any = any || rare;
    }
    if (!any && chosen) return L2R_OK;
    t->network.class_weight = weight;
    t->network.signature.class_weight = known_weight; /* scoring undoes these weights */
    return L2R_OK;
}

/* Weights of the data count relative to each other: over the training graphs they have mean 1. */
static enum l2r_status graph_weights(struct l2r_trainer *t, struct l2r_error *error)
{
    const int32_t *train = l2r_split_part(t->split, L2R_PART_TRAIN);
    int64_t n = l2r_split_size(t->split, L2R_PART_TRAIN);
    double sum = 0;
    if (!t->data->weight) return L2R_OK;
    for (int64_t i = 0; i < n; i++) sum += (double)t->data->weight[train[i]];
    if (sum <= 0) return l2r_fail(error, L2R_ERR_ARGUMENT, "all training graphs have the weight 0");
    t->network.weight_scale = (double)n / sum;
    return L2R_OK;
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Spans at least a power of ten between the 5th and the 95th percentile. label [n]: above 0, sorted in place. */
static bool spans_decades(float *label, int64_t n)
{
    if (n < 20) return false;
    qsort(label, (size_t)n, sizeof *label, compare_floats);
    return (double)label[n - 1 - n / 20] >= 10 * (double)label[n / 20];
}

/* --transform auto. A mean error in the unit is least at the median, which ranks keep. */
static enum l2r_map suggest_map(const struct l2r_trainer *t, float *label, int64_t n, int64_t n_low)
{
    const char *metric = t->options.metric;
    if (n_low == 0 && spans_decades(label, n)) return L2R_MAP_LOG10;
    return metric && strcmp(metric, "mae") == 0 && n >= 20 ? L2R_MAP_RANK : L2R_MAP_NONE;
}

/* The known labels of task k among the graphs of the parts that train or validate, which a refit joins: so it finds the
 * same scale. *n_low: of these, those that are not above 0. */
static int64_t collect_labels(float *label, int64_t *n_low, const struct l2r_trainer *t, int32_t k)
{
    static const int parts[] = {L2R_PART_TRAIN, L2R_PART_VALID, L2R_PART_ID_VALID};
    int64_t n = 0;
    *n_low = 0;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
        for (int64_t i = 0; i < l2r_split_size(t->split, parts[p]); i++) {
            float own = t->data->labels[(int64_t)l2r_split_part(t->split, parts[p])[i] * t->data->n_tasks + k];
            if (isnan(own)) continue;
            *n_low += !(own > 0);
            label[n++] = own;
        }
    return n;
}

/* --transform: the scale of the targets. */
static enum l2r_status choose_scale(struct l2r_trainer *t, struct l2r_signature *s, struct l2r_arena *arena,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t how = t->options.transform;
    int64_t n_low, n = l2r_split_size(t->split, L2R_PART_TRAIN);
    bool any = false;
    if (t->data->task != L2R_TASK_REGRESSION || how == L2R_TRANSFORM_NONE) return L2R_OK;
    float *label = l2r_alloc_raw((size_t)t->split->n_graphs, sizeof *label);
    enum l2r_map *kind = l2r_alloc((size_t)t->data->n_tasks, sizeof *kind);
    if (!label || !kind) {
        status = l2r_fail_memory(error, (size_t)t->split->n_graphs * sizeof *label, "the scale of the targets");
        goto done;
    }
    for (int32_t k = 0; k < t->data->n_tasks; k++) {
        int64_t known = collect_labels(label, &n_low, t, k);
        if (n_low > 0 && how == L2R_TRANSFORM_LOG10)
            L2R_FAIL(
                L2R_ERR_ARGUMENT,
                "`transform=log10`: %lld of %lld labels%s%.100s are not above 0; use `transform=auto`, or leave these "
                "rows out",
                (long long)n_low, (long long)known, l2r_signature_task_name(s, k) ? " of " : "",
                l2r_signature_task_name(s, k) ? l2r_signature_task_name(s, k) : "");
        kind[k] = how == L2R_TRANSFORM_LOG10  ? L2R_MAP_LOG10
                  : how == L2R_TRANSFORM_RANK ? L2R_MAP_RANK
                                              : suggest_map(t, label, known, n_low);
        any = any || kind[k] != L2R_MAP_NONE;
    }
    if (any)
        L2R_TRY(l2r_signature_map_targets(s, arena, t->data, l2r_split_part(t->split, L2R_PART_TRAIN), n, kind, error));
done:
    l2r_free(label);
    l2r_free(kind);
    return status;
}

/* --loss: the distance that networks learn to lower. */
static enum l2r_status choose_distance(struct l2r_trainer *t, struct l2r_error *error)
{
    static const enum l2r_distance distances[] = {L2R_DISTANCE_SQUARED, L2R_DISTANCE_ABSOLUTE, L2R_DISTANCE_HUBER};
    int32_t how = t->options.loss;
    bool plain = strcmp(t->method->name, "erm") == 0;
    if (t->data->task != L2R_TASK_REGRESSION) return L2R_OK;
    if (how == L2R_LOSS_AUTO) how = strcmp(t->metric->name, "mae") == 0 && plain ? L2R_LOSS_ABSOLUTE : L2R_LOSS_SQUARED;
    t->network.distance = distances[how];
    if (plain || t->network.distance == L2R_DISTANCE_SQUARED) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "`loss=%s` goes with method erm; method %s needs squared errors",
                    l2r_config_text(t->config, "loss"), t->method->name);
}

static enum l2r_status pick_metric(struct l2r_trainer *t, const struct l2r_signature *s, struct l2r_error *error)
{
    const char *name = t->options.metric;
    if (!name && l2r_target_is_mapped(s->target.map, 0)) name = "nrmse"; /* of what is trained on */
    t->metric = name ? l2r_metric_find(name) : l2r_metric_default(t->data->task, t->data->n_tasks);
    if (!t->metric) {
        char names[512] = "";
        for (size_t i = 0; l2r_metrics[i]; i++) l2r_name_add(names, sizeof names, l2r_metrics[i]->name);
        return l2r_fail(error, L2R_ERR_ARGUMENT, "`metric`: there is no metric \"%.100s\"; there are %s", name, names);
    }
    struct l2r_error reason = {0};
    if (l2r_metric_check(t->metric, t->data->task, t->data->n_tasks, &reason) == L2R_OK) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "`metric`: %s", reason.message);
}

static enum l2r_status start_method(struct l2r_trainer *t, struct l2r_error *error)
{
    t->method_state = l2r_alloc(1, t->method->size + 1); /* never 0 bytes: NULL means out of memory */
    if (!t->method_state) return l2r_fail_memory(error, t->method->size, "the method");
    if (t->method->environments &&
        l2r_environments_need(&t->environments, t->data, t->set.graphs, t->set.n, t->method->name, error) != L2R_OK)
        return L2R_ERR_ARGUMENT;
    if (!t->method->init) return L2R_OK;
    return t->method->init(t->method_state, t->config, &t->network, &t->set, error);
}

/* What the head reads beside Z: --features, and columns of the data. Features are computed for all graphs at once, and
 * cached in a file for the next run. */
static enum l2r_status read_features(struct l2r_trainer *t, struct l2r_signature *signature, struct l2r_arena *arena,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const int32_t *train = l2r_split_part(t->split, L2R_PART_TRAIN);
    struct l2r_dataset view = t->view;
    struct l2r_text note = {0};
    unsigned blocks = t->options.features;
    const struct l2r_feature_scale all = {.blocks = blocks};
    view.scale = &all;
    if (view.smiles) L2R_TRY(l2r_features_fill(&view, NULL, view.n_graphs, error));
    L2R_TRY(l2r_signature_add_features(signature, arena, &note, t->data, train,
                                       l2r_split_size(t->split, L2R_PART_TRAIN), blocks, error));
    snprintf(t->features, sizeof t->features, "%s", note.text ? note.text : "");
done:
    l2r_text_clear(&note);
    return status;
}

enum l2r_status l2r_trainer_init(struct l2r_trainer *t, const struct l2r_config *config, const struct l2r_dataset *data,
                                 const struct l2r_split *split, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const int32_t *train = l2r_split_part(split, L2R_PART_TRAIN);
    int64_t n_train = l2r_split_size(split, L2R_PART_TRAIN);
    struct l2r_arena scratch;
    struct l2r_signature signature;
    struct l2r_predictor *origin = NULL;
    l2r_arena_init(&scratch);
    *t = (struct l2r_trainer){.config = config,
                              .view = *data,
                              .data = &t->view,
                              .split = split,
                              .rate = NAN,
                              .at = {.best_valid = NAN, .other_valid = NAN}};
    const struct l2r_fit_options *o = &t->options;
    l2r_fit_options_fill(&t->options, config);
    t->seed = (uint64_t)o->seed;
    l2r_tape_init(&t->tape);
    if (n_train == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "the split leaves no graph to train on");
    const struct l2r_model_type *type = l2r_model_find(o->model);
    t->method = l2r_method_find(o->method);
    t->epochs = l2r_phase_epochs(o, t->method, type, n_train);
    t->selector = o->select == L2R_SELECT_ID_VALID ? L2R_PART_ID_VALID : L2R_PART_VALID;
    if (t->selector == L2R_PART_ID_VALID && l2r_split_size(split, t->selector) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`select=id-valid`: the %s split of data set \"%s\" has no such part", split->rule,
                 data->name);
    L2R_TRY(l2r_signature_make(&signature, &scratch, data, train, n_train, error));
    L2R_TRY(choose_scale(t, &signature, &scratch, error));
    L2R_TRY(pick_metric(t, &signature, error));
    L2R_TRY(read_features(t, &signature, &scratch, error));
    L2R_TRY(l2r_transfer_open(&origin, &signature, o, error));
    L2R_TRY(l2r_network_init(&t->network, type, config, &signature, t->seed, error));
    L2R_TRY(l2r_transfer_take(&t->network, origin, o, error));
    t->view.scale = t->network.signature.features.n > 0 ? &t->network.signature.features : NULL;
    data = t->data;
    L2R_TRY(choose_distance(t, error));
    L2R_TRY(class_weights(t, error));
    L2R_TRY(graph_weights(t, error));
    L2R_TRY(l2r_optimiser_start(&t->optimiser, config, t->network.params.n_trainable, error));
    if (!type->fit) L2R_TRY(l2r_averaging_start(&t->averaging, o, &t->network.params, error)); /* trees are whole */
    if (t->averaging.kind == L2R_AVERAGE_VALLEY && l2r_split_size(split, t->selector) == 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`swa` averages by the loss on validation graphs, and the split leaves none");
    if (type->fit && strcmp(o->method, "erm") != 0)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`method` %s trains networks by gradients; model %s goes with method erm", o->method,
                 type->name);
    L2R_TRY(l2r_run_environments(&t->environments, config, data, split, error));
    t->set = (struct l2r_training_set){data, train, n_train, &t->environments};
    L2R_TRY(start_method(t, error));
    L2R_TRY(l2r_phase_enter(t, 0, error));
    struct l2r_sharing sharing = t->network.sharing;
    if (!t->method->before_batch) sharing.depth = sharing.train_depth; /* a look-ahead has no dropout */
    L2R_TRY(l2r_batches_new(&t->batches, data, &sharing, error));
    t->order = l2r_alloc((size_t)n_train, sizeof *t->order);
    if (t->order)
        l2r_trainer_shuffle(t);
    else
        status = l2r_fail_memory(error, (size_t)n_train * sizeof *t->order, "the order of graphs");
done:
    l2r_predictor_free(origin);
    l2r_arena_clear(&scratch);
    return status;
}

void l2r_trainer_clear(struct l2r_trainer *t)
{
    l2r_batches_free(t->batches);
    if (t->method && t->method->clear && t->method_state) t->method->clear(t->method_state);
    l2r_free(t->method_state);
    l2r_environments_clear(&t->environments);
    l2r_free(t->order);
    l2r_optimiser_clear(&t->optimiser);
    l2r_averaging_clear(&t->averaging);
    l2r_tape_clear(&t->tape);
    l2r_network_clear(&t->network);
    *t = (struct l2r_trainer){0};
}
