/* SPDX-License-Identifier: MIT
 * A molecule with what several kinds of numbers share (rdkit_molecule.h). */
#include "chem/rdkit_molecule.h"
#include "chem/fragments.h"

#include <GraphMol/Descriptors/Crippen.h>
#include <RDGeneral/RDConfig.h>

namespace
{

/* The patterns below are RDKit's (copyright Greg Landrum and other contributors, BSD-3-Clause licence), which its
 * headers do not have: points of pharmacophores, as in its reduced graphs (after Gobbi & Poppinger 1998), */
const char *const points[] = {
    /* donor */
    "[$([N;!H0;v3,v4&+1]),$([O,S;H1;+0]),n&H1&+0]",
    /* acceptor */
    "[$([O,S;H1;v2;!$(*-*=[O,N,P,S])]),$([O;H0;v2]),$([O,S;v1;-]),$([N;v3;!$(N-*=[O,N,P,S])]),n&H0&+0,"
    "$([o;+0;!$([o]:n);!$([o]:c:n)])]",
    /* positive */
    "[#7;+,$([N;H2&+0][$([C,a]);!$([C,a](=O))]),"
    "$([N;H1&+0]([$([C,a]);!$([C,a](=O))])[$([C,a]);!$([C,a](=O))]),"
    "$([N;H0&+0]([C;!$(C(=O))])([C;!$(C(=O))])[C;!$(C(=O))])]",
    /* negative */
    "[$([C,S](=[O,S,P])-[O;H1,-1])]",
    /* hydrophobic */
    "[$([C;D3,D4](-[CH3])-[CH3]),$([S;D2](-C)-C)]"};

/* and what Lipinski's descriptors count; bonds that rotate in one of two ways, chosen when RDKit was built. */
const char donors[] = "[N&!H0&v3,N&!H0&+1&v4,O&H1&+0,S&H1&+0,n&H1&+0]";
const char acceptors[] = "[$([O,S;H1;v2]-[!$(*=[O,N,P,S])]),$([O,S;H0;v2]),$([O,S;-]),$([N;v3;!$(N-*=!@[O,N,P,S])]),"
                         "$([nH0,o,s;+0])]";
const char hetero[] = "[!#6;!#1]";
const char amides[] = "C(=[O;!R])N";
#ifdef RDK_USE_STRICT_ROTOR_DEFINITION
const char rotatable[] = "[!$(*#*)&!D1&!$(C(F)(F)F)&!$(C(Cl)(Cl)Cl)&!$(C(Br)(Br)Br)&!$(C([CH3])([CH3])[CH3])"
                         "&!$([CD3](=[N,O,S])-!@[#7,O,S!D1])&!$([#7,O,S!D1]-!@[CD3]=[N,O,S])"
                         "&!$([CD3](=[N+])-!@[#7!D1])&!$([#7!D1]-!@[CD3]=[N+])]-,:;!@[!$(*#*)&!D1&!$(C(F)(F)F)"
                         "&!$(C(Cl)(Cl)Cl)&!$(C(Br)(Br)Br)&!$(C([CH3])([CH3])[CH3])]";
#else
const char rotatable[] = "[!$(*#*)&!D1]-,:;!@[!$(*#*)&!D1]";
#endif

l2r::matcher &thread_matcher()
{
    static thread_local l2r::matcher own(l2r::all_patterns().all);
    return own;
}

} // namespace

const l2r::known_patterns &l2r::all_patterns()
{
    static const known_patterns *const made = [] { /* kept to the end: threads may still use it */
                                                   auto known = new known_patterns;
                                                   for (const auto &fragment : fragments)
                                                       known->fragments.push_back(known->all.add(fragment.smarts));
                                                   for (const auto &row :
                                                        *RDKit::Descriptors::CrippenParamCollection::getParams())
                                                       known->crippen.push_back(known->all.add(row.smarts));
                                                   for (const char *point : points)
                                                       known->points.push_back(known->all.add(point));
                                                   known->donors = known->all.add(donors);
                                                   known->acceptors = known->all.add(acceptors);
                                                   known->hetero = known->all.add(hetero);
                                                   known->amides = known->all.add(amides);
                                                   known->rotatable = known->all.add(rotatable);
                                                   return known;
    }();
    return *made;
}

l2r::molecule::molecule(const RDKit::ROMol &read) : mol(read), match(thread_matcher())
{
    find_ends(ends, mol);
    shape.connect(mol.getNumAtoms(), ends);
    match.read(mol, shape);
}

const std::vector<uint16_t> &l2r::molecule::distances()
{
    if (far.empty()) find_distances(far, shape);
    return far;
}
