/* SPDX-License-Identifier: MIT
 *
 * Fingerprints of describe.h, equal to RDKit's numbers bit by bit. They are written here after their definitions
 * because RDKit's functions compute neighbourhoods, distances and paths again in each call.
 *
 *     morgan   Rogers & Hahn 2010: an atom's identifier is a hash of its own and its neighbours' of the round before.
 *              An environment that has the bonds of an earlier one does not count
 *     pairs    Carhart, Smith & Venkataraghavan 1985: codes of two atoms and the number of bonds between them
 *     torsion  Nilakantan et al. 1987: codes of the four atoms of a path
 */
#ifndef L2R_CHEM_RDKIT_FINGERPRINTS_H
#define L2R_CHEM_RDKIT_FINGERPRINTS_H

#include "chem/rdkit_molecule.h"

namespace l2r
{

/* ids[r]: the identifiers of environments of radius r = 0 .. radius that count. */
void find_environments(std::vector<std::vector<uint32_t>> &ids, const molecule &of, unsigned radius);
/* Counts of those up to radius 2 in L2R_FOLDED places. */
void fold_environments(float *row, const std::vector<std::vector<uint32_t>> &ids);
/* How many different ones there are up to a radius, by heavy atom. */
double environment_density(const std::vector<std::vector<uint32_t>> &ids, unsigned radius, const molecule &of);

void fold_pairs(float *row, molecule &of);
void fold_torsions(float *row, const molecule &of);

} // namespace l2r

#endif
