/* SPDX-License-Identifier: MIT
 * Gates on edges against PyTorch once more, in double. */
#include "golden/dive.c"
