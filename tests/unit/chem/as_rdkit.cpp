/* SPDX-License-Identifier: MIT
 *
 * All that describe.h computes against RDKit's own functions, digit by digit, and the search for patterns against
 * RDKit's: on odd molecules, and on some of each shared table, if they are there.
 */
#include "chem/describe.h"
#include "chem/fragments.h"
#include "chem/rdkit_descriptors.h"
#include "chem/rdkit_fingerprints.h"
#include "chem/rdkit_guard.h"

#include <GraphMol/Descriptors/MQN.h>
#include <GraphMol/Descriptors/MolDescriptors.h>
#include <GraphMol/Descriptors/Property.h>
#include <GraphMol/Fingerprints/AtomPairs.h>
#include <GraphMol/Fingerprints/MorganFingerprints.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/ReducedGraphs/ReducedGraphs.h>
#include <GraphMol/SmilesParse/SmilesParse.h>
#include <GraphMol/Substruct/SubstructMatch.h>

#include <cmath>
#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

extern "C" {
#include <cmocka.h>
}

namespace
{

using RDKit::ROMol;
using numbers = std::vector<double>;
namespace rd = RDKit::Descriptors;

const char *const odd[] = {
    /* salts, charges, radicals, isotopes, explicit hydrogens */
    "[Na+].[Cl-]", "CC(=O)[O-].[NH4+]", "C[N+](C)(C)CC([O-])=O", "[CH3]", "[O]N=O", "C[CH]C", "[13CH4]",
    "[2H]C([2H])Cl", "[2H][2H]", "[H][H]", "[2H]O[2H]", "[H+]", "[18OH2]", "[Cl].CC(C)NCC(O)COc1cccc2ccccc12",
    "O=[N+]([O-])c1ccccc1", "[O-][N+](=O)c1cc([N+]([O-])=O)c(O)c([N+]([O-])=O)c1", "[NH3+]CC([O-])=O", "C[S+](C)C",
    "[S-]c1ccccc1", "[N-]=[N+]=NCC", "CN=[N+]=[N-]", "[BH4-].[Na+]", "[BH4-]", "F[B-](F)(F)F", "[AlH4-].[Li+]", "[OH-]",
    "[OH3+]",
    /* metals */
    "C[Hg]C", "CCC1=[O+][Cu-3]2([O+]=C(CC)C1)[O+]=C(CC)CC(CC)=[O+]2", "[Fe+2].[CH-]1C=CC=C1.[CH-]1C=CC=C1",
    "N[Pt](N)(Cl)Cl", "O=[Mo](=O)([O-])[O-]", "[U]", "Cl[Sn](Cl)(c1ccccc1)c1ccccc1", "[Zn+2]", "CC[Pb](CC)(CC)CC",
    "C[Si](C)(C)C", "[GeH4]", "C[As](C)C", "O=[Se]=O", "[nH]1cccc1[Se]C", "c1cc[se]c1", "c1cc[te]c1",
    /* one atom, no rings, chains */
    "C", "O", "N", "S", "[He]", "CC", "CCO", "C=C", "C#C", "N#N", "CCCCCCCCCCCC", "OO", "C=C=C", "O=C=O", "C#CC#C",
    /* rings: small, bridged, spiro, fused, large */
    "C1CC1", "C1=CC1", "C12CC1C2", "C1OC1", "C1CC2CC1C2", "C1CC12CC2", "C1CCC2(CC1)CCCCC2", "C1C2CC3CC1CC(C2)C3",
    "C12C3C4C1C5C2C3C45", "C1CCCCCCCCCCC1", "C1=CC=CC=CC=C1", "c1ccc2cc3ccccc3cc2c1", "c1ccc2c(c1)ccc1ccccc12",
    "C1CCCCCCC1", "C1CCCCCC1", "c1ccccc1-c1ccccc1", "C1=CC2=CC=CC2=C1", "O=c1cc[nH]cc1", "n1cnc2[nH]cnc2c1",
    "CC1(C)C2CCC1(C)C(=O)C2", "O=C1NC(=O)NC(=O)C1(CC)CC", "Clc1c(Cl)c(Cl)c(Cl)c(Cl)c1Cl", "CCC1(CC)C(=O)NC(=O)N(C)C1=O",
    "COc1nc(NC(C)C)nc(NC(C)C)n1", "C1=CC(=O)C=CC1=O", "c1ccc2[nH]ccc2c1", "CN1C2CCC1CC(OC(=O)C(CO)c1ccccc1)C2",
    /* groups that patterns look for */
    "CC(=O)Oc1ccccc1C(=O)O", "CN(C)c1ccccc1", "CC(C)(C)OC(=O)N1CCNCC1", "NC(=N)NCCCC(N)C(=O)O", "OP(=O)(O)OP(=O)(O)O",
    "COP(=O)(OC)OC", "CS(=O)(=O)NC", "CS(=O)(=O)C", "C1CSC(=N1)N", "N#CSC", "CN=C=S", "CN=C=O", "O=C1CCO1", "CC=NO",
    "CNN=CC", "c1nnn[nH]1", "O1CCNCC1", "C1=CNC=CC1", "FC(F)(F)c1ccccc1", "ClC(Cl)(Cl)Cl", "BrC(Br)Br", "CI", "CC(C)C",
    "C1CN2CCC1CC2", "O=C(O)c1cc(O)c(O)c(O)c1", "NS(=O)(=O)c1cc2c(cc1Cl)NCNS2(=O)=O", "c1ccc(cc1)N=Nc1ccccc1",
    "CCCC[N+](CCCC)(CCCC)CCCC", "OC(=O)C(F)(F)C(F)(F)C(F)(F)C(F)(F)F", "S(F)(F)(F)(F)(F)F", "P(Cl)(Cl)(Cl)(Cl)Cl",
    "CSSC", "CC(=S)N", "OCCN", "OCC(O)CN(C)C", "C[C@H](N)C(=O)O", "F/C=C/F", "F/C=C\\F", "OS(=O)(=O)O", "[nH+]1ccccc1",
    "C[n+]1ccccc1", "[O-][n+]1ccccc1", "B(O)(O)c1ccccc1", "C1COCCOCCOCCOCCOCCO1",
    /* a steroid, a macrolide, a peptide, a dye */
    "CC12CCC3C(C1CCC2O)CCC4=CC(=O)CCC34C",
    "CCC1OC(=O)C(C)C(OC2CC(C)(OC)C(O)C(C)O2)C(C)C(OC2OC(C)CC(C2O)N(C)C)C(C)(O)CC(C)C(=O)C(C)C(O)C1(C)O",
    "CC(C)CC(NC(=O)C(Cc1ccccc1)NC(=O)C(CCCNC(N)=N)NC(=O)C(N)CO)C(=O)NC(CC(N)=O)C(=O)NC(CCSC)C(=O)O",
    "CN(C)c1ccc(cc1)C(=C1C=CC(=[N+](C)C)C=C1)c1ccc(cc1)N(C)C"};

/* More atoms than a word has bits, more matches than RDKit looks at, hydrogens by the hundred. */
std::vector<std::string> large_ones()
{
    std::string fluorinated = "F", peptide, phenyls = "C", ladder, rings;
    for (int i = 0; i < 90; i++) fluorinated += "C(F)(F)";
    for (int i = 0; i < 40; i++) peptide += "NC(CC(=O)O)C(=O)";
    for (int i = 0; i < 30; i++) phenyls += "c1ccc(cc1)";
    for (int i = 0; i < 30; i++) rings += "C1C2CC(C1)C2";
    for (int i = 0; i < 120; i++) ladder += "C(C)(C)";
    return {std::string(300, 'C'),
            std::string(64, 'C'),
            std::string(63, 'C') + "OO",
            fluorinated + "F",
            peptide + "O",
            phenyls + "C",
            rings,
            "C" + ladder};
}

template <class Index> void unfold(std::vector<float> &row, const RDKit::SparseIntVect<Index> *counts)
{
    std::unique_ptr<const RDKit::SparseIntVect<Index>> owned(counts);
    row.assign(L2R_FOLDED, 0.0f);
    for (const auto &place : owned->getNonzeroElements())
        row[static_cast<size_t>(place.first)] = static_cast<float>(place.second);
}

void compare(const char *what, const std::string &smiles, size_t n, const float *ours, const float *rdkits)
{
    for (size_t i = 0; i < n; i++)
        if (std::memcmp(&ours[i], &rdkits[i], sizeof *ours) != 0 && !(std::isnan(ours[i]) && std::isnan(rdkits[i])))
            fail_msg("%s %s of %s is %.9g, RDKit has %.9g", what,
                     n == L2R_DESCRIPTORS ? l2r_descriptor_name(static_cast<int32_t>(i)) : std::to_string(i).c_str(),
                     smiles.c_str(), static_cast<double>(ours[i]), static_cast<double>(rdkits[i]));
}

double density(const ROMol &mol, unsigned radius)
{
    std::unique_ptr<RDKit::SparseIntVect<uint32_t>> counts(RDKit::MorganFingerprints::getFingerprint(mol, radius));
    return static_cast<double>(counts->getNonzeroElements().size()) / mol.getNumHeavyAtoms();
}

/* Those of the descriptors that RDKit computes, by name. */
std::map<std::string, double> rdkits_descriptors(const ROMol &mol)
{
    std::map<std::string, double> all;
    auto add = [&](const char *prefix, const auto &values) {
        size_t i = 0;
        for (double value : values) all[prefix + std::to_string(++i)] = value;
    };
    std::vector<std::string> names;
    for (int i = 0; i < 43; i++) names.push_back(l2r_descriptor_name(i));
    numbers values = rd::Properties(names).computeProperties(mol);
    for (size_t i = 0; i < names.size(); i++) all[names[i]] = values[i];
    add("SlogP_VSA", rd::calcSlogP_VSA(mol));
    add("SMR_VSA", rd::calcSMR_VSA(mol));
    add("PEOE_VSA", rd::calcPEOE_VSA(mol));
    add("MQN", rd::calcMQNs(mol));
    for (unsigned r = 1; r <= 3 && mol.getNumHeavyAtoms(); r++)
        all["FpDensityMorgan" + std::to_string(r)] = density(mol, r);
    for (const auto &fragment : fragments) {
        std::unique_ptr<RDKit::RWMol> pattern(RDKit::SmartsToMol(fragment.smarts));
        std::vector<RDKit::MatchVectType> matches;
        all[fragment.name] = RDKit::SubstructMatch(mol, *pattern, matches);
    }
    return all;
}

/* False: it is no molecule to molecule.h. */
bool check(const std::string &smiles)
{
    std::vector<float> ours[L2R_DESCRIPTIONS], rdkits;
    float *rows[L2R_DESCRIPTIONS];
    struct l2r_error error = {};
    for (int k = 0; k < L2R_DESCRIPTIONS; k++) {
        ours[k].resize(static_cast<size_t>(l2r_description_width(static_cast<l2r_description>(k))));
        rows[k] = ours[k].data();
    }
    if (l2r_molecule_describe(rows, smiles.c_str(), &error) != L2R_OK) return false;
    std::unique_ptr<ROMol> mol(RDKit::SmilesToMol(smiles)), fresh(new ROMol(*mol));
    unfold(rdkits, RDKit::MorganFingerprints::getHashedFingerprint(*mol, 2, L2R_FOLDED));
    compare("morgan", smiles, L2R_FOLDED, rows[L2R_DESCRIBE_MORGAN], rdkits.data());
    unfold(rdkits, RDKit::AtomPairs::getHashedAtomPairFingerprint(*mol, L2R_FOLDED));
    compare("pairs", smiles, L2R_FOLDED, rows[L2R_DESCRIBE_PAIRS], rdkits.data());
    unfold(rdkits, RDKit::AtomPairs::getHashedTopologicalTorsionFingerprint(*mol, L2R_FOLDED));
    compare("torsion", smiles, L2R_FOLDED, rows[L2R_DESCRIBE_TORSION], rdkits.data());
    std::unique_ptr<RDNumeric::DoubleVector> reduced(RDKit::ReducedGraphs::getErGFingerprint(*fresh));
    rdkits.assign(reduced->getData(), reduced->getData() + L2R_ERG_NUMBERS);
    compare("erg", smiles, L2R_ERG_NUMBERS, rows[L2R_DESCRIBE_ERG], rdkits.data());
    std::map<std::string, double> expected = rdkits_descriptors(*mol);
    rdkits = ours[L2R_DESCRIBE_DESCRIPTORS];
    for (int32_t i = 0; i < L2R_DESCRIPTORS; i++) {
        auto known = expected.find(l2r_descriptor_name(i));
        if (known == expected.end()) continue;
        float value = static_cast<float>(known->second);
        rdkits[static_cast<size_t>(i)] = std::isfinite(value) ? value : NAN;
    }
    compare("descriptor", smiles, L2R_DESCRIPTORS, rows[L2R_DESCRIBE_DESCRIPTORS], rdkits.data());
    return true;
}

/* Every step-th row that has a molecule in its column. */
size_t check_table(const std::string &path, size_t column, size_t step)
{
    std::ifstream file(path);
    std::string line, cell;
    size_t row = 0, n = 0;
    while (std::getline(file, line)) {
        std::istringstream cells(line);
        for (size_t c = 0; c <= column; c++) std::getline(cells, cell, ',');
        if (row++ == 0 || row % step != 0) continue;
        n += check(cell);
    }
    return n;
}

void odd_molecules(void **)
{
    l2r::silence quiet;
    for (const char *smiles : odd)
        if (!check(smiles)) fail_msg("%s is refused", smiles);
    for (const std::string &smiles : large_ones())
        if (!check(smiles)) fail_msg("%s is refused", smiles.c_str());
}

void real_molecules(void **)
{
    static const struct {
        const char *name;
        size_t column, step;
    } tables[] = {{"bace", 0, 16}, {"bbbp", 0, 20}, {"clintox", 0, 15},
                  {"esol", 0, 11}, {"hiv", 0, 400}, {"tox21", 13, 80}};
    l2r::silence quiet;
    size_t n = 0;
    for (const auto &table : tables)
        n += check_table(std::string(L2R_TEST_DIR "/../../shared/data/smiles/") + table.name + ".csv", table.column,
                         table.step);
    if (n == 0 && !std::getenv("L2R_REQUIRE_DATA")) skip();
    assert_true(n > 500);
}

} // namespace

/* as_rdkit FILE.csv COLUMN: every molecule of a table, for whoever changes a descriptor. */
int main(int n, char **words)
{
    if (n == 3) {
        l2r::silence quiet;
        std::printf("%zu molecules\n", check_table(words[1], static_cast<size_t>(std::atoi(words[2])), 1));
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(odd_molecules), cmocka_unit_test(real_molecules)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
