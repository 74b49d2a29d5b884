/* SPDX-License-Identifier: MIT
 * Which columns are labels where nobody names them: exports of ChEMBL and PubChem as they come, identifiers, constants,
 * numbers that RDKit computes from the structure, candidates that are not alike; relations of values; notes that stay
 * few however many cells are odd; a split column without a validation part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem/molecule.h"
#include "support/table_files.h"

#include "base/text.h"
#include "support/messages.h"

#include <math.h>
#include <stdio.h>

enum { ROWS = 30 };

static void read_text(const char *text)
{
    l2r_dataset_free(data);
    if (l2r_dataset_load_with(&data, write_file("t.csv", text), config, false, &error) != L2R_OK)
        fail_msg("%s", error.message);
}

static void refuse(const char *text, const char *sentence)
{
    struct l2r_dataset *none;
    assert_int_not_equal(l2r_dataset_load_with(&none, write_file("t.csv", text), config, false, &error), L2R_OK);
    if (!message_matches(error.message, sentence)) fail_msg("%s", error.message);
}

static void expect_note(const char *part)
{
    if (!message_has_line(data->notes, part)) fail_msg("no \"%s\" in\n%s", part, data->notes);
}

static void expect_tasks(const char *names, size_t size)
{
    assert_int_equal(data->n_task_names, size);
    assert_memory_equal(data->task_names, names, size);
}

/* Rows of alkanes: `header`, then for each n the text of `cells` (its %s is the SMILES), and further cells. */
static const char *alkane(int n)
{
    static char smiles[ROWS + 2];
    memset(smiles, 'C', (size_t)n + 1);
    smiles[n + 1] = '\0';
    return smiles;
}

static double weight(int n)
{
    return 12.011 * (n + 1) + 1.008 * (2 * n + 4);
}

static double measured(int n)
{
    return 5 + 2 * sin(7.0 * n);
}

static void structure_is_no_label(void **state)
{
    (void)state;
    struct l2r_text text = {0};
    l2r_text_puts(&text, "CID,year,MW,carbons,smiles,solubility,constant,predicted solubility\n");
    for (int n = 0; n < ROWS; n++)
        l2r_text_print(&text, "%d,%d,%.2f,%d,%s,%.3f,7,%.2f\n", 5000 + 13 * n, 1990 + n % 9, weight(n), n + 1,
                       alkane(n), measured(n), measured(n) + 0.1);
    read_text(text.text);
    expect_tasks("solubility", 11);
    expect_note("column \"MW\" is not used: it is RDKit's ");
    expect_note("column \"carbons\" is not used: ");
    expect_note("column \"constant\" is not used: it is constant");
    expect_note("column \"predicted solubility\" is not used: by its name it is computed");
    set("target-columns", "MW,constant"); /* named ones are learned */
    read_text(text.text);
    expect_tasks("MW\0constant", 12);
    l2r_text_clear(&text);
}

static void columns_that_are_not_alike(void **state)
{
    (void)state;
    struct l2r_text text = {0}, usual = {0};
    l2r_text_puts(&text, "smiles,hit,IC50 (nM),batch size\n");
    l2r_text_puts(&usual, "smiles,y,IC50 (nM),batch size\n");
    for (int n = 0; n < ROWS; n++) {
        l2r_text_print(&text, "%s,%d,%.2f,%d\n", alkane(n), n % 2, 1000 + 400 * sin(n), n % 3);
        l2r_text_print(&usual, "%s,%d,%.2f,%d\n", alkane(n), n % 2, 1000 + 400 * sin(n), n % 3);
    }
    refuse(text.text, "3 columns may be labels and are not alike: \"hit\", \"IC50 (nM)\", \"batch size\"; choose with "
                      "`target-columns=hit` or, for all of them, `target-columns=hit,IC50 (nM),batch size`");
    read_text(usual.text);
    expect_tasks("y", 2);
    expect_note("column \"IC50 (nM)\" is not used: another column is the label");
    set("task-type", "binary");
    read_text(text.text);
    expect_tasks("hit", 4);
    l2r_text_clear(&text);
    l2r_text_clear(&usual);
}

static void many_tasks_are_alike(void **state)
{
    (void)state;
    read_text("smiles,NR-AR,SR-p53,active\nCCO,1,0,yes\nCCN,0,,no\nCCC,0,1,yes\nCCF,1,0,no\n");
    expect_tasks("NR-AR\0SR-p53\0active", 20);
    assert_int_equal(data->task, L2R_TASK_BINARY);
    read_text("smiles,pIC50 A,pIC50 B,t1,t2\nCCO,5.1,7,1.5,5e6\nCCN,6.5,5.5,1.7,6e6\nCCC,7.5,6.5,6,6e6\n");
    assert_int_equal(data->n_tasks, 4); /* one range, or names that differ by a number */
}

