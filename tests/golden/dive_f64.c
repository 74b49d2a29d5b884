/* SPDX-License-Identifier: MIT
 * The loss of DIVE against PyTorch once more, in double. */
#include "golden/dive.c"
