/* SPDX-License-Identifier: MIT
 * OGB's features of atoms and bonds (rdkit_features.cpp) as text, for messages. */
#include "chem/molecule.h"

#include <stdio.h>

static const char *const hybridisations[] = {"sp", "sp2", "sp3", "sp3d", "sp3d2", "other"};
static const char *const chiralities[] = {"no", "clockwise", "anticlockwise", "other", "other"};
static const char *const bond_types[] = {"single", "double", "triple", "aromatic", "other"};
static const char *const stereos[] = {"no", "Z", "E", "cis", "trans", "any"};

/* "3 hydrogens", "more than 8 hydrogens". */
static void count_text(char *out, size_t size, int32_t value, int32_t most, const char *what)
{
    if (value > most)
        snprintf(out, size, "more than %d %ss", (int)most, what);
    else
        snprintf(out, size, "%d %s%s", (int)value, what, value == 1 ? "" : "s");
}

void l2r_atom_feature_text(char *out, size_t size, int32_t column, int32_t value)
{
    switch (column) {
    case 0:
        snprintf(out, size, value < 118 ? "element %s" : "an unknown element%.0s", l2r_element_symbol(value + 1));
        return;
    case 1:
        snprintf(out, size, "an atom of %s chirality", chiralities[value % 5]);
        return;
    case 2:
        count_text(out, size, value, 10, "neighbour");
        return;
    case 3:
        snprintf(out, size, value < 11 ? "charge %+d" : "a charge beyond %+d", value < 11 ? value - 5 : 5);
        return;
    case 4:
        count_text(out, size, value, 8, "hydrogen");
        return;
    case 5:
        count_text(out, size, value, 4, "radical electron");
        return;
    case 6:
        snprintf(out, size, "hybridisation %s", hybridisations[value % 6]);
        return;
    case 7:
        snprintf(out, size, "%s atom", value ? "an aromatic" : "a non-aromatic");
        return;
    default:
        snprintf(out, size, "an atom %s a ring", value ? "in" : "outside");
    }
}

void l2r_bond_feature_text(char *out, size_t size, int32_t column, int32_t value)
{
    if (column == 0)
        snprintf(out, size, "bond type %s", bond_types[value % 5]);
    else if (column == 1)
        snprintf(out, size, "a bond of %s stereo", stereos[value % 6]);
    else
        snprintf(out, size, "a %s bond", value ? "conjugated" : "non-conjugated");
}
