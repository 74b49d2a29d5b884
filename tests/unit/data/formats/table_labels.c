/* SPDX-License-Identifier: MIT
 * What is read from the cells of a table of SMILES: numbers however they are written, bounds, classes as words,
 * weights, cells that hold nothing; what is said about columns and molecules; SD files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem/molecule.h"
#include "support/table_files.h"

#include "base/text.h"
#include "data/summary.h"
#include "support/messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <zlib.h>

static void read_as(const char *name, const char *text)
{
    l2r_dataset_free(data);
    if (l2r_dataset_load_with(&data, write_file(name, text), config, false, &error) != L2R_OK)
        fail_msg("%s", error.message);
    assert_int_equal(l2r_dataset_check_ranges(data, &error), L2R_OK);
}

static void read_text(const char *text)
{
    read_as("t.csv", text);
}

static void refuse(const char *name, const char *text, const char *sentence)
{
    struct l2r_dataset *none;
    assert_int_not_equal(l2r_dataset_load_with(&none, write_file(name, text), config, false, &error), L2R_OK);
    if (!message_matches(error.message, sentence)) fail_msg("%s", error.message);
}

static void expect_note(const char *part)
{
    if (!message_has_line(data->notes, part)) fail_msg("no \"%s\" in\n%s", part, data->notes);
}

static void expect_labels(const float *labels, int64_t n)
{
    assert_int_equal(data->n_graphs * data->n_tasks, n);
    for (int64_t i = 0; i < n; i++)
        if (isnan(labels[i]) ? !isnan(data->labels[i]) : data->labels[i] != labels[i])
            fail_msg("label %d is %g", (int)i, (double)data->labels[i]);
}

/* A bad cell is a missing label of its task; the row keeps its others. */
static void bad_cells_are_missing_labels(void **state)
{
    (void)state;
    read_text("smiles,a,b\nCCO,1.5,1\nCCN,n.d.,2\nCCC,>10,3\nCCF,5 uM,4\nCCCl,2,5\nCCBr,3,6\nCCI,4,7\n");
    expect_labels((float[]){1.5F, 1, NAN, 2, NAN, 3, NAN, 4, 2, 5, 3, 6, 4, 7}, 14);
    expect_note("regression labels of 2 columns: a, b");
    expect_note("t.csv: 3 cells hold no label and count as missing\n");
    expect_note("t.csv:3: \"n.d.\" in column \"a\" is not a number\n");
    expect_note("t.csv:4: \">10\" in column \"a\" is not a number; `censored=true` learns bounds\n");
    expect_note("t.csv:5: \"5 uM\" in column \"a\" is a number with a unit; write numbers alone, all in one unit\n");
    read_text("smiles,a,b\nCCO,x 1,1\nCCN,y 2,2.5\nCCC,z 3,3\nCCF,1,4\n"); /* mostly text: refused */
    assert_string_equal(data->task_names, "b");
    expect_note("column \"a\" is not used: \"x 1\" in line 2 is not a number");
    set("target-columns", "a");
    refuse("t.csv", "smiles,a,b\nCCO,x 1,1\nCCN,y 2,2.5\nCCC,z 3,3\nCCF,1,4\n",
           "t.csv:2: `target-columns`: \"x 1\" in column \"a\" is no number, and so are more than half of its cells");
}

/* strtod would read all of them. */
static void labels_are_decimal(void **state)
{
    (void)state;
    set("target-columns", "a");
    read_text("smiles,a\nCCO,0x10\nCCN,1e-400\nCCC,-1e-50\nCCF,1e400\nC,inf\nCCCl,2\nCCBr,3e0\nCCI,0e-99\nN,-.5\nO,5.\n"
              "OO,1e-40\n");
    expect_labels((float[]){NAN, NAN, NAN, NAN, NAN, 2, 3, 0, -0.5F, 5, 1e-40F}, 11);
    expect_note("t.csv: 5 cells hold no label and count as missing\n");
    expect_note("t.csv:2: \"0x10\" in column \"a\" is written in hexadecimal; write a decimal number\n");
    expect_note("t.csv:3: \"1e-400\" in column \"a\" is nearer to 0 than 1e-45 and cannot be kept; write 0\n");
    expect_note("t.csv:4: \"-1e-50\" in column \"a\" is nearer to 0");
    expect_note("t.csv:5: \"1e400\" in column \"a\" is too large to be kept\n");
    expect_note("t.csv:6: \"inf\" in column \"a\" is not a number\n");
}

