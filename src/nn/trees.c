/* SPDX-License-Identifier: MIT
 * See trees.h: growing trees. Prediction and tensors are in trees_output.c. */
#include "nn/trees.h"

#include "base/array.h"
#include "base/decimal.h"
#include "base/memory.h"
#include "nn/params.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BINS = 64 /* values of a feature that splits tell apart; counts have few, quantiles 33 */ };

int64_t l2r_trees_width(const struct l2r_build *build)
{
    int32_t n = build->data->features.n;
    if (n == 0)
        l2r_params_fail(build->params, L2R_ERR_ARGUMENT,
                        "model %s reads numbers about whole molecules, but none are chosen; `features` or "
                        "`feature-columns` chooses some",
                        l2r_config_text(build->config, "model"));
    return n < L2R_TREES_WIDTH ? n : L2R_TREES_WIDTH;
}

int64_t l2r_trees_build(void *model, const struct l2r_build *build)
{
    struct l2r_trees *trees = model;
    const struct l2r_signature *s = build->data;
    const struct l2r_config *c = build->config;
    bool classes = s->task == L2R_TASK_MULTICLASS;
    *trees = (struct l2r_trees){.data = s,
                                .per_epoch = l2r_config_int(c, "rounds-per-epoch"),
                                .rate = l2r_config_has(c, "lr") ? l2r_config_real(c, "lr") : 0,
                                .depth = (double)l2r_config_int(c, "depth"),
                                .row_share = l2r_config_real(c, "row-share"),
                                .column_share = l2r_config_real(c, "column-share"),
                                .leaf = l2r_config_real(c, "leaf"),
                                .seed = l2r_trees_seed(c),
                                .n_boosters = classes ? 1 : s->n_tasks,
                                .n_outputs = classes ? s->n_classes : 1};
    size_t n = (size_t)trees->n_boosters;
    trees->base = l2r_params_memory(build->params, n * (size_t)trees->n_outputs, sizeof *trees->base);
    trees->rounds = l2r_params_add_buffer(build->params, 1, 0, "rounds");
    return l2r_trees_width(build);
}

static void drop_ahead(struct l2r_trees *trees)
{
    l2r_trees_release(&trees->ahead);
    l2r_free(trees->loss);
    trees->loss = NULL;
    trees->n_ahead = trees->next = 0;
}

void l2r_trees_clear(void *model)
{
    struct l2r_trees *trees = model;
    drop_ahead(trees);
    l2r_trees_release(&trees->trees);
}

int64_t l2r_trees_bytes(const struct l2r_config *config, const struct l2r_dataset *data)
{
    int64_t rounds = l2r_config_int(config, "epochs") * l2r_config_int(config, "rounds-per-epoch");
    int32_t depth = (int32_t)l2r_config_int(config, "depth");
    double most = depth < 30 ? pow(2, depth + 1) - 1 : 1e9, bytes = 0;
    for (int32_t k = 0; k < l2r_tree_groups(data); k++) {
        /* A leaf has the weight of a graph, which in two classes is at most a quarter of its number. */
        double n = (double)l2r_tree_labels(NULL, data, k), share = data->task == L2R_TASK_REGRESSION ? 1 : 4;
        bytes += (double)rounds * l2r_tree_size(fmin(most, 2 * n / share), L2R_BOOSTED_WIDTH);
    }
    return (int64_t)fmin(bytes * (data->task == L2R_TASK_MULTICLASS ? data->n_classes : 1), 1e18);
}

/* ---- growing ---- */

static const char *objective(const struct l2r_trees *trees)
{
    if (trees->data->task == L2R_TASK_MULTICLASS) return "multi:softprob";
    return trees->data->task == L2R_TASK_BINARY ? "binary:logistic" : "reg:squarederror";
}

