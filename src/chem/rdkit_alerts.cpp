/* SPDX-License-Identifier: MIT
 *
 * Structural alerts (molecule.h): RDKit's FilterCatalog with PAINS (Baell and Holloway 2010) and Brenk's list (Brenk et
 * al. 2008). The catalogue is made when it is first needed, which takes a moment, and used by one thread at a time.
 */
#include "chem/rdkit_guard.h"

extern "C" {
#include "base/memory.h"
}
#include "chem/molecule.h"

#include <GraphMol/FilterCatalog/FilterCatalog.h>
#include <GraphMol/GraphMol.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace
{

const RDKit::FilterCatalog &catalogue()
{
    static const std::unique_ptr<const RDKit::FilterCatalog> made = []() {
        RDKit::FilterCatalogParams lists;
        lists.addCatalog(RDKit::FilterCatalogParams::PAINS);
        lists.addCatalog(RDKit::FilterCatalogParams::BRENK);
        return std::make_unique<const RDKit::FilterCatalog>(lists);
    }();
    return *made;
}

struct alert {
    std::string set, name;
    std::vector<int32_t> atoms;
};

/* "PAINS_A" is PAINS. */
std::string set_of(const RDKit::FilterCatalogEntry &entry)
{
    std::string set;
    if (entry.hasProp("FilterSet")) entry.getProp("FilterSet", set);
    return set.compare(0, 5, "PAINS") == 0 ? "PAINS" : set;
}

std::vector<alert> find(const RDKit::ROMol &mol)
{
    std::vector<alert> all;
    for (const auto &entry : catalogue().getMatches(mol)) {
        std::vector<RDKit::FilterMatch> matches;
        alert one{set_of(*entry), entry->getDescription(), {}};
        entry->getFilterMatches(mol, matches);
        for (const RDKit::FilterMatch &match : matches)
            for (const auto &pair : match.atomPairs) one.atoms.push_back(pair.second);
        std::sort(one.atoms.begin(), one.atoms.end());
        one.atoms.erase(std::unique(one.atoms.begin(), one.atoms.end()), one.atoms.end());
        all.push_back(std::move(one));
    }
    return all;
}

char *copy(const std::string &text)
{
    return l2r_strdup(text.c_str());
}

enum l2r_status give_all(struct l2r_molecule_alerts *alerts, const std::vector<alert> &all, struct l2r_error *error)
{
    alerts->list = static_cast<struct l2r_molecule_alert *>(l2r_alloc(all.size() + 1, sizeof *alerts->list));
    if (!alerts->list) return l2r_fail_memory(error, 0, "structural alerts");
    for (const alert &from : all) {
        struct l2r_molecule_alert *to = &alerts->list[alerts->n++];
        to->set = copy(from.set);
        to->name = copy(from.name);
        to->atoms = static_cast<int32_t *>(l2r_alloc(from.atoms.size() + 1, sizeof *to->atoms));
        if (!to->set || !to->name || !to->atoms) return l2r_fail_memory(error, 0, "structural alerts");
        for (int32_t atom : from.atoms) to->atoms[to->n_atoms++] = atom;
    }
    return L2R_OK;
}

} // namespace

enum l2r_status l2r_molecule_alerts_find(struct l2r_molecule_alerts *alerts, const char *smiles,
                                         struct l2r_error *error)
{
    static std::mutex one_at_a_time;
    *alerts = l2r_molecule_alerts();
    return l2r::guard(error, "RDKit rejects the SMILES", [&]() {
        std::lock_guard<std::mutex> hold(one_at_a_time);
        std::shared_ptr<const RDKit::ROMol> mol;
        enum l2r_status status = l2r::read(mol, smiles, error);
        if (status == L2R_OK) status = give_all(alerts, find(*mol), error);
        if (status != L2R_OK) l2r_molecule_alerts_clear(alerts);
        return status;
    });
}