static void decimal_commas(void **state)
{
    (void)state;
    read_text("sep=;\r\nsmiles;y;z\r\nCCO;1,5;1.5\r\nCCN;-2;2.5\r\nCCC;>3,25;4\r\n");
    expect_labels((float[]){1.5F, 1.5F, -2, 2.5F, NAN, 4}, 6);
    expect_note("column \"y\" has decimal commas: \"1,5\" in line 3 is read as a number");
    assert_int_equal(data->source_line[0], 3);     /* Excel's line counts */
    read_text("smiles;y\nCCO;1,234\nCCN;2,345\n"); /* thousands, perhaps */
    expect_note("column \"y\" is not used: \"1,234\" in line 2 may be a decimal comma or not; `decimal=comma` says so");
    set("decimal", "comma");
    read_text("smiles;y\nCCO;1,234\nCCN;2,345\n");
    expect_labels((float[]){1.234F, 2.345F}, 2);
}

static void carriage_returns_alone(void **state)
{
    (void)state;
    read_text("smiles,y\rCCO,0.5\rCCN,\"1\"\rCCC,\xe2\x88\x92"
              "2\r");
    expect_labels((float[]){0.5F, 1, -2}, 3);
    assert_int_equal(data->source_line[2], 4);
}

static void classes_as_words(void **state)
{
    (void)state;
    read_text("smiles,act,flag\nCCO,Active,True\nCCN,inactive,FALSE\nCCC,active,\nCCF,n.d.,true\n");
    assert_int_equal(data->task, L2R_TASK_BINARY);
    expect_labels((float[]){1, 1, 0, 0, 1, NAN, NAN, 1}, 8);
    assert_string_equal(l2r_dataset_class_name(data, 0, 0), "inactive");
    assert_string_equal(l2r_dataset_class_name(data, 0, 1), "Active");
    assert_string_equal(l2r_dataset_class_name(data, 1, 1), "True");
    assert_null(l2r_dataset_class_name(data, 2, 0));
    assert_null(l2r_dataset_class_name(data, 0, 2));
    expect_note("column \"act\" has the classes 0 = inactive, 1 = Active");
    expect_note("t.csv:5: \"n.d.\" in column \"act\" is not one of its classes");
    read_text("smiles,y\nCCO,low\nCCN,high\nCCC,medium\nCCF,low\nCCCl,high\nCCBr,medium\n");
    assert_int_equal(data->task, L2R_TASK_MULTICLASS);
    expect_labels((float[]){1, 0, 2, 1, 0, 2}, 6);
    assert_string_equal(l2r_dataset_class_name(data, 0, 2), "medium");
    set("classes", "low,medium,high");
    read_text("smiles,y\nCCO,low\nCCN,high\nCCC,medium\nCCF,low\nCCCl,high\nCCBr,medium\n");
    expect_labels((float[]){0, 2, 1, 0, 2, 1}, 6);
    set("target-columns", "y");
    read_text("smiles,y\nCCO,low\nCCN,low\n"); /* a part of the classes is enough where they are declared */
    assert_int_equal(data->n_classes, 3);
}

