/* SPDX-License-Identifier: MIT
 *
 * The descriptors of describe.h. Most are RDKit's C++; those that RDKit has in Python alone are written here after it:
 *
 *     electrotopological state (Kier & Hall 1990)   S_i = I_i + Σ_j (I_i − I_j) / (d_ij + 1)²,
 *                                                   I_i = (4/N_i² · v_i + 1) / δ_i
 *     Balaban's J (1982)                            J = m/(μ + 1) Σ_bonds (s_i s_j)^(−1/2), s_i: sum of distances
 *
 * with N the period, v the outer electrons without those of hydrogens, δ the heavy neighbours, d_ij the bonds between
 * two atoms, m bonds and μ rings.
 */
#include "chem/rdkit_descriptors.h"
#include "chem/fragments.h"

#include <GraphMol/Descriptors/MQN.h>
#include <GraphMol/Descriptors/MolDescriptors.h>
#include <GraphMol/Descriptors/Property.h>
#include <GraphMol/Fingerprints/MorganFingerprints.h>
#include <GraphMol/GraphMol.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/PartialCharges/GasteigerCharges.h>
#include <GraphMol/PeriodicTable.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/Substruct/SubstructMatch.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>

namespace
{

using RDKit::ROMol;
using numbers = std::vector<double>;

/* Named here and not by RDKit's list, which grows from version to version. */
const std::vector<std::string> properties = {"exactmw",
                                             "amw",
                                             "lipinskiHBA",
                                             "lipinskiHBD",
                                             "NumRotatableBonds",
                                             "NumHBD",
                                             "NumHBA",
                                             "NumHeavyAtoms",
                                             "NumAtoms",
                                             "NumHeteroatoms",
                                             "NumAmideBonds",
                                             "FractionCSP3",
                                             "NumRings",
                                             "NumAromaticRings",
                                             "NumAliphaticRings",
                                             "NumSaturatedRings",
                                             "NumHeterocycles",
                                             "NumAromaticHeterocycles",
                                             "NumSaturatedHeterocycles",
                                             "NumAliphaticHeterocycles",
                                             "NumSpiroAtoms",
                                             "NumBridgeheadAtoms",
                                             "NumAtomStereoCenters",
                                             "NumUnspecifiedAtomStereoCenters",
                                             "labuteASA",
                                             "tpsa",
                                             "CrippenClogP",
                                             "CrippenMR",
                                             "chi0v",
                                             "chi1v",
                                             "chi2v",
                                             "chi3v",
                                             "chi4v",
                                             "chi0n",
                                             "chi1n",
                                             "chi2n",
                                             "chi3n",
                                             "chi4n",
                                             "hallKierAlpha",
                                             "kappa1",
                                             "kappa2",
                                             "kappa3",
                                             "Phi"};

const char *const other_names[] = {"MaxPartialCharge",    "MinPartialCharge",   "MaxAbsPartialCharge",
                                   "MinAbsPartialCharge", "MaxEStateIndex",     "MinEStateIndex",
                                   "MaxAbsEStateIndex",   "MinAbsEStateIndex",  "BalabanJ",
                                   "FpDensityMorgan1",    "FpDensityMorgan2",   "FpDensityMorgan3",
                                   "NumValenceElectrons", "NumRadicalElectrons"};

const double surface_bins[] = {4.78, 5.00, 5.410, 5.740, 6.00, 6.07, 6.45, 7.00, 11.0};
const double state_bins[] = {-0.390, 0.290, 0.717, 1.165, 1.540, 1.807, 2.05, 4.69, 9.17, 15.0};
const double unknown = std::numeric_limits<double>::quiet_NaN();

void append(numbers &all, const numbers &some)
{
    all.insert(all.end(), some.begin(), some.end());
}

/* Counts of the functional groups; patterns are compiled once and only read from then on. */
numbers count_fragments(const ROMol &mol)
{
    static const std::vector<std::unique_ptr<RDKit::RWMol>> patterns = [] {
        std::vector<std::unique_ptr<RDKit::RWMol>> made;
        for (const auto &fragment : fragments) made.emplace_back(RDKit::SmartsToMol(fragment.smarts));
        return made;
    }();
    numbers counts;
    RDKit::SubstructMatchParameters how;
    how.uniquify = true;
    for (const auto &pattern : patterns)
        counts.push_back(static_cast<double>(RDKit::SubstructMatch(mol, *pattern, how).size()));
    return counts;
}

int period_of(unsigned element)
{
    static const unsigned last[] = {2, 10, 18, 36, 54, 86};
    return 1 +
           static_cast<int>(std::count_if(std::begin(last), std::end(last), [=](unsigned n) { return element > n; }));
}

/* The intrinsic state I of each atom; 0 without a neighbour. */
numbers intrinsic_states(const ROMol &mol)
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

numbers states_of(const ROMol &mol)
{
    numbers intrinsic = intrinsic_states(mol), states = intrinsic;
    const double *distance = RDKit::MolOps::getDistanceMat(mol);
    size_t n = intrinsic.size();
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            double far = distance[i * n + j] + 1;
            if (far >= 1e6) continue; /* of different fragments */
            double term = (intrinsic[i] - intrinsic[j]) / (far * far);
            states[i] += term;
            states[j] -= term;
        }
    return states;
}

