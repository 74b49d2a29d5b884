/* SPDX-License-Identifier: MIT
 *
 * Lists of seeds as typed: "0-9", "0,3,5", "0-4,10".
 */
#ifndef L2R_CLI_SEEDS_H
#define L2R_CLI_SEEDS_H

#include "base/status.h"

#include <stdint.h>

enum { CLI_MAX_SEEDS = 1000 };

struct cli_seeds {
    int64_t values[CLI_MAX_SEEDS];
    int n;
};

/* In the order typed, each once. */
enum l2r_status cli_seeds_parse(struct cli_seeds *seeds, const char *text, struct l2r_error *error);

#endif
