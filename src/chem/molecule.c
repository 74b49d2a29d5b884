/* SPDX-License-Identifier: MIT
 *
 * The part of molecule.h that does not need RDKit's types: the sizes of the categories, comparing one with a graph, the
 * colours of highlights, and the symbols of the elements.
 */
#include "chem/molecule.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>

const char *const l2r_atom_column_names[L2R_ATOM_COLUMNS] = {"atomic number", "chirality", "degree",
                                                             "formal charge", "hydrogens", "radical electrons",
                                                             "hybridisation", "aromatic",  "in a ring"};
const char *const l2r_bond_column_names[L2R_BOND_COLUMNS] = {"bond type", "stereo", "conjugated"};
const int32_t l2r_atom_vocabulary[L2R_ATOM_COLUMNS] = {119, 5, 12, 12, 10, 6, 6, 2, 2};
const int32_t l2r_bond_vocabulary[L2R_BOND_COLUMNS] = {5, 6, 2};
const int32_t l2r_atom_detail_vocabulary[L2R_ATOM_COLUMNS + L2R_ATOM_DETAILS] = {
    119, 5, 12, 12, 10, 6, 6, 2, 2, 3, L2R_MASS_BASE, L2R_MASS_BASE, L2R_MASS_BASE};
const int32_t l2r_bond_detail_vocabulary[L2R_BOND_COLUMNS + L2R_BOND_DETAILS] = {5, 6, 2, 2};

void l2r_molecule_graph_clear(struct l2r_molecule_graph *graph)
{
    l2r_free(graph->block);
    *graph = (struct l2r_molecule_graph){0};
}

enum l2r_status l2r_molecule_matches(const struct l2r_molecule *molecule, int32_t n_nodes, const int32_t *edges,
                                     int64_t n_edges, struct l2r_error *error)
{
    if (n_nodes != l2r_molecule_atoms(molecule))
        return l2r_fail(error, L2R_ERR_FORMAT, "the SMILES has %d atoms, the graph %d nodes",
                        (int)l2r_molecule_atoms(molecule), (int)n_nodes);
    if (n_edges != l2r_molecule_bonds(molecule))
        return l2r_fail(error, L2R_ERR_FORMAT, "the SMILES has %d bonds, the graph %lld edges",
                        (int)l2r_molecule_bonds(molecule), (long long)n_edges);
    for (int64_t i = 0; i < n_edges; i++)
        if (l2r_molecule_bond_between(molecule, edges[2 * i], edges[2 * i + 1]) < 0)
            return l2r_fail(error, L2R_ERR_FORMAT, "the graph has an edge %d-%d, the SMILES no such bond",
                            (int)edges[2 * i], (int)edges[2 * i + 1]);
    return L2R_OK;
}

void l2r_molecule_colour(char colour[8], double intensity)
{
    /* At intensity 1 and at −1; between, a straight line from white. */
    static const double strongest[2][3] = {{92, 153, 242}, {240, 132, 72}};
    const double *end = strongest[intensity < 0];
    int rgb[3];
    intensity = fmin(1, fabs(intensity));
    for (int k = 0; k < 3; k++) rgb[k] = (int)lround(255 + intensity * (end[k] - 255));
    snprintf(colour, 8, "#%02x%02x%02x", (unsigned)rgb[0] & 255, (unsigned)rgb[1] & 255, (unsigned)rgb[2] & 255);
}

static const char symbols[][3] = {
    "H",  "He", "Li", "Be", "B",  "C",  "N",  "O",  "F",  "Ne", "Na", "Mg", "Al", "Si", "P",  "S",  "Cl",
    "Ar", "K",  "Ca", "Sc", "Ti", "V",  "Cr", "Mn", "Fe", "Co", "Ni", "Cu", "Zn", "Ga", "Ge", "As", "Se",
    "Br", "Kr", "Rb", "Sr", "Y",  "Zr", "Nb", "Mo", "Tc", "Ru", "Rh", "Pd", "Ag", "Cd", "In", "Sn", "Sb",
    "Te", "I",  "Xe", "Cs", "Ba", "La", "Ce", "Pr", "Nd", "Pm", "Sm", "Eu", "Gd", "Tb", "Dy", "Ho", "Er",
    "Tm", "Yb", "Lu", "Hf", "Ta", "W",  "Re", "Os", "Ir", "Pt", "Au", "Hg", "Tl", "Pb", "Bi", "Po", "At",
    "Rn", "Fr", "Ra", "Ac", "Th", "Pa", "U",  "Np", "Pu", "Am", "Cm", "Bk", "Cf", "Es", "Fm", "Md", "No",
    "Lr", "Rf", "Db", "Sg", "Bh", "Hs", "Mt", "Ds", "Rg", "Cn", "Nh", "Fl", "Mc", "Lv", "Ts", "Og"};

const char *l2r_element_symbol(int atomic_number)
{
    int n = (int)(sizeof symbols / sizeof *symbols);
    return atomic_number >= 1 && atomic_number <= n ? symbols[atomic_number - 1] : "?";
}

void l2r_molecule_pieces_clear(struct l2r_molecule_pieces *pieces)
{
    l2r_free(pieces->piece);
    l2r_free(pieces->smiles);
    *pieces = (struct l2r_molecule_pieces){0};
}

void l2r_molecule_alerts_clear(struct l2r_molecule_alerts *alerts)
{
    for (int32_t i = 0; alerts->list && i < alerts->n; i++) {
        l2r_free(alerts->list[i].set);
        l2r_free(alerts->list[i].name);
        l2r_free(alerts->list[i].atoms);
    }
    l2r_free(alerts->list);
    *alerts = (struct l2r_molecule_alerts){0};
}
