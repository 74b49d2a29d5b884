/* SPDX-License-Identifier: MIT
 *
 * Features of whole molecules against RDKit's Python (tests/golden/export_features.py), and what is refused.
 */
#include "chem/describe.h"
#include "chem/molecule.h"
#include "io/json_file.h"
#include "support/messages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct l2r_error error;
static float room[3 * L2R_FOLDED + L2R_ERG_NUMBERS + L2R_DESCRIPTORS], *rows[L2R_DESCRIPTIONS];

static int set_up(void **state)
{
    float *at = room;
    (void)state;
    for (int k = 0; k < L2R_DESCRIPTIONS; k++) {
        rows[k] = at;
        at += l2r_description_width((enum l2r_description)k);
    }
    return 0;
}

/* {place: count}; every other place is 0. */
static void check_places(const float *row, int kind, const json_t *expected, const char *smiles)
{
    int32_t n = 0;
    const char *name = l2r_description_name((enum l2r_description)kind);
    for (int32_t i = 0; i < l2r_description_width((enum l2r_description)kind); i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", (int)i);
        double wanted = json_number_value(json_object_get(expected, key));
        if (fabs((double)row[i] - wanted) > 1e-6 * (1 + fabs(wanted)))
            fail_msg("%s of %s: place %d is %g, RDKit has %g", name, smiles, (int)i, (double)row[i], wanted);
        n += row[i] != 0;
    }
    assert_int_equal(n, json_object_size(expected));
}

/* Sums over atoms in another order: a few last digits of a float. */
static void check_descriptors(const float *row, const json_t *expected, const char *smiles)
{
    assert_true(json_object_size(expected) >= L2R_DESCRIPTORS);
    for (int32_t i = 0; i < L2R_DESCRIPTORS; i++) {
        const char *name = l2r_descriptor_name(i);
        const json_t *value = json_object_get(expected, name);
        if (!value) fail_msg("RDKit's Python has no descriptor \"%s\"", name);
        if (json_is_null(value) && !isnan(row[i])) fail_msg("%s of %s is %g, not NaN", name, smiles, (double)row[i]);
        double wanted = json_number_value(value);
        if (!json_is_null(value) && !(fabs((double)row[i] - wanted) <= 1e-5 * (1 + fabs(wanted))))
            fail_msg("%s of %s is %g, RDKit has %g", name, smiles, (double)row[i], wanted);
    }
}

static void agrees_with_python(void **state)
{
    json_t *file = NULL;
    size_t i;
    const json_t *molecule;
    (void)state;
    assert_int_equal(l2r_json_read(&file, L2R_TEST_DIR "/golden/features.json", &error), L2R_OK);
    /* Other versions have other fingerprints and rules. */
    const char *version = json_string_value(json_object_get(file, "rdkit"));
    if (strcmp(version, l2r_chem_version()) != 0) skip();
    json_array_foreach(json_object_get(file, "molecules"), i, molecule)
    {
        const char *smiles = json_string_value(json_object_get(molecule, "smiles"));
        assert_int_equal(l2r_molecule_describe(rows, smiles, &error), L2R_OK);
        for (int k = 0; k < L2R_DESCRIBE_DESCRIPTORS; k++)
            check_places(rows[k], k, json_object_get(molecule, l2r_description_name((enum l2r_description)k)), smiles);
        check_descriptors(rows[L2R_DESCRIBE_DESCRIPTORS], json_object_get(molecule, "descriptors"), smiles);
    }
    assert_true(i >= 5);
    json_decref(file);
}

static void every_descriptor_has_a_name(void **state)
{
    (void)state;
    for (int32_t i = 0; i < L2R_DESCRIPTORS; i++) {
        assert_non_null(l2r_descriptor_name(i));
        for (int32_t k = 0; k < i; k++) assert_string_not_equal(l2r_descriptor_name(i), l2r_descriptor_name(k));
    }
    assert_null(l2r_descriptor_name(-1));
    assert_null(l2r_descriptor_name(L2R_DESCRIPTORS));
}

static void only_what_is_wanted(void **state)
{
    float *some[L2R_DESCRIPTIONS] = {[L2R_DESCRIBE_PAIRS] = rows[L2R_DESCRIBE_PAIRS]};
    (void)state;
    room[0] = 77;
    assert_int_equal(l2r_molecule_describe(some, "CCO", &error), L2R_OK);
    assert_true(room[0] == 77);
}

/* A metal's charges are not known to Gasteiger's model; the rest of it is. */
static void unknown_numbers_are_nan(void **state)
{
    int unknown = 0;
    (void)state;
    assert_int_equal(l2r_molecule_describe(rows, "C[Hg]C", &error), L2R_OK);
    for (int32_t i = 0; i < L2R_DESCRIPTORS; i++) {
        assert_false(isinf(rows[L2R_DESCRIBE_DESCRIPTORS][i]));
        unknown += isnan(rows[L2R_DESCRIBE_DESCRIPTORS][i]);
    }
    assert_true(unknown == 4);
}

static void refuses_what_is_no_molecule(void **state)
{
    char long_chain[1100];
    (void)state;
    assert_int_equal(l2r_molecule_describe(rows, "C(C", &error), L2R_ERR_FORMAT);
    assert_string_equal(error.message, "not a valid SMILES");
    memset(long_chain, 'C', sizeof long_chain - 1);
    long_chain[sizeof long_chain - 1] = '\0';
    assert_int_equal(l2r_molecule_describe(rows, long_chain, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "the molecule has more than 1000 atoms");
}

/* Reduced graphs do not depend on what else was asked for: of molecules all of whose ring atoms have a third neighbour
 * or a role RDKit would read distances that are not theirs. */
static void each_kind_by_itself(void **state)
{
    static const char *const molecules[] = {"Clc1c(Cl)c(Cl)c(Cl)c(Cl)c1Cl", "CCC1(CC)C(=O)NC(=O)N(C)C1=O",
                                            "COc1nc(NC(C)C)nc(NC(C)C)n1", "CCO"};
    float alone[L2R_FOLDED];
    (void)state;
    for (size_t m = 0; m < sizeof molecules / sizeof *molecules; m++) {
        assert_int_equal(l2r_molecule_describe(rows, molecules[m], &error), L2R_OK);
        for (int k = 0; k < L2R_DESCRIBE_DESCRIPTORS; k++) {
            float *one[L2R_DESCRIPTIONS] = {NULL};
            one[k] = alone;
            assert_int_equal(l2r_molecule_describe(one, molecules[m], &error), L2R_OK);
            if (memcmp(alone, rows[k], (size_t)l2r_description_width((enum l2r_description)k) * sizeof *alone) != 0)
                fail_msg("%s of %s", l2r_description_name((enum l2r_description)k), molecules[m]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_python),          cmocka_unit_test(every_descriptor_has_a_name),
        cmocka_unit_test(only_what_is_wanted),         cmocka_unit_test(unknown_numbers_are_nan),
        cmocka_unit_test(refuses_what_is_no_molecule), cmocka_unit_test(each_kind_by_itself),
    };
    if (!l2r_chem_version()) return 77;
    return cmocka_run_group_tests(tests, set_up, NULL);
}
