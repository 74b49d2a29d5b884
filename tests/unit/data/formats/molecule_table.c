/* SPDX-License-Identifier: MIT
 * Tables of SMILES from end to end: which columns are taken for what, labels and tasks, rows left out with their lines,
 * splits by a column, and a cache that is not believed when the file has changed or is damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem/molecule.h"
#include "data/features.h"
#include "support/messages.h"
#include "support/table_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <sys/stat.h>
#include <zlib.h>

static void load(const char *path, bool cache)
{
    l2r_dataset_free(data);
    if (l2r_dataset_load_with(&data, path, config, cache, &error) != L2R_OK) fail_msg("%s", error.message);
}

static void read_text(const char *text)
{
    load(write_file("t.csv", text), false);
}

/* The sentence with which the table is refused, behind the folder's name. */
static void refuse(const char *text, const char *sentence)
{
    struct l2r_dataset *none;
    const char *path = write_file("t.csv", text);
    assert_int_not_equal(l2r_dataset_load_with(&none, path, config, false, &error), L2R_OK);
    assert_null(none);
    if (!message_matches(error.message, sentence)) fail_msg("%s", error.message);
}

/* All notes, without the folder, a | between them. */
static void append_note(void *context, const char *line)
{
    char *text = context;
    const char *name = strstr(line, "t.csv");
    snprintf(text + strlen(text), 1000 - strlen(text), "%s|", name ? name : line);
}

static void expect_notes(const char *expected)
{
    char text[1000] = "";
    l2r_notes_report(data, 0, append_note, text);
    assert_string_equal(text, expected);
}

static void finds_columns_and_tasks(void **state)
{
    (void)state;
    read_text("id,name,Smiles,active,split\n1,x,CCO,1,a\n2,y,CCN,,b\n3,z,CCC,0,a\n");
    expect_notes("t.csv: 3 molecules of column \"Smiles\"; binary labels of column \"active\"|"
                 "t.csv: column \"id\" is not used: by its name it is an identifier or a date; `target-columns` names "
                 "it as a label|"
                 "t.csv: column \"name\" is not used: \"x\" in line 2 is not a number|"
                 "t.csv: column \"split\" is not used: by its name it holds a split, which `split-column` would use|"
                 "t.csv: 1 molecule has no label|");
    assert_int_equal(data->n_tasks, 1);
    assert_true(data->labels[0] == 1 && isnan(data->labels[1]) && data->labels[2] == 0);
    assert_string_equal(data->task_names, "active");
    assert_int_equal(data->source_line[2], 4);
    assert_string_equal(data->smiles + data->smiles_start[1], "CCN");
    read_text("a;b\n0.5;CCO\n-2;c1ccccc1\n");
    expect_notes("t.csv: 2 molecules of column \"b\"; regression labels of column \"a\"|");
    read_text("mol\tk\nCCO\t7\nCCN\t9\nCCC\t7\n");
    expect_notes("t.csv: 3 molecules of column \"mol\"; multiclass labels of column \"k\"|");
    assert_int_equal(data->n_classes, 2);
    read_text("CCO\nCCN\n");
    expect_notes("t.csv: 2 molecules of column \"1\"; no labels|");
    set("target-columns", "2,3");
    read_text("CCO,1,0.5\nCCN,0,2\nCCC,0,NA\n");
    expect_notes("t.csv: 3 molecules of column \"1\"; regression labels of 2 columns: 2, 3|"
                 "t.csv: column \"2\" holds only 0 and 1, but is learned as a value like the others; `target-columns` "
                 "can learn it alone|");
    set("target-columns", "b");
    set("smiles-column", "c");
    read_text("a,b,c\n1,2,CCO\n2,3,CCN\n");
    expect_notes("t.csv: 2 molecules of column \"c\"; multiclass labels of column \"b\"|");
    set("task-type", "regression");
    read_text("a,b,c\n1,2,CCO\n2,3,CCN\n");
    assert_int_equal(data->task, L2R_TASK_REGRESSION);
}

