/* SPDX-License-Identifier: MIT
 *
 * Molecular quantum numbers (Nguyen, Blum, van Deursen & Reymond 2009) with RDKit's donors and acceptors:
 *
 *      0 .. 11   C F Cl Br I S P, N and O outside and in rings, heavy atoms
 *     12 .. 18   single, double, triple bonds outside and in rings; bonds that rotate
 *     19 .. 24   acceptor sites and atoms, donor sites and atoms, negative and positive charges
 *     25 .. 31   atoms of 1 .. 4 neighbours outside rings, of 2 .. 4 in rings
 *     32 .. 39   rings of 3 .. 9 atoms and of more;  40, 41: atoms and bonds that several rings share
 */
#include "chem/rdkit_counts.h"

namespace
{

using RDKit::Atom;
using RDKit::Bond;
using numbers = std::vector<double>;

void count_element(numbers &mqn, const Atom &atom, bool in_ring)
{
    switch (atom.getAtomicNum()) {
    case 6:
        mqn[0]++;
        break;
    case 9:
        mqn[1]++;
        break;
    case 17:
        mqn[2]++;
        break;
    case 35:
        mqn[3]++;
        break;
    case 53:
        mqn[4]++;
        break;
    case 16:
        mqn[5]++;
        break;
    case 15:
        mqn[6]++;
        break;
    case 7:
        mqn[in_ring ? 8 : 7]++;
        break;
    case 8:
        mqn[in_ring ? 10 : 9]++;
        break;
    default:
        break;
    }
}

/* Nitrogen accepts unless it has four neighbours, oxygen on two sides or, charged, on three. */
void count_polarity(numbers &mqn, const Atom &atom)
{
    int element = atom.getAtomicNum();
    if (atom.getFormalCharge() != 0) mqn[atom.getFormalCharge() > 0 ? 24 : 23]++;
    if (element != 7 && element != 8) return;
    int sites = element == 8 ? (atom.getFormalCharge() == -1 ? 3 : 2) : (atom.getDegree() != 4 ? 1 : 0);
    mqn[19] += sites;
    mqn[20] += sites > 0;
    mqn[21] += atom.getTotalNumHs();
    mqn[22] += atom.getTotalNumHs() > 0;
}

void count_atom(numbers &mqn, const Atom &atom, unsigned rings)
{
    unsigned degree = atom.getDegree();
    count_element(mqn, atom, rings > 0);
    count_polarity(mqn, atom);
    if (atom.getAtomicNum() == 1) return;
    if (degree == 1) mqn[25]++;
    if (degree >= 2 && degree <= 4) mqn[degree + (rings > 0 ? 27 : 24)]++;
    mqn[40] += rings >= 2;
}

void count_bond(numbers &mqn, const Bond &bond, unsigned rings)
{
    size_t in_ring = rings > 0 ? 3 : 0;
    if (bond.getBondType() == Bond::SINGLE) mqn[12 + in_ring]++;
    if (bond.getBondType() == Bond::DOUBLE) mqn[13 + in_ring]++;
    if (bond.getBondType() == Bond::TRIPLE) mqn[14 + in_ring]++;
    mqn[41] += rings >= 2;
}

} // namespace

double l2r::count_pattern(molecule &of, size_t pattern)
{
    return static_cast<double>(of.match.count(pattern));
}

std::vector<double> l2r::count_quantum_numbers(molecule &of)
{
    const RDKit::RingInfo &rings = *of.mol.getRingInfo();
    numbers mqn(molecular_quantum_numbers, 0.0);
    unsigned aromatic = 0;
    for (const Atom *atom : of.mol.atoms()) count_atom(mqn, *atom, rings.numAtomRings(atom->getIdx()));
    for (const Bond *bond : of.mol.bonds()) {
        count_bond(mqn, *bond, rings.numBondRings(bond->getIdx()));
        aromatic += bond->getIsAromatic();
    }
    mqn[11] = of.mol.getNumHeavyAtoms();
    mqn[15] += (aromatic + 1) / 2; /* half of the aromatic bonds are single ones */
    mqn[16] += aromatic / 2;
    mqn[18] = count_pattern(of, all_patterns().rotatable);
    for (const std::vector<int> &ring : rings.atomRings()) mqn[ring.size() < 10 ? ring.size() + 29 : 39]++;
    return mqn;
}
