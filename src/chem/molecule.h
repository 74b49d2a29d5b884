/* SPDX-License-Identifier: MIT
 *
 * Molecules, through RDKit. This and describe.h are the only interface to it: the rdkit*.cpp implement these calls in a
 * module that is loaded on first use (chem_module.c). In a build without RDKit the calls that parse a molecule fail
 * with an error that says so.
 *
 * Atoms are numbered as in the SMILES, hydrogens that are not written do not count, as in OGB's graphs. No call prints:
 * RDKit's own messages are silenced and become part of the error.
 */
#ifndef L2R_CHEM_MOLECULE_H
#define L2R_CHEM_MOLECULE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct l2r_molecule; /* read-only: several threads may use one */

/* "2022.09.3"; NULL: built without RDKit. */
const char *l2r_chem_version(void);

/* Parses the text up to the first blank, as all calls do. */
enum l2r_status l2r_molecule_parse(struct l2r_molecule **molecule, const char *smiles, struct l2r_error *error);
void l2r_molecule_free(struct l2r_molecule *molecule);

int32_t l2r_molecule_atoms(const struct l2r_molecule *molecule);
int32_t l2r_molecule_bonds(const struct l2r_molecule *molecule);
/* The number of the bond between two atoms, in either direction; -1: none. */
int32_t l2r_molecule_bond_between(const struct l2r_molecule *molecule, int32_t a, int32_t b);

/* Are the graph's nodes the molecule's atoms and its edges [n_edges × 2] the bonds, each once? The error names the
 * first difference. */
enum l2r_status l2r_molecule_matches(const struct l2r_molecule *molecule, int32_t n_nodes, const int32_t *edges,
                                     int64_t n_edges, struct l2r_error *error);

/* The inside of an <svg> element of width × height: structural formula, atoms and bonds highlighted by intensity in
 * −1..1 ([atoms] and [bonds]; near 0: not at all; negative ones in another colour). Text from l2r_alloc. */
enum l2r_status l2r_molecule_svg(char **inside, const struct l2r_molecule *molecule, const float *atom_intensity,
                                 const float *bond_intensity, int width, int height, struct l2r_error *error);

/* A molecule as OGB's graphs have it: atoms and bonds in RDKit's order, each described by categories
 * (rdkit_features.cpp names them) that end in one for everything else. */
enum { L2R_ATOM_COLUMNS = 9, L2R_BOND_COLUMNS = 3, L2R_LONGEST_SMILES = 1 << 14, L2R_MOST_ATOMS = 1000 };
extern const char *const l2r_atom_column_names[L2R_ATOM_COLUMNS], *const l2r_bond_column_names[L2R_BOND_COLUMNS];

/* What OGB's categories leave out and models of other programs may read, as further columns (nn/details.c):
 *
 *     atom   9      hybridisation where column 6 has "other": nothing known, s, sp2d
 *            10-12  mass beyond the element's mean, in 1/1024 u from -16 u: three digits of base 32, the lowest first
 *     bond   3      in a ring */
enum { L2R_ATOM_DETAILS = 4, L2R_BOND_DETAILS = 1, L2R_MASS_BASE = 32, L2R_MASS_UNITS = 1024, L2R_MASS_ZERO = 16384 };
extern const int32_t l2r_atom_vocabulary[L2R_ATOM_COLUMNS]; /* 119 5 12 12 10 6 6 2 2 */
extern const int32_t l2r_bond_vocabulary[L2R_BOND_COLUMNS]; /* 5 6 2 */
/* With the details: 3 32 32 32, and 2. */
extern const int32_t l2r_atom_detail_vocabulary[L2R_ATOM_COLUMNS + L2R_ATOM_DETAILS];
extern const int32_t l2r_bond_detail_vocabulary[L2R_BOND_COLUMNS + L2R_BOND_DETAILS];
/* rows [n_atoms × L2R_ATOM_DETAILS] of a SMILES that has so many atoms. */
enum l2r_status l2r_molecule_details(int32_t *rows, int32_t n_atoms, const char *smiles, struct l2r_error *error);
/* The mean mass of an element in u, 1 .. 118; 0: there is none, or no RDKit. */
double l2r_element_mass(int atomic_number);