static const char pubchem[] =
    "PUBCHEM_RESULT_TAG,PUBCHEM_SID,PUBCHEM_CID,PUBCHEM_EXT_DATASOURCE_SMILES,PUBCHEM_ACTIVITY_OUTCOME,"
    "PUBCHEM_ACTIVITY_SCORE,PUBCHEM_ACTIVITY_URL,PUBCHEM_ASSAYDATA_COMMENT,Potency\n"
    "RESULT_TYPE,,,,,,,,FLOAT\n"
    "RESULT_DESCR,,,,,,,,\"Concentration, half maximal\"\n"
    "RESULT_UNIT,,,,,,,,MICROMOLAR\n"
    "RESULT_IS_ACTIVE_CONCENTRATION,,,,,,,,TRUE\n"
    "1,842121,6603008,CCO,Active,46,,,11.2\n"
    "2,842122,6602571,CCN,Inactive,0,,,\n"
    "3,842123,6602616,CCC,Inconclusive,10,,,25.1\n"
    "4,842124,644371,CCF,Unspecified,0,,,3\n"
    "5,842125,664371,CCCl,Inactive,0,,,4.5\n"
    "6,842126,664372,CCBr,Active,80,,,0.5\n";

static void pubchem_as_it_comes(void **state)
{
    (void)state;
    read_text(pubchem);
    expect_tasks("PUBCHEM_ACTIVITY_OUTCOME", 25);
    assert_int_equal(data->task, L2R_TASK_BINARY);
    assert_int_equal(data->n_graphs, 6);
    assert_int_equal(data->source_line[0], 6);
    const float expected[] = {1, 0, NAN, NAN, 0, 1};
    for (int i = 0; i < 6; i++)
        assert_true(isnan(expected[i]) ? isnan(data->labels[i]) : data->labels[i] == expected[i]);
    expect_note("t.csv: lines up to 5 describe the columns");
    expect_note("column \"PUBCHEM_ACTIVITY_SCORE\" is not used: another column is the label");
    assert_null(strstr(data->notes, "skipped"));
}

static const char chembl[] =
    "\"Molecule ChEMBL ID\";\"Molecular Weight\";\"Smiles\";\"Standard Type\";\"Standard Relation\";"
    "\"Standard Value\";\"Standard Units\";\"pChEMBL Value\";\"Document Year\"\n"
    "\"CHEMBL1\";\"46.07\";\"CCO\";\"IC50\";\"'='\";\"10.0\";\"nM\";\"8.00\";\"2001\"\n"
    "\"CHEMBL2\";\"45.08\";\"CCN\";\"IC50\";\"'>'\";\"10000.0\";\"nM\";\"\";\"2002\"\n"
    "\"CHEMBL3\";\"44.10\";\"CCC\";\"IC50\";\"'<'\";\"1.0\";\"nM\";\"\";\"2003\"\n"
    "\"CHEMBL4\";\"48.06\";\"CCF\";\"IC50\";\"'~'\";\"300.0\";\"ug.mL-1\";\"6.52\";\"2003\"\n"
    "\"CHEMBL5\";\"64.51\";\"CCCl\";\"IC50\";\"'>='\";\"500.0\";\"nM\";\"\";\"2004\"\n"
    "\"CHEMBL6\";\"108.97\";\"CCBr\";\"IC50\";\"\";\"70.0\";\"nM\";\"7.15\";\"2004\"\n";

static void chembl_as_it_comes(void **state)
{
    (void)state;
    read_text(chembl);
    expect_tasks("pChEMBL Value", 14);
    assert_true(data->labels[0] == 8 && isnan(data->labels[1]));
    set("target-columns", "Standard Value");
    read_text(chembl); /* bounds are no labels until they are asked for */
    assert_true(data->labels[0] == 10 && isnan(data->labels[1]) && isnan(data->labels[2]) && data->labels[3] == 300);
    assert_null(data->bound);
    expect_note(
        "column \"Standard Value\" goes with the relations of column \"Standard Relation\": 3 of its values are "
        "bounds, which `censored=true` learns and which are no labels now");
    expect_note("column \"Standard Units\" holds several words (nM, ug.mL-1): the labels are not comparable");
    set("censored", "true");
    read_text(chembl);
    assert_memory_equal(data->labels, ((float[]){10, 10000, 1, 300, 500, 70}), 6 * sizeof(float));
    assert_memory_equal(data->bound, ((int8_t[]){0, 1, -1, 0, 1, 0}), 6);
    set("relation-column", "Standard Relation");
    read_text(chembl);
    assert_memory_equal(data->bound, ((int8_t[]){0, 1, -1, 0, 1, 0}), 6);
    set("relation-column", "Standard Units");
    refuse(chembl, "`relation-column`: column \"Standard Units\" does not hold relations; expected =, >, <");
    set("relation-column", "Standard Relation,Standard Relation");
    refuse(chembl, "`relation-column` names 2 columns, but there is 1 label column");
}