static void every_way_of_writing_a_table(void **state)
{
    (void)state;
    static const char *const names[] = {"quoted.csv", "marked.csv", "tabs.tsv", "semicolons.csv", "bare.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        load(path_in(L2R_TEST_DIR "/data/smiles", names[i]), false);
        assert_int_equal(data->n_graphs, 4);
        assert_int_equal(data->task, L2R_TASK_BINARY);
        assert_string_equal(data->smiles + data->smiles_start[2], "CC(=O)O");
        assert_true(data->labels[0] == 1 && data->labels[1] == 0 && isnan(data->labels[2]) && data->labels[3] == 1);
    }
    gzFile packed = gzopen(path_in(folder, "t.csv.gz"), "wb");
    static const char text[] = "smiles,y\nCCO,1\nCCN,0\n";
    assert_int_equal(gzwrite(packed, text, sizeof text - 1), sizeof text - 1);
    assert_int_equal(gzclose(packed), Z_OK);
    load(path_in(folder, "t.csv.gz"), false);
    assert_int_equal(data->n_graphs, 2);
    assert_string_equal(data->name, "t");
}

static void bad_rows_have_their_line(void **state)
{
    (void)state;
    set("max-skipped", "1");
    static const char text[] = "smiles,y\nCCO,1\nC(C,0\n*CC,1\n,0\nCCC\n\"C\nC\",0\nCC\xff,1\nCCN,high\nCCF,0\n";
    set("target-columns", "y");
    read_text(text);
    assert_int_equal(data->n_graphs, 4); /* a SMILES ends at the first blank */
    expect_notes("t.csv: 4 molecules of column \"smiles\"; binary labels of column \"y\"|"
                 "t.csv: 1 molecule has no label|"
                 "t.csv: 5 of 9 rows were skipped|"
                 "t.csv:3: not a valid SMILES|"
                 "t.csv:4: the SMILES has a wildcard atom (*), which is not an element|"
                 "t.csv:5: the SMILES is empty|"
                 "t.csv:6: it has 1 field, the first record 2|"
                 "t.csv:9: its byte 3 (0xff) is not UTF-8|"
                 "t.csv: 1 cell holds no label and counts as missing|"
                 "t.csv:10: \"high\" in column \"y\" is not a number|");
    assert_int_equal(data->source_line[3], 11);
    assert_int_equal(l2r_notes_dropped(data, 4, NULL, NULL, 0), 5);
}

/* A SMILES is never cut at a byte that cannot be part of one. */
static void odd_bytes_are_bad_rows(void **state)
{
    (void)state;
    set("max-skipped", "1");
    read_text("smiles,y\nCCO,1\nCCO\xc3\xa9N,1\nCC\xe2\x80\x8bO,0\n\xc2\xa0"
              "CC,0\nC\x01O,1\nCCF caf\xc3\xa9,0\n");
    assert_int_equal(data->n_graphs, 2);
    assert_int_equal(data->source_line[1], 7);
    char notes[1000] = "";
    l2r_notes_report(data, 0, append_note, notes);
    static const char *const places[] = {":3: byte 4 of the SMILES (0xc3)", ":4: byte 3 of the SMILES (0xe2)",
                                         ":5: byte 1 of the SMILES (0xc2)", ":6: byte 2 of the SMILES (0x01)"};
    for (int i = 0; i < 4; i++) assert_non_null(strstr(notes, places[i]));
    /* Windows-1252, and with a mixture's largest fragment. */
    set("largest-fragment", "true");
    read_text("smiles,y\nCCO,1\nCCO\xe9N,1\nCl.CCO\xe9,0\nCl.CCF,0\n");
    assert_int_equal(data->n_graphs, 2);
    assert_int_equal(data->source_line[1], 5);
}