struct l2r_molecule_graph {
    int32_t n_atoms, n_bonds;
    int32_t *atom_rows; /* [n_atoms × 9] */
    int32_t *bonds;     /* [n_bonds × 2]: atom numbers */
    int32_t *bond_rows; /* [n_bonds × 3] */
    char *scaffold;     /* Bemis-Murcko, canonical SMILES with chirality, "" without a ring; NULL: not requested */
    char *canonical;    /* canonical SMILES with chirality, made together with the scaffold */
    void *block;        /* all of the above */
};

/* Features of a SMILES, which ends at the first blank. An empty one, one with a byte that is not printable ASCII (RDKit
 * would read what stands before it), one with a wildcard atom (`*`), one longer than L2R_LONGEST_SMILES bytes or of
 * more than L2R_MOST_ATOMS atoms (RDKit's time grows with their third power) and one that RDKit cannot read or sanitise
 * are L2R_ERR_FORMAT; the error says why and does not repeat the text. Threads may call it at the same time. */
enum l2r_status l2r_molecule_features(struct l2r_molecule_graph *graph, const char *smiles, bool scaffold,
                                      struct l2r_error *error);
void l2r_molecule_graph_clear(struct l2r_molecule_graph *graph);

/* The SMILES of the largest of a molecule's fragments: the one with most heavy atoms, of several the heaviest, of these
 * the first. Text from l2r_alloc. */
enum l2r_status l2r_molecule_largest_fragment(char **smiles, const char *text, struct l2r_error *error);
/* The SMILES of a mol block (V2000 or V3000), as in an SD file. A block that announces more lines than it has, or whose
 * structure is not printable ASCII, is L2R_ERR_FORMAT before RDKit reads it. Text from l2r_alloc. */
enum l2r_status l2r_molecule_from_block(char **smiles, const char *block, size_t length, struct l2r_error *error);

/* The building blocks of a molecule (BRICS, Degen et al. 2008): bonds that reactions make are cut, rings stay whole.
 * Where a bond was cut the SMILES of a piece has a *: *C(C)=O, *c1ccccc1. They leave out stereochemistry, so that equal
 * pieces are equal texts. */
struct l2r_molecule_pieces {
    int32_t n, n_atoms;
    int32_t *piece; /* [n_atoms]: which one an atom belongs to */
    char *smiles;   /* n texts, each ending with 0 */
};
enum l2r_status l2r_molecule_pieces_find(struct l2r_molecule_pieces *pieces, const char *smiles,
                                         struct l2r_error *error);
void l2r_molecule_pieces_clear(struct l2r_molecule_pieces *pieces);

/* Substructures that chemists are warned of: pan-assay interference (PAINS) and unwanted groups (Brenk), as RDKit lists
 * them. An alert says nothing about what a model predicts. */
struct l2r_molecule_alert {
    char *set, *name; /* "PAINS", "catechol_A(92)" */
    int32_t n_atoms, *atoms;
};
struct l2r_molecule_alerts {
    int32_t n;
    struct l2r_molecule_alert *list; /* [n] */
};
enum l2r_status l2r_molecule_alerts_find(struct l2r_molecule_alerts *alerts, const char *smiles,
                                         struct l2r_error *error);
void l2r_molecule_alerts_clear(struct l2r_molecule_alerts *alerts);

/* The colour of an intensity, "#rrggbb": white to a light blue on which black letters can be read. */
void l2r_molecule_colour(char colour[8], double intensity);

/* Category `value` of a column as text: "element U", "charge -3", "bond type triple". */
void l2r_atom_feature_text(char *out, size_t size, int32_t column, int32_t value);
void l2r_bond_feature_text(char *out, size_t size, int32_t column, int32_t value);

/* 6 -> "C"; "?" outside 1..118. */
const char *l2r_element_symbol(int atomic_number);

#ifdef __cplusplus
}
#endif
#endif
