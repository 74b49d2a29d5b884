/* SPDX-License-Identifier: MIT
 *
 * The descriptors of describe.h: a list of numbers, each RDKit's or equal to RDKit's. Contributions of atoms (surface,
 * logP, charge) are found once and summed in several ways:
 *
 *     SlogP_VSA, SMR_VSA, PEOE_VSA   surface of atoms whose logP, refractivity or charge is in a range (Labute 2000)
 *     VSA_EState, EState_VSA         state by surface, surface by state
 */
#include "chem/rdkit_descriptors.h"
#include "chem/fragments.h"
#include "chem/rdkit_connectivity.h"
#include "chem/rdkit_counts.h"
#include "chem/rdkit_crippen.h"
#include "chem/rdkit_fingerprints.h"

#include <GraphMol/Descriptors/MolDescriptors.h>
#include <GraphMol/Descriptors/Property.h>
#include <GraphMol/PartialCharges/GasteigerCharges.h>
#include <GraphMol/PeriodicTable.h>
#include <GraphMol/SmilesParse/SmilesParse.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>

namespace
{

using RDKit::ROMol;
using numbers = std::vector<double>;
namespace rd = RDKit::Descriptors;

/* What several descriptors read. */
struct facts {
    l2r::molecule &of;
    const ROMol &mol;
    l2r::connectivity paths;
    l2r::crippen types;
    numbers surface; /* of each atom */
    double all_surface;
};

/* RDKit's list of properties, named here because it grows from version to version. Its second chi may be its third. */
double second_chi(const double chi[5])
{
    static const bool is_third = [] {
        std::unique_ptr<ROMol> propane(RDKit::SmilesToMol("CCC"));
        return rd::Properties({"chi2v"}).computeProperties(*propane)[0] == 0;
    }();
    return chi[is_third ? 3 : 2];
}

const struct {
    const char *name;
    double (*value)(const facts &);
} properties[] = {
    {"exactmw", [](const facts &f) { return rd::calcExactMW(f.mol); }},
    {"amw", [](const facts &f) { return rd::calcAMW(f.mol); }},
    {"lipinskiHBA", [](const facts &f) -> double { return rd::calcLipinskiHBA(f.mol); }},
    {"lipinskiHBD", [](const facts &f) -> double { return rd::calcLipinskiHBD(f.mol); }},
    {"NumRotatableBonds", [](const facts &f) { return l2r::count_pattern(f.of, l2r::all_patterns().rotatable); }},
    {"NumHBD", [](const facts &f) { return l2r::count_pattern(f.of, l2r::all_patterns().donors); }},
    {"NumHBA", [](const facts &f) { return l2r::count_pattern(f.of, l2r::all_patterns().acceptors); }},
    {"NumHeavyAtoms", [](const facts &f) -> double { return f.mol.getNumHeavyAtoms(); }},
    {"NumAtoms", [](const facts &f) -> double { return rd::calcNumAtoms(f.mol); }},
    {"NumHeteroatoms", [](const facts &f) { return l2r::count_pattern(f.of, l2r::all_patterns().hetero); }},
    {"NumAmideBonds", [](const facts &f) { return l2r::count_pattern(f.of, l2r::all_patterns().amides); }},
    {"FractionCSP3", [](const facts &f) { return rd::calcFractionCSP3(f.mol); }},
    {"NumRings", [](const facts &f) -> double { return rd::calcNumRings(f.mol); }},
    {"NumAromaticRings", [](const facts &f) -> double { return rd::calcNumAromaticRings(f.mol); }},
    {"NumAliphaticRings", [](const facts &f) -> double { return rd::calcNumAliphaticRings(f.mol); }},
    {"NumSaturatedRings", [](const facts &f) -> double { return rd::calcNumSaturatedRings(f.mol); }},
    {"NumHeterocycles", [](const facts &f) -> double { return rd::calcNumHeterocycles(f.mol); }},
    {"NumAromaticHeterocycles", [](const facts &f) -> double { return rd::calcNumAromaticHeterocycles(f.mol); }},
    {"NumSaturatedHeterocycles", [](const facts &f) -> double { return rd::calcNumSaturatedHeterocycles(f.mol); }},
    {"NumAliphaticHeterocycles", [](const facts &f) -> double { return rd::calcNumAliphaticHeterocycles(f.mol); }},
    {"NumSpiroAtoms", [](const facts &f) -> double { return rd::calcNumSpiroAtoms(f.mol); }},
    {"NumBridgeheadAtoms", [](const facts &f) -> double { return rd::calcNumBridgeheadAtoms(f.mol); }},
    {"NumAtomStereoCenters", [](const facts &f) -> double { return rd::numAtomStereoCenters(f.mol); }},
    {"NumUnspecifiedAtomStereoCenters",
     [](const facts &f) -> double { return rd::numUnspecifiedAtomStereoCenters(f.mol); }},
    {"labuteASA", [](const facts &f) { return f.all_surface; }},
    {"tpsa", [](const facts &f) { return rd::calcTPSA(f.mol); }},
    {"CrippenClogP", [](const facts &f) { return f.types.log_p; }},
    {"CrippenMR", [](const facts &f) { return f.types.refractivity; }},
    {"chi0v", [](const facts &f) { return f.paths.chi_v[0]; }},
    {"chi1v", [](const facts &f) { return f.paths.chi_v[1]; }},
    {"chi2v", [](const facts &f) { return second_chi(f.paths.chi_v); }},
    {"chi3v", [](const facts &f) { return f.paths.chi_v[3]; }},
    {"chi4v", [](const facts &f) { return f.paths.chi_v[4]; }},
    {"chi0n", [](const facts &f) { return f.paths.chi_n[0]; }},
    {"chi1n", [](const facts &f) { return f.paths.chi_n[1]; }},
    {"chi2n", [](const facts &f) { return second_chi(f.paths.chi_n); }},
    {"chi3n", [](const facts &f) { return f.paths.chi_n[3]; }},
    {"chi4n", [](const facts &f) { return f.paths.chi_n[4]; }},
    {"hallKierAlpha", [](const facts &f) { return f.paths.alpha; }},
    {"kappa1", [](const facts &f) { return f.paths.kappa[1]; }},
    {"kappa2", [](const facts &f) { return f.paths.kappa[2]; }},
    {"kappa3", [](const facts &f) { return f.paths.kappa[3]; }},
    {"Phi", [](const facts &f) { return f.paths.phi; }}};

const char *const other_names[] = {"MaxPartialCharge",    "MinPartialCharge",   "MaxAbsPartialCharge",
                                   "MinAbsPartialCharge", "MaxEStateIndex",     "MinEStateIndex",
                                   "MaxAbsEStateIndex",   "MinAbsEStateIndex",  "BalabanJ",
                                   "FpDensityMorgan1",    "FpDensityMorgan2",   "FpDensityMorgan3",
                                   "NumValenceElectrons", "NumRadicalElectrons"};

const double log_p_bins[] = {-0.4, -0.2, 0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6};
const double refractivity_bins[] = {1.29, 1.82, 2.24, 2.45, 2.75, 3.05, 3.63, 3.8, 4.0};
const double charge_bins[] = {-.3, -.25, -.20, -.15, -.10, -.05, 0, .05, .10, .15, .20, .25, .30};
const double surface_bins[] = {4.78, 5.00, 5.410, 5.740, 6.00, 6.07, 6.45, 7.00, 11.0};
const double state_bins[] = {-0.390, 0.290, 0.717, 1.165, 1.540, 1.807, 2.05, 4.69, 9.17, 15.0};
const double unknown = std::numeric_limits<double>::quiet_NaN();

void append(numbers &all, const numbers &some)
{
    all.insert(all.end(), some.begin(), some.end());
}

/* Highest, lowest, and the same of absolute values: of the lowest and highest for charges, as RDKit does it. */
numbers charge_range(const numbers &charges)
{
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
        std::vector<std::string> names;
        for (const auto &property : properties) names.push_back(property.name);
        add_names(names, "SlogP_VSA", std::size(log_p_bins) + 1);
        add_names(names, "SMR_VSA", std::size(refractivity_bins) + 1);
        add_names(names, "PEOE_VSA", std::size(charge_bins) + 1);
        add_names(names, "MQN", molecular_quantum_numbers);
        names.insert(names.end(), std::begin(other_names), std::end(other_names));
        add_names(names, "VSA_EState", std::size(surface_bins) + 1);
        add_names(names, "EState_VSA", std::size(state_bins) + 1);
        for (const auto &fragment : fragments) names.push_back(fragment.name);
        return names;
    }();
    return made;
}

