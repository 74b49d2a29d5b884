/* SPDX-License-Identifier: MIT
 *
 * SMILES of an OGB folder: the right row for each graph, quotes and blanks, and no fuss where there are none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "data/formats/ogb/ogb.h"
#include "support/data_sets.h"

#include <unistd.h>

static struct l2r_error error;
static char folder[TEMPORARY_LENGTH];

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(l2r_file_write(path, text, strlen(text), &error), L2R_OK);
}

static int set_up(void **state)
{
    char path[TEMPORARY_LENGTH + 16];
    (void)state;
    if (!temporary_folder(folder)) return -1;
    snprintf(path, sizeof path, "%s/raw", folder);
    l2r_make_dirs(path, NULL);
    snprintf(path, sizeof path, "%s/mapping", folder);
    l2r_make_dirs(path, NULL);
    put("raw/num-node-list.csv", "2\n");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    l2r_remove_tree(folder);
    return 0;
}

/* The SMILES of the first n graphs, with blanks between them; or the note. */
static const char *read_all(int64_t n)
{
    static char text[512];
    struct l2r_source *source = NULL;
    struct l2r_ogb_tables t = {.n_graphs = n};
    text[0] = '\0';
    assert_int_equal(l2r_source_open(&source, folder, &error), L2R_OK);
    t.source = source;
    assert_int_equal(l2r_ogb_smiles_read(&t, &error), L2R_OK);
    const int64_t *start = t.smiles_start.items;
    assert_int_equal(t.smiles_start.n, t.smiles.n > 0 ? n + 1 : 0);
    for (int64_t g = 0; t.smiles.n > 0 && g < n; g++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", (char *)t.smiles.items + start[g]);
    if (t.notes[0]) snprintf(text, sizeof text, "%s", t.notes);
    l2r_ogb_tables_clear(&t);
    l2r_source_free(source);
    return text;
}

static void reads_every_row(void **state)
{
    (void)state;
    put("mapping/mol.csv", "\"a, b\",smiles,mol_id\n1,CCO ,x\n0,C,\n,\"C#N\",\"q \"\"r\"\"\"\n");
    assert_string_equal(read_all(3), "CCO C C#N ");
}

static void damage_is_noted(void **state)
{
    (void)state;
    put("mapping/mol.csv", "y,smiles\n1,CCO\n");
    assert_non_null(strstr(read_all(2), "mapping/mol.csv: the table ends before graph 1; the SMILES are left out"));
    put("mapping/mol.csv", "y,SMILES\n1,CCO\n");
    assert_non_null(strstr(read_all(1), "mol.csv:1: no column is called smiles"));
    put("mapping/mol.csv", "y,smiles\n1\n");
    assert_non_null(strstr(read_all(1), "mol.csv:2: no SMILES in column 2"));
}

static void none_is_no_error(void **state)
{
    char path[TEMPORARY_LENGTH + 16];
    (void)state;
    snprintf(path, sizeof path, "%s/mapping/mol.csv", folder);
    unlink(path);
    assert_string_equal(read_all(2), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_row),
        cmocka_unit_test(damage_is_noted),
        cmocka_unit_test(none_is_no_error),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
