/* SPDX-License-Identifier: MIT
 *
 * Patterns (rdkit_patterns.h) are compiled from the queries that RDKit makes of a SMARTS. Queries with equal text are
 * one part:
 *
 *     [CH2](C)C      AtomAnd(AtomType=6 AtomHCount=2), AtomType=6 twice: three parts, 6 shared with most other patterns
 */
/* First: the layout of queries depends on how RDKit was built. */
#include <RDGeneral/RDConfig.h>

#include "chem/rdkit_patterns.h"

#include <GraphMol/QueryBond.h>
#include <GraphMol/QueryOps.h>
#include <GraphMol/SmilesParse/SmilesParse.h>

#include <algorithm>
#include <stdexcept>
#include <typeinfo>

namespace
{

template <class Query> std::string text_of(const Query &rule);

const RDKit::ROMol *inner(const RDKit::QueryAtom::QUERYATOM_QUERY &rule)
{
    if (rule.getDescription() != "RecursiveStructure") return nullptr;
    return static_cast<const RDKit::RecursiveStructureQuery &>(rule).getQueryMol();
}

const RDKit::ROMol *inner(const RDKit::QueryBond::QUERYBOND_QUERY &)
{
    return nullptr;
}

std::string text_of(const RDKit::Bond &bond)
{
    return bond.hasQuery() ? text_of(*bond.getQuery()) : "order " + std::to_string(bond.getBondType());
}

std::string text_of(const RDKit::ROMol &pattern)
{
    std::string text;
    for (const RDKit::Atom *atom : pattern.atoms()) text += text_of(*atom->getQuery()) + ';';
    for (const RDKit::Bond *bond : pattern.bonds())
        text += std::to_string(bond->getBeginAtomIdx()) + ' ' + std::to_string(bond->getEndAtomIdx()) + ' ' +
                text_of(*bond) + ';';
    return text;
}

template <class Query> std::string text_of(const Query &rule)
{
    if (inner(rule)) return (rule.getNegation() ? "!$(" : "$(") + text_of(*inner(rule)) + ')';
    if (rule.beginChildren() == rule.endChildren()) return rule.getFullDescription();
    std::string text = (rule.getNegation() ? '!' : ' ') + rule.getDescription() + '(';
    for (auto child = rule.beginChildren(); child != rule.endChildren(); ++child) text += text_of(**child) + ' ';
    return text + ')';
}

} // namespace

size_t l2r::patterns::add_bond(const RDKit::Bond &bond)
{
    auto added = number_of_bond.emplace(text_of(bond), bonds.size());
    if (added.second) bonds.push_back(&bond);
    return added.first->second;
}

size_t l2r::patterns::add_part(const query &rule)
{
    std::string text = text_of(rule), name = rule.getDescription();
    auto known = number_of_part.find(text);
    if (known != number_of_part.end()) return known->second;
    part made = {OTHER, rule.getNegation(), &rule, 0, 0, {}, false};
    if (inner(rule)) {
        made.is = RECURSIVE;
        made.of = add_pattern(*inner(rule));
        made.is_slow = true;
    } else if (typeid(rule) == typeid(RDKit::ATOM_EQUALS_QUERY)) {
        const auto &equal = static_cast<const RDKit::ATOM_EQUALS_QUERY &>(rule);
        auto column = number_of_column.emplace(name, columns.size());
        if (column.second) columns.push_back(&rule);
        made.is = EQUAL;
        made.value = equal.getVal();
        made.of = column.first->second;
    } else if (rule.beginChildren() != rule.endChildren()) {
        if (name != "AtomAnd" && name != "AtomOr") throw std::logic_error("a query of an unknown kind: " + name);
        made.is = name == "AtomAnd" ? AND : OR;
        for (auto child = rule.beginChildren(); child != rule.endChildren(); ++child)
            made.within.push_back(add_part(**child));
        std::stable_sort(made.within.begin(), made.within.end(),
                         [&](size_t a, size_t b) { return parts[a].is_slow < parts[b].is_slow; });
        made.is_slow = parts[made.within.back()].is_slow;
    }
    number_of_part[text] = parts.size();
    parts.push_back(made);
    return parts.size() - 1;
}

/* An atom that has no step yet, but a neighbour that has one. */
l2r::patterns::step l2r::patterns::next_step(const RDKit::ROMol &read, std::vector<int> &step_of, size_t n) const
{
    for (size_t from = n; from-- > 0;)
        for (const RDKit::Bond *bond : read.bonds()) {
            unsigned a = bond->getBeginAtomIdx(), b = bond->getEndAtomIdx();
            if (step_of[a] != static_cast<int>(from)) std::swap(a, b);
            if (step_of[a] != static_cast<int>(from) || step_of[b] >= 0) continue;
            step_of[b] = static_cast<int>(n);
            return {b, from, bond->getIdx(), {}};
        }
    throw std::logic_error("a pattern of several pieces");
}

/* Steps have the numbers of RDKit's atoms and bonds first, and then of parts and of what bonds match. */
size_t l2r::patterns::add_pattern(const RDKit::ROMol &read)
{
    size_t n = read.getNumAtoms();
    std::vector<int> step_of(n, -1);
    pattern made = {&read, {{0, 0, 0, {}}}, {}};
    std::vector<bool> walked(read.getNumBonds(), false);
    step_of[0] = 0;
    for (size_t k = 1; k < n; k++) {
        made.steps.push_back(next_step(read, step_of, k));
        walked[made.steps.back().bond] = true;
    }
    for (step &s : made.steps) {
        if (&s != &made.steps[0]) s.bond = add_bond(*read.getBondWithIdx(static_cast<unsigned>(s.bond)));
        s.part = add_part(*read.getAtomWithIdx(static_cast<unsigned>(s.part))->getQuery());
        made.parts.push_back(s.part);
    }
    for (const RDKit::Bond *bond : read.bonds()) {
        size_t a = static_cast<size_t>(step_of[bond->getBeginAtomIdx()]);
        size_t b = static_cast<size_t>(step_of[bond->getEndAtomIdx()]);
        if (!walked[bond->getIdx()]) made.steps[std::max(a, b)].ring.emplace_back(std::min(a, b), add_bond(*bond));
    }
    std::stable_sort(made.parts.begin(), made.parts.end(),
                     [&](size_t a, size_t b) { return parts[a].is_slow < parts[b].is_slow; });
    all.push_back(made);
    return all.size() - 1;
}

size_t l2r::patterns::add(const std::string &smarts)
{
    std::unique_ptr<RDKit::ROMol> read(RDKit::SmartsToMol(smarts));
    if (!read || read->getNumAtoms() == 0) throw std::logic_error("not a SMARTS: " + smarts);
    owned.push_back(std::move(read));
    return add_pattern(*owned.back());
}