/* Names of an SD file are any text, its structures are not. */
static void odd_bytes_in_sd_files(void **state)
{
    (void)state;
    set("max-skipped", "1");
    char text[2000] = "";
    static const char *const cases[][2] = {{"caf\xc3\xa9", "C"}, {"x", "\xd0\xa1"}, {"y", "N"}};
    for (int i = 0; i < 3; i++)
        snprintf(text + strlen(text), 400,
                 "%s\n  l2r\n\n  1  0  0  0  0  0            999 V2000\n    0.0000    0.0000    0.0000 %s   0  0\n"
                 "M  END\n> <y>\n%d\n\n$$$$\n",
                 cases[i][0], cases[i][1], i);
    load(write_file("t.sdf", text), false);
    assert_int_equal(data->n_graphs, 2);
    assert_int_equal(data->source_line[1], 21);
    char notes[1000] = "";
    l2r_notes_report(data, 0, append_note, notes);
    assert_non_null(strstr(notes, "t.sdf:11: line 5 of the mol block: byte 32 (0xd0)"));
}

static void refuses_with_a_sentence(void **state)
{
    (void)state;
    refuse("", "t.csv: the table is empty");
    refuse("smiles,y\n", "t.csv: the table has a header but no rows");
    refuse("a,b\n1,2\n", "t.csv: no column of SMILES was found among a, b; name it with `smiles-column`");
    refuse("smiles,y\nC(,1\n", "none of the 1 rows holds a molecule");
    refuse("smiles,y\nC(,1\nCC,1\nfoo,1\n",
           "t.csv: 2 of 3 rows would be skipped, more than the share of `max-skipped`, 0.5; the first: ");
    refuse("\"a\nb\",c\n1,2\n", "t.csv: no column of SMILES was found among a b, c; name it with `smiles-column`");
    set("smiles-column", "x");
    refuse("smiles,y\nCC,1\n", "t.csv: `smiles-column`: there is no column \"x\"; the columns are: smiles, y");
    set("smiles-column", "1");
    set("split-column", "year");
    refuse("smiles,y\nCC,1\n", "t.csv: `split-column`: there is no column \"year\"; the columns are: smiles, y");
    set("split-column", "y");
    set("on-bad-smiles", "fail");
    refuse("smiles,y\nCC,1\nC(,2\n", "t.csv:3: not a valid SMILES; `on-bad-smiles=skip` skips such rows");
}

/* The parts of the graphs, "t" train, "v" valid, "x" test, "-" none. */
static void expect_parts(const char *rule, const char *expected)
{
    char parts[64];
    struct l2r_split split;
    if (l2r_split_make(&split, data, config, &error) != L2R_OK) fail_msg("%s", error.message);
    assert_string_equal(split.rule, rule);
    memset(parts, '-', (size_t)data->n_graphs);
    parts[data->n_graphs] = '\0';
    for (int p = 0; p < 3; p++)
        for (int64_t i = 0; i < l2r_split_size(&split, p); i++) parts[l2r_split_part(&split, p)[i]] = "tvx"[p];
    assert_string_equal(parts, expected);
    l2r_split_clear(&split);
}

static void splits_by_a_column(void **state)
{
    (void)state;
    struct l2r_split split;
    set("split-column", "when");
    read_text("smiles,when,y\nC,test,1\nCC,train,0\nCCC,Valid,1\nCCCC,,0\nCCCCC,train,1\n");
    expect_parts("column", "xtv-t");
    read_text("smiles,when,y\nC,2010,1\nCC,1999,0\nCCC,2010,1\nCCCC,990,0\nCCCCC,2005,1\nN,,0\n");
    assert_int_equal(data->n_graphs, 5); /* numbers are ordered as numbers; an empty one is a bad row */
    expect_parts("column", "xtxtv");
    set("split", "random");
    set("test-fraction", "0.4");
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_OK);
    assert_string_equal(split.rule, "random");
    assert_int_equal(l2r_split_size(&split, L2R_PART_TEST), 2);
    l2r_split_clear(&split);
    set("split", "auto");
    read_text("smiles,when,y\nC,b,1\nCC,a,0\n");
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "the column split of data set \"t\" leaves no graph to train on: `split-column` has "
                                  "too few different values");
}

