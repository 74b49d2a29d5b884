/* SPDX-License-Identifier: MIT
 *
 * The mol blocks of SD files (molecule.h) become SMILES. A block is text of other people, so it is checked before RDKit
 * gets it, which takes memory for as many atoms as a block announces:
 *
 *     aspirin                        lines 1 to 3: any text
 *      13 13  0     …    V2000       line 4: atoms and bonds, of three digits each, and a line for each of them; or
 *     M  V30 COUNTS 13 13 0 0 0      no more of anything than the block has lines. A line that ends with - goes on
 *
 * Structure is printable ASCII; names and the data of S-groups may be any text.
 */
#include "chem/rdkit_guard.h"

extern "C" {
#include "base/memory.h"
}
#include "chem/molecule.h"

#include <GraphMol/FileParsers/FileParsers.h>
#include <GraphMol/GraphMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

namespace
{

/* With hydrogens, which RDKit takes off: carbon has four. */
const size_t most_lines_of_atoms = 5 * static_cast<size_t>(L2R_MOST_ATOMS);

struct lines {
    const std::string &block;
    size_t at = 0, number = 0;

    bool next(std::string &line)
    {
        if (at >= block.size()) return false;
        size_t feed = std::min(block.find('\n', at), block.size());
        line = block.substr(at, feed - at);
        if (!line.empty() && line.back() == '\r') line.pop_back();
        at = feed + 1;
        number++;
        return true;
    }
};

enum l2r_status check_bytes(const std::string &line, size_t number, struct l2r_error *error)
{
    for (size_t i = 0; i < line.size(); i++) {
        unsigned char c = static_cast<unsigned char>(line[i]);
        if ((c >= ' ' && c < 127) || c == '\t') continue;
        return l2r_fail(error, L2R_ERR_FORMAT,
                        "line %zu of the mol block: byte %zu (0x%02x) is not a printable ASCII character", number,
                        i + 1, c);
    }
    return L2R_OK;
}

/* The counts after the word COUNTS; a registry number that may follow them is none. */
enum l2r_status check_counts(const std::string &text, size_t n_lines, size_t number, struct l2r_error *error)
{
    size_t at = 0;
    for (int k = 0; k < 5; k++) {
        size_t begin = text.find_first_not_of(" \t", at);
        if (begin == std::string::npos) break;
        at = std::min(text.find_first_of(" \t", begin), text.size());
        std::string digits;
        for (size_t i = begin; i < at; i++)
            if (text[i] >= '0' && text[i] <= '9') digits += text[i];
        unsigned long long count = digits.size() > 18 ? ~0ULL : std::strtoull(digits.c_str(), nullptr, 10);
        if (count > n_lines)
            return l2r_fail(error, L2R_ERR_FORMAT,
                            "line %zu of the mol block announces %.20s, but the block has %zu lines", number,
                            digits.c_str(), n_lines);
        if (k == 0 && count > most_lines_of_atoms)
            return l2r_fail(error, L2R_ERR_FORMAT, "the molecule has more than %d atoms",
                            static_cast<int>(L2R_MOST_ATOMS));
    }
    return L2R_OK;
}

bool begins(const std::string &line, const std::string &with)
{
    size_t at = line.find_first_not_of(" \t");
    return at != std::string::npos && line.compare(at, with.size(), with) == 0;
}

/* The lines of version 3000 from the fifth on, those that go on put together. */
enum l2r_status check_v3000(lines &rest, size_t n_lines, struct l2r_error *error)
{
    const std::string mark = "M  V30 ";
    std::string line, whole;
    size_t first = 0;
    bool text = false; /* within S-groups */
    while (rest.next(line)) {
        if (line.compare(0, mark.size(), mark) != 0) continue;
        if (whole.empty()) first = rest.number;
        whole += line.substr(mark.size());
        if (line.back() == '-') {
            whole.pop_back();
            continue;
        }
        for (char &c : whole)
            if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        if (begins(whole, "BEGIN SGROUP")) text = true;
        enum l2r_status status = text ? L2R_OK : check_bytes(whole, first, error);
        if (status == L2R_OK && begins(whole, "COUNTS"))
            status = check_counts(whole.substr(whole.find("COUNTS") + 6), n_lines, first, error);
        if (status != L2R_OK) return status;
        if (begins(whole, "END SGROUP")) text = false;
        whole.clear();
    }
    return L2R_OK;
}

size_t three_digits(const std::string &line, size_t at)
{
    if (line.size() <= at) return 0;
    long count = std::strtol(line.substr(at, 3).c_str(), nullptr, 10);
    return count > 0 ? static_cast<size_t>(count) : 0;
}

/* A bond leads from one of the atoms to another: RDKit's memory for the molecule is lost where it does not. */
enum l2r_status check_v2000(const std::string &line, size_t number, bool atom, size_t atoms, struct l2r_error *error)
{
    enum l2r_status status = check_bytes(line, number, error);
    size_t a = three_digits(line, 0), b = three_digits(line, 3);
    if (status == L2R_OK && atom && line.size() < 32)
        return l2r_fail(error, L2R_ERR_FORMAT, "line %zu of the mol block: too short for an atom", number);
    if (status == L2R_OK && !atom && (a == 0 || b == 0 || a > atoms || b > atoms || a == b))
        return l2r_fail(error, L2R_ERR_FORMAT, "line %zu of the mol block is no bond between two of %zu atoms", number,
                        atoms);
    return status;
}

enum l2r_status check(const std::string &block, struct l2r_error *error)
{
    lines rest{block};
    std::string line;
    size_t n_lines = static_cast<size_t>(std::count(block.begin(), block.end(), '\n')) + 1;
    for (int i = 0; i < 4; i++)
        if (!rest.next(line)) return l2r_fail(error, L2R_ERR_FORMAT, "the mol block has no line of counts");
    enum l2r_status status = check_bytes(line, rest.number, error);
    size_t atoms = three_digits(line, 0), structure = atoms + three_digits(line, 3);
    if (status == L2R_OK && block.find("V30") != std::string::npos) {
        lines from = rest;
        status = check_v3000(from, n_lines, error);
    }
    for (size_t i = 0; i < structure && status == L2R_OK && rest.next(line); i++)
        status = check_v2000(line, rest.number, i < atoms, atoms, error);
    return status;
}

} // namespace

enum l2r_status l2r_molecule_from_block(char **smiles, const char *block, size_t length, struct l2r_error *error)
{
    *smiles = nullptr;
    return l2r::guard(error, "RDKit rejects the mol block", [&]() {
        std::string text(block, length);
        enum l2r_status status = check(text, error);
        if (status != L2R_OK) return status;
        std::unique_ptr<RDKit::ROMol> mol(RDKit::MolBlockToMol(text, true, true, false));
        if (!mol) return l2r_fail(error, L2R_ERR_FORMAT, "not a valid mol block");
        if (mol->getNumAtoms() == 0) return l2r_fail(error, L2R_ERR_FORMAT, "the mol block has no atom");
        if (mol->getNumAtoms() > L2R_MOST_ATOMS)
            return l2r_fail(error, L2R_ERR_FORMAT, "the molecule has more than %d atoms",
                            static_cast<int>(L2R_MOST_ATOMS));
        return l2r::give(smiles, RDKit::MolToSmiles(*mol, true), error);
    });
}