static enum l2r_status start_booster(struct l2r_booster **booster, const struct l2r_trees *trees, int32_t k, float mean,
                                     double balance, struct l2r_error *error)
{
    struct l2r_setting settings[] = {{"tree_method", "hist"},  {"eta", ""},
                                     {"max_depth", ""},        {"subsample", ""},
                                     {"colsample_bytree", ""}, {"max_bin", ""},
                                     {"min_child_weight", ""}, {"seed", ""},
                                     {"base_score", ""},       {"scale_pos_weight", ""},
                                     {"num_feature", ""},      {"num_class", ""},
                                     {"objective", ""}};
    const double values[] = {0,
                             trees->rate,
                             trees->depth,
                             trees->row_share,
                             trees->column_share,
                             MOST_BINS,
                             trees->leaf,
                             (double)((trees->seed * 1009 + (uint64_t)k) & 0x3fffffff),
                             (double)mean,
                             balance,
                             trees->data->features.n,
                             trees->n_outputs > 1 ? trees->n_outputs : 0};
    enum { ALL = sizeof settings / sizeof *settings };
    for (size_t i = 1; i < ALL - 1; i++)
        l2r_decimal_print(settings[i].value, sizeof settings[i].value, "%.9g", values[i]);
    snprintf(settings[ALL - 1].value, sizeof settings[ALL - 1].value, "%s", objective(trees));
    return l2r_booster_new(booster, settings, ALL, error);
}

/* The training graphs that have a label of task k, as sparse rows. */
struct rows {
    struct l2r_array start, column, value, labels, weights; /* size_t, unsigned, float, float, float */
    double mean;                                            /* of the labels of the booster */
};

static void rows_clear(struct rows *rows)
{
    l2r_array_clear(&rows->start);
    l2r_array_clear(&rows->column);
    l2r_array_clear(&rows->value);
    l2r_array_clear(&rows->labels);
    l2r_array_clear(&rows->weights);
}

float l2r_trees_label(const struct l2r_signature *s, const struct l2r_fit_data *fit, int64_t i, int32_t k)
{
    int64_t cell = (int64_t)fit->train[i] * fit->data->n_tasks + k;
    float label = fit->data->labels[cell];
    if (fit->data->bound && fit->data->bound[cell] != 0) return NAN;
    return s->task == L2R_TASK_REGRESSION ? (float)l2r_target_scaled(&s->target, k, (double)label) : label;
}

/* Of a training graph's loss: its own and, of several classes, that of its class. */
static float weight_of(const struct l2r_trees *trees, const struct l2r_fit_data *fit, int64_t i, float label)
{
    float own = fit->data->weight ? fit->data->weight[fit->train[i]] : 1;
    bool classes = trees->data->task == L2R_TASK_MULTICLASS && fit->class_weight && !isnan(label);
    return classes ? own * (float)fit->class_weight[(int32_t)label] : own;
}

static bool add_row(struct rows *rows, const l2r_real *features, int32_t n)
{
    size_t end = rows->column.n;
    for (int32_t j = 0; j < n; j++) {
        unsigned column = (unsigned)j;
        float value = (float)features[j];
        if (value == 0) continue;
        if (!l2r_array_add(&rows->column, &column, 1, sizeof column) ||
            !l2r_array_add(&rows->value, &value, 1, sizeof value))
            return false;
        end++;
    }
    return l2r_array_add(&rows->start, &end, 1, sizeof end);
}

static enum l2r_status collect(struct rows *rows, const struct l2r_trees *trees, const struct l2r_fit_data *fit,
                               int32_t k, struct l2r_error *error)
{
    const size_t first = 0;
    int32_t n = trees->data->features.n;
    l2r_real *features = l2r_alloc((size_t)n, sizeof *features);
    bool kept = features && l2r_array_add(&rows->start, &first, 1, sizeof first);
    for (int64_t i = 0; kept && i < fit->n_train; i++) {
        float label = l2r_trees_label(trees->data, fit, i, k), weight = weight_of(trees, fit, i, label);
        if (isnan(label)) continue;
        rows->mean += (double)label;
        l2r_feature_row(features, fit->data, fit->train[i]);
        kept = add_row(rows, features, n) && l2r_array_add(&rows->labels, &label, 1, sizeof label) &&
               l2r_array_add(&rows->weights, &weight, 1, sizeof weight);
    }
    if (rows->labels.n > 0) rows->mean /= (double)rows->labels.n;
    l2r_free(features);
    return kept ? L2R_OK : l2r_fail_memory(error, rows->value.n * sizeof(float), "the features of the training graphs");
}

