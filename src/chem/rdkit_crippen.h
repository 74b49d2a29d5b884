/* SPDX-License-Identifier: MIT
 *
 * logP and molar refractivity as sums over atoms (Wildman & Crippen 1999): an atom is of the first type in RDKit's
 * table whose pattern it matches.
 */
#ifndef L2R_CHEM_RDKIT_CRIPPEN_H
#define L2R_CHEM_RDKIT_CRIPPEN_H

#include "chem/rdkit_molecule.h"

namespace l2r
{

struct crippen {
    double log_p, refractivity;                    /* of the molecule with all its hydrogens */
    std::vector<double> log_p_of, refractivity_of; /* of each atom, as if hydrogens that are not written were none */
};
void find_crippen(crippen &numbers, molecule &of);

} // namespace l2r

#endif