/* Words beside values are no labels, unless they are asked for. */
static void words_beside_values(void **state)
{
    (void)state;
    static const char text[] = "smiles,species,y\nCCO,rat,0.5\nCCN,mouse,1\nCCC,rat,2\nCCF,mouse,3\n";
    read_text(text);
    assert_string_equal(data->task_names, "y");
    expect_note(
        "column \"species\" is not used: it holds words (\"rat\" in line 2); `target-columns` would learn them");
    set("target-columns", "species");
    read_text(text);
    assert_int_equal(data->task, L2R_TASK_BINARY);
    expect_labels((float[]){1, 0, 1, 0}, 4);
    set("target-columns", "species,y");
    refuse("t.csv", text, "column \"species\" holds words, which a regression cannot learn");
}

static void bounds_are_labels(void **state)
{
    (void)state;
    set("censored", "true");
    read_text("smiles,y\nCCO,>10\nCCN,<= 0.1\nCCC,5\nCCF,\xe2\x89\xa5"
              "7\n");
    expect_labels((float[]){10, 0.1F, 5, 7}, 4);
    assert_memory_equal(data->bound, ((int8_t[]){1, -1, 0, 1}), 4);
    refuse("t.csv", "smiles,y\nCCO,1\nCCN,0\n", "`censored` is for regressions, but the labels are binary");
}

static void warns_about_columns(void **state)
{
    (void)state;
    char text[4000] = "no,chembl,smiles,set,y,c,smiles_b\n";
    for (int i = 0; i < 24; i++)
        snprintf(text + strlen(text), 120, "%d,%d,C%.*sO,%s,%g,1,CCC%.*sN\n", i, 1000 + 7 * i, i,
                 "CCCCCCCCCCCCCCCCCCCCCCCCC", i % 2 ? "train" : "test", i * 0.5, i, "CCCCCCCCCCCCCCCCCCCCCCCCC");
    read_text(text);
    expect_note("column \"no\" is not used: by its name it is an identifier");
    expect_note("column \"chembl\" is not used: by its numbers it is an identifier or a year");
    expect_note(
        "column \"set\" is not used: it holds parts of a split (\"test\" in line 2), which `split-column` would");
    expect_note("column \"c\" is not used: it is constant");
    assert_int_equal(data->n_tasks, 1);
    expect_note("column \"smiles_b\" holds SMILES too and is not used; `smiles-column` chooses between them");
    read_text("smiles,y,Y,y\nCCO,1,2,0.5\nCCN,2,3,4\n"); /* every task has a name of its own */
    assert_memory_equal(data->task_names, "y\0Y\0y.2", 8);
    set("target-columns", "chembl,c");
    read_text(text);
    expect_note("column \"chembl\" holds a different whole number in every row: if it is an identifier, leave it out");
    expect_note("column \"c\" is constant: there is nothing to learn in it");
}

static const char repeated[] =
    "smiles,y,k,w\nCCO,1,0,1\nc1ccccc1,2,1,2\nOCC,4,0,1\nC(C)O,1,1,1\nCC(=O)[O-].[Na+],5,1,0\n";

static void duplicates_and_mixtures(void **state)
{
    (void)state;
    struct l2r_split split = {0};
    set("target-columns", "y");
    read_text(repeated);
    assert_memory_equal(data->molecule, ((int32_t[]){0, 1, 0, 0, 2}), 5 * sizeof(int32_t));
    expect_note("2 rows repeat a molecule of an earlier row (line 4 that of line 2), 1 with other labels");
    expect_note("1 molecule has several fragments, as salts and mixtures do (line 6)");
    assert_int_equal(l2r_split_fill(&split, (uint8_t[]){0, 0, 2, 0, 1}, 5, &error), L2R_OK);
    assert_int_equal(l2r_split_shared(&split, data), 1);
    l2r_split_clear(&split);
    set("task-type", "regression");
    set("duplicates", "drop");
    set("largest-fragment", "true");
    read_text(repeated);
    expect_labels((float[]){1, 2, 5}, 3);
    assert_string_equal(data->smiles + data->smiles_start[2], "CC(=O)[O-]");
    assert_int_equal(l2r_dataset_nodes_of(data, 2), 4);
    expect_note("1 salt or mixture became its largest fragment (the first in line 6)");
    set("duplicates", "mean");
    read_text(repeated);
    expect_labels((float[]){2, 2, 5}, 3);
    set("target-columns", "k");
    set("task-type", "auto");
    read_text(repeated);
    expect_labels((float[]){0, 1, 1}, 3); /* 0, 0 and 1 */
}

