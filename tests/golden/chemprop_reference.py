#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Predictions of chemprop 2.3.1 for the checkpoints of tests/support/torch_checkpoint.h, as the arrays of
tests/unit/model/chemprop.c. Run it in an environment with that version:

    python tests/golden/chemprop_reference.py
"""
import math

import torch
from chemprop.data import MoleculeDatapoint, MoleculeDataset, build_dataloader
from chemprop.models import MPNN
from chemprop.nn import (BinaryClassificationFFN, BondMessagePassing, MeanAggregation, MulticlassClassificationFFN,
                         NormAggregation, RegressionFFN, SumAggregation, UnscaleTransform)
from chemprop.featurizers import MultiHotAtomFeaturizer, SimpleMoleculeMolGraphFeaturizer
from rdkit import Chem

SMILES = ["CCO", "C", "c1ccccc1C(=O)[O-].[Na+]", "C/C=C/C1CC1", "[2H]C([13CH3])(Cl)Br", "C[C@@H](N)C(=O)NCC#N",
          "c1ccc2c(c1)[nH]cc2", "FS(F)(F)(F)(F)F"]


def value(name, t, i):
    x = 0.4 * math.sin(0.7 * i + 1.3 * t)
    return 1 + abs(x) if "var" in name or "scale" in name else x


def fill(model):
    """Tensors in the order of the state dict, those of training left out."""
    state, t = model.state_dict(), 0
    order = ["message_passing", "bn", "predictor.ffn", "predictor.output_transform"]
    names = [name for part in order for name in state if name.startswith(part) and "batches" not in name]
    for name in names:
        n = state[name].numel()
        state[name] = torch.tensor([value(name, t, i) for i in range(n)], dtype=torch.float32).reshape(
            state[name].shape)
        t += 1
    model.load_state_dict(state)
    return model.eval()


def case(name, passing, aggregation, predictor, batch_norm, atoms=None):
    model = fill(MPNN(passing, aggregation, predictor, batch_norm=batch_norm))
    named = {"atom_featurizer": atoms} if atoms else {}
    featurizer = SimpleMoleculeMolGraphFeaturizer(**named)
    data = MoleculeDataset([MoleculeDatapoint(mol=Chem.MolFromSmiles(s)) for s in SMILES], featurizer)
    rows = []
    with torch.inference_mode():
        for batch in build_dataloader(data, shuffle=False):
            rows += model(batch.bmg, batch.V_d, batch.X_d).reshape(len(batch.Y), -1).tolist()
    print(f"static const double {name}[] = {{" + ", ".join(f"{x:.8g}" for row in rows for x in row) + "};")


def main():
    scale = UnscaleTransform([0.0, 0.0], [1.0, 1.0])
    case("regression", BondMessagePassing(d_h=8, bias=True, depth=4, activation="tanh"), NormAggregation(norm=50),
         RegressionFFN(n_tasks=2, input_dim=8, hidden_dim=5, n_layers=2, activation="tanh", output_transform=scale),
         True)
    case("binary", BondMessagePassing(d_h=6, depth=3), MeanAggregation(),
         BinaryClassificationFFN(n_tasks=3, input_dim=6, hidden_dim=7, n_layers=1), False)
    case("classes", BondMessagePassing(d_h=6, depth=2, activation="elu"), SumAggregation(),
         MulticlassClassificationFFN(n_classes=3, n_tasks=1, input_dim=6, n_layers=0, activation="elu"), False)
    v1 = MultiHotAtomFeaturizer.v1()
    case("first_features", BondMessagePassing(d_v=len(v1), d_h=6, depth=1, activation="leakyrelu"), SumAggregation(),
         RegressionFFN(n_tasks=1, input_dim=6, hidden_dim=4, n_layers=1, activation="leakyrelu"), False, v1)


if __name__ == "__main__":
    main()
