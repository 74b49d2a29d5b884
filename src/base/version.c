/* SPDX-License-Identifier: MIT
 * The version comes from CMakeLists.txt, the one place that states it. */
#include <l2r/l2r.h>

const char *l2r_version(void)
{
    return L2R_VERSION;
}
