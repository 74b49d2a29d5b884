/* SPDX-License-Identifier: MIT
 * The tests of optimiser.c with double parameters: agreement with torch to 13 digits. */
#include "unit/nn/optimiser.c"
