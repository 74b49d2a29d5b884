/* SPDX-License-Identifier: MIT
 *
 * Many SMARTS patterns on one molecule. A pattern is a small graph of queries on atoms and bonds. RDKit parses it; the
 * search is written here, because most patterns do not occur in most molecules, and many share parts:
 *
 *     part        what an atom may be ("aromatic", "two hydrogens", a and b, $(...)), kept once for all patterns. The
 *                 atoms of a molecule that match it are a set of bits, found when the part is first needed
 *     prefilter   a pattern one of whose atoms matches none of the molecule's is not there: no search
 *     search      the pattern's atoms in an order in which each is bound to an earlier one, along neighbour lists
 *
 * RDKit looks at the first 1000 matches only. If there are more, RDKit does the search.
 */
#ifndef L2R_CHEM_RDKIT_PATTERNS_H
#define L2R_CHEM_RDKIT_PATTERNS_H

#include "chem/rdkit_topology.h"

#include <GraphMol/GraphMol.h>
#include <GraphMol/QueryAtom.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace l2r
{

/* Compiled patterns: read-only once they are added, so that threads can share them. */
class patterns
{
    using query = RDKit::QueryAtom::QUERYATOM_QUERY;
    friend class matcher;

    enum kind { EQUAL, OTHER, AND, OR, RECURSIVE };
    struct part {
        kind is;
        bool negated;
        const query *rule;          /* as RDKit has it */
        int value;                  /* EQUAL: what the number in the column is */
        size_t of;                  /* EQUAL: column; RECURSIVE: pattern */
        std::vector<size_t> within; /* AND, OR: parts, those that take a search last */
        bool is_slow;               /* takes a search */
    };
    struct step { /* an atom of a pattern */
        size_t part;
        size_t from, bond;                           /* the earlier one to which it is bound, and how */
        std::vector<std::pair<size_t, size_t>> ring; /* bonds that close rings: the earlier atom, and how */
    };
    struct pattern {
        const RDKit::ROMol *read; /* as RDKit has it */
        std::vector<step> steps;
        std::vector<size_t> parts; /* of the steps, those that take no search first */
    };

    std::vector<std::unique_ptr<RDKit::ROMol>> owned;
    std::vector<pattern> all;
    std::vector<part> parts;
    std::vector<const query *> columns;     /* a rule that reads the number */
    std::vector<const RDKit::Bond *> bonds; /* one of those that match alike */
    std::map<std::string, size_t> number_of_part, number_of_column, number_of_bond;

    size_t add_pattern(const RDKit::ROMol &read);
    size_t add_part(const query &rule);
    size_t add_bond(const RDKit::Bond &bond);
    step next_step(const RDKit::ROMol &read, std::vector<int> &step_of, size_t n) const;

  public:
    /* The pattern's number; one that cannot be read throws. */
    size_t add(const std::string &smarts);
    const RDKit::ROMol &operator[](size_t number) const
    {
        return *all[number].read;
    }
};

/* The patterns on a molecule; what it finds is kept until the next is read. */
class matcher
{
    const patterns &rules;
    const RDKit::ROMol *mol = nullptr;
    const topology *shape = nullptr;
    size_t words = 0, bond_words = 0;
    /* Of each part, pattern or kind of bond: is it known, and the bits of the atoms or bonds. */
    std::vector<uint8_t> part_known, start_known, bond_known, column_known;
    std::vector<uint64_t> part_bits, start_bits, bond_bits;
    std::vector<int> numbers;         /* [columns × atoms] */
    std::vector<uint64_t> used, sets; /* atoms of a match; those of all matches */
    std::vector<size_t> place;        /* of the pattern's atoms */
    bool many = false;

    const RDKit::Atom &atom(size_t i) const;
    const uint64_t *bits_of(size_t part);
    const uint64_t *bonds_of(size_t bond);
    const int *numbers_of(size_t column);
    const uint64_t *starts_of(size_t pattern);
    bool can_match(const patterns::pattern &p);
    bool fits(const patterns::step &step, size_t a);
    template <class Visit> void extend(const patterns::pattern &p, size_t k, size_t &n, Visit visit);
    template <class Visit> void search(const patterns::pattern &p, Visit visit);

  public:
    explicit matcher(const patterns &compiled) : rules(compiled) {}
    /* Another molecule with its neighbour lists, which may have more atoms than it: added hydrogens, each with one
     * bond. Then patterns may use only properties that these do not change: element, charge, aromaticity, the numbers
     * of hydrogens and of all neighbours. */
    void read(const RDKit::ROMol &molecule, const topology &neighbours);
    /* How many sets of atoms match. */
    size_t count(size_t pattern);
    /* Does one of these atoms look like the pattern's first? */
    bool may_start_in(size_t pattern, const uint64_t *atoms);
    /* The atoms that match the pattern's first: bit i % 64 of word i / 64. */
    const uint64_t *starts(size_t pattern);
    /* A search found more matches than RDKit's limit. With added hydrogens counts then differ from RDKit's. */
    bool has_too_many() const
    {
        return many;
    }
};

} // namespace l2r

#endif
