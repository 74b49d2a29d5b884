/* SPDX-License-Identifier: MIT
 * Boosted trees as ours: they answer with XGBoost's bits and share out what SHAP shares out, for values, for two
 * classes and for several, and where most numbers are 0; damaged ones are refused. */
#include "nn/trees.h"

#include "autograd/tape.h"
#include "base/memory.h"
#include "base/rng.h"
#include "batch/batch.h"
#include "support/messages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { N = 300, COLUMNS = 12, ROUNDS = 30 };

static float rows[N * COLUMNS], labels[N];

/* Half of the numbers are 0, some are negative, and a few columns are counts. */
static void make_rows(int32_t classes)
{
    struct l2r_rng rng = l2r_rng_at(5, L2R_RANDOM_TEST, 0);
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < COLUMNS; j++) {
            float x = (float)(l2r_rng_uniform(&rng) * 4 - 2);
            if (j % 3 == 0) x = (float)(int)(x * 2);
            rows[i * COLUMNS + j] = l2r_rng_below(&rng, 2) ? 0 : x;
            sum += (double)rows[i * COLUMNS + j] * (j % 4 - 1.3);
        }
        sum += sin(3 * sum);
        labels[i] = classes == 0 ? (float)sum : (float)((int)fabs(sum) % classes);
    }
}

static struct l2r_signature signature_of(int32_t classes)
{
    struct l2r_signature s = {.task = classes == 0   ? L2R_TASK_REGRESSION
                                      : classes == 2 ? L2R_TASK_BINARY
                                                     : L2R_TASK_MULTICLASS,
                              .n_tasks = 1,
                              .n_classes = classes > 2 ? classes : 0};
    s.features.n = COLUMNS;
    return s;
}

#ifdef L2R_WITH_XGBOOST

#include <xgboost/c_api.h>

static l2r_real round_value = ROUNDS;
static const struct l2r_param buffer = {.rows = 1, .cols = 1, .value = &round_value};

static void must(enum l2r_status status, const struct l2r_error *error)
{
    if (status != L2R_OK) fail_msg("%s", error->message);
}

static struct l2r_matrix *matrix(void)
{
    static size_t start[N + 1];
    static unsigned column[N * COLUMNS];
    static float value[N * COLUMNS];
    struct l2r_matrix *made;
    struct l2r_error error = {0};
    size_t n = 0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < COLUMNS; j++)
            if (rows[i * COLUMNS + j] != 0) {
                column[n] = (unsigned)j;
                value[n++] = rows[i * COLUMNS + j];
            }
        start[i + 1] = n;
    }
    const struct l2r_sparse sparse = {N, COLUMNS, start, column, value, NULL};
    must(l2r_matrix_new(&made, &sparse, labels, &error), &error);
    return made;
}

/* All trees as XGBoost writes them. */
static char *grow(size_t *length, int32_t classes, const char *base)
{
    struct l2r_setting settings[] = {{"tree_method", "hist"}, {"eta", "0.3"},    {"max_depth", "6"},
                                     {"subsample", "0.8"},    {"seed", "3"},     {"base_score", ""},
                                     {"num_feature", "12"},   {"num_class", ""}, {"objective", ""}};
    struct l2r_booster *booster;
    struct l2r_matrix *m = matrix();
    struct l2r_error error = {0};
    double loss;
    char *json;
    snprintf(settings[5].value, sizeof settings[5].value, "%s", base);
    snprintf(settings[7].value, sizeof settings[7].value, "%d", classes > 2 ? (int)classes : 0);
    snprintf(settings[8].value, sizeof settings[8].value, "%s",
             classes == 0   ? "reg:squarederror"
             : classes == 2 ? "binary:logistic"
                            : "multi:softprob");
    must(l2r_booster_new(&booster, settings, sizeof settings / sizeof *settings, &error), &error);
    for (int64_t r = 0; r < ROUNDS; r++) must(l2r_booster_grow(&loss, booster, m, r, &error), &error);
    must(l2r_booster_rounds(&json, length, booster, 0, ROUNDS, &error), &error);
    l2r_matrix_free(m);
    l2r_booster_free(booster);
    return json;
}

/* type 1: outputs before the link function; 2: contributions. */
static void predict_with_xgboost(float *out, size_t n, const char *json, size_t length, int type)
{
    BoosterHandle booster;
    DMatrixHandle matrix;
    const float *values;
    const bst_ulong *shape;
    bst_ulong dims;
    char how[200];
    snprintf(
        how, sizeof how,
        "{\"type\": %d, \"training\": false, \"iteration_begin\": 0, \"iteration_end\": 0, \"strict_shape\": true}",
        type);
    assert_int_equal(XGBoosterCreate(NULL, 0, &booster), 0);
    assert_int_equal(XGBoosterLoadModelFromBuffer(booster, json, length), 0);
    assert_int_equal(XGDMatrixCreateFromMat(rows, N, COLUMNS, 0, &matrix), 0);
    assert_int_equal(XGBoosterPredictFromDMatrix(booster, matrix, how, &shape, &dims, &values), 0);
    size_t all = 1;
    for (bst_ulong d = 0; d < dims; d++) all *= shape[d];
    assert_int_equal(all, n);
    memcpy(out, values, n * sizeof *out);
    XGDMatrixFree(matrix);
    XGBoosterFree(booster);
}

