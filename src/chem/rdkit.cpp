/* SPDX-License-Identifier: MIT
 *
 * Parsing and drawing (molecule.h) on RDKit; features are in rdkit_features.cpp. These are the only C++ files. No
 * exception leaves them and nothing is printed (rdkit_guard.h).
 *
 * A molecule is parsed as OGB does it (sanitised, hydrogens implicit), so atom i is node i of OGB's graph. The formula
 * is drawn in black on white, letters as outlines (no font is needed to show it), with the highlights behind it.
 */
#include "chem/rdkit_guard.h"

extern "C" {
#include "base/memory.h"
}
#include "chem/molecule.h"

#include <GraphMol/GraphMol.h>
#include <GraphMol/MolDraw2D/MolDraw2DSVG.h>
#include <GraphMol/MolDraw2D/MolDraw2DUtils.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <RDGeneral/versions.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct l2r_molecule {
    std::unique_ptr<RDKit::ROMol> mol;
};

namespace
{

const float faintest = 0.08f; /* fainter highlights are left out: they would look like smudges */

RDKit::DrawColour colour_of(float intensity)
{
    char text[8];
    unsigned r, g, b;
    l2r_molecule_colour(text, static_cast<double>(intensity));
    if (std::sscanf(text, "#%2x%2x%2x", &r, &g, &b) != 3) r = g = b = 255;
    return RDKit::DrawColour(r / 255.0, g / 255.0, b / 255.0);
}

struct highlights {
    std::vector<int> numbers;
    std::map<int, RDKit::DrawColour> colours;

    highlights(const float *intensity, unsigned n)
    {
        for (unsigned i = 0; i < n; i++) {
            if (std::fabs(intensity[i]) < faintest) continue;
            numbers.push_back(static_cast<int>(i));
            colours[static_cast<int>(i)] = colour_of(intensity[i]);
        }
    }
};

/* What is between <svg …> and </svg>. */
std::string inside_of(const std::string &svg)
{
    size_t begin = svg.find("<svg");
    begin = begin == std::string::npos ? begin : svg.find('>', begin);
    size_t end = svg.rfind("</svg>");
    if (begin == std::string::npos || end == std::string::npos || end <= begin) return "";
    return svg.substr(begin + 1, end - begin - 1);
}

std::string draw(const RDKit::ROMol &mol, const float *atom_intensity, const float *bond_intensity, int width,
                 int height)
{
    highlights atoms(atom_intensity, mol.getNumAtoms()), bonds(bond_intensity, mol.getNumBonds());
    RDKit::MolDraw2DSVG drawer(width, height);
    RDKit::MolDrawOptions &options = drawer.drawOptions();
    options.highlightBondWidthMultiplier = 12;
    options.highlightRadius = 0.32;
    options.padding = 0.06;
    options.fixedBondLength = 34;
    options.minFontSize = 9;
    RDKit::assignBWPalette(options.atomColourPalette);
    RDKit::MolDraw2DUtils::prepareAndDrawMolecule(drawer, mol, "", &atoms.numbers, &bonds.numbers, &atoms.colours,
                                                  &bonds.colours);
    drawer.finishDrawing();
    return inside_of(drawer.getDrawingText());
}

} // namespace

const char *l2r_chem_version(void)
{
    return RDKit::rdkitVersion;
}

enum l2r_status l2r_molecule_parse(struct l2r_molecule **molecule, const char *smiles, struct l2r_error *error)
{
    *molecule = nullptr;
    return l2r::guard(error, "the SMILES cannot be read", [&]() {
        std::string text;
        enum l2r_status status = l2r::take(text, smiles, error);
        if (status != L2R_OK) return status;
        std::unique_ptr<RDKit::ROMol> mol(RDKit::SmilesToMol(text));
        if (!mol) return l2r_fail(error, L2R_ERR_FORMAT, "'%.200s' is not a SMILES that RDKit can read", smiles);
        *molecule = new l2r_molecule{std::move(mol)};
        return L2R_OK;
    });
}

void l2r_molecule_free(struct l2r_molecule *molecule)
{
    delete molecule;
}

int32_t l2r_molecule_atoms(const struct l2r_molecule *molecule)
{
    return static_cast<int32_t>(molecule->mol->getNumAtoms());
}

int32_t l2r_molecule_bonds(const struct l2r_molecule *molecule)
{
    return static_cast<int32_t>(molecule->mol->getNumBonds());
}

int32_t l2r_molecule_bond_between(const struct l2r_molecule *molecule, int32_t a, int32_t b)
{
    const RDKit::ROMol &mol = *molecule->mol;
    int32_t n = static_cast<int32_t>(mol.getNumAtoms());
    if (a < 0 || b < 0 || a >= n || b >= n) return -1;
    const RDKit::Bond *bond = mol.getBondBetweenAtoms(static_cast<unsigned>(a), static_cast<unsigned>(b));
    return bond ? static_cast<int32_t>(bond->getIdx()) : -1;
}

enum l2r_status l2r_molecule_svg(char **inside, const struct l2r_molecule *molecule, const float *atom_intensity,
                                 const float *bond_intensity, int width, int height, struct l2r_error *error)
{
    *inside = nullptr;
    return l2r::guard(error, "the molecule cannot be drawn", [&]() {
        std::string text = draw(*molecule->mol, atom_intensity, bond_intensity, width, height);
        *inside = l2r_strdup(text.c_str());
        return *inside ? L2R_OK : l2r_fail_memory(error, text.size(), "a drawing");
    });
}
