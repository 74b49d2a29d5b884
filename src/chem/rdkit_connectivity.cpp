/* SPDX-License-Identifier: MIT
 * Chi, kappa, electrotopological states and Balaban's J (rdkit_connectivity.h). */
#include "chem/rdkit_connectivity.h"
#include "chem/rdkit_paths.h"

#include <GraphMol/Descriptors/MolDescriptors.h>
#include <GraphMol/PeriodicTable.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace
{

using numbers = std::vector<double>;
using std::size_t;

/* v^(−1/2) of each atom. As in RDKit electrons are counted without a sign. */
void find_valences(numbers &with_shells, numbers &plain, const RDKit::ROMol &mol)
{
    const RDKit::PeriodicTable &table = *RDKit::PeriodicTable::getTable();
    for (const RDKit::Atom *atom : mol.atoms()) {
        unsigned element = static_cast<unsigned>(atom->getAtomicNum());
        unsigned outer = static_cast<unsigned>(table.getNouterElecs(element)),
                 electrons = outer - atom->getTotalNumHs();
        double v = element <= 1    ? 0.0
                   : element <= 10 ? electrons
                                   : static_cast<double>(electrons) / (element - outer - 1);
        with_shells.push_back(v != 0.0 ? 1 / std::sqrt(v) : v);
        plain.push_back(electrons != 0 ? 1 / std::sqrt(static_cast<double>(electrons)) : 0.0);
    }
}

/* Of a path that ends where it began the first atom counts once. */
double product(const numbers &of, const size_t *atoms, size_t length)
{
    double all = 1;
    for (size_t i = 0; i + 1 < length; i++) all *= of[atoms[i]];
    return atoms[length - 1] != atoms[0] ? all * of[atoms[length - 1]] : all;
}

double kappa(double high, double middle, double low, double paths)
{
    return paths != 0 ? high * middle * low / (paths * paths) : 0;
}

int period_of(unsigned element)
{
    static const unsigned last[] = {2, 10, 18, 36, 54, 86};
    return 1 +
           static_cast<int>(std::count_if(std::begin(last), std::end(last), [=](unsigned n) { return element > n; }));
}

/* The intrinsic state I of each atom; 0 without a neighbour. */
numbers intrinsic_states(const RDKit::ROMol &mol)
{
    numbers states;
    for (const RDKit::Atom *atom : mol.atoms()) {
        unsigned element = static_cast<unsigned>(atom->getAtomicNum()), degree = atom->getDegree();
        double period = period_of(element);
        double electrons =
            RDKit::PeriodicTable::getTable()->getNouterElecs(element) - static_cast<int>(atom->getTotalNumHs());
        states.push_back(degree == 0 ? 0 : (4 / (period * period) * electrons + 1) / degree);
    }
    return states;
}

/* Along the shortest ways [n × n], a bond of order b being 1/b long; 1e8 between fragments. */
numbers lengths_by_order(const l2r::molecule &of)
{
    const size_t n = of.shape.n;
    const double none = 1e8;
    numbers length(n * n, none);
    bool finite = true;
    for (size_t i = 0; i < n; i++) length[i * n + i] = 0;
    for (const RDKit::Bond *bond : of.mol.bonds()) {
        size_t a = bond->getBeginAtomIdx(), b = bond->getEndAtomIdx();
        length[a * n + b] = length[b * n + a] = bond->getIsAromatic() ? 2. / 3. : 1. / bond->getBondTypeAsDouble();
        finite = finite && std::isfinite(length[a * n + b]);
    }
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++) {
            double first = length[i * n + k], *row = &length[i * n];
            const double *rest = &length[k * n];
            if ((finite && first >= none) || i == k) continue;
            for (size_t j = 0; j < n; j++) row[j] = std::min(row[j], first + rest[j]);
        }
    return length;
}

} // namespace

void l2r::find_connectivity(connectivity &c, const molecule &of)
{
    numbers v, n;
    size_t paths[6] = {0};
    c = {};
    find_valences(v, n, of.mol);
    for (size_t i = 0; i < of.shape.n; i++) c.chi_v[0] += v[i], c.chi_n[0] += n[i];
    for (size_t b = 0; b < of.ends.size(); b += 2) {
        c.chi_v[1] += v[of.ends[b]] * v[of.ends[b + 1]];
        c.chi_n[1] += n[of.ends[b]] * n[of.ends[b + 1]];
    }
    each_path<5>(of.shape, hydrogens_of(of.mol), [&](const size_t *atoms, size_t length) {
        c.chi_v[length - 1] += product(v, atoms, length);
        c.chi_n[length - 1] += product(n, atoms, length);
        paths[length]++;
    });
    double heavy = of.mol.getNumHeavyAtoms(), bonds = static_cast<double>(of.shape.m);
    double alpha = c.alpha = RDKit::Descriptors::calcHallKierAlpha(of.mol);
    double a = heavy + alpha, p2 = static_cast<double>(paths[3]), p3 = static_cast<double>(paths[4]);
    c.kappa[1] = kappa(a, a - 1, a - 1, bonds + alpha);
    c.kappa[2] = kappa(a - 1, a - 2, a - 2, p2 + alpha);
    c.kappa[3] = kappa(std::fmod(heavy, 2) != 0 ? a - 1 : a - 2, a - 3, a - 3, p3 + alpha);
    c.phi = heavy > 0 ? c.kappa[1] * c.kappa[2] / heavy : 0;
}

std::vector<double> l2r::electrotopological_states(molecule &of)
{
    numbers intrinsic = intrinsic_states(of.mol), states = intrinsic;
    const std::vector<uint16_t> &distance = of.distances();
    size_t n = intrinsic.size();
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            if (distance[i * n + j] == unreachable) continue;
            double far = distance[i * n + j] + 1, term = (intrinsic[i] - intrinsic[j]) / (far * far);
            states[i] += term;
            states[j] -= term;
        }
    return states;
}

double l2r::balaban(const molecule &of)
{
    size_t n = of.shape.n;
    numbers length = lengths_by_order(of), sums(n, 0.0);
    double sum = 0, bonds = static_cast<double>(of.shape.m), rings = bonds - static_cast<double>(n) + 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) sums[j] += length[i * n + j];
    for (size_t b = 0; b < of.ends.size(); b += 2) sum += 1 / std::sqrt(sums[of.ends[b]] * sums[of.ends[b + 1]]);
    return rings + 1 != 0 ? bonds / (rings + 1) * sum : 0;
}
