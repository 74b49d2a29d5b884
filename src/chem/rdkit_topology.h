/* SPDX-License-Identifier: MIT
 *
 * The bonds of a molecule as flat arrays: what fingerprints, paths and patterns walk along instead of RDKit's lists.
 *
 *     neighbours of atom i:  neighbour[start[i]] .. neighbour[start[i + 1]], ascending, by bonds of the same places
 */
#ifndef L2R_CHEM_RDKIT_TOPOLOGY_H
#define L2R_CHEM_RDKIT_TOPOLOGY_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace RDKit
{
class ROMol;
}

namespace l2r
{

struct topology {
    size_t n = 0, m = 0;           /* atoms, bonds */
    std::vector<size_t> start;     /* [n + 1] */
    std::vector<size_t> neighbour; /* [2 m] */
    std::vector<size_t> bond;      /* [2 m]: their numbers */

    void connect(size_t atoms, const std::vector<size_t> &ends /* [2 m]: the two atoms of each bond */);
    size_t degree(size_t atom) const
    {
        return start[atom + 1] - start[atom];
    }
};

/* The two atoms of each bond. */
void find_ends(std::vector<size_t> &ends, const RDKit::ROMol &mol);
/* Which atoms are hydrogens. */
std::vector<bool> hydrogens_of(const RDKit::ROMol &mol);

enum : uint16_t { unreachable = UINT16_MAX };
/* The number of bonds between two atoms [n × n]. */
void find_distances(std::vector<uint16_t> &distances, const topology &shape);

} // namespace l2r

#endif
