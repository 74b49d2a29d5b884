/* SPDX-License-Identifier: MIT
 * The descriptors of a molecule (describe.h), between the C++ files. */
#ifndef L2R_CHEM_RDKIT_DESCRIPTORS_H
#define L2R_CHEM_RDKIT_DESCRIPTORS_H

#include <string>
#include <vector>

namespace RDKit
{
class ROMol;
}

namespace l2r
{

/* Both in the same order. */
const std::vector<std::string> &descriptor_names();
std::vector<double> descriptors_of(const RDKit::ROMol &mol);

} // namespace l2r

#endif
