/* SPDX-License-Identifier: MIT
 * The comparison of models.c in double: agreement with torch up to the float32 in which the files are written. */
#include "golden/models.c"
