/* SPDX-License-Identifier: MIT
 *
 * Numbers about how atoms are connected, equal to RDKit's where it has them:
 *
 *     chi (Kier & Hall)                             Σ over paths of k bonds Π_i v_i^(−1/2), v: outer electrons without
 *                                                   those of hydrogens; chi_v: by those of inner shells from Na on
 *     kappa (Kier 1985), Phi                        from P_k, the number of paths of k bonds, and Hall & Kier's α
 *     electrotopological state (Kier & Hall 1990)   S_i = I_i + Σ_j (I_i − I_j) / (d_ij + 1)²,
 *                                                   I_i = (4/N_i² · v_i + 1) / δ_i
 *     Balaban's J (1982)                            J = m/(μ + 1) Σ_bonds (s_i s_j)^(−1/2), s_i: sum of distances
 *
 * with N the period, δ the heavy neighbours, d_ij the bonds between two atoms, m bonds and μ rings.
 */
#ifndef L2R_CHEM_RDKIT_CONNECTIVITY_H
#define L2R_CHEM_RDKIT_CONNECTIVITY_H

#include "chem/rdkit_molecule.h"

namespace l2r
{

struct connectivity {
    double chi_v[5], chi_n[5]; /* [k] */
    double alpha, kappa[4];    /* [1 .. 3] */
    double phi;
};
void find_connectivity(connectivity &numbers, const molecule &of);

/* Of each atom. */
std::vector<double> electrotopological_states(molecule &of);
double balaban(const molecule &of);

} // namespace l2r

#endif
