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
static char folder[64];

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(l2r_file_write(path, text, strlen(text), &error), L2R_OK);
}

static int set_up(void **state)
{
    char path[128];
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/l2r-smiles-XXXXXX");
    if (mkdtemp(folder) == NULL) return -1;
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

static void reads_the_rows_asked_for(void **state)
{
    (void)state;
    const int32_t graphs[] = {2, 0, 2};
    char *smiles[3];
    put("mapping/mol.csv", "\"a, b\",smiles,mol_id\n1,CCO ,x\n0,C,\n,\"C#N\",\"q \"\"r\"\"\"\n");
    assert_int_equal(l2r_smiles_read(smiles, folder, graphs, 3, &error), L2R_OK);
    assert_string_equal(smiles[0], "C#N");
    assert_string_equal(smiles[1], "CCO");
    assert_string_equal(smiles[2], "C#N");
    for (int i = 0; i < 3; i++) l2r_free(smiles[i]);
}

static void damage_is_named(void **state)
{
    (void)state;
    const int32_t graphs[] = {0, 5};
    char *smiles[2];
    put("mapping/mol.csv", "y,smiles\n1,CCO\n");
    assert_int_equal(l2r_smiles_read(smiles, folder, graphs, 2, &error), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "mapping/mol.csv"));
    assert_non_null(strstr(error.message, "the table ends before graph 1"));
    assert_null(smiles[0]);
    put("mapping/mol.csv", "y,SMILES\n1,CCO\n");
    assert_int_equal(l2r_smiles_read(smiles, folder, graphs, 1, &error), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "mol.csv:1: no column is called smiles"));
    put("mapping/mol.csv", "y,smiles\n1\n");
    assert_int_equal(l2r_smiles_read(smiles, folder, graphs, 1, &error), L2R_ERR_FORMAT);
    assert_non_null(strstr(error.message, "mol.csv:2: no SMILES in column 2"));
}

static void none_is_no_error(void **state)
{
    (void)state;
    const int32_t graph = 0;
    char *smiles = folder, path[128];
    snprintf(path, sizeof path, "%s/mapping/mol.csv", folder);
    unlink(path);
    assert_int_equal(l2r_smiles_read(&smiles, folder, &graph, 1, &error), L2R_OK);
    assert_null(smiles);
    assert_int_equal(l2r_smiles_read(&smiles, "motif:mu=0.9", &graph, 1, &error), L2R_OK);
    assert_null(smiles);
    assert_int_equal(l2r_smiles_read(&smiles, L2R_TEST_DIR "/data/tu", &graph, 1, &error), L2R_OK);
    assert_null(smiles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_rows_asked_for),
        cmocka_unit_test(damage_is_named),
        cmocka_unit_test(none_is_no_error),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
