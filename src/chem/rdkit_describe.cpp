/* SPDX-License-Identifier: MIT
 *
 * l2r_molecule_describe (describe.h) on RDKit: fingerprints and the extended reduced graph are RDKit's own, descriptors
 * are in rdkit_descriptors.cpp.
 */
#include "chem/rdkit_guard.h"

#include "chem/describe.h"
#include "chem/rdkit_descriptors.h"

#include <GraphMol/Fingerprints/AtomPairs.h>
#include <GraphMol/Fingerprints/MorganFingerprints.h>
#include <GraphMol/GraphMol.h>
#include <GraphMol/ReducedGraphs/ReducedGraphs.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace
{

template <class Index> void unfold(float *row, const RDKit::SparseIntVect<Index> *counts)
{
    std::unique_ptr<const RDKit::SparseIntVect<Index>> owned(counts);
    std::fill(row, row + L2R_FOLDED, 0.0f);
    for (const auto &place : owned->getNonzeroElements())
        row[static_cast<size_t>(place.first)] = static_cast<float>(place.second);
}

/* RDKit takes the distances between atoms that an earlier call has left with the molecule for those of the reduced
 * graph, which has more nodes where no ring atom is dropped, and reads beyond their end: it gets a molecule without
 * any. */
void reduced_graph(float *row, const RDKit::ROMol &mol)
{
    RDKit::ROMol fresh(mol);
    fresh.clearComputedProps(false);
    std::unique_ptr<RDNumeric::DoubleVector> numbers(RDKit::ReducedGraphs::getErGFingerprint(fresh));
    for (unsigned i = 0; i < L2R_ERG_NUMBERS; i++)
        row[i] = i < numbers->size() ? static_cast<float>(numbers->getVal(i)) : 0.0f;
}

/* What does not fit a float is as unknown as what cannot be computed. */
void descriptors(float *row, const RDKit::ROMol &mol)
{
    std::vector<double> values = l2r::descriptors_of(mol);
    for (size_t i = 0; i < L2R_DESCRIPTORS; i++) {
        float value = i < values.size() ? static_cast<float>(values[i]) : std::numeric_limits<float>::quiet_NaN();
        row[i] = std::isfinite(value) ? value : std::numeric_limits<float>::quiet_NaN();
    }
}

} // namespace

enum l2r_status l2r_molecule_describe(float *const rows[L2R_DESCRIPTIONS], const char *smiles, struct l2r_error *error)
{
    return l2r::guard(error, "RDKit cannot describe the molecule", [&]() {
        std::unique_ptr<RDKit::ROMol> mol;
        enum l2r_status status = l2r::read(mol, smiles, error);
        if (status != L2R_OK) return status;
        if (rows[L2R_DESCRIBE_MORGAN])
            unfold(rows[L2R_DESCRIBE_MORGAN], RDKit::MorganFingerprints::getHashedFingerprint(*mol, 2, L2R_FOLDED));
        if (rows[L2R_DESCRIBE_PAIRS])
            unfold(rows[L2R_DESCRIBE_PAIRS], RDKit::AtomPairs::getHashedAtomPairFingerprint(*mol, L2R_FOLDED));
        if (rows[L2R_DESCRIBE_TORSION])
            unfold(rows[L2R_DESCRIBE_TORSION],
                   RDKit::AtomPairs::getHashedTopologicalTorsionFingerprint(*mol, L2R_FOLDED));
        if (rows[L2R_DESCRIBE_ERG]) reduced_graph(rows[L2R_DESCRIBE_ERG], *mol);
        if (rows[L2R_DESCRIBE_DESCRIPTORS]) descriptors(rows[L2R_DESCRIBE_DESCRIPTORS], *mol);
        return L2R_OK;
    });
}

const char *l2r_descriptor_name(int32_t i)
{
    try {
        const std::vector<std::string> &names = l2r::descriptor_names();
        return i >= 0 && static_cast<size_t>(i) < names.size() ? names[static_cast<size_t>(i)].c_str() : nullptr;
    } catch (...) {
        return nullptr;
    }
}