static void weights_of_rows(void **state)
{
    (void)state;
    set("weight-column", "w");
    set("target-columns", "y");
    read_text(repeated);
    assert_memory_equal(data->weight, ((float[]){1, 2, 1, 1, 0}), 5 * sizeof(float));
    read_text("smiles,y,w\nCCO,1,-1\nCCN,2,x\nCCC,3,1\nCCF,4,1\n");
    assert_int_equal(data->n_graphs, 2);
    expect_note("t.csv:2: the weight in column \"w\" is not a number, 0 or more\n");
    set("weight-column", "v");
    refuse("t.csv", "smiles,y\nCC,1\n", "`weight-column`: there is no column \"v\"");
}

static void thousands_of_columns(void **state)
{
    (void)state;
    enum { COLUMNS = 3000 };
    static char text[COLUMNS * 30];
    size_t used = (size_t)snprintf(text, sizeof text, "smiles");
    for (int k = 0; k < COLUMNS; k++) used += (size_t)snprintf(text + used, sizeof text - used, ",t%d", k);
    for (int row = 0; row < 3; row++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "\nCC%s", (const char *[]){"C", "N", "O"}[row]);
        for (int k = 0; k < COLUMNS; k++)
            used += (size_t)snprintf(text + used, sizeof text - used, ",%d", (row + k) % 2);
    }
    read_text(text);
    assert_int_equal(data->n_tasks, COLUMNS);
    assert_string_equal(l2r_dataset_task_name(data, COLUMNS - 1), "t2999");
}

/* Nothing takes time by the square of the columns: each of these took minutes, or gigabytes. */
static void a_hundred_thousand_columns(void **state)
{
    (void)state;
    enum { COLUMNS = 99999, ROWS = 10, ROOM = 4 << 20 };
    char *text = malloc(ROOM), *names = malloc(ROOM), *shown = NULL;
    size_t length;
    struct rusage used;
    struct l2r_summary summary;
    clock_t began = clock();
    assert_true(text && names);
    for (int alike = 1; alike >= 0; alike--) {
        size_t n = (size_t)snprintf(text, ROOM, "smiles"), m = 0;
        for (int k = 0; k < COLUMNS; k++) {
            n += (size_t)snprintf(text + n, ROOM - n, alike ? ",y" : ",t%d", k);
            m += (size_t)snprintf(names + m, ROOM - m, "%st%d", k ? "," : "", k);
        }
        for (int row = 0; row < ROWS; row++) {
            n += (size_t)snprintf(text + n, ROOM - n, "\n%.*s", row + 1, "CCCCCCCCCC");
            for (int k = 0; k < COLUMNS; k++) n += (size_t)snprintf(text + n, ROOM - n, ",%d", (row + k) % 2);
        }
        read_text(text);
        assert_int_equal(data->n_tasks, COLUMNS);
        assert_string_equal(l2r_dataset_task_name(data, COLUMNS - 1), alike ? "y.99999" : "t99998");
        assert_string_equal(l2r_dataset_task_name(data, 1), alike ? "y.2" : "t1");
        FILE *stream = open_memstream(&shown, &length);
        assert_int_equal(l2r_summary_make(&summary, data, &error), L2R_OK);
        l2r_summary_print(stream, &summary);
        l2r_summary_clear(&summary);
        assert_int_equal(fclose(stream), 0);
        free(shown);
        if (alike) continue;
        set("target-columns", names);
        read_text(text);
        assert_int_equal(data->n_tasks, COLUMNS);
        set("target-columns", "none");
        set("feature-columns", names);
        read_text(text);
        assert_int_equal(data->n_graph_reals, COLUMNS);
    }
    free(text);
    free(names);
    assert_true((clock() - began) / CLOCKS_PER_SEC < 60);
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    if (!getenv("L2R_SANITIZE")) assert_true(used.ru_maxrss < 600000); /* kB */
}

