/* SPDX-License-Identifier: MIT
 *
 * For programs that are linked without the file that the build writes (cmake/Commit.cmake): tests, which would all be
 * linked again after every commit. Where that file is linked, the linker takes nothing from this one. */
#include "results/results.h"

const char l2r_build_commit[] = "unknown";
