/* SPDX-License-Identifier: MIT
 *
 * A molecule as a row of numbers, beside its graph. Five kinds, by their names in --features:
 *
 *     morgan       counts of circular environments up to radius 2 (ECFP4), folded to 1024 places
 *     pairs        counts of atom pairs with the number of bonds between them, folded to 1024 places
 *     torsion      counts of paths of four atoms, folded to 1024 places
 *     erg          extended reduced graph: pharmacophore points and the distances between them, 315 numbers
 *     descriptors  physical and topological numbers: weight, logP, surfaces, charges, shape, functional groups
 *
 * They are RDKit's numbers, digit by digit; the module behind molecule.h computes most of them itself, because several
 * kinds need the same paths, distances and patterns, which RDKit's functions compute again in each call. A descriptor
 * that cannot be computed for a molecule (partial charges of a metal) is NaN. The same SMILES gives the same numbers on
 * every thread.
 */
#ifndef L2R_CHEM_DESCRIBE_H
#define L2R_CHEM_DESCRIBE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum l2r_description {
    L2R_DESCRIBE_MORGAN,
    L2R_DESCRIBE_PAIRS,
    L2R_DESCRIBE_TORSION,
    L2R_DESCRIBE_ERG,
    L2R_DESCRIBE_DESCRIPTORS,
    L2R_DESCRIPTIONS /* how many there are */
};

enum { L2R_FOLDED = 1024, L2R_ERG_NUMBERS = 315, L2R_DESCRIPTORS = 241 };

/* "morgan", …: as typed after --features. */
const char *l2r_description_name(enum l2r_description kind);
/* Numbers in a row. */
int32_t l2r_description_width(enum l2r_description kind);
/* Counts are whole numbers from 0, mostly 0. */
bool l2r_description_is_count(enum l2r_description kind);

/* The name of a descriptor, 0 .. L2R_DESCRIPTORS-1, as RDKit has it; NULL: there is none, or no RDKit. */
const char *l2r_descriptor_name(int32_t i);

/* rows[kind] [width of the kind]; NULL: not wanted. Fails as l2r_molecule_features does. */
enum l2r_status l2r_molecule_describe(float *const rows[L2R_DESCRIPTIONS], const char *smiles, struct l2r_error *error);

#ifdef __cplusplus
}
#endif
#endif