static const char sdf[] = "ethanol\n  made by hand\n\n  3  2  0  0  0  0            999 V2000\n"
                          "    0.0000    0.0000    0.0000 C   0  0\n    1.5000    0.0000    0.0000 C   0  0\n"
                          "    2.2000    1.2000    0.0000 O   0  0\n  1  2  1  0\n  2  3  1  0\nM  END\n"
                          "> <logP>\n-0.31\n\n>  <remark>  (1)\ntwo\nlines, \"quoted\"\n\n$$$$\n"
                          "broken\n\n\n  1  0  0  0  0  0            999 V2000\nnonsense\nM  END\n> <logP>\n1\n\n$$$$\n"
                          "methane\r\n\r\n\r\n  1  0  0  0  0  0            999 V2000\r\n"
                          "    0.0000    0.0000    0.0000 C   0  0\r\nM  END\r\n> <logP>\r\n1.09\r\n\r\n$$$$\r\n\n";

static void sd_files(void **state)
{
    (void)state;
    read_as("t.sdf", sdf);
    assert_int_equal(data->n_graphs, 2);
    expect_labels((float[]){-0.31F, 1.09F}, 2);
    assert_string_equal(data->name, "t");
    assert_string_equal(data->task_names, "logP");
    assert_string_equal(data->smiles, "CCO");
    assert_int_equal(data->source_line[0], 1);
    assert_int_equal(data->source_line[1], 29);
    expect_note("t.sdf: 1 of 3 rows was skipped\n");
    expect_note("t.sdf:19: ");
    gzFile packed = gzopen(path_in(folder, "u.sdf.gz"), "wb");
    assert_int_equal(gzwrite(packed, sdf, sizeof sdf - 1), sizeof sdf - 1);
    assert_int_equal(gzclose(packed), Z_OK);
    l2r_dataset_free(data);
    assert_int_equal(l2r_dataset_load_with(&data, path_in(folder, "u.sdf.gz"), config, false, &error), L2R_OK);
    assert_int_equal(data->n_graphs, 2);
    refuse("t.sdf", "\n\n", "t.sdf: the SD file holds no molecule");
    refuse("t.xlsx", "PK", "t.xlsx: this is a spreadsheet, which cannot be read; save the sheet as CSV");
}

/* A table of n rows "chain of carbons, cell", which the format makes of the row's number. */
static void read_rows(const char *heading, const char *(*cell)(int row), int n)
{
    struct l2r_text text = {0};
    l2r_text_print(&text, "smiles,%s\n", heading);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k <= i; k++) l2r_text_puts(&text, "C");
        l2r_text_print(&text, ",%s\n", cell(i));
    }
    assert_false(text.failed);
    read_text(text.text);
    l2r_text_clear(&text);
}

static const char *number_cell(int row, double value)
{
    static char text[40];
    snprintf(text, sizeof text, "%.6g", row < 30 ? value : 0);
    return text;
}

static const char *with_marks(int row)
{
    return row % 10 == 3 ? "-9999" : row == 17 ? "999" : number_cell(row, row * 0.25 - 3);
}

static const char *over_powers(int row)
{
    return number_cell(row, pow(10, row * 0.3 - 6));
}

static const char *up_to_a_limit(int row)
{
    return number_cell(row, row % 4 == 0 ? 50 : row * 1.5);
}