std::vector<double> l2r::descriptors_of(molecule &of, const std::vector<std::vector<uint32_t>> &environments)
{
    const ROMol &mol = of.mol;
    facts f = {of, mol, l2r::connectivity(), l2r::crippen(), numbers(mol.getNumAtoms()), 0};
    numbers all, states = electrotopological_states(of), charges(mol.getNumAtoms(), 0.0);
    double hydrogens;
    find_connectivity(f.paths, of);
    find_crippen(f.types, of);
    f.all_surface = rd::getLabuteAtomContribs(mol, f.surface, hydrogens);
    RDKit::computeGasteigerCharges(mol, charges);
    for (const auto &property : properties) all.push_back(property.value(f));
    append(all, binned(log_p_bins, f.types.log_p_of, f.surface));
    append(all, binned(refractivity_bins, f.types.refractivity_of, f.surface));
    append(all, binned(charge_bins, charges, f.surface));
    append(all, count_quantum_numbers(of));
    append(all, charge_range(charges));
    append(all, state_range(states));
    all.push_back(balaban(of));
    for (unsigned radius = 1; radius <= 3; radius++) all.push_back(environment_density(environments, radius, of));
    append(all, electrons(mol));
    append(all, binned(surface_bins, f.surface, states));
    append(all, binned(state_bins, states, f.surface));
    for (size_t pattern : all_patterns().fragments) all.push_back(count_pattern(of, pattern));
    return all;
}