static void same_outputs(const struct l2r_trees *trees, const char *json, size_t length)
{
    static float xgboost[N * 3];
    static l2r_real x[N * COLUMNS];
    size_t n = (size_t)(N * trees->n_outputs);
    struct l2r_tape tape;
    for (int i = 0; i < N * COLUMNS; i++) x[i] = (l2r_real)rows[i];
    const struct l2r_batch batch = {.n_graphs = N, .features = x, .n_features = COLUMNS};
    l2r_tape_init(&tape);
    l2r_node out = l2r_trees_output(trees, &tape, &batch);
    assert_true(l2r_tape_ready(&tape, out));
    predict_with_xgboost(xgboost, n, json, length, 1);
    assert_memory_equal(l2r_value_of(&tape, out)->data, xgboost, n * sizeof *xgboost);
    l2r_tape_clear(&tape);
}

static void same_shares(const struct l2r_trees *trees, const char *json, size_t length)
{
    static float xgboost[N * 3 * (COLUMNS + 1)];
    struct l2r_error error = {0};
    predict_with_xgboost(xgboost, (size_t)(N * trees->n_outputs * (COLUMNS + 1)), json, length, 2);
    for (int i = 0; i < N; i++)
        for (int32_t c = 0; c < trees->n_outputs; c++) {
            double share[COLUMNS + 1] = {[COLUMNS] = (double)trees->base[c]};
            l2r_real x[COLUMNS];
            for (int j = 0; j < COLUMNS; j++) x[j] = (l2r_real)rows[i * COLUMNS + j];
            for (int64_t r = 0; r < ROUNDS; r++)
                must(l2r_tree_shap(share, l2r_trees_at(trees, r, 0, c), x, COLUMNS, &error), &error);
            for (int j = 0; j <= COLUMNS; j++)
                assert_float_equal(share[j], xgboost[(i * trees->n_outputs + c) * (COLUMNS + 1) + j], 2e-5);
        }
}

/* base: as XGBoost is told; margin: the output that it makes of this. */
static void answers_like_xgboost(int32_t classes, const char *base, float margin)
{
    struct l2r_error error = {0};
    size_t length;
    make_rows(classes);
    const struct l2r_signature signature = signature_of(classes);
    float bases[3] = {margin, margin, margin};
    struct l2r_trees trees = {.data = &signature,
                              .per_epoch = ROUNDS,
                              .depth = 6,
                              .n_boosters = 1,
                              .n_outputs = classes > 2 ? classes : 1,
                              .base = bases,
                              .rounds = &buffer};
    const struct l2r_tree_shape shape = l2r_trees_shape(&trees);
    char *json = grow(&length, classes, base);
    must(l2r_trees_convert(&trees.trees, json, length, (int64_t)ROUNDS * trees.n_outputs, &shape, &error), &error);
    same_outputs(&trees, json, length);
    same_shares(&trees, json, length);
    l2r_free(json);
    l2r_trees_clear(&trees);
}

static void values(void **state)
{
    (void)state;
    answers_like_xgboost(0, "0.25", 0.25F);
}

static void two_classes(void **state)
{
    (void)state;
    answers_like_xgboost(2, "0.300000012", -logf(1.0F / 0.3F - 1.0F));
}

static void several_classes(void **state)
{
    (void)state;
    answers_like_xgboost(3, "0.5", 0.5F);
}

#else

static void values(void **state)
{
    (void)state;
    skip();
}
#define two_classes values
#define several_classes values

#endif

/* ---- damage ---- Two rounds of a tree with three nodes. */

struct file {
    int32_t size[2], column[6], left[6];
    float threshold[6], value[12], base[1];
    uint8_t zero_left[6];
    l2r_real rounds;
};
static const struct file sound = {{3, 3},
                                  {1, -1, -1, 0, -1, -1},
                                  {1, 0, 0, 1, 0, 0},
                                  {0.5F, 0, 0, -1, 0, 0},
                                  {0, 9, 1, 4, 2, 5, 0, 9, -1, 3, 3, 6},
                                  {0.5F},
                                  {1, 0, 0, 0, 0, 0},
                                  2};

