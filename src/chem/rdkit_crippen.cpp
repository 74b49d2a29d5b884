/* SPDX-License-Identifier: MIT
 * Atom types of Wildman & Crippen (rdkit_crippen.h). */
#include "chem/rdkit_crippen.h"

#include <GraphMol/Descriptors/Crippen.h>
#include <GraphMol/Descriptors/MolDescriptors.h>

namespace
{

/* What each atom adds; nothing where no type fits. */
void add_up(std::vector<double> &log_p, std::vector<double> &refractivity, l2r::matcher &match, size_t n)
{
    std::vector<uint64_t> missing((n + 63) / 64, ~uint64_t(0));
    if (n % 64) missing.back() = (uint64_t(1) << (n % 64)) - 1;
    size_t row = 0, left = n;
    log_p.assign(n, 0.0);
    refractivity.assign(n, 0.0);
    for (const auto &type : *RDKit::Descriptors::CrippenParamCollection::getParams()) {
        size_t pattern = l2r::all_patterns().crippen[row++];
        if (!match.may_start_in(pattern, missing.data())) continue;
        const uint64_t *starts = match.starts(pattern);
        for (size_t w = 0; w < missing.size(); w++)
            for (uint64_t bits = starts[w] & missing[w]; bits; bits &= bits - 1, left--) {
                size_t i = w * 64 + static_cast<size_t>(__builtin_ctzll(bits));
                log_p[i] = type.logp;
                refractivity[i] = type.mr;
                missing[w] ^= bits & -bits;
            }
        if (left == 0) return;
    }
}

double sum(const std::vector<double> &all)
{
    double total = 0;
    for (double one : all) total += one;
    return total;
}

/* Hydrogens that are not written, behind the atoms. */
void add_hydrogens(l2r::topology &shape, const l2r::molecule &of)
{
    std::vector<size_t> ends = of.ends;
    size_t n = of.shape.n;
    for (const RDKit::Atom *atom : of.mol.atoms())
        for (unsigned h = 0; h < atom->getTotalNumHs(); h++) ends.insert(ends.end(), {atom->getIdx(), n++});
    shape.connect(n, ends);
}

} // namespace

void l2r::find_crippen(crippen &numbers, molecule &of)
{
    static thread_local matcher match(all_patterns().all);
    static thread_local topology shape;
    std::vector<double> log_p, refractivity;
    add_hydrogens(shape, of);
    match.read(of.mol, shape);
    add_up(log_p, refractivity, match, shape.n);
    numbers.log_p = sum(log_p);
    numbers.refractivity = sum(refractivity);
    if (match.has_too_many()) RDKit::Descriptors::calcCrippenDescriptors(of.mol, numbers.log_p, numbers.refractivity);
    add_up(numbers.log_p_of, numbers.refractivity_of, of.match, of.shape.n);
}
