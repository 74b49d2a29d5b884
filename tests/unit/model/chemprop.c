/* SPDX-License-Identifier: MIT
 *
 * Checkpoints of chemprop 2 become models that predict as chemprop 2.3.1 does (tests/golden/chemprop_reference.py), and
 * what cannot be expressed, or is damaged, is refused.
 */
#include "model/chemprop.h"
#include "model/import.h"
#include "support/temporary.h"
#include "support/torch_checkpoint.h"

#include <l2r/arrays.h>
#include <l2r/model.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct l2r_error error;

static void must(enum l2r_status status)
{
    if (status != L2R_OK) fail_msg("%s", error.message);
}

static const char *const smiles[] = {"CCO",
                                     "C",
                                     "c1ccccc1C(=O)[O-].[Na+]",
                                     "C/C=C/C1CC1",
                                     "[2H]C([13CH3])(Cl)Br",
                                     "C[C@@H](N)C(=O)NCC#N",
                                     "c1ccc2c(c1)[nH]cc2",
                                     "FS(F)(F)(F)(F)F"};
enum { MOLECULES = 8 };

/* Of the molecules above, by tests/golden/chemprop_reference.py. */
static const double regression[] = {0.71324283, 0.73327225, 0.71378565, 0.73296368, 0.71111631, 0.73448235,
                                    0.70991212, 0.73519993, 0.71441162, 0.73258501, 0.70899546, 0.73572856,
                                    0.70921695, 0.73556578, 0.72006154, 0.72919226};
static const double binary[] = {0.55090594, 0.52554083, 0.41684327, 0.55264652, 0.54805708, 0.42335925,
                                0.54769796, 0.52248919, 0.41888514, 0.5482741,  0.52295488, 0.4184885,
                                0.56256938, 0.53653824, 0.40937811, 0.55721229, 0.53142947, 0.41278732,
                                0.54707181, 0.52170748, 0.41921592, 0.5681473,  0.54608709, 0.40735984};
static const double classes[] = {0.74279869, 0.23085277,    0.026348542,   0.42918929, 0.31412864,  0.25668207,
                                 0.988231,   0.011764522,   4.5046609e-06, 0.91414571, 0.08527229,  0.00058200827,
                                 0.74436849, 0.25043541,    0.0051960931,  0.92851692, 0.071430087, 5.2971023e-05,
                                 0.99912804, 0.00087052002, 1.4875835e-06, 0.71593875, 0.2829361,   0.0011251461};
static const double first_features[] = {0.42827141, 0.28954226, 1.0986828, 0.66915721,
                                        0.52686161, 0.82982582, 1.1505463, 0.60359794};

static const char *const columns[] = {"tox", "clearance", "half life"};

static const struct checkpoint regression_model = {.aggregation = "NormAggregation",
                                                   .predictor = "RegressionFFN",
                                                   .activation = "Tanh",
                                                   .norm = 50,
                                                   .hidden = 8,
                                                   .width = 5,
                                                   .depth = 4,
                                                   .n_layers = 2,
                                                   .n_outputs = 2,
                                                   .bias = true,
                                                   .batch_norm = true,
                                                   .scaled = true,
                                                   .columns = columns};
static const struct checkpoint binary_model = {.aggregation = "MeanAggregation",
                                               .predictor = "BinaryClassificationFFN",
                                               .activation = "ReLU",
                                               .norm = 100,
                                               .hidden = 6,
                                               .width = 7,
                                               .depth = 3,
                                               .n_layers = 1,
                                               .n_outputs = 3,
                                               .columns = columns};
static const struct checkpoint class_model = {.aggregation = "SumAggregation",
                                              .predictor = "MulticlassClassificationFFN",
                                              .activation = "ELU",
                                              .norm = 100,
                                              .hidden = 6,
                                              .depth = 2,
                                              .n_outputs = 3};
static const struct checkpoint first_model = {.aggregation = "SumAggregation",
                                              .predictor = "RegressionFFN",
                                              .activation = "LeakyReLU",
                                              .norm = 100,
                                              .hidden = 6,
                                              .width = 4,
                                              .depth = 1,
                                              .n_layers = 1,
                                              .n_outputs = 1,
                                              .atom = 133};

static void write_to(char *path, const char *folder, const char *name, const struct checkpoint *c)
{
    snprintf(path, 200, "%s/%s", folder, name);
    assert_int_equal(write_checkpoint(path, c), 0);
}

static void check_model(const struct checkpoint *c, const double *expected, int outputs)
{
    char folder[TEMPORARY_LENGTH], from[200], to[200];
    const char *paths[] = {from};
    struct l2r_predictor *p;
    struct l2r_dataset *data;
    struct l2r_smiles molecules = L2R_SMILES_INIT;
    float found[MOLECULES * 3];
    assert_non_null(temporary_folder(folder));
    write_to(from, folder, "model.pt", c);
    snprintf(to, sizeof to, "%s/model.safetensors", folder);
    must(l2r_predictor_import(to, paths, 1, &error));
    must(l2r_predictor_open(&p, to, &error));
    molecules.smiles = smiles;
    molecules.n_rows = MOLECULES;
    molecules.task = L2R_TASK_REGRESSION;
    molecules.n_tasks = 1;
    must(l2r_dataset_from_smiles(&data, &molecules, NULL, &error));
    must(l2r_predictor_predict(found, p, data, NULL, MOLECULES, &error));
    l2r_predictor_probabilities(found, p, MOLECULES);
    for (int i = 0; i < MOLECULES * outputs; i++)
        if (!(fabs((double)found[i] - expected[i]) < 2e-6 * (1 + fabs(expected[i]))))
            fail_msg("%s, output %d: %.8g instead of %.8g", smiles[i / outputs], i % outputs, (double)found[i],
                     expected[i]);
    if (c->columns) assert_string_equal(l2r_predictor_task_name(p, 1), "clearance");
    l2r_dataset_free(data);
    l2r_predictor_free(p);
}

