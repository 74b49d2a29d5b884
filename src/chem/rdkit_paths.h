/* SPDX-License-Identifier: MIT
 *
 * Paths along bonds, each once, in the order in which RDKit finds them, so that sums over them have the same digits. A
 * path of four or more atoms may end where it was before:
 *
 *     a-b-c-d     once, from its lower end
 *     a-b-c-a     from the ring's lowest atom, the lower neighbour first
 *     a-b-c-d-b   the lower of c and d first
 *
 * Hydrogens that are atoms of the graph (deuterium) are left out.
 */
#ifndef L2R_CHEM_RDKIT_PATHS_H
#define L2R_CHEM_RDKIT_PATHS_H

#include "chem/rdkit_topology.h"

#include <vector>

namespace l2r
{

template <size_t longest, class Visit> class path_walk
{
    const topology &shape;
    const std::vector<bool> &left_out;
    size_t atoms[longest];
    Visit visit;

    /* Is the ring that atom j closes with the path's last walked in its first order? */
    bool is_first(size_t j, size_t length) const
    {
        for (size_t i = 1; i < length && j == 0; i++)
            if (atoms[i] < atoms[0]) return false;
        return atoms[j + 1] < atoms[length - 1];
    }

    template <size_t length> void extend()
    {
        size_t last = atoms[length - 1];
        for (size_t k = shape.start[last]; k < shape.start[last + 1]; k++) {
            size_t next = shape.neighbour[k], j = 0;
            if (left_out[next]) continue;
            while (j < length && atoms[j] != next) j++;
            atoms[length] = next;
            if (j == length ? length >= 2 && atoms[0] < next : j + 2 < length && is_first(j, length))
                visit(atoms, length + 1);
            if constexpr (length + 1 < longest)
                if (j == length) extend<length + 1>();
        }
    }

  public:
    path_walk(const topology &of, const std::vector<bool> &hydrogens, Visit what)
        : shape(of), left_out(hydrogens), visit(what)
    {
        for (size_t i = 0; i < shape.n; i++) {
            atoms[0] = i;
            if (!left_out[i]) extend<1>();
        }
    }
};

/* Paths of 3 .. longest atoms: visit(atoms, how many). */
template <size_t longest, class Visit>
void each_path(const topology &of, const std::vector<bool> &hydrogens, Visit visit)
{
    path_walk<longest, Visit>(of, hydrogens, visit);
}

} // namespace l2r

#endif
