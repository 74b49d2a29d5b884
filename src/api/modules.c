/* SPDX-License-Identifier: MIT
 * The calls of l2r/status.h about this build of the library. */
#include <l2r/status.h>

#include "base/module.h"
#include "chem/molecule.h"
#include "comm/comm.h"
#include "nn/booster.h"

#include <string.h>

extern const unsigned char l2r_abi_text[]; /* docs/api/abi.json (cmake/Embed.cmake) */

const char *l2r_abi_json(void)
{
    return (const char *)l2r_abi_text;
}

bool l2r_has(const char *what)
{
    if (!what) return false;
    if (strcmp(what, "rdkit") == 0) return l2r_chem_version() != NULL;
    if (strcmp(what, "xgboost") == 0) return l2r_booster_version() != NULL;
    return strcmp(what, "mpi") == 0 && l2r_mpi_is_there();
}
