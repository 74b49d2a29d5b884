/* SPDX-License-Identifier: MIT
 * The paper's form of L2R-GNN against PyTorch once more, in double. */
#include "golden/l2r_paper.c"