enum l2r_status l2r_trees_check_labels(const struct l2r_signature *s, const struct l2r_fit_data *fit, const char *model,
                                       struct l2r_error *error)
{
    for (int64_t i = 0; i < fit->n_train; i++)
        for (int32_t k = 0; k < s->n_tasks; k++)
            if (!isnan(l2r_trees_label(s, fit, i, k))) return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "model %s learns from exact labels, and none of the %lld training graphs has one; networks learn "
                    "bounds, too: choose another `model`, or leave %s out of `members`",
                    model, (long long)fit->n_train, model);
}

/* Where boosting starts: of probabilities rare classes must not start at 0. XGBoost is told this float to nine digits,
 * which keep its bits. */
static float start_at(const struct l2r_trees *trees, double mean)
{
    if (trees->data->task == L2R_TASK_MULTICLASS) return 0.5F;
    if (trees->data->task == L2R_TASK_BINARY) return (float)fmin(0.99, fmax(0.01, mean));
    return (float)mean;
}

/* The same as an output, computed as XGBoost does. */
static float base_of(const struct l2r_trees *trees, float first)
{
    return trees->data->task == L2R_TASK_BINARY ? -logf(1.0F / first - 1.0F) : first;
}

/* The trees of all rounds of booster k, as ours. */
static enum l2r_status take_trees(struct l2r_trees *trees, struct l2r_booster *booster, int64_t rounds,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_tree_shape shape = l2r_trees_shape(trees);
    char *json = NULL;
    size_t length = 0;
    for (int64_t first = 0; first < rounds; first += trees->per_epoch) {
        L2R_TRY(l2r_booster_rounds(&json, &length, booster, first, trees->per_epoch, error));
        L2R_TRY(l2r_trees_convert(&trees->ahead, json, length, trees->per_epoch * trees->n_outputs, &shape, error));
        l2r_free(json);
        json = NULL;
    }
done:
    l2r_free(json);
    return status;
}

/* Trees without nodes, for a task without labels: they predict nothing. */
static enum l2r_status take_none(struct l2r_trees *trees, int64_t rounds, struct l2r_error *error)
{
    const struct l2r_tree none = {0};
    for (int64_t i = 0; i < rounds * trees->n_outputs; i++)
        if (!l2r_array_add(&trees->ahead, &none, 1, sizeof none))
            return l2r_fail_memory(error, (size_t)rounds * sizeof none, "trees");
    return L2R_OK;
}

static enum l2r_status grow(struct l2r_trees *trees, struct l2r_booster *booster, const struct l2r_matrix *matrix,
                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (int64_t e = 0; e < trees->n_ahead; e++) {
        double loss = 0;
        for (int64_t r = e * trees->per_epoch; r < (e + 1) * trees->per_epoch; r++)
            L2R_TRY(l2r_booster_grow(r + 1 == (e + 1) * trees->per_epoch ? &loss : NULL, booster, matrix, r, error));
        trees->loss[e] += loss / trees->n_boosters;
    }
done:
    return status;
}

