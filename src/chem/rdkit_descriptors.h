/* SPDX-License-Identifier: MIT
 * The descriptors of a molecule (describe.h), between the C++ files. */
#ifndef L2R_CHEM_RDKIT_DESCRIPTORS_H
#define L2R_CHEM_RDKIT_DESCRIPTORS_H

#include "chem/rdkit_molecule.h"

#include <string>
#include <vector>

namespace l2r
{

/* Both in the same order. environments: of radius 0 .. 3 (rdkit_fingerprints.h). */
const std::vector<std::string> &descriptor_names();
std::vector<double> descriptors_of(molecule &of, const std::vector<std::vector<uint32_t>> &environments);

} // namespace l2r

#endif