/* A bound of a value is the other bound of its negative logarithm. */
static void relations_by_name(void **state)
{
    (void)state;
    set("censored", "true");
    read_text("smiles,pChEMBL Value,Standard Relation\nCCO,5,'>'\nCCN,6,'='\nCCC,7,'<'\nCCF,8,\n");
    assert_memory_equal(data->bound, ((int8_t[]){-1, 0, 1, 0}), 4);
    read_text("smiles,IC50,IC50_relation,Ki,Ki_relation\nCCO,5,>,5,=\nCCN,6.5,<=,6,>>\nCCC,7,=,7,\nCCF,8,=,9.5,=\n");
    assert_memory_equal(data->bound, ((int8_t[]){1, 0, -1, 1, 0, 0, 0, 0}), 8);
}

/* However many cells of a column are odd. */
static void notes_are_few(void **state)
{
    (void)state;
    struct l2r_text text = {0};
    size_t lines = 0;
    l2r_text_puts(&text, "smiles,y,z\n");
    for (int n = 0; n < 100; n++)
        l2r_text_print(&text, "CCO,%s%d,%s%d\n", n % 3 ? "" : "about ", n % 50, n == 90 ? "odd " : "", n % 40);
    read_text(text.text);
    for (const char *at = data->notes; at && *at; at++) lines += *at == '\n';
    assert_true(lines < 20);
    expect_note("t.csv: 35 cells hold no label and count as missing");
    expect_note("and others in column \"y\" (26 such cells, the last in line 101)");
    expect_note("\"odd 10\" in column \"z\"");
    l2r_text_clear(&text);
}

/* Whole scaffolds of train, or molecules at random where there is one scaffold; test stays as it is. */
static void cuts_validation_from_train(void **state)
{
    (void)state;
    struct l2r_split split;
    set("split-column", "set");
    for (int rings = 0; rings < 2; rings++) {
        char text[4000] = "smiles,set,y\n";
        for (int i = 0; i < 40; i++)
            snprintf(text + strlen(text), 90, "%s%.*s,%s,%d\n", rings ? "C1CCC1" : "C", i / 2, "NNNNNNNNNNNNNNNNNNNN",
                     i % 4 ? "train" : "test", i % 2);
        if (rings) /* a scaffold for every few molecules */
            for (int i = 0; i < 20; i++) snprintf(text + strlen(text), 90, "C1CC%.*s1,train,1\n", i / 2, "CCCCCCCCCC");
        read_text(text);
        assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_OK);
        assert_string_equal(split.note, "the data names no validation part: it is cut from train");
        assert_int_equal(l2r_split_size(&split, L2R_PART_TEST), 10);
        int64_t valid = l2r_split_size(&split, L2R_PART_VALID), train = l2r_split_size(&split, L2R_PART_TRAIN);
        assert_int_equal(valid + train, rings ? 50 : 30);
        assert_true(rings ? valid >= 2 && valid <= 10 : valid == 3);
        for (int64_t i = 0; i < 10; i++) assert_int_equal(l2r_split_part(&split, L2R_PART_TEST)[i] % 4, 0);
        l2r_split_clear(&split);
    }
    set("valid-fraction", "0"); /* none is wanted */
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_OK);
    assert_int_equal(l2r_split_size(&split, L2R_PART_VALID), 0);
    assert_string_equal(split.note, "");
    l2r_split_clear(&split);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(structure_is_no_label, set_up, tear_down),
        cmocka_unit_test_setup_teardown(columns_that_are_not_alike, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_tasks_are_alike, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pubchem_as_it_comes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(chembl_as_it_comes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(relations_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(notes_are_few, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cuts_validation_from_train, set_up, tear_down),
    };
    if (l2r_chem_version() == NULL) {
        printf("built without RDKit\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
