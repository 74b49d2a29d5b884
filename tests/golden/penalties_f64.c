/* SPDX-License-Identifier: MIT
 * Penalties over environments against PyTorch once more, in double. */
#include "golden/penalties.c"
