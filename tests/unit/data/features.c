/* SPDX-License-Identifier: MIT
 *
 * Features of molecules in a data set (data/features.h): which columns a scale keeps, how it scales, that it survives
 * the signature's JSON, and what is refused.
 */
#include <l2r/arrays.h>

#include "chem/molecule.h"
#include "data/features.h"
#include "nn/signature.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { N = 8 };
static const char *const smiles[N] = {"C", "CC", "CCC", "CCCC", "CCCCC", "CCO", "c1ccccc1", "C[Hg]C"};
static const int32_t train[] = {0, 1, 2, 3, 4, 5, 6};
static struct l2r_error error;
static struct l2r_dataset *data;
static struct l2r_arena arena;

static int set_up(void **state)
{
    (void)state;
    l2r_arena_init(&arena);
    return l2r_dataset_from_smiles(&data,
                                   &(struct l2r_smiles){.size = sizeof(struct l2r_smiles),
                                                        .smiles = smiles,
                                                        .task = L2R_TASK_BINARY,
                                                        .n_tasks = 1,
                                                        .n_rows = N},
                                   NULL, &error) == L2R_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    l2r_dataset_free(data);
    l2r_arena_clear(&arena);
    return 0;
}

static struct l2r_feature_scale make(unsigned blocks, struct l2r_text *note)
{
    struct l2r_feature_scale scale;
    assert_int_equal(l2r_feature_scale_make(&scale, &arena, note, data, train, 7, blocks, &error), L2R_OK);
    return scale;
}

/* The place of a column by name. */
static int32_t find(const struct l2r_feature_scale *scale, const char *wanted)
{
    char name[128];
    for (int32_t i = 0; i < scale->n; i++) {
        l2r_feature_name(name, sizeof name, scale, i);
        if (strcmp(name, wanted) == 0) return i;
    }
    return -1;
}

static void keeps_what_varies_and_names_the_rest(void **state)
{
    struct l2r_text note = {0};
    (void)state;
    struct l2r_feature_scale scale = make(1U << L2R_DESCRIBE_MORGAN | 1U << L2R_DESCRIBE_DESCRIPTORS, &note);
    assert_true(scale.n > 20 && scale.n < 300);
    assert_true(find(&scale, "NumHeavyAtoms") >= 0);
    assert_int_equal(find(&scale, "NumSpiroAtoms"), -1);
    assert_int_equal(scale.first[L2R_FEATURE_BLOCKS], scale.n);
    assert_non_null(strstr(note.text, "NumSpiroAtoms"));
    l2r_text_clear(&note);
}

/* Rows 1 and 3 of a table whose other rows hold no molecule. */
static void rows_described_while_they_are_read_become_graphs(void **state)
{
    enum { BLOCKS = 1 << L2R_DESCRIBE_PAIRS | 1 << L2R_DESCRIBE_DESCRIPTORS };
    static const int64_t rows[] = {1, 3};
    static const int32_t same[] = {5, 6};
    struct l2r_features *read = l2r_features_new();
    struct l2r_feature_scale scale = make(BLOCKS, NULL);
    struct l2r_dataset *two = NULL, view = *data;
    struct l2r_smiles pair = L2R_SMILES_INIT;
    (void)state;
    view.scale = &scale;
    assert_int_equal(l2r_features_fill(&view, NULL, N, &error), L2R_OK);
    pair.n_rows = 2;
    pair.smiles = smiles + 5;
    pair.task = L2R_TASK_BINARY;
    pair.n_tasks = 1;
    assert_int_equal(l2r_dataset_from_smiles(&two, &pair, NULL, &error), L2R_OK);
    assert_int_equal(l2r_features_make_room(read, 4, BLOCKS, &error), L2R_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(l2r_features_describe(read, rows[i], BLOCKS, smiles[same[i]], &error), L2R_OK);
    assert_int_equal(l2r_features_take(two, read, rows, BLOCKS, &error), L2R_OK);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < L2R_DESCRIPTIONS; k++)
            for (int32_t j = 0; BLOCKS >> k & 1 && j < l2r_description_width((enum l2r_description)k); j++)
                assert_true(l2r_feature_raw(two, k, i, j) == l2r_feature_raw(data, k, same[i], j));
    l2r_features_free(read);
    l2r_dataset_free(two);
}

/* Longer chains have higher scores; outside the training range they end at 3. */
static void ranks_become_normal_scores(void **state)
{
    static l2r_real row[N][400];
    (void)state;
    struct l2r_feature_scale scale = make(1U << L2R_DESCRIBE_DESCRIPTORS, NULL);
    struct l2r_dataset view = *data;
    view.scale = &scale;
    assert_int_equal(l2r_features_fill(&view, NULL, N, &error), L2R_OK);
    int32_t atoms = find(&scale, "NumHeavyAtoms"), charge = find(&scale, "MaxPartialCharge");
    for (int i = 0; i < N; i++) l2r_feature_row(row[i], &view, i);
    for (int i = 1; i < 5; i++) assert_true(row[i][atoms] > row[i - 1][atoms]);
    assert_true(charge >= 0);
    assert_true(row[7][charge] == 0); /* unknown of mercury: the median */
    for (int i = 0; i < N; i++)
        for (int32_t k = 0; k < scale.n; k++) assert_true(fabs((double)row[i][k]) <= 3);
}

static void survives_the_signature(void **state)
{
    struct l2r_feature_scale scale = make(1U << L2R_DESCRIBE_PAIRS | 1U << L2R_DESCRIBE_DESCRIPTORS, NULL), back;
    (void)state;
    json_t *object = l2r_signature_features_to_json(&scale);
    assert_int_equal(l2r_signature_features_from_json(&back, &arena, object), L2R_OK);
    assert_int_equal(back.n, scale.n);
    assert_int_equal(back.blocks, scale.blocks);
    assert_memory_equal(back.first, scale.first, sizeof scale.first);
    assert_memory_equal(back.column, scale.column, (size_t)scale.n * sizeof *scale.column);
    int32_t numbers = scale.first[L2R_FEATURE_BLOCKS] - scale.first[L2R_DESCRIBE_ERG];
    assert_memory_equal(back.knots, scale.knots, (size_t)numbers * L2R_FEATURE_KNOTS * sizeof *scale.knots);
    json_array_remove(json_object_get(object, "knots"), 0);
    assert_int_equal(l2r_signature_features_from_json(&back, &arena, object), L2R_ERR_FORMAT);
    json_decref(object);
}

static void refuses_what_the_data_lacks(void **state)
{
    struct l2r_feature_scale scale;
    struct l2r_dataset bare = *data;
    (void)state;
    bare.smiles = NULL;
    assert_int_equal(l2r_feature_scale_make(&scale, &arena, NULL, &bare, train, 7, 1U << L2R_DESCRIBE_PAIRS, &error),
                     L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "are computed from SMILES"));
    const struct l2r_feature_scale own = {.blocks = 1U << L2R_FEATURE_COLUMNS, .n_own = 1, .own_names = "dose"};
    assert_int_equal(l2r_feature_scale_check(&own, data, &error), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "\"dose\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_what_varies_and_names_the_rest),
        cmocka_unit_test(rows_described_while_they_are_read_become_graphs),
        cmocka_unit_test(ranks_become_normal_scores),
        cmocka_unit_test(survives_the_signature),
        cmocka_unit_test(refuses_what_the_data_lacks),
    };
    if (!l2r_chem_version()) return 77;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
