/* SPDX-License-Identifier: MIT
 *
 * The extended reduced graph (Stiefl et al. 2006), numbers equal to RDKit's:
 *
 *     nodes   atoms, without ring atoms of two neighbours that are no point of a pharmacophore; and a centre for each
 *             ring of up to 7 atoms, bound to its atoms: aromatic, or hydrophobic
 *     number  for two kinds of points and a distance d = 1 .. 15 in this graph: 1 for each such pair of nodes, and 0.3
 *             for one at d − 1 or d + 1
 *
 * The rows of kinds overlap by one place, as RDKit's do.
 */
#include "chem/rdkit_reduced.h"
#include "chem/describe.h"

#include <algorithm>

namespace
{

enum { POINTS = 5, HYDROPHOBIC = POINTS - 1, AROMATIC = POINTS, KINDS = POINTS + 1, NEAREST = 1, FARTHEST = 15 };
const double fuzzy = 0.3;

struct graph {
    std::vector<std::vector<int>> kinds; /* of each node, ascending */
    l2r::topology shape;
};

bool is_aromatic(const RDKit::ROMol &mol, const std::vector<int> &ring)
{
    size_t aromatic = 0, planar = 0;
    for (int i : ring) {
        const RDKit::Atom *atom = mol.getAtomWithIdx(static_cast<unsigned>(i));
        if (atom->getIsAromatic())
            aromatic++;
        else if (atom->getHybridization() == RDKit::Atom::SP2)
            planar++;
    }
    return aromatic >= 2 || planar >= ring.size() / 2;
}

void reduce(graph &g, l2r::molecule &of)
{
    const RDKit::RingInfo &rings = *of.mol.getRingInfo();
    const size_t none = SIZE_MAX, n = of.shape.n;
    std::vector<size_t> node(n, none), ends;
    for (size_t i = 0; i < n; i++) {
        std::vector<int> kinds;
        for (int k = 0; k < POINTS; k++)
            if (of.match.starts(l2r::all_patterns().points[static_cast<size_t>(k)])[i / 64] >> (i % 64) & 1)
                kinds.push_back(k);
        if (kinds.empty() && of.shape.degree(i) == 2 && rings.numAtomRings(static_cast<unsigned>(i)) > 0) continue;
        node[i] = g.kinds.size();
        g.kinds.push_back(kinds);
    }
    for (size_t b = 0; b < of.ends.size(); b += 2) {
        size_t from = node[of.ends[b]], to = node[of.ends[b + 1]];
        if (from != none && to != none) ends.insert(ends.end(), {from, to});
    }
    for (const std::vector<int> &ring : rings.atomRings()) {
        if (ring.size() > 7) continue;
        for (int i : ring)
            if (node[static_cast<size_t>(i)] != none)
                ends.insert(ends.end(), {node[static_cast<size_t>(i)], g.kinds.size()});
        g.kinds.push_back({is_aromatic(of.mol, ring) ? AROMATIC : HYDROPHOBIC});
    }
    g.shape.connect(g.kinds.size(), ends);
}

void add_pair(std::vector<double> &numbers, int a, int b, int distance)
{
    int low = std::min(a, b), high = std::max(a, b);
    int row = low * KINDS - low * (low + 1) / 2 + high;
    size_t place = static_cast<size_t>(row * (FARTHEST - NEAREST) + distance - NEAREST);
    numbers[place] += 1;
    if (distance > NEAREST) numbers[place - 1] += fuzzy;
    if (distance < FARTHEST) numbers[place + 1] += fuzzy;
}

} // namespace

void l2r::reduced_graph(float *row, molecule &of)
{
    graph g;
    std::vector<uint16_t> distances;
    std::vector<double> numbers(L2R_ERG_NUMBERS, 0.0);
    reduce(g, of);
    find_distances(distances, g.shape);
    for (size_t i = 0; i < g.shape.n; i++)
        for (size_t j = i + 1; j < g.shape.n && !g.kinds[i].empty(); j++) {
            int distance = distances[i * g.shape.n + j];
            if (distance > FARTHEST) continue;
            for (int a : g.kinds[i])
                for (int b : g.kinds[j]) add_pair(numbers, a, b, distance);
        }
    for (size_t i = 0; i < L2R_ERG_NUMBERS; i++) row[i] = static_cast<float>(numbers[i]);
}
