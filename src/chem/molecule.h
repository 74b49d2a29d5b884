/* SPDX-License-Identifier: MIT
 *
 * Molecules, through RDKit. This is the only door to it: rdkit.cpp implements these calls, and a build without RDKit has
 * without_rdkit.c in its place, where l2r_molecule_parse fails with a sentence that says so.
 *
 * Atoms are numbered as in the SMILES, hydrogens that are not written do not count: the order that OGB's graphs use too.
 * No call prints: RDKit's own messages are silenced and become part of the error.
 */
#ifndef L2R_CHEM_MOLECULE_H
#define L2R_CHEM_MOLECULE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct l2r_molecule; /* read-only: several threads may use one */

/* "2022.09.3"; NULL: built without RDKit. */
const char *l2r_chem_version(void);

enum l2r_status l2r_molecule_parse(struct l2r_molecule **molecule, const char *smiles, struct l2r_error *error);
void l2r_molecule_free(struct l2r_molecule *molecule);

int32_t l2r_molecule_atoms(const struct l2r_molecule *molecule);
int32_t l2r_molecule_bonds(const struct l2r_molecule *molecule);
/* The number of the bond between two atoms, in either direction; -1: none. */
int32_t l2r_molecule_bond_between(const struct l2r_molecule *molecule, int32_t a, int32_t b);

/* Are the graph's nodes the molecule's atoms and its edges [n_edges × 2] the bonds, each once? The error names the first
 * difference. */
enum l2r_status l2r_molecule_matches(const struct l2r_molecule *molecule, int32_t n_nodes, const int32_t *edges,
                                     int64_t n_edges, struct l2r_error *error);

/* The inside of an <svg> element of width × height: structural formula, atoms and bonds highlighted by intensity in 0..1
 * ([atoms] and [bonds]; near 0: not at all). Text from l2r_alloc. */
enum l2r_status l2r_molecule_svg(char **inside, const struct l2r_molecule *molecule, const float *atom_intensity,
                                 const float *bond_intensity, int width, int height, struct l2r_error *error);

/* The colour of an intensity, "#rrggbb": white to a light blue on which black letters can be read. */
void l2r_molecule_colour(char colour[8], double intensity);

#ifdef __cplusplus
}
#endif
#endif