/* What people write beside numbers: marks for nothing, raw concentrations, limits of an assay. */
static void suspicious_values(void **state)
{
    (void)state;
    read_rows("y", with_marks, 30);
    expect_note("column \"y\" holds -9999 in 3 rows and 999 in 1 row, far from all other values: if that means "
                "\"missing\", leave these cells empty\n");
    assert_null(strstr(data->notes, "limit of the measurement"));
    read_rows("y", over_powers, 30);
    expect_note("column \"y\" spans 9 powers of ten (1e-06 to 501.187): `transform` trains on its logarithm");
    read_rows("y", up_to_a_limit, 30);
    expect_note("column \"y\" holds its highest value, 50, in 8 rows: if that is a limit of the measurement, write >50 "
                "and learn bounds with `censored=true`\n");
}

/* Cells that are alike share a line; what stands beside a number is named. */
static void faults_of_cells(void **state)
{
    (void)state;
    read_text("smiles,a\nC,1\nCC,n.d.\nCCC,2\nCCCC,n.d.\nCCCCC,3.5\nCCCCCC,n.d.\nCO,4\nCN,7 %\n");
    expect_note("t.csv: 4 cells hold no label and count as missing\n");
    expect_note("t.csv:3: \"n.d.\" in column \"a\" is not a number (3 such cells, the last in line 7)\n");
    expect_note("t.csv:9: \"7 %\" in column \"a\" is a number with a unit; write numbers alone, all in one unit\n");
    read_text("smiles,a,b\nC,1.2 ± 0.1,1\nCC,1 +/- 0.1,2\nCCC,0.8-1.8,3\n");
    expect_note(
        "column \"a\" is not used: \"1.2 ± 0.1\" in line 2 is a number with its error; write the number alone\n");
    read_text("smiles,a,b\nC,0.8-1.8,1\nCC,2-3,2\nCCC,3-4,3\n");
    expect_note("\"0.8-1.8\" in line 2 is a range; write one number, or a bound such as >10\n");
}

/* Points and commas that can be nothing but separators of thousands; + and - as classes; Windows-1252. */
static void ways_of_writing(void **state)
{
    (void)state;
    read_text("smiles;y\nC;770,5\nCC;3.001,25\nCCC;12.345.678\n");
    expect_labels((float[]){770.5F, 3001.25F, 12345678}, 3);
    read_text("smiles;y\nC;770.5\nCC;3,001.25\nCCC;12,345,678\n");
    expect_labels((float[]){770.5F, 3001.25F, 12345678}, 3);
    read_text("smiles,y\nC,+\nCC,-\nCCC,-\nCCCC,+\n");
    expect_labels((float[]){1, 0, 0, 1}, 4);
    expect_note("column \"y\" has the classes 0 = -, 1 = +\n");
    read_text("sep=;\r\nNr;SMILES;L\xf6slichkeit\r\n1;C;1,5\r\n2;CC;2,5\r\n");
    assert_string_equal(data->task_names, "Löslichkeit");
    expect_labels((float[]){1.5F, 2.5F}, 2);
    expect_note("t.csv: it is not UTF-8 (line 2); letters beyond ASCII are read as Windows-1252\n");
    refuse("t.csv", "smiles|y\nC|1\n",
           "the first line is a single field, \"smiles|y\"; fields are separated by commas");
    refuse("t.csv", "inchi,y\nInChI=1S/CH4/h1H4,1\n", "column \"inchi\" holds InChI, which is not read");
}

int main(void)
{
    struct l2r_molecule_graph carbon;
    if (l2r_molecule_features(&carbon, "C", false, NULL) != L2R_OK) return 77; /* a build without RDKit */
    l2r_molecule_graph_clear(&carbon);
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(bad_cells_are_missing_labels),
        TEST(labels_are_decimal),
        TEST(decimal_commas),
        TEST(carriage_returns_alone),
        TEST(classes_as_words),
        TEST(words_beside_values),
        TEST(bounds_are_labels),
        TEST(warns_about_columns),
        TEST(weights_of_rows),
        TEST(duplicates_and_mixtures),
        TEST(thousands_of_columns),
        TEST(a_hundred_thousand_columns),
        TEST(sd_files),
        TEST(suspicious_values),
        TEST(faults_of_cells),
        TEST(ways_of_writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
