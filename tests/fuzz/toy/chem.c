/* SPDX-License-Identifier: MIT
 *
 * A chemistry of a few lines in place of RDKit, for targets that are about files: readers meet molecules, refusals and
 * mol blocks ten to a hundred times as often a second. Linked with --wrap, so that the library's calls of molecule.h
 * and describe.h arrive here. What RDKit itself makes of hostile texts is for fuzz_smiles.
 *
 * A toy SMILES is a chain: every letter is an atom, a digit closes a ring with the atom where it stood before, other
 * ASCII characters change nothing. Letters after Q, a * and whatever the real calls refuse before RDKit are refused.
 */
#include "base/memory.h"
#include "chem/describe.h"
#include "chem/mol_block.h"
#include "chem/molecule.h"

#include <ctype.h>
#include <string.h>

const char *__wrap_l2r_chem_version(void);
enum l2r_status __wrap_l2r_molecule_features(struct l2r_molecule_graph *graph, const char *smiles, bool scaffold,
                                             struct l2r_error *error);
enum l2r_status __wrap_l2r_molecule_describe(float *const rows[L2R_DESCRIPTIONS], const char *smiles,
                                             struct l2r_error *error);
enum l2r_status __wrap_l2r_molecule_largest_fragment(char **smiles, const char *text, struct l2r_error *error);
enum l2r_status __wrap_l2r_molecule_from_block(char **smiles, const char *block, size_t length,
                                               struct l2r_error *error);

const char *__wrap_l2r_chem_version(void)
{
    return "toy";
}

/* The length of the SMILES at the beginning of a text, and its atoms. */
static enum l2r_status take(size_t *length, int32_t *atoms, const char *text, struct l2r_error *error)
{
    *length = strcspn(text, " \t\r\n");
    *atoms = 0;
    if (*length == 0 || *length > L2R_LONGEST_SMILES) return l2r_fail(error, L2R_ERR_FORMAT, "the SMILES has no atom");
    for (size_t i = 0; i < *length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < ' ' || c >= 127) return l2r_fail(error, L2R_ERR_FORMAT, "byte %zu is not printable ASCII", i + 1);
        if (c == '*' || (isalpha(c) && toupper(c) > 'Q')) return l2r_fail(error, L2R_ERR_FORMAT, "not a valid SMILES");
        *atoms += isalpha(c) != 0;
    }
    if (*atoms == 0 || *atoms > L2R_MOST_ATOMS) return l2r_fail(error, L2R_ERR_FORMAT, "not a valid SMILES");
    return L2R_OK;
}

/* bonds [most × 2] of the chain and its rings. */
static int32_t bonds_of(int32_t *bonds, const char *smiles, size_t length)
{
    int32_t open[10], atom = -1, n = 0;
    for (int k = 0; k < 10; k++) open[k] = -1;
    for (size_t i = 0; i < length; i++) {
        int digit = smiles[i] >= '0' && smiles[i] <= '9' ? smiles[i] - '0' : -1;
        if (isalpha((unsigned char)smiles[i]) && atom++ >= 0) {
            bonds[2 * n] = atom - 1;
            bonds[2 * n++ + 1] = atom;
        }
        if (digit < 0 || atom < 0) continue;
        if (open[digit] >= 0 && open[digit] + 1 < atom && n < 2 * L2R_MOST_ATOMS) {
            bonds[2 * n] = open[digit];
            bonds[2 * n++ + 1] = atom;
            open[digit] = -1;
        } else {
            open[digit] = atom;
        }
    }
    return n;
}

/* Two rings may close the same bond, which molecules never have twice. */
static int32_t distinct(int32_t *bonds, int32_t n)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t j = 0;
        while (j < kept && (bonds[2 * j] != bonds[2 * i] || bonds[2 * j + 1] != bonds[2 * i + 1])) j++;
        if (j < kept) continue;
        bonds[2 * kept] = bonds[2 * i];
        bonds[2 * kept++ + 1] = bonds[2 * i + 1];
    }
    return kept;
}