static enum l2r_status load(struct l2r_trees *trees, struct file *file, struct l2r_error *error)
{
    static float base[1];
    static struct l2r_param rounds = {.rows = 1, .cols = 1};
    static struct l2r_signature signature;
    const struct l2r_tensor tensors[] = {{"trees.size", L2R_DTYPE_I32, 1, {2}, file->size},
                                         {"trees.column", L2R_DTYPE_I32, 1, {6}, file->column},
                                         {"trees.left", L2R_DTYPE_I32, 1, {6}, file->left},
                                         {"trees.threshold", L2R_DTYPE_F32, 1, {6}, file->threshold},
                                         {"trees.value", L2R_DTYPE_F32, 1, {12}, file->value},
                                         {"trees.base", L2R_DTYPE_F32, 1, {1}, file->base},
                                         {"trees.zero_left", L2R_DTYPE_U8, 1, {6}, file->zero_left}};
    signature = signature_of(0);
    rounds.value = &file->rounds;
    *trees = (struct l2r_trees){.data = &signature,
                                .per_epoch = 1,
                                .depth = 2,
                                .n_boosters = 1,
                                .n_outputs = 1,
                                .base = base,
                                .rounds = &rounds};
    *error = (struct l2r_error){0};
    return l2r_trees_load(trees, tensors, sizeof tensors / sizeof *tensors, error);
}

static void refused(struct file *file, const char *words)
{
    struct l2r_trees trees;
    struct l2r_error error;
    assert_int_equal(load(&trees, file, &error), L2R_ERR_FORMAT);
    if (!message_matches(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
    assert_int_equal(trees.trees.n, 0);
    *file = sound;
}

static void damaged_trees_are_refused(void **state)
{
    (void)state;
    static const l2r_real bad[] = {NAN, INFINITY, -1, 0.5, 3, 9e18F};
    struct file file = sound;
    struct l2r_trees trees;
    struct l2r_error error;
    assert_int_equal(load(&trees, &file, &error), L2R_OK);
    assert_int_equal(trees.trees.n, 2);
    l2r_trees_clear(&trees);
    refused((file.left[3] = 0, &file), "children");
    refused((file.left[0] = INT32_MAX, &file), "children");
    refused((file.column[3] = COLUMNS, &file), "column");
    refused((file.threshold[0] = -INFINITY, &file), "threshold");
    refused((file.value[2] = NAN, &file), "value");
    refused((file.value[3] = 0, &file), "weight");
    refused((file.zero_left[0] = 2, &file), "zeros");
    refused((file.base[0] = NAN, &file), "base");
    refused((file.size[0] = 4, &file), "tree");
    refused((file.size[1] = -3, &file), "tree");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refused((file.rounds = bad[i], &file), "rounds");
}

/* Children of two parents make 2^depth ways of few nodes. */
static void each_node_has_one_parent(void **state)
{
    (void)state;
    static const struct l2r_tree_node nodes[] = {{0, 1, 0, 0},  {1, 3, 0, 0},  {2, 3, 0, 0}, {3, 5, 0, 0},
                                                 {-1, 0, 0, 0}, {-1, 0, 0, 0}, {-1, 0, 0, 0}};
    const struct l2r_tree_shape shape = {COLUMNS, 1, 6, true};
    struct l2r_tree tree = {0};
    struct l2r_error error = {0};
    const float values[7] = {0};
    assert_true(l2r_array_add(&tree.nodes, nodes, 7, sizeof *nodes));
    assert_true(l2r_array_add(&tree.values, values, 7, sizeof *values));
    assert_int_equal(l2r_tree_check(&tree, &shape, &error), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "another node"));
    l2r_array_clear(&tree.nodes);
    l2r_array_clear(&tree.values);
}

/* What XGBoost writes is checked like a file. */
static void odd_json_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[", "{}", "{\"learner\":{\"gradient_booster\":{\"model\":{\"trees\":[{}]}}}}",
        "{\"learner\":{\"gradient_booster\":{\"model\":{\"trees\":[{\"left_children\":[0],\"right_children\":[0],"
        "\"split_indices\":[0],\"split_conditions\":[0],\"default_left\":[0],\"sum_hessian\":[1]}]}}}}",
        "{\"learner\":{\"gradient_booster\":{\"model\":{\"trees\":[{\"left_children\":[7],\"right_children\":[8],"
        "\"split_indices\":[0],\"split_conditions\":[0],\"default_left\":[0],\"sum_hessian\":[1]}]}}}}"};
    const struct l2r_tree_shape shape = {COLUMNS, L2R_BOOSTED_WIDTH, 6, true};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct l2r_array trees = {0};
        struct l2r_error error = {0};
        assert_int_equal(l2r_trees_convert(&trees, texts[i], strlen(texts[i]), 1, &shape, &error), L2R_ERR_FORMAT);
        l2r_trees_release(&trees);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(two_classes),
        cmocka_unit_test(several_classes),
        cmocka_unit_test(damaged_trees_are_refused),
        cmocka_unit_test(each_node_has_one_parent),
        cmocka_unit_test(odd_json_is_refused),
    };
    make_rows(0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
