/* SPDX-License-Identifier: MIT
 * The search for patterns in a molecule (rdkit_patterns.h). */
#include "chem/rdkit_patterns.h"

#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/Substruct/SubstructMatch.h>

#include <algorithm>

namespace
{

enum { MOST_MATCHES = 1000 }; /* that RDKit looks at */

inline bool has(const uint64_t *bits, size_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

inline void put(uint64_t *bits, size_t i)
{
    bits[i / 64] |= uint64_t(1) << (i % 64);
}

inline bool is_empty(const uint64_t *bits, size_t words)
{
    for (size_t w = 0; w < words; w++)
        if (bits[w]) return false;
    return true;
}

/* All of the first n, and none of the rest of the last word. */
inline uint64_t word_of_all(size_t w, size_t n)
{
    return n >= (w + 1) * 64 ? ~uint64_t(0) : (uint64_t(1) << (n - w * 64)) - 1;
}

/* Methane with one hydrogen written: what added hydrogens and the bonds to them are like. */
const RDKit::ROMol &hydrogen()
{
    static const std::unique_ptr<RDKit::ROMol> made = [] {
        RDKit::SmilesParserParams kept;
        kept.removeHs = false;
        return std::unique_ptr<RDKit::ROMol>(RDKit::SmilesToMol("[H]C", kept));
    }();
    return *made;
}

} // namespace

void l2r::matcher::read(const RDKit::ROMol &molecule, const topology &neighbours)
{
    mol = &molecule;
    shape = &neighbours;
    words = (shape->n + 63) / 64;
    bond_words = (shape->m + 63) / 64;
    many = false;
    part_known.assign(rules.parts.size(), 0);
    start_known.assign(rules.all.size(), 0);
    bond_known.assign(rules.bonds.size(), 0);
    column_known.assign(rules.columns.size(), 0);
    part_bits.resize(rules.parts.size() * words);
    start_bits.resize(rules.all.size() * words);
    bond_bits.resize(rules.bonds.size() * bond_words);
    numbers.resize(rules.columns.size() * shape->n);
}

const RDKit::Atom &l2r::matcher::atom(size_t i) const
{
    return i < mol->getNumAtoms() ? *mol->getAtomWithIdx(static_cast<unsigned>(i)) : *hydrogen().getAtomWithIdx(0);
}

const int *l2r::matcher::numbers_of(size_t column)
{
    int *row = &numbers[column * shape->n];
    if (column_known[column]) return row;
    auto read = rules.columns[column]->getDataFunc();
    for (size_t i = 0; i < shape->n; i++) row[i] = read(&atom(i));
    column_known[column] = 1;
    return row;
}

const uint64_t *l2r::matcher::bonds_of(size_t bond)
{
    uint64_t *bits = bond_bits.data() + bond * bond_words; /* none without bonds */
    if (bond_known[bond]) return bits;
    std::fill(bits, bits + bond_words, 0);
    for (const RDKit::Bond *one : mol->bonds()) /* RDKit would look for each by its number */
        if (rules.bonds[bond]->Match(one)) put(bits, one->getIdx());
    bool to_added = shape->m > mol->getNumBonds() && rules.bonds[bond]->Match(hydrogen().getBondWithIdx(0));
    for (size_t k = mol->getNumBonds(); k < shape->m && to_added; k++) put(bits, k);
    bond_known[bond] = 1;
    return bits;
}

const uint64_t *l2r::matcher::bits_of(size_t number)
{
    uint64_t *bits = &part_bits[number * words];
    if (part_known[number]) return bits;
    const patterns::part &part = rules.parts[number];
    std::fill(bits, bits + words, 0);
    if (part.is == patterns::EQUAL) {
        const int *row = numbers_of(part.of);
        for (size_t i = 0; i < shape->n; i++) bits[i / 64] |= uint64_t(row[i] == part.value) << (i % 64);
    } else if (part.is == patterns::OTHER) {
        for (size_t i = 0; i < shape->n; i++)
            if (part.rule->Match(&atom(i)) != part.negated) put(bits, i);
    } else if (part.is == patterns::RECURSIVE) {
        const uint64_t *starts = starts_of(part.of);
        std::copy(starts, starts + words, bits);
    } else {
        for (size_t w = 0; w < words && part.is == patterns::AND; w++) bits[w] = word_of_all(w, shape->n);
        for (size_t inner : part.within) {
            if (part.is == patterns::AND && is_empty(bits, words)) break;
            const uint64_t *other = bits_of(inner);
            for (size_t w = 0; w < words; w++)
                bits[w] = part.is == patterns::AND ? bits[w] & other[w] : bits[w] | other[w];
        }
    }
    for (size_t w = 0; w < words && part.negated; w++) bits[w] = ~bits[w] & word_of_all(w, shape->n);
    part_known[number] = 1;
    return bits;
}

/* Is there an atom for each of the pattern's? */
bool l2r::matcher::can_match(const patterns::pattern &p)
{
    return std::none_of(p.parts.begin(), p.parts.end(), [&](size_t part) { return is_empty(bits_of(part), words); });
}

/* May atom a take this place, whose bond to `from` is right already? */
bool l2r::matcher::fits(const patterns::step &step, size_t a)
{
    if (has(used.data(), a) || !has(&part_bits[step.part * words], a)) return false;
    for (const auto &closing : step.ring) {
        size_t end = place[closing.first], k = shape->start[a];
        while (k < shape->start[a + 1] && shape->neighbour[k] != end) k++;
        if (k == shape->start[a + 1] || !has(bonds_of(closing.second), shape->bond[k])) return false;
    }
    return true;
}

template <class Visit> void l2r::matcher::extend(const patterns::pattern &p, size_t k, size_t &n, Visit visit)
{
    if (k == p.steps.size()) {
        n++;
        visit();
        return;
    }
    const patterns::step &step = p.steps[k];
    const uint64_t *bonds = bonds_of(step.bond);
    size_t from = place[step.from];
    for (size_t i = shape->start[from]; i < shape->start[from + 1] && n < MOST_MATCHES; i++) {
        size_t a = shape->neighbour[i];
        if (!has(bonds, shape->bond[i]) || !fits(step, a)) continue;
        place[k] = a;
        put(used.data(), a);
        extend(p, k + 1, n, visit);
        used[a / 64] ^= uint64_t(1) << (a % 64);
    }
}

/* All matches of a pattern that can match, each once in every order of its atoms. */
template <class Visit> void l2r::matcher::search(const patterns::pattern &p, Visit visit)
{
    size_t n = 0;
    const uint64_t *first = &part_bits[p.steps[0].part * words];
    place.resize(std::max(place.size(), p.steps.size()));
    used.assign(words, 0);
    for (size_t w = 0; w < words; w++)
        for (uint64_t left = first[w]; left && n < MOST_MATCHES; left &= left - 1) {
            place[0] = w * 64 + static_cast<size_t>(__builtin_ctzll(left));
            used[w] = left & -left;
            extend(p, 1, n, visit);
            used[w] = 0;
        }
    many = many || n >= MOST_MATCHES;
}

/* The atoms that match the pattern's first. */
const uint64_t *l2r::matcher::starts_of(size_t pattern)
{
    uint64_t *bits = &start_bits[pattern * words];
    const patterns::pattern &p = rules.all[pattern];
    if (start_known[pattern]) return bits;
    std::fill(bits, bits + words, 0);
    if (can_match(p)) search(p, [&] { put(bits, place[0]); });
    start_known[pattern] = 1;
    return bits;
}

bool l2r::matcher::may_start_in(size_t pattern, const uint64_t *atoms)
{
    const uint64_t *first = bits_of(rules.all[pattern].steps[0].part);
    for (size_t w = 0; w < words; w++)
        if (first[w] & atoms[w]) return true;
    return false;
}

const uint64_t *l2r::matcher::starts(size_t pattern)
{
    uint64_t *bits = &start_bits[pattern * words];
    starts_of(pattern);
    if (!many || shape->n > mol->getNumAtoms()) return bits;
    std::vector<RDKit::MatchVectType> matches;
    RDKit::SubstructMatch(*mol, *rules.all[pattern].read, matches, false);
    std::fill(bits, bits + words, 0);
    for (const RDKit::MatchVectType &match : matches) put(bits, static_cast<size_t>(match[0].second));
    return bits;
}

size_t l2r::matcher::count(size_t pattern)
{
    const patterns::pattern &p = rules.all[pattern];
    size_t n = 0;
    sets.clear();
    if (!can_match(p)) return 0;
    search(p, [&] {
        size_t i = 0;
        while (i < n && !std::equal(used.begin(), used.end(), sets.begin() + static_cast<std::ptrdiff_t>(i * words)))
            i++;
        if (i == n) sets.insert(sets.end(), used.begin(), used.end()), n++;
    });
    if (!many) return n;
    std::vector<RDKit::MatchVectType> matches;
    return RDKit::SubstructMatch(*mol, *rules.all[pattern].read, matches);
}