double balaban(const ROMol &mol)
{
    const double *distance = RDKit::MolOps::getDistanceMat(mol, true, false, false, "Balaban");
    size_t n = mol.getNumAtoms();
    numbers sums(n, 0.0);
    double sum = 0, bonds = mol.getNumBonds(), rings = bonds - static_cast<double>(n) + 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) sums[j] += distance[i * n + j];
    for (const RDKit::Bond *bond : mol.bonds())
        sum += 1 / std::sqrt(sums[bond->getBeginAtomIdx()] * sums[bond->getEndAtomIdx()]);
    return rings + 1 != 0 ? bonds / (rings + 1) * sum : 0;
}

/* Highest, lowest, and the same of absolute values: of the lowest and highest for charges, as RDKit does it. */
numbers charge_range(const ROMol &mol)
{
    numbers charges(mol.getNumAtoms(), 0.0);
    RDKit::computeGasteigerCharges(mol, charges);
    double low = *std::min_element(charges.begin(), charges.end());
    double high = *std::max_element(charges.begin(), charges.end());
    for (double charge : charges)
        if (!std::isfinite(charge)) return numbers(4, unknown);
    return {high, low, std::max(std::fabs(low), std::fabs(high)), std::min(std::fabs(low), std::fabs(high))};
}

numbers state_range(const numbers &states)
{
    numbers magnitudes;
    for (double state : states) magnitudes.push_back(std::fabs(state));
    return {*std::max_element(states.begin(), states.end()), *std::min_element(states.begin(), states.end()),
            *std::max_element(magnitudes.begin(), magnitudes.end()),
            *std::min_element(magnitudes.begin(), magnitudes.end())};
}

/* Σ of `what` over the atoms whose `by` falls into each bin. */
template <size_t N> numbers binned(const double (&bins)[N], const numbers &by, const numbers &what)
{
    numbers sums(N + 1, 0.0);
    for (size_t i = 0; i < by.size(); i++)
        sums[static_cast<size_t>(std::upper_bound(bins, bins + N, by[i]) - bins)] += what[i];
    return sums;
}

double density(const ROMol &mol, unsigned radius)
{
    std::unique_ptr<RDKit::SparseIntVect<uint32_t>> counts(RDKit::MorganFingerprints::getFingerprint(mol, radius));
    unsigned heavy = mol.getNumHeavyAtoms();
    return heavy ? static_cast<double>(counts->getNonzeroElements().size()) / heavy : 0;
}

numbers electrons(const ROMol &mol)
{
    double valence = 0, radicals = 0;
    for (const RDKit::Atom *atom : mol.atoms()) {
        unsigned element = static_cast<unsigned>(atom->getAtomicNum());
        valence += RDKit::PeriodicTable::getTable()->getNouterElecs(element) - atom->getFormalCharge() +
                   static_cast<int>(atom->getTotalNumHs());
        radicals += atom->getNumRadicalElectrons();
    }
    return {valence, radicals};
}

void add_names(std::vector<std::string> &names, const char *prefix, size_t n)
{
    for (size_t i = 1; i <= n; i++) names.push_back(prefix + std::to_string(i));
}

} // namespace

const std::vector<std::string> &l2r::descriptor_names()
{
    static const std::vector<std::string> made = [] {
        std::vector<std::string> names = properties;
        add_names(names, "SlogP_VSA", 12);
        add_names(names, "SMR_VSA", 10);
        add_names(names, "PEOE_VSA", 14);
        add_names(names, "MQN", 42);
        names.insert(names.end(), std::begin(other_names), std::end(other_names));
        add_names(names, "VSA_EState", std::size(surface_bins) + 1);
        add_names(names, "EState_VSA", std::size(state_bins) + 1);
        for (const auto &fragment : fragments) names.push_back(fragment.name);
        return names;
    }();
    return made;
}

std::vector<double> l2r::descriptors_of(const ROMol &mol)
{
    static const RDKit::Descriptors::Properties computed(properties);
    numbers all = computed.computeProperties(mol), states = states_of(mol), surface;
    double hydrogens;
    append(all, RDKit::Descriptors::calcSlogP_VSA(mol));
    append(all, RDKit::Descriptors::calcSMR_VSA(mol));
    append(all, RDKit::Descriptors::calcPEOE_VSA(mol));
    for (unsigned count : RDKit::Descriptors::calcMQNs(mol)) all.push_back(count);
    append(all, charge_range(mol));
    append(all, state_range(states));
    append(all, {balaban(mol), density(mol, 1), density(mol, 2), density(mol, 3)});
    append(all, electrons(mol));
    surface.resize(mol.getNumAtoms());
    RDKit::Descriptors::getLabuteAtomContribs(mol, surface, hydrogens);
    append(all, binned(surface_bins, surface, states));
    append(all, binned(state_bins, states, surface));
    append(all, count_fragments(mol));
    return all;
}
