/* SPDX-License-Identifier: MIT
 *
 * chemprop's features of atoms and bonds in our categories (chem/molecule.h). An atom is there a row of numbers, one
 * for each choice of each property and a last one for all other choices, then 1 if it is aromatic, and a hundredth of
 * its mass:
 *
 *     [element … other | degree 0-5, other | charge -1 -2 1 2 0, other | chirality | hydrogens 0-4, other |
 *      hybridisation …, other | aromatic | mass / 100]
 *
 * Its featurisers differ in elements and hybridisations: v1 (133 numbers), v2 (72), organic (44); RIGR (52) has neither
 * charge, chirality, hybridisation nor aromaticity. Bonds have 14 numbers, with RIGR 2.
 */
#ifndef L2R_MODEL_CHEMPROP_FEATURES_H
#define L2R_MODEL_CHEMPROP_FEATURES_H

#include <stdint.h>

struct l2r_chemprop_features;
/* By the numbers of an atom and of a bond; NULL: there is none such. */
const struct l2r_chemprop_features *l2r_chemprop_features_find(int64_t atom, int64_t bond);

/* What a category adds to the row: so much of a column. */
struct l2r_chemprop_share {
    int column;
    double factor;
};
enum { L2R_CHEMPROP_SHARES = 2 };
/* Of category `value` of our column k; returns how many. */
int l2r_chemprop_atom(struct l2r_chemprop_share shares[L2R_CHEMPROP_SHARES], const struct l2r_chemprop_features *f,
                      int32_t k, int32_t value);
int l2r_chemprop_bond(struct l2r_chemprop_share shares[L2R_CHEMPROP_SHARES], const struct l2r_chemprop_features *f,
                      int32_t k, int32_t value);

#endif
