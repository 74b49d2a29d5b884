/* SPDX-License-Identifier: MIT
 *
 * Seeds: comma-separated numbers and ranges. Each seed has a folder of its own, so one that comes twice is a mistake.
 */
#include "cli/seeds.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

static enum l2r_status add(struct cli_seeds *seeds, int64_t seed, const char *text, struct l2r_error *error)
{
    for (int i = 0; i < seeds->n; i++)
        if (seeds->values[i] == seed)
            return l2r_fail(error, L2R_ERR_ARGUMENT, "--seeds %s: seed %lld comes twice", text, (long long)seed);
    if (seeds->n == CLI_MAX_SEEDS)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "--seeds %s: more than %d seeds", text, CLI_MAX_SEEDS);
    seeds->values[seeds->n++] = seed;
    return L2R_OK;
}

/* A whole number 0 .. 2^32-1 at *at, which moves behind it. */
static enum l2r_status number(int64_t *value, const char **at, const char *text, struct l2r_error *error)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "--seeds %s: expected a list such as 0-9 or 0,3,5", text);
    errno = 0;
    *value = strtoll(*at, &end, 10);
    if (errno != 0 || *value > UINT32_MAX)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "--seeds %s: a seed is a whole number from 0 to %u", text, UINT32_MAX);
    *at = end;
    return L2R_OK;
}

enum l2r_status cli_seeds_parse(struct cli_seeds *seeds, const char *text, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *at = text;
    seeds->n = 0;
    for (;;) {
        int64_t first, last;
        L2R_TRY(number(&first, &at, text, error));
        last = first;
        if (*at == '-') {
            at++;
            L2R_TRY(number(&last, &at, text, error));
        }
        if (last < first)
            L2R_FAIL(L2R_ERR_ARGUMENT, "--seeds %s: the range %lld-%lld runs backwards", text, (long long)first,
                     (long long)last);
        for (int64_t seed = first; seed <= last; seed++) L2R_TRY(add(seeds, seed, text, error));
        if (*at == '\0') break;
        if (*at != ',') L2R_FAIL(L2R_ERR_ARGUMENT, "--seeds %s: expected a list such as 0-9 or 0,3,5", text);
        at++;
    }
done:
    return status;
}
