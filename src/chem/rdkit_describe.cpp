/* SPDX-License-Identifier: MIT
 *
 * l2r_molecule_describe (describe.h) on RDKit: one molecule for all kinds, which share what they can
 * (rdkit_molecule.h).
 */
#include "chem/rdkit_guard.h"

#include "chem/describe.h"
#include "chem/rdkit_descriptors.h"
#include "chem/rdkit_fingerprints.h"
#include "chem/rdkit_reduced.h"

#include <GraphMol/GraphMol.h>

#include <cmath>
#include <limits>
#include <memory>

namespace
{

/* What does not fit a float is as unknown as what cannot be computed. */
void descriptors(float *row, l2r::molecule &of, const std::vector<std::vector<uint32_t>> &environments)
{
    std::vector<double> values = l2r::descriptors_of(of, environments);
    for (size_t i = 0; i < L2R_DESCRIPTORS; i++) {
        float value = i < values.size() ? static_cast<float>(values[i]) : std::numeric_limits<float>::quiet_NaN();
        row[i] = std::isfinite(value) ? value : std::numeric_limits<float>::quiet_NaN();
    }
}

} // namespace

enum l2r_status l2r_molecule_describe(float *const rows[L2R_DESCRIPTIONS], const char *smiles, struct l2r_error *error)
{
    return l2r::guard(error, "RDKit cannot describe the molecule", [&]() {
        std::shared_ptr<const RDKit::ROMol> mol;
        enum l2r_status status = l2r::read(mol, smiles, error);
        if (status != L2R_OK) return status;
        l2r::molecule of(*mol);
        std::vector<std::vector<uint32_t>> environments;
        if (rows[L2R_DESCRIBE_MORGAN] || rows[L2R_DESCRIBE_DESCRIPTORS])
            l2r::find_environments(environments, of, rows[L2R_DESCRIBE_DESCRIPTORS] ? 3 : 2);
        if (rows[L2R_DESCRIBE_MORGAN]) l2r::fold_environments(rows[L2R_DESCRIBE_MORGAN], environments);
        if (rows[L2R_DESCRIBE_PAIRS]) l2r::fold_pairs(rows[L2R_DESCRIBE_PAIRS], of);
        if (rows[L2R_DESCRIBE_TORSION]) l2r::fold_torsions(rows[L2R_DESCRIBE_TORSION], of);
        if (rows[L2R_DESCRIBE_ERG]) l2r::reduced_graph(rows[L2R_DESCRIBE_ERG], of);
        if (rows[L2R_DESCRIBE_DESCRIPTORS]) descriptors(rows[L2R_DESCRIBE_DESCRIPTORS], of, environments);
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
