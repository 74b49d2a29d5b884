/* SPDX-License-Identifier: MIT
 * See models_sharing.h; in float. */
#define CLOSE 1e-5
#define CLOSE_BARE 1e-3
#include "contract/models_sharing.h"
