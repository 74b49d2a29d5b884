/* SPDX-License-Identifier: MIT
 *
 * OGB's features of single molecules, worked out by hand; scaffolds; and SMILES that are refused, hostile ones in a
 * moment.
 */
#include "chem/molecule.h"
#include "support/messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static struct l2r_error error;

static void expect_row(const int32_t *row, const int32_t *expected, int columns)
{
    for (int k = 0; k < columns; k++) assert_int_equal(row[k], expected[k]);
}

static void describes_atoms_and_bonds(void **state)
{
    (void)state;
    struct l2r_molecule_graph m;
    /* Atomic number - 1, chirality, degree with hydrogens, charge + 5, hydrogens, radicals, hybridisation, aromatic, in
     * a ring. */
    static const int32_t carbon[] = {5, 0, 4, 5, 3, 0, 2, 0, 0}, chiral[] = {5, 1, 4, 5, 1, 0, 2, 0, 0},
                         ammonium[] = {6, 0, 4, 6, 3, 0, 2, 0, 0}, ring[] = {5, 0, 3, 5, 1, 0, 1, 1, 1},
                         single[] = {0, 0, 0}, aromatic[] = {3, 0, 1};
    assert_int_equal(l2r_molecule_features(&m, "C[C@@H]([NH3+])c1ccccc1", true, &error), L2R_OK);
    assert_int_equal(m.n_atoms, 9);
    assert_int_equal(m.n_bonds, 9);
    expect_row(m.atom_rows, carbon, 9);
    expect_row(m.atom_rows + 9, chiral, 9);
    expect_row(m.atom_rows + 18, ammonium, 9);
    expect_row(m.atom_rows + 36, ring, 9);
    expect_row(m.bond_rows, single, 3);
    expect_row(m.bond_rows + 9, aromatic, 3);
    assert_string_equal(m.scaffold, "c1ccccc1");
    l2r_molecule_graph_clear(&m);
}

static void scaffolds_keep_chirality(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"CCO", ""},
                                           {"[Na+].[Cl-]", ""},
                                           {"OC1CCCCC1CCN", "C1CCCCC1"},
                                           {"C[C@H]1CC[C@@H](c2ccccc2)O1", "c1ccc([C@@H]2CCCO2)cc1"},
                                           {"O=C1CCCC1CCC1CC1", "O=C1CCCC1CCC1CC1"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct l2r_molecule_graph m;
        assert_int_equal(l2r_molecule_features(&m, cases[i][0], true, &error), L2R_OK);
        assert_string_equal(m.scaffold, cases[i][1]);
        l2r_molecule_graph_clear(&m);
    }
}

static void refuse(const char *smiles, const char *sentence)
{
    struct l2r_molecule_graph m;
    assert_int_equal(l2r_molecule_features(&m, smiles, true, &error), L2R_ERR_FORMAT);
    if (!message_matches(error.message, sentence)) fail_msg("%.20s: %s", smiles, error.message);
    assert_null(m.block);
}

static void refuses_what_is_no_molecule(void **state)
{
    (void)state;
    refuse("", "the SMILES is empty");
    refuse(" CCO", "the SMILES is empty");
    refuse("C(C", "not a valid SMILES");
    refuse("C1CC", "not a valid SMILES");
    refuse("hello", "not a valid SMILES");
    refuse("*CC", "the SMILES has a wildcard atom (*), which is not an element");
    refuse("C(C)(C)(C)(C)C", "Explicit valence for atom # 0 C, 5, is greater than permitted");
    refuse("c1cccc1", "kekulize");
    refuse("[CH999999999]", "valence");
    refuse("C%(99999999999)CC%(99999999999)", "not a valid SMILES");
}

/* RDKit reads what stands before such a byte, another molecule. After the first blank anything may follow. */
static void every_byte_counts(void **state)
{
    (void)state;
    struct l2r_molecule_graph m;
    struct l2r_molecule *molecule;
    struct l2r_molecule_pieces pieces;
    char *fragment;
    static const char *const odd[] = {"CCO\xc3\xa9N",
                                      "\xd0\xa1",
                                      "CC\xe2\x80\x8bO",
                                      "\xc2\xa0"
                                      "CCO",
                                      "CCO\xc2\xa0",
                                      "CCO\xef\xbb\xbf",
                                      "CCO\x01N",
                                      "CCO\vN",
                                      "CCO\f",
                                      "CCO\x7f",
                                      "CCO\xff",
                                      "CCO.C\xe9 name"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        refuse(odd[i], "not a printable ASCII character");
        assert_int_equal(l2r_molecule_parse(&molecule, odd[i], &error), L2R_ERR_FORMAT);
        assert_int_equal(l2r_molecule_largest_fragment(&fragment, odd[i], &error), L2R_ERR_FORMAT);
        assert_int_equal(l2r_molecule_pieces_find(&pieces, odd[i], &error), L2R_ERR_FORMAT);
    }
    refuse("CCO\xc3\xa9N", "byte 4 of the SMILES (0xc3)");
    assert_int_equal(l2r_molecule_features(&m, "CCO caf\xc3\xa9\x01", false, &error), L2R_OK);
    assert_int_equal(m.n_atoms, 3);
    l2r_molecule_graph_clear(&m);
}

/* unit repeated to so many letters. */
static const char *many(const char *unit, size_t letters)
{
    static char text[1 << 21];
    size_t length = strlen(unit), used = 0;
    while (used + length <= letters) {
        memcpy(text + used, unit, length);
        used += length;
    }
    text[used] = '\0';
    return text;
}

/* RDKit's time grows with the third power of the atoms: without a limit these take minutes. */
static void hostile_texts_take_a_moment(void **state)
{
    (void)state;
    refuse(many("(", 16000), "not a valid SMILES");
    refuse(many("(", 100000), "the SMILES is longer than 16384 characters");
    refuse(many("C", 1 << 20), "the SMILES is longer than 16384 characters");
    refuse(many("C", 16384), "the molecule has more than 1000 atoms");
    refuse(many("C(", 16384), "not a valid SMILES");
    refuse(many("C1CC1", 16384), "the molecule has more than 1000 atoms");
    refuse(many("c1ccccc1", 16384), "the molecule has more than 1000 atoms");
    refuse(many("[", 16384), "not a valid SMILES");
    refuse(many("C12C3C4C1C5C2C3C45", 16384), "the molecule has more than 1000 atoms");
    assert_true(clock() / CLOCKS_PER_SEC < 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes_atoms_and_bonds),   cmocka_unit_test(scaffolds_keep_chirality),
        cmocka_unit_test(refuses_what_is_no_molecule), cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(hostile_texts_take_a_moment),
    };
    struct l2r_molecule_graph m;
    if (l2r_chem_version() != NULL) return cmocka_run_group_tests(tests, NULL, NULL);
    int failed =
        l2r_molecule_features(&m, "CCO", true, &error) == L2R_OK || strstr(error.message, "librdkit-dev") == NULL;
    return failed ? 1 : 77;
}
