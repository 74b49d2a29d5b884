/* SPDX-License-Identifier: MIT
 * The extended reduced graph of a molecule (describe.h), between the C++ files. */
#ifndef L2R_CHEM_RDKIT_REDUCED_H
#define L2R_CHEM_RDKIT_REDUCED_H

#include "chem/rdkit_molecule.h"

namespace l2r
{

void reduced_graph(float *row /* [L2R_ERG_NUMBERS] */, molecule &of);

} // namespace l2r

#endif
