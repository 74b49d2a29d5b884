/* SPDX-License-Identifier: MIT
 * Counts of atoms, bonds, rings and patterns of a molecule. */
#ifndef L2R_CHEM_RDKIT_COUNTS_H
#define L2R_CHEM_RDKIT_COUNTS_H

#include "chem/rdkit_molecule.h"

namespace l2r
{

double count_pattern(molecule &of, size_t pattern);

/* Molecular quantum numbers (Nguyen et al. 2009), in the paper's order. */
enum : size_t { molecular_quantum_numbers = 42 };
std::vector<double> count_quantum_numbers(molecule &of);

} // namespace l2r

#endif