static void too_few_scaffolds(void **state)
{
    (void)state;
    struct l2r_split split;
    char text[1000] = "smiles,y\n";
    for (int i = 0; i < 20; i++) snprintf(text + strlen(text), 40, "%.*s,%d\n", i + 1, "CCCCCCCCCCCCCCCCCCCC", i % 2);
    read_text(text);
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_OK);
    assert_string_equal(split.rule, "stratified");
    assert_string_equal(split.note, "too few scaffolds to split by them");
    l2r_split_clear(&split);
    set("split", "scaffold");
    assert_int_equal(l2r_split_make(&split, data, config, &error), L2R_ERR_ARGUMENT);
    expect_message(error.message, "the scaffold split of data set \"t\" leaves no graph to train on: one scaffold "
                                  "holds too many; use another `split`");
}

/* The only file in the cache. */
static const char *cache_file(void)
{
    static char path[400];
    DIR *dir = opendir(path_in(folder, "cache"));
    path[0] = '\0';
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        if (entry->d_name[0] != '.') snprintf(path, sizeof path, "%s/cache/%s", folder, entry->d_name);
    closedir(dir);
    assert_int_not_equal(path[0], 0);
    return path;
}

static void caches_are_checked(void **state)
{
    (void)state;
    struct stat before;
    const char *path = write_file("t.csv", "smiles,y\nCCO,1\nCCN,0\n");
    load(path, true);
    assert_false(data->cached);
    load(path, true);
    assert_true(data->cached);
    expect_notes("t.csv: 2 molecules of column \"smiles\"; binary labels of column \"y\"|");
    /* Other options are another data set; the same length within the same second is another file. */
    set("task-type", "regression");
    load(path, true);
    assert_false(data->cached);
    set("task-type", "auto");
    assert_int_equal(stat(path, &before), 0);
    write_file("t.csv", "smiles,y\nCCO,0\nCCF,1\n");
    const struct timespec later[] = {before.st_atim, {before.st_mtim.tv_sec, before.st_mtim.tv_nsec ^ 1}};
    assert_int_equal(utimensat(AT_FDCWD, path, later, 0), 0);
    load(path, true);
    assert_false(data->cached);
    assert_string_equal(data->smiles + data->smiles_start[1], "CCF");
    load(path, true);
    assert_true(data->cached);
}

static void damaged_caches_are_not_believed(void **state)
{
    (void)state;
    struct stat info;
    const char *path = write_file("t.csv", "smiles,y\nCCO,1\nc1ccccc1,0\n");
    load(path, true);
    const char *cached = cache_file();
    assert_int_equal(stat(cached, &info), 0);
    for (off_t at = 0; at < info.st_size; at += 61) {
        uint8_t byte;
        int file = open(cached, O_RDWR);
        assert_int_equal(pread(file, &byte, 1, at), 1);
        byte ^= 0x10;
        assert_int_equal(pwrite(file, &byte, 1, at), 1);
        close(file);
        load(path, true); /* read again, and stored again */
        assert_false(data->cached);
        assert_int_equal(data->n_graphs, 2);
    }
    assert_int_equal(truncate(cached, info.st_size / 2), 0);
    load(path, true);
    assert_false(data->cached);
    load(path, true);
    assert_true(data->cached);
}

