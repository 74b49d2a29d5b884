/* SPDX-License-Identifier: MIT
 * Neighbour lists and distances (rdkit_topology.h). */
#include "chem/rdkit_topology.h"

#include <GraphMol/GraphMol.h>

#include <algorithm>

void l2r::topology::connect(size_t atoms, const std::vector<size_t> &ends)
{
    n = atoms;
    m = ends.size() / 2;
    start.assign(n + 1, 0);
    neighbour.resize(ends.size());
    bond.resize(ends.size());
    for (size_t end : ends) start[end + 1]++;
    for (size_t i = 0; i < n; i++) start[i + 1] += start[i];
    std::vector<size_t> last(start.begin(), start.end() - 1); /* where a list ends so far */
    for (size_t i = 0; i < ends.size(); i++) {
        size_t a = ends[i], b = ends[i ^ 1], at = last[a]++;
        for (; at > start[a] && neighbour[at - 1] > b; at--) {
            neighbour[at] = neighbour[at - 1];
            bond[at] = bond[at - 1];
        }
        neighbour[at] = b;
        bond[at] = i / 2;
    }
}

void l2r::find_ends(std::vector<size_t> &ends, const RDKit::ROMol &mol)
{
    ends.resize(2 * mol.getNumBonds());
    for (const RDKit::Bond *bond : mol.bonds()) {
        ends[2 * bond->getIdx()] = bond->getBeginAtomIdx();
        ends[2 * bond->getIdx() + 1] = bond->getEndAtomIdx();
    }
}

std::vector<bool> l2r::hydrogens_of(const RDKit::ROMol &mol)
{
    std::vector<bool> are(mol.getNumAtoms());
    for (const RDKit::Atom *atom : mol.atoms()) are[atom->getIdx()] = atom->getAtomicNum() == 1;
    return are;
}

void l2r::find_distances(std::vector<uint16_t> &distances, const topology &shape)
{
    size_t n = shape.n;
    std::vector<size_t> queue(n);
    distances.assign(n * n, unreachable);
    for (size_t i = 0; i < n; i++) {
        uint16_t *row = &distances[i * n];
        size_t end = 1;
        queue[0] = i;
        row[i] = 0;
        for (size_t begin = 0; begin < end; begin++) {
            size_t a = queue[begin];
            for (size_t k = shape.start[a]; k < shape.start[a + 1]; k++) {
                size_t b = shape.neighbour[k];
                if (row[b] != unreachable) continue;
                row[b] = static_cast<uint16_t>(row[a] + 1);
                queue[end++] = b;
            }
        }
    }
}
