/* SPDX-License-Identifier: MIT
 *
 * Molecules through RDKit, and what a build without it says.
 */
#include "chem/molecule.h"
#include "base/memory.h"
#include "draw/draw.h"
#include "support/messages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct l2r_error error;

/* Ethanol: C-C-O. */
static const int32_t chain[] = {1, 2, 0, 1};

static void parses_and_compares(void **state)
{
    (void)state;
    struct l2r_molecule *molecule = NULL;
    if (l2r_chem_version() == NULL) skip();
    assert_int_equal(l2r_molecule_parse(&molecule, "CCO", &error), L2R_OK);
    assert_int_equal(l2r_molecule_atoms(molecule), 3);
    assert_int_equal(l2r_molecule_bonds(molecule), 2);
    assert_int_equal(l2r_molecule_bond_between(molecule, 2, 1), 1);
    assert_int_equal(l2r_molecule_bond_between(molecule, 0, 2), -1);
    assert_int_equal(l2r_molecule_bond_between(molecule, 0, 3), -1);
    assert_int_equal(l2r_molecule_matches(molecule, 3, chain, 2, &error), L2R_OK);
    assert_int_equal(l2r_molecule_matches(molecule, 4, chain, 2, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "the SMILES has 3 atoms, the graph 4 nodes");
    assert_int_equal(l2r_molecule_matches(molecule, 3, chain, 1, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "the SMILES has 2 bonds, the graph 1 edges");
    const int32_t other[] = {0, 1, 0, 2};
    assert_int_equal(l2r_molecule_matches(molecule, 3, other, 2, &error), L2R_ERR_FORMAT);
    expect_message(error.message, "the graph has an edge 0-2, the SMILES no such bond");
    l2r_molecule_free(molecule);
}

static void nonsense_is_an_error_and_prints_nothing(void **state)
{
    (void)state;
    struct l2r_molecule *molecule = NULL;
    if (l2r_chem_version() == NULL) skip();
    assert_int_equal(l2r_molecule_parse(&molecule, "C(((", &error), L2R_ERR_FORMAT);
    assert_null(molecule);
    assert_non_null(strstr(error.message, "C((("));
    assert_int_equal(l2r_molecule_parse(&molecule, "C(C)(C)(C)(C)C", &error),
                     L2R_ERR_FORMAT); /* five bonds at a carbon */
    assert_null(molecule);
    assert_true(strlen(error.message) > 10);
    l2r_molecule_free(NULL);
}

static char *draw(const struct l2r_drawing *drawing)
{
    char *svg = NULL;
    if (l2r_drawing_svg(&svg, drawing, &error) != L2R_OK) fail_msg("%s", error.message);
    return svg;
}

static void highlights_follow_importance(void **state)
{
    (void)state;
    const float importance[] = {0, 1}, none[] = {0, 0};
    char strongest[8];
    if (l2r_chem_version() == NULL) skip();
    struct l2r_drawing drawing = {
        .n_nodes = 3, .n_edges = 2, .edges = chain, .edge_importance = importance, .smiles = "CCO", .title = "ethanol"};
    l2r_molecule_colour(strongest, 1);
    for (char *c = strongest; *c; c++)
        if (*c >= 'a' && *c <= 'f') *c = (char)(*c - 'a' + 'A'); /* RDKit writes capitals */
    char *svg = draw(&drawing), *again = draw(&drawing);
    assert_string_equal(svg, again);
    l2r_free(again);
    assert_null(strstr(svg, "plain graph"));
    assert_null(strstr(svg, "<?xml"));
    assert_non_null(strstr(svg, "atom-0"));
    assert_non_null(strstr(svg, strongest));
    assert_non_null(strstr(svg, ">importance</text>"));
    l2r_free(svg);
    drawing.edge_importance = none;
    svg = draw(&drawing);
    assert_null(strstr(svg, strongest));
    l2r_free(svg);
}

/* The SMILES of another molecule, or no RDKit: the graph is drawn all the same and the picture says why. */
static void falls_back_to_a_plain_graph(void **state)
{
    (void)state;
    struct l2r_drawing drawing = {.n_nodes = 3, .n_edges = 2, .edges = chain, .smiles = "CCCC"};
    char *svg = draw(&drawing);
    assert_non_null(strstr(svg, "Drawn as a plain graph: "));
    assert_non_null(strstr(svg, "<line"));
    l2r_free(svg);
    if (l2r_chem_version() != NULL) return;
    struct l2r_molecule *molecule = NULL;
    assert_int_equal(l2r_molecule_parse(&molecule, "CCO", &error), L2R_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "librdkit-dev"));
}

static void colours_run_from_white(void **state)
{
    (void)state;
    char colour[8];
    l2r_molecule_colour(colour, 0);
    assert_string_equal(colour, "#ffffff");
    l2r_molecule_colour(colour, -1); /* against: another colour */
    assert_string_equal(colour, "#f08448");
    l2r_molecule_colour(colour, -9);
    assert_string_equal(colour, "#f08448");
    l2r_molecule_colour(colour, 1);
    assert_string_equal(colour, "#5c99f2");
}

/* Benzamide of propylamine: the rings stay, the amide is cut on both sides. */
static void takes_molecules_apart(void **state)
{
    (void)state;
    struct l2r_molecule_pieces p;
    if (l2r_chem_version() == NULL) {
        assert_int_equal(l2r_molecule_pieces_find(&p, "CC", &error), L2R_ERR_ARGUMENT);
        return;
    }
    assert_int_equal(l2r_molecule_pieces_find(&p, "CCCNC(=O)c1ccccc1 name", &error), L2R_OK);
    assert_int_equal(p.n_atoms, 12);
    assert_int_equal(p.n, 4);
    const char *expected[] = {"*CCC", "*N*", "*C(*)=O", "*c1ccccc1"}, *smiles = p.smiles;
    for (int k = 0; k < 4; k++, smiles += strlen(smiles) + 1) assert_string_equal(smiles, expected[k]);
    const int32_t where[] = {0, 0, 0, 1, 2, 2, 3, 3, 3, 3, 3, 3};
    assert_memory_equal(p.piece, where, sizeof where);
    l2r_molecule_pieces_clear(&p);
    assert_int_equal(l2r_molecule_pieces_find(&p, "C[C@H](F)Cl", &error), L2R_OK); /* nothing to cut */
    assert_int_equal(p.n, 1);
    assert_string_equal(p.smiles, "CC(F)Cl");
    l2r_molecule_pieces_clear(&p);
    assert_int_equal(l2r_molecule_pieces_find(&p, "C(C", &error), L2R_ERR_FORMAT);
    assert_string_equal(error.message, "not a valid SMILES");
    assert_null(p.piece);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_and_compares),          cmocka_unit_test(nonsense_is_an_error_and_prints_nothing),
        cmocka_unit_test(highlights_follow_importance), cmocka_unit_test(falls_back_to_a_plain_graph),
        cmocka_unit_test(colours_run_from_white),       cmocka_unit_test(takes_molecules_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
