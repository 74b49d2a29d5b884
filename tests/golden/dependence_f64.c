/* SPDX-License-Identifier: MIT
 * The weighted dependence against PyTorch once more, in double. */
#include "golden/dependence.c"
