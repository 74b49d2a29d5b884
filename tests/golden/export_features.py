#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes features.json: what RDKit's Python says about a few molecules (tests/unit/chem/describe.c compares).

    python3 tests/golden/export_features.py > tests/golden/features.json      (Debian 12: python3-rdkit, 2022.09.3)

Descriptors by name, fingerprints as {place: count}. Python's own implementations of the E-state, Balaban's J and the
functional groups are independent of the C++ under test.
"""
import json
import math

from rdkit import Chem, rdBase
from rdkit.Chem import Descriptors, rdMolDescriptors, rdReducedGraphs
from rdkit.Chem.EState import EState_VSA

SMILES = ["CC(=O)Oc1ccccc1C(=O)O", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "C[C@H](N)C(=O)O", "O=S(=O)(N)c1ccc(Cl)cc1",
          "[Na+].[Cl-]", "C", "FC(F)(F)c1cc(Br)c(I)nc1C#N", "CCOP(=S)(OCC)Oc1cc(C)nc(n1)C(C)C", "O=[N+]([O-])c1ccccc1"]


def descriptors(mol):
    properties = rdMolDescriptors.Properties()
    values = dict(zip(properties.GetPropertyNames(), properties.ComputeProperties(mol)))
    for name, numbers in (("SlogP_VSA", rdMolDescriptors.SlogP_VSA_(mol)), ("SMR_VSA", rdMolDescriptors.SMR_VSA_(mol)),
                          ("PEOE_VSA", rdMolDescriptors.PEOE_VSA_(mol)), ("MQN", rdMolDescriptors.MQNs_(mol)),
                          ("VSA_EState", EState_VSA.VSA_EState_(mol)), ("EState_VSA", EState_VSA.EState_VSA_(mol))):
        values.update({f"{name}{i + 1}": float(x) for i, x in enumerate(numbers)})
    for name, function in Descriptors.descList:
        if name.startswith("fr_") or name in ("MaxPartialCharge", "MinPartialCharge", "MaxAbsPartialCharge",
                                              "MinAbsPartialCharge", "MaxEStateIndex", "MinEStateIndex",
                                              "MaxAbsEStateIndex", "MinAbsEStateIndex", "BalabanJ", "FpDensityMorgan1",
                                              "FpDensityMorgan2", "FpDensityMorgan3", "NumValenceElectrons",
                                              "NumRadicalElectrons"):
            values[name] = float(function(mol))
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def main():
    molecules = []
    for smiles in SMILES:
        mol = Chem.MolFromSmiles(smiles)
        counts = {"morgan": rdMolDescriptors.GetHashedMorganFingerprint(mol, 2, 1024),
                  "pairs": rdMolDescriptors.GetHashedAtomPairFingerprint(mol, 1024),
                  "torsion": rdMolDescriptors.GetHashedTopologicalTorsionFingerprint(mol, 1024)}
        erg = rdReducedGraphs.GetErGFingerprint(mol)
        molecules.append({"smiles": smiles, "descriptors": descriptors(mol),
                          **{k: {str(i): n for i, n in v.GetNonzeroElements().items()} for k, v in counts.items()},
                          "erg": {str(i): float(x) for i, x in enumerate(erg) if x}})
    print(json.dumps({"rdkit": rdBase.rdkitVersion, "molecules": molecules}, indent=0, sort_keys=True))


main()