enum l2r_status __wrap_l2r_molecule_features(struct l2r_molecule_graph *graph, const char *smiles, bool scaffold,
                                             struct l2r_error *error)
{
    static _Thread_local int32_t bonds[6 * L2R_MOST_ATOMS];
    size_t length;
    int32_t atoms, seen = 0;
    *graph = (struct l2r_molecule_graph){0};
    enum l2r_status status = take(&length, &atoms, smiles, error);
    if (status != L2R_OK) return status;
    int32_t n = distinct(bonds, bonds_of(bonds, smiles, length));
    size_t numbers = (size_t)atoms * L2R_ATOM_COLUMNS + (size_t)n * (2 + L2R_BOND_COLUMNS);
    graph->block = l2r_alloc(numbers * sizeof(int32_t) + 2 * (length + 1), 1);
    if (!graph->block) return l2r_fail_memory(error, length, "a molecule");
    graph->n_atoms = atoms;
    graph->n_bonds = n;
    graph->atom_rows = graph->block;
    graph->bonds = graph->atom_rows + atoms * L2R_ATOM_COLUMNS;
    graph->bond_rows = graph->bonds + 2 * n;
    for (size_t i = 0; i < length; i++)
        if (isalpha((unsigned char)smiles[i])) graph->atom_rows[seen++ * L2R_ATOM_COLUMNS] = smiles[i] % 119;
    memcpy(graph->bonds, bonds, 2 * (size_t)n * sizeof *bonds);
    if (!scaffold) return L2R_OK;
    graph->scaffold = (char *)(graph->bond_rows + n * L2R_BOND_COLUMNS);
    memcpy(graph->scaffold, smiles, n >= atoms ? length / 2 : 0); /* "" without a ring */
    graph->canonical = graph->scaffold + length + 1;
    memcpy(graph->canonical, smiles, length);
    return L2R_OK;
}

enum l2r_status __wrap_l2r_molecule_describe(float *const rows[L2R_DESCRIPTIONS], const char *smiles,
                                             struct l2r_error *error)
{
    size_t length;
    int32_t atoms;
    enum l2r_status status = take(&length, &atoms, smiles, error);
    for (int kind = 0; status == L2R_OK && kind < L2R_DESCRIPTIONS; kind++) {
        if (!rows[kind]) continue;
        int32_t width = l2r_description_width((enum l2r_description)kind);
        memset(rows[kind], 0, (size_t)width * sizeof *rows[kind]);
        for (size_t i = 0; i < length; i++) rows[kind][((unsigned char)smiles[i] * 31 + i) % (size_t)width] += 1;
    }
    return status;
}

enum l2r_status __wrap_l2r_molecule_largest_fragment(char **smiles, const char *text, struct l2r_error *error)
{
    size_t length;
    int32_t atoms;
    *smiles = NULL;
    enum l2r_status status = take(&length, &atoms, text, error);
    if (status != L2R_OK) return status;
    *smiles = l2r_strdup(text);
    if (!*smiles) return l2r_fail_memory(error, length + 1, "a SMILES");
    (*smiles)[strcspn(*smiles, ". \t\r\n")] = 0;
    return L2R_OK;
}

/* The first letters of what stands in the place of the atoms. */
enum l2r_status __wrap_l2r_molecule_from_block(char **smiles, const char *block, size_t length, struct l2r_error *error)
{
    char found[64];
    size_t n = 0;
    *smiles = NULL;
    enum l2r_status status = l2r_mol_block_check(block, length, error);
    if (status != L2R_OK) return status;
    for (size_t i = 0; i < length && n + 1 < sizeof found; i++)
        if (isupper((unsigned char)block[i]) && (i == 0 || block[i - 1] == ' ')) found[n++] = block[i];
    found[n] = 0;
    if (n == 0) return l2r_fail(error, L2R_ERR_FORMAT, "not a valid mol block");
    *smiles = l2r_strdup(found);
    return *smiles ? L2R_OK : l2r_fail_memory(error, n + 1, "a SMILES");
}

double __wrap_l2r_element_mass(int atomic_number);
double __wrap_l2r_element_mass(int atomic_number)
{
    return 2 * atomic_number;
}