static void test_as_chemprop(void **state)
{
    (void)state;
    if (!l2r_has("rdkit")) skip();
    check_model(&regression_model, regression, 2);
    check_model(&binary_model, binary, 3);
    check_model(&class_model, classes, 3);
    check_model(&first_model, first_features, 1);
}

/* A folder of four checkpoints: two predict the same and are one model. */
static void test_several(void **state)
{
    (void)state;
    char folder[TEMPORARY_LENGTH], inner[160], path[240], out[200];
    const char *paths[] = {folder};
    struct l2r_predictor *p;
    struct l2r_import import;
    if (!l2r_has("rdkit")) skip();
    assert_non_null(temporary_folder(folder));
    snprintf(inner, sizeof inner, "%s/two words", folder);
    assert_int_equal(mkdir(inner, 0700), 0);
    write_to(path, inner, "model_0.pt", &binary_model);
    write_to(path, inner, "model_1.pt", &binary_model);
    write_to(path, inner, "model_2.pt", &regression_model);
    write_to(path, inner, "ignored.ckpt", &class_model);
    must(l2r_import_read(&import, paths, 1, &error));
    assert_int_equal(import.n, 2);
    assert_int_equal(import.models[0].trained->n, 2);
    assert_string_equal(import.models[0].name, "two_words");
    assert_string_equal(import.models[1].name, "two_words-2");
    snprintf(out, sizeof out, "%s/out.safetensors", folder);
    assert_int_equal(l2r_import_write(&import, out, &error), L2R_ERR_ARGUMENT);
    snprintf(out, sizeof out, "%s/out", folder);
    must(l2r_import_write(&import, out, &error));
    assert_int_equal(l2r_import_write(&import, out, &error), L2R_ERR_IO); /* there is something now */
    l2r_import_clear(&import);
    snprintf(path, sizeof path, "%s/two_words", out);
    must(l2r_predictor_open(&p, path, &error));
    assert_int_equal(l2r_predictor_n_members(p), 2);
    l2r_predictor_free(p);
}

static void refuse(struct checkpoint c, const char *word)
{
    char folder[TEMPORARY_LENGTH], path[200];
    struct l2r_member *member;
    char *bytes;
    size_t length;
    assert_non_null(temporary_folder(folder));
    write_to(path, folder, "model.pt", &c);
    must(l2r_file_read(&bytes, &length, path, 1 << 24, &error));
    assert_int_equal(l2r_chemprop_read(&member, bytes, length, "model.pt", &error), L2R_ERR_FORMAT);
    if (!strstr(error.message, word)) fail_msg("%s\nlacks: %s", error.message, word);
    assert_null(member);
    l2r_free(bytes);
}

static void test_refusals(void **state)
{
    (void)state;
    struct checkpoint c = binary_model;
    c.aggregation = "AttentiveAggregation";
    refuse(c, "attentiveaggregation");
    c = binary_model;
    c.predictor = "EvidentialFFN";
    refuse(c, "evidentialffn");
    c = binary_model;
    c.activation = "PReLU";
    refuse(c, "prelu");
    c = binary_model;
    c.passing = "AtomMessagePassing";
    refuse(c, "atommessagepassing");
    c = binary_model;
    c.atom = 71;
    refuse(c, "71");
    c = binary_model;
    c.depth = 0;
    refuse(c, "depth");
    c = binary_model;
    c.extra = "I1\n"; /* a code that checkpoints do not have */
    refuse(c, "0x49");
}

/* Every prefix of a file is refused, as are files that are something else. */
static void test_damage(void **state)
{
    (void)state;
    char folder[TEMPORARY_LENGTH], path[200];
    struct l2r_member *member;
    char *bytes;
    size_t length;
    assert_non_null(temporary_folder(folder));
    write_to(path, folder, "model.pt", &binary_model);
    must(l2r_file_read(&bytes, &length, path, 1 << 24, &error));
    for (size_t n = 0; n < length - 200; n += n < 3000 ? 97 : 997) {
        assert_int_equal(l2r_chemprop_read(&member, bytes, n, "model.pt", &error), L2R_ERR_FORMAT);
        assert_memory_equal(error.message, "model.pt:", 9);
    }
    assert_int_equal(l2r_chemprop_read(&member, "\x80\x02}.", 4, "model.pt", &error), L2R_ERR_FORMAT);
    l2r_free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_chemprop), cmocka_unit_test(test_several),
                                       cmocka_unit_test(test_refusals), cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