/* 500 molecules, from which on features are kept: chains that end in `letter`. Their fingerprints. */
static void describe(const char *name, char letter, struct l2r_text *note)
{
    static char text[50000];
    size_t used = (size_t)snprintf(text, sizeof text, "smiles,y\n");
    for (int i = 0; i < 500; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%.*s%c,%d\n", i % 20 + 1, "CCCCCCCCCCCCCCCCCCCC",
                                 letter, i % 2);
    struct l2r_arena arena;
    struct l2r_feature_scale scale;
    int32_t train[500];
    for (int32_t i = 0; i < 500; i++) train[i] = i;
    l2r_arena_init(&arena);
    load(write_file(name, text), true);
    if (l2r_feature_scale_make(&scale, &arena, note, data, train, 500, 1U << L2R_DESCRIBE_MORGAN, &error) != L2R_OK)
        fail_msg("%s", error.message);
    l2r_arena_clear(&arena);
}

static float row_sum(void)
{
    float sum = 0;
    for (int32_t k = 0; k < L2R_FOLDED; k++) sum += l2r_feature_raw(data, L2R_DESCRIBE_MORGAN, 0, k) * (float)(k + 1);
    return sum;
}

/* The newest file of features in the cache other than `but`. */
static void features_file(char out[400], const char *but)
{
    DIR *dir = opendir(path_in(folder, "cache"));
    char path[400];
    out[0] = '\0';
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        snprintf(path, sizeof path, "%s/cache/%.100s", folder, entry->d_name);
        if (strncmp(entry->d_name, "morgan", 6) == 0 && strcmp(path, but) != 0) snprintf(out, 400, "%s", path);
    }
    closedir(dir);
    assert_int_not_equal(out[0], 0);
}

/* Whole files of other molecules, and damaged ones. */
static void features_are_not_believed_by_name(void **state)
{
    (void)state;
    struct l2r_text note = {0};
    char oxygen[400], nitrogen[400];
    struct stat info;
    describe("o.csv", 'O', &note);
    features_file(oxygen, "");
    describe("n.csv", 'N', &note);
    features_file(nitrogen, oxygen);
    float right = row_sum();
    assert_null(strstr(note.text, "computed again"));
    l2r_text_clear(&note);
    assert_int_equal(rename(oxygen, nitrogen), 0);
    for (int damage = 0; damage < 3; damage++) {
        describe("n.csv", 'N', &note);
        assert_true(row_sum() == right);
        assert_non_null(strstr(note.text, "computed again: "));
        l2r_text_clear(&note);
        describe("n.csv", 'N', &note); /* the file was replaced */
        assert_true(row_sum() == right);
        assert_null(strstr(note.text, "computed again"));
        l2r_text_clear(&note);
        assert_int_equal(stat(nitrogen, &info), 0);
        if (damage == 0) assert_int_equal(truncate(nitrogen, info.st_size / 2), 0);
        int file = open(nitrogen, O_RDWR);
        if (damage == 1) assert_int_equal(pwrite(file, "\7", 1, info.st_size - 3), 1);
        close(file);
    }
}

/* A copy of a data set under the name of one with other options is not used. */
static void copies_are_not_believed_by_name(void **state)
{
    (void)state;
    char plain[400], other[400] = "";
    const char *path = write_file("t.csv", "smiles,y\nCCO,1\nCCN,0\nCCC,1\nCCF,0\n");
    load(path, true);
    snprintf(plain, sizeof plain, "%s", cache_file());
    assert_int_equal(rename(plain, path_in(folder, "kept")), 0);
    set("task-type", "regression");
    load(path, true);
    snprintf(other, sizeof other, "%s", cache_file());
    assert_int_equal(rename(path_in(folder, "kept"), other), 0);
    load(path, true);
    assert_false(data->cached);
    assert_int_equal(data->task, L2R_TASK_REGRESSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds_columns_and_tasks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_way_of_writing_a_table, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_rows_have_their_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(odd_bytes_are_bad_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(odd_bytes_in_sd_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_with_a_sentence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(splits_by_a_column, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_few_scaffolds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(caches_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_caches_are_not_believed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(features_are_not_believed_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(copies_are_not_believed_by_name, set_up, tear_down),
    };
    if (l2r_chem_version() == NULL) {
        printf("built without RDKit\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
