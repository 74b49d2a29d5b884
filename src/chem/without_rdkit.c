/* SPDX-License-Identifier: MIT
 *
 * The calls of molecule.h in a build without RDKit: no molecule can be made, so the others are never given one.
 */
#include "chem/molecule.h"

#ifndef L2R_WITH_RDKIT

const char *l2r_chem_version(void)
{
    return NULL;
}

enum l2r_status l2r_molecule_parse(struct l2r_molecule **molecule, const char *smiles, struct l2r_error *error)
{
    (void)smiles;
    *molecule = NULL;
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "molecules need RDKit, but this program was built without it; install librdkit-dev and rebuild");
}

enum l2r_status l2r_molecule_features(struct l2r_molecule_graph *graph, const char *smiles, bool scaffold,
                                      struct l2r_error *error)
{
    (void)smiles, (void)scaffold;
    *graph = (struct l2r_molecule_graph){0};
    return l2r_fail(error, L2R_ERR_ARGUMENT,
                    "SMILES need RDKit, but this program was built without it; install librdkit-dev and rebuild");
}

void l2r_molecule_free(struct l2r_molecule *molecule)
{
    (void)molecule;
}

int32_t l2r_molecule_atoms(const struct l2r_molecule *molecule)
{
    (void)molecule;
    return 0;
}

int32_t l2r_molecule_bonds(const struct l2r_molecule *molecule)
{
    (void)molecule;
    return 0;
}

int32_t l2r_molecule_bond_between(const struct l2r_molecule *molecule, int32_t a, int32_t b)
{
    (void)molecule, (void)a, (void)b;
    return -1;
}

enum l2r_status l2r_molecule_svg(char **inside, const struct l2r_molecule *molecule, const float *atom_intensity,
                                 const float *bond_intensity, int width, int height, struct l2r_error *error)
{
    (void)molecule, (void)atom_intensity, (void)bond_intensity, (void)width, (void)height;
    *inside = NULL;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "molecules need RDKit, but this program was built without it");
}

#endif
