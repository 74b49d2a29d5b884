/* SPDX-License-Identifier: MIT
 *
 * What the kinds of numbers about a molecule (describe.h) share, each found once: neighbour lists, distances, patterns,
 * and atom codes.
 */
#ifndef L2R_CHEM_RDKIT_MOLECULE_H
#define L2R_CHEM_RDKIT_MOLECULE_H

#include "chem/rdkit_patterns.h"
#include "chem/rdkit_topology.h"

#include <cstdint>
#include <string>
#include <vector>

namespace l2r
{

/* The patterns of all kinds, compiled once. */
struct known_patterns {
    patterns all;
    std::vector<size_t> fragments;                       /* as in fragments.h */
    std::vector<size_t> crippen;                         /* as in RDKit's table */
    std::vector<size_t> points;                          /* of pharmacophores (rdkit_reduced.cpp) */
    size_t donors, acceptors, hetero, amides, rotatable; /* (rdkit_counts.cpp) */
};
const known_patterns &all_patterns();

class molecule
{
    std::vector<uint16_t> far;

  public:
    const RDKit::ROMol &mol;
    topology shape;
    std::vector<size_t> ends; /* [2 m]: the two atoms of each bond */
    matcher &match;           /* the thread's own, which has read this molecule */

    explicit molecule(const RDKit::ROMol &read);
    /* [n × n]: bonds between atoms. */
    const std::vector<uint16_t> &distances();
};

} // namespace l2r

#endif
