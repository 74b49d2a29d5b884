/* SPDX-License-Identifier: MIT */
#include "chem/mol_block.h"

#include "base/text.h"
#include "chem/molecule.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* With hydrogens, which RDKit removes: carbon has four. */
enum { MOST_ATOM_LINES = 5 * L2R_MOST_ATOMS, SHORTEST_ATOM_LINE = 32 };

static const char v30[] = "M  V30 ";

/* Walks the lines of a block. */
struct lines {
    const char *at, *end;
    size_t number; /* of the line, from 1 */
    const char *line;
    size_t length; /* without its end */
};

static bool next_line(struct lines *l)
{
    if (l->at >= l->end) return false;
    const char *feed = memchr(l->at, '\n', (size_t)(l->end - l->at));
    if (!feed) feed = l->end;
    l->line = l->at;
    l->length = (size_t)(feed - l->at);
    if (l->length > 0 && l->line[l->length - 1] == '\r') l->length--;
    l->at = feed + 1;
    l->number++;
    return true;
}

static size_t count_lines(const char *block, size_t length)
{
    size_t n = 1;
    for (size_t i = 0; i < length; i++) n += block[i] == '\n';
    return n;
}

static enum l2r_status check_bytes(const char *line, size_t length, size_t number, struct l2r_error *error)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)line[i];
        if ((c >= ' ' && c < 127) || c == '\t') continue;
        return l2r_fail(error, L2R_ERR_FORMAT,
                        "line %zu of the mol block: byte %zu (0x%02x) is not a printable ASCII character", number,
                        i + 1, c);
    }
    return L2R_OK;
}

/* ---- version 2000: fields of three digits ---- */

static size_t three_digits(const struct lines *l, size_t at)
{
    char field[4] = {0};
    if (l->length <= at) return 0;
    memcpy(field, l->line + at, l->length - at < 3 ? l->length - at : 3);
    long count = strtol(field, NULL, 10);
    return count > 0 ? (size_t)count : 0;
}

/* A bond joins two different atoms of the block: where one does not, RDKit leaks the molecule. */
static enum l2r_status check_v2000(const struct lines *l, bool atom, size_t n_atoms, struct l2r_error *error)
{
    enum l2r_status status = check_bytes(l->line, l->length, l->number, error);
    size_t a = three_digits(l, 0), b = three_digits(l, 3);
    if (status == L2R_OK && atom && l->length < SHORTEST_ATOM_LINE)
        return l2r_fail(error, L2R_ERR_FORMAT, "line %zu of the mol block: too short for an atom", l->number);
    if (status == L2R_OK && !atom && (a == 0 || b == 0 || a > n_atoms || b > n_atoms || a == b))
        return l2r_fail(error, L2R_ERR_FORMAT, "line %zu of the mol block is no bond between two of %zu atoms",
                        l->number, n_atoms);
    return status;
}

/* ---- version 3000: words, and lines that continue ---- */

static bool begins(const char *line, const char *with)
{
    return strncmp(line + strspn(line, " \t"), with, strlen(with)) == 0;
}

/* The number of a word's digits alone, as RDKit may read "1,000" or "+5"; SIZE_MAX: more digits than fit. */
static size_t digits(const char *word, size_t length, char text[24])
{
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9') continue;
        if (n < 20) text[n] = word[i];
        n++;
    }
    text[n < 20 ? n : 20] = 0;
    return n > 18 ? SIZE_MAX : (size_t)strtoull(text, NULL, 10);
}

/* The five counts after the word COUNTS. The registry number that may follow them is not one. */
static enum l2r_status check_counts(const char *text, size_t n_lines, size_t number, struct l2r_error *error)
{
    char shown[24];
    for (int k = 0; k < 5; k++) {
        text += strspn(text, " \t");
        size_t length = strcspn(text, " \t");
        if (length == 0) break;
        size_t count = digits(text, length, shown);
        if (count > n_lines)
            return l2r_fail(error, L2R_ERR_FORMAT,
                            "line %zu of the mol block announces %s, but the block has %zu lines", number, shown,
                            n_lines);
        if (k == 0 && count > MOST_ATOM_LINES)
            return l2r_fail(error, L2R_ERR_FORMAT, "the molecule has more than %d atoms", L2R_MOST_ATOMS);
        text += length;
    }
    return L2R_OK;
}

/* One whole line, in upper case. *group: within S-groups, whose data may be any text. */
static enum l2r_status check_whole(struct l2r_text *whole, bool *group, size_t n_lines, size_t number,
                                   struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (whole->failed) return l2r_fail_memory(error, 0, "a line of a mol block");
    for (size_t i = 0; i < whole->length; i++)
        if (whole->text[i] >= 'a' && whole->text[i] <= 'z') whole->text[i] = (char)(whole->text[i] - 'a' + 'A');
    const char *line = whole->text ? whole->text : "";
    if (begins(line, "BEGIN SGROUP")) *group = true;
    if (!*group) status = check_bytes(line, whole->length, number, error);
    if (status == L2R_OK && begins(line, "COUNTS"))
        status = check_counts(strstr(line, "COUNTS") + 6, n_lines, number, error);
    if (begins(line, "END SGROUP")) *group = false;
    whole->length = 0;
    if (whole->text) whole->text[0] = 0;
    return status;
}

/* From the fifth line on, with lines that continue joined. */
static enum l2r_status check_v3000(struct lines rest, size_t n_lines, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_text whole = {0};
    size_t first = 0, mark = strlen(v30);
    bool group = false, continues = false;
    while (status == L2R_OK && next_line(&rest)) {
        if (rest.length < mark || memcmp(rest.line, v30, mark) != 0) continue;
        if (!continues) first = rest.number;
        continues = rest.line[rest.length - 1] == '-';
        l2r_text_add(&whole, rest.line + mark, rest.length - mark - (continues && rest.length > mark));
        if (!continues) status = check_whole(&whole, &group, n_lines, first, error);
    }
    l2r_text_clear(&whole);
    return status;
}

static bool contains(const char *block, size_t length, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= length; i++)
        if (memcmp(block + i, word, n) == 0) return true;
    return false;
}

enum l2r_status l2r_mol_block_check(const char *block, size_t length, struct l2r_error *error)
{
    struct lines rest = {.at = block, .end = block + length};
    for (int i = 0; i < 4; i++)
        if (!next_line(&rest)) return l2r_fail(error, L2R_ERR_FORMAT, "the mol block has no line of counts");
    enum l2r_status status = check_bytes(rest.line, rest.length, rest.number, error);
    size_t n_atoms = three_digits(&rest, 0), n_structure = n_atoms + three_digits(&rest, 3);
    if (status == L2R_OK && contains(block, length, "V30"))
        status = check_v3000(rest, count_lines(block, length), error);
    for (size_t i = 0; i < n_structure && status == L2R_OK && next_line(&rest); i++)
        status = check_v2000(&rest, i < n_atoms, n_atoms, error);
    return status;
}
