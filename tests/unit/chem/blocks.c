/* SPDX-License-Identifier: MIT
 *
 * Mol blocks become SMILES; what they announce is compared with what they hold before RDKit takes memory for it, and
 * structure is ASCII while names are any text.
 */
#include "base/memory.h"
#include "chem/molecule.h"
#include "support/messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static struct l2r_error error;

static void expect(const char *block, const char *expected)
{
    char *smiles;
    if (l2r_molecule_from_block(&smiles, block, strlen(block), &error) != L2R_OK) fail_msg("%s", error.message);
    assert_string_equal(smiles, expected);
    l2r_free(smiles);
}

static void refuse(const char *block, const char *sentence)
{
    char *smiles;
    assert_int_equal(l2r_molecule_from_block(&smiles, block, strlen(block), &error), L2R_ERR_FORMAT);
    assert_null(smiles);
    if (!message_matches(error.message, sentence)) fail_msg("%s", error.message);
}

#define V2000(name, atom, counts)                                                                                      \
    name "\n  l2r\n\n" counts "  0  0  0  0            999 V2000\n"                                                    \
         "    0.0000    0.0000    0.0000 " atom "   0  0\n    1.0000    0.0000    0.0000 O   0  0\n  1  2  1  0\n"     \
         "M  END\n"
#define V3000(counts, atom, more)                                                                                      \
    "x\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 " counts "\nM  V30 BEGIN ATOM\n"        \
    "M  V30 1 " atom " 0 0 0 0\nM  V30 2 O 1 0 0 0\nM  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 1 1 2\n"              \
    "M  V30 END BOND\n" more "M  V30 END CTAB\nM  END\n"

static void reads_both_versions(void **state)
{
    (void)state;
    expect(V2000("caf\xc3\xa9", "C", "  2  1"), "CO");
    expect(V3000("COUNTS 2 1 0 0 0", "C", ""), "CO");
    expect(V3000("COUNTS 2 1 0 0 0 REGNO=123456789", "C", ""), "CO");
    expect(V3000("COUN-\nM  V30 TS 2 1-\nM  V30  0 0 0", "C", ""), "CO");
    /* The data of an S-group is any text. */
    expect(V3000("COUNTS 2 1 1 0 0", "C",
                 "M  V30 BEGIN SGROUP\nM  V30 1 DAT 0 ATOMS=(1 1) FIELDNAME=a FIELDDATA=\"\xc2\xb5M\"\n"
                 "M  V30 END SGROUP\n"),
           "CO");
}

static void structure_is_ascii(void **state)
{
    (void)state;
    refuse(V2000("x", "\xd0\xa1", "  2  1"), "line 5 of the mol block: byte 32 (0xd0)");
    refuse(V2000("x", "C", "  2\x01 1"), "line 4 of the mol block: byte 4 (0x01)");
    refuse(V3000("COUNTS 2 1 0 0 0", "\xd0\xa1", ""), "(0xd0) is not a printable ASCII character");
    refuse("x\n\n", "no line of counts");
    refuse(V2000("x", "C", "  2  2"), "line 8 of the mol block is no bond between two of 2 atoms");
    refuse(V2000("x", "C", "  1  2"), "line 6 of the mol block is no bond");
}

/* In less memory than half a billion atoms take. */
static void announces_no_more_than_it_holds(void **state)
{
    (void)state;
    refuse(V3000("COUNTS 650000000 1 0 0 0", "C", ""), "line 6 of the mol block announces 650000000");
    refuse(V3000("counts 650000000 1 0 0 0", "C", ""), "650000000");
    refuse(V3000("COUN-\nM  V30 TS 65000-\nM  V30 0000 1 0 0 0", "C", ""), "650000000");
    refuse(V3000("-\nM  V30 COUNTS 650000000 1 0 0 0", "C", ""), "650000000");
    refuse(V3000("COUNTS 2 650000000 0 0 0", "C", ""), "650000000");
    refuse(V3000("COUNTS 2 1 650000000 0 0", "C", ""), "650000000");
    refuse(V3000("COUNTS 99999999999999999999999 1 0 0 0", "C", ""), "announces 99999999999999999999");
    struct rusage used;
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    assert_true(used.ru_maxrss < 1 << 20); /* kB */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_both_versions),
        cmocka_unit_test(structure_is_ascii),
        cmocka_unit_test(announces_no_more_than_it_holds),
    };
    return l2r_chem_version() != NULL ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