/* All rounds of task k. */
static enum l2r_status grow_task(struct l2r_trees *trees, const struct l2r_fit_data *fit, int32_t k,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct rows rows = {0};
    struct l2r_matrix *matrix = NULL;
    struct l2r_booster *booster = NULL;
    int64_t rounds = trees->n_ahead * trees->per_epoch;
    double balance = fit->class_weight && trees->data->task == L2R_TASK_BINARY ? (double)fit->class_weight[k] : 1;
    L2R_TRY(collect(&rows, trees, fit, k, error));
    const struct l2r_sparse sparse = {.n_rows = (int64_t)rows.labels.n,
                                      .n_columns = trees->data->features.n,
                                      .start = rows.start.items,
                                      .column = rows.column.items,
                                      .value = rows.value.items,
                                      .weight = rows.weights.items};
    const float first = rows.labels.n > 0 ? start_at(trees, rows.mean) : 0;
    for (int32_t c = 0; c < trees->n_outputs; c++)
        trees->base[k * trees->n_outputs + c] = rows.labels.n > 0 ? base_of(trees, first) : 0;
    if (rows.labels.n == 0) {
        status = take_none(trees, rounds, error);
        goto done;
    }
    L2R_TRY(l2r_matrix_new(&matrix, &sparse, rows.labels.items, error));
    rows_clear(&rows);
    L2R_TRY(start_booster(&booster, trees, k, first, balance, error));
    L2R_TRY(grow(trees, booster, matrix, error));
    L2R_TRY(take_trees(trees, booster, rounds, error));
done:
    l2r_booster_free(booster);
    l2r_matrix_free(matrix);
    rows_clear(&rows);
    return status;
}

static enum l2r_status grow_ahead(struct l2r_trees *trees, const struct l2r_fit_data *fit, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    drop_ahead(trees);
    l2r_trees_release(&trees->trees);
    L2R_TRY(l2r_trees_check_labels(trees->data, fit, "boost", error));
    int64_t epochs = fit->n_epochs > fit->epoch ? fit->n_epochs : fit->epoch + 1;
    trees->loss = l2r_alloc((size_t)epochs, sizeof *trees->loss);
    if (!trees->loss) return l2r_fail_memory(error, (size_t)epochs * sizeof *trees->loss, "trees");
    trees->n_ahead = epochs;
    for (int32_t k = 0; k < trees->n_boosters; k++) {
        if (k > 0 && fit->stop && fit->stop(fit->context))
            L2R_FAIL(L2R_ERR_INTERRUPTED, "stopped after the trees of %d of %d tasks", (int)k, (int)trees->n_boosters);
        L2R_TRY(grow_task(trees, fit, k, error));
    }
done:
    if (status != L2R_OK) drop_ahead(trees);
    return status;
}

/* The rounds of the next epoch of every task move to the model. */
static enum l2r_status take_epoch(struct l2r_trees *trees, struct l2r_error *error)
{
    int64_t each = trees->per_epoch * trees->n_outputs;
    for (int32_t k = 0; k < trees->n_boosters; k++) {
        struct l2r_tree *from = (struct l2r_tree *)trees->ahead.items + (k * trees->n_ahead + trees->next) * each;
        if (!l2r_array_add(&trees->trees, from, (size_t)each, sizeof *from))
            return l2r_fail_memory(error, trees->trees.n * sizeof *from, "trees");
        memset(from, 0, (size_t)each * sizeof *from);
    }
    trees->next++;
    return L2R_OK;
}

/* Trees grown ahead are not saved: a resumed run grows them again. */
enum l2r_status l2r_trees_fit(void *model, double *loss, const struct l2r_fit_data *fit, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_trees *trees = model;
    if (fit->epoch == 0 || fit->epoch != trees->next || trees->next == trees->n_ahead)
        L2R_TRY(grow_ahead(trees, fit, error));
    while (trees->next <= fit->epoch) L2R_TRY(take_epoch(trees, error));
    *loss = trees->loss[fit->epoch];
    trees->rounds->value[0] = (l2r_real)(trees->next * trees->per_epoch);
    if (trees->next == trees->n_ahead) l2r_trees_release(&trees->ahead);
done:
    return status;
}
