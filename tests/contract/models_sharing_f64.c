/* SPDX-License-Identifier: MIT
 * See models_sharing.h; in double. */
#define CLOSE 1e-10
#define CLOSE_BARE 1e-10
#include "contract/models_sharing.h"
