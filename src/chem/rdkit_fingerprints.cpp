/* SPDX-License-Identifier: MIT
 * Fingerprints (rdkit_fingerprints.h). Hashes are RDKit's: a fingerprint's places are a convention. */
#include "chem/rdkit_fingerprints.h"
#include "chem/describe.h"
#include "chem/rdkit_paths.h"

#include <GraphMol/Fingerprints/FingerprintUtil.h>
#include <RDGeneral/hash/hash.hpp>

#include <algorithm>
#include <limits>

namespace
{

using std::size_t;

/* Environments as sets of bonds, one after the other. */
struct bond_sets {
    size_t words;
    std::vector<uint64_t> bits;

    bool has(const uint64_t *set) const
    {
        for (size_t at = 0; at < bits.size(); at += words)
            if (std::equal(set, set + words, &bits[at])) return true;
        return false;
    }
};

class environments
{
    const l2r::molecule &of;
    size_t n, words;
    std::vector<uint32_t> id, next;      /* of each atom */
    std::vector<uint64_t> around, wider; /* [n × words]: its bonds */
    std::vector<int32_t> order;          /* of each bond */
    std::vector<bool> done;              /* its environment is that of another */
    bond_sets seen;
    std::vector<std::pair<int32_t, uint32_t>> neighbours;

    void widen(size_t a, unsigned round)
    {
        neighbours.clear();
        for (size_t k = of.shape.start[a]; k < of.shape.start[a + 1]; k++) {
            size_t b = of.shape.neighbour[k], bond = of.shape.bond[k];
            wider[a * words + bond / 64] |= uint64_t(1) << (bond % 64);
            for (size_t w = 0; w < words; w++) wider[a * words + w] |= around[b * words + w];
            neighbours.emplace_back(order[bond], id[b]);
        }
        std::sort(neighbours.begin(), neighbours.end());
        next[a] = round;
        gboost::hash_combine(next[a], id[a]);
        for (const auto &neighbour : neighbours) gboost::hash_combine(next[a], neighbour);
    }

  public:
    environments(const l2r::molecule &molecule, std::vector<uint32_t> &first)
        : of(molecule), n(of.shape.n), words((of.shape.m + 63) / 64), id(n), next(n), around(n * words),
          wider(n * words), done(n), seen{words, {}}
    {
        RDKit::MorganFingerprints::getConnectivityInvariants(of.mol, id, true);
        first = id;
        for (const RDKit::Bond *bond : of.mol.bonds()) order.push_back(static_cast<int32_t>(bond->getBondType()));
    }

    /* Of several atoms with the same bonds around them the one with the lowest identifier counts. */
    void round(std::vector<uint32_t> &counted, unsigned number)
    {
        std::vector<size_t> winners;
        std::fill(next.begin(), next.end(), 0);
        for (size_t a = 0; a < n; a++) {
            if (done[a] || of.shape.degree(a) == 0) continue;
            widen(a, number);
            const uint64_t *set = &wider[a * words];
            done[a] = seen.has(set);
            if (done[a]) continue;
            auto rival = std::find_if(winners.begin(), winners.end(),
                                      [&](size_t b) { return std::equal(set, set + words, &wider[b * words]); });
            if (rival == winners.end()) {
                winners.push_back(a);
            } else if (next[a] < next[*rival]) {
                done[*rival] = true;
                *rival = a;
            } else {
                done[a] = true;
            }
        }
        for (size_t a : winners) {
            counted.push_back(next[a]);
            seen.bits.insert(seen.bits.end(), &wider[a * words], &wider[a * words] + words);
        }
        id = next;
        around = wider;
    }
};

std::vector<uint32_t> codes_of(const RDKit::ROMol &mol)
{
    std::vector<uint32_t> codes;
    for (const RDKit::Atom *atom : mol.atoms()) codes.push_back(RDKit::AtomPairs::getAtomCode(atom, 0, false));
    return codes;
}

} // namespace

void l2r::find_environments(std::vector<std::vector<uint32_t>> &ids, const molecule &of, unsigned radius)
{
    ids.assign(radius + 1, {});
    environments found(of, ids[0]);
    for (unsigned r = 0; r < radius; r++) found.round(ids[r + 1], r);
}

void l2r::fold_environments(float *row, const std::vector<std::vector<uint32_t>> &ids)
{
    std::fill(row, row + L2R_FOLDED, 0.0f);
    for (size_t r = 0; r <= 2; r++)
        for (uint32_t id : ids[r]) row[id % L2R_FOLDED]++;
}

double l2r::environment_density(const std::vector<std::vector<uint32_t>> &ids, unsigned radius, const molecule &of)
{
    std::vector<uint32_t> all;
    unsigned heavy = of.mol.getNumHeavyAtoms();
    for (size_t r = 0; r <= radius; r++) /* RDKit's vector is one place shorter than there are numbers */
        for (uint32_t id : ids[r]) all.push_back(id % std::numeric_limits<uint32_t>::max());
    std::sort(all.begin(), all.end());
    auto end = std::unique(all.begin(), all.end());
    return heavy ? static_cast<double>(end - all.begin()) / heavy : 0;
}

void l2r::fold_pairs(float *row, molecule &of)
{
    const uint16_t farthest = RDKit::AtomPairs::maxPathLen - 1;
    const std::vector<uint16_t> &distances = of.distances();
    const std::vector<uint32_t> codes = codes_of(of.mol);
    std::fill(row, row + L2R_FOLDED, 0.0f);
    for (size_t i = 0; i < codes.size(); i++)
        for (size_t j = i + 1; j < codes.size(); j++) {
            uint32_t place = 0, far = distances[i * codes.size() + j];
            if (far > farthest) continue;
            gboost::hash_combine(place, std::min(codes[i], codes[j]));
            gboost::hash_combine(place, far);
            gboost::hash_combine(place, std::max(codes[i], codes[j]));
            row[place % L2R_FOLDED]++;
        }
}

/* Codes count neighbours, here those outside the path. */
void l2r::fold_torsions(float *row, const molecule &of)
{
    const std::vector<uint32_t> codes = codes_of(of.mol);
    std::fill(row, row + L2R_FOLDED, 0.0f);
    each_path<4>(of.shape, hydrogens_of(of.mol), [&](const size_t *atoms, size_t length) {
        if (length != 4) return;
        uint32_t path[4] = {codes[atoms[0]] - 1, codes[atoms[1]] - 2, codes[atoms[2]] - 2, codes[atoms[3]] - 1};
        if (path[0] > path[3] || (path[0] == path[3] && path[1] > path[2])) std::reverse(path, path + 4);
        uint32_t place = 0;
        for (uint32_t code : path) gboost::hash_combine(place, code);
        row[place % L2R_FOLDED]++;
    });
}
