/* SPDX-License-Identifier: MIT
 * Weighted HSIC against PyTorch once more, in double. */
#include "golden/hsic.c"
