/* SPDX-License-Identifier: MIT
 *
 * See search.h. A draw has no state: the random number of (seed, option, trial) is computed from these three alone, so
 * that trials can run in any order, on any number of workers, and be added later.
 */
#include "tune/search.h"

#include "base/array.h"
#include "base/config.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FEW = 100, LARGEST_GRID = 100000 };

/* FNV-1a. Two names with the same sum would only share their draws. */
static uint32_t sum_of(const char *name)
{
    uint32_t sum = 2166136261u;
    for (; *name != '\0'; name++) sum = (sum ^ (unsigned char)*name) * 16777619u;
    return sum;
}

/* 0.00123456 -> "0.00123": more digits than a search can tell apart only make commands hard to read. The way over
 * "123e-5" gives the nearest double in any locale. Rounding never leaves the range. */
static void write_real(char value[L2R_SPACE_VALUE], const struct l2r_dimension *d, double x)
{
    char digits[64];
    double rounded = 0;
    if (x != 0) {
        int exponent = (int)floor(log10(fabs(x))) - 2;
        snprintf(digits, sizeof digits, "%.0fe%d", round(x / pow(10, exponent)), exponent);
        if (!l2r_parse_real(&rounded, digits)) rounded = x;
    }
    if (rounded <= d->low || rounded >= d->high) {
        snprintf(value, L2R_SPACE_VALUE, "%s", x - d->low < d->high - x ? d->low_text : d->high_text);
        return;
    }
    l2r_json_number(digits, rounded);
    snprintf(value, L2R_SPACE_VALUE, "%s", digits);
}

/* The value a share `at` (0..1) of the way along the range. */
static void write_along(char value[L2R_SPACE_VALUE], const struct l2r_dimension *d, double at)
{
    double x = d->log ? d->low * pow(d->high / d->low, at) : d->low + (d->high - d->low) * at;
    x = fmin(fmax(x, d->low), d->high);
    if (d->whole)
        snprintf(value, L2R_SPACE_VALUE, "%.0f", round(x));
    else
        write_real(value, d, x);
}

int64_t l2r_dimension_points(const struct l2r_dimension *d)
{
    if (d->n_values > 0) return d->n_values;
    if (d->points > 0) return d->points;
    return d->whole && !d->log && d->high - d->low < FEW ? (int64_t)(d->high - d->low) + 1 : 0;
}

void l2r_dimension_point(char value[L2R_SPACE_VALUE], const struct l2r_dimension *d, int64_t i)
{
    if (d->n_values > 0)
        snprintf(value, L2R_SPACE_VALUE, "%s", d->values[i]);
    else
        write_along(value, d, (double)i / (double)(l2r_dimension_points(d) - 1));
}

void l2r_dimension_draw(char value[L2R_SPACE_VALUE], const struct l2r_dimension *d, uint64_t seed, int64_t trial)
{
    struct l2r_rng rng = l2r_rng_at(seed, L2R_RANDOM_TUNE, (uint64_t)sum_of(d->name) << 32 | (uint64_t)trial);
    int64_t points = l2r_dimension_points(d);
    if (points > 0) {
        l2r_dimension_point(value, d, (int64_t)l2r_rng_below(&rng, (uint64_t)points));
        return;
    }
    double at = l2r_rng_uniform(&rng);
    if (d->whole && !d->log) /* each whole number is as likely as the others: rounding would halve the ends */
        snprintf(value, L2R_SPACE_VALUE, "%.0f", fmin(floor(d->low + at * (d->high - d->low + 1)), d->high));
    else
        write_along(value, d, at);
}

/* How many combinations the dimensions that the config has give: LARGEST_GRID + 1 when there are more than
 * LARGEST_GRID. *endless becomes a dimension whose values cannot be listed, or NULL. */
static int64_t count_combinations(const struct l2r_dimension **endless, const struct l2r_search *search,
                                  const struct l2r_config *config)
{
    int64_t n = 1;
    *endless = NULL;
    for (size_t i = 0; i < search->space->n; i++) {
        const struct l2r_dimension *d = &search->space->dimensions[i];
        if (!l2r_config_has(config, d->name)) continue;
        int64_t points = l2r_dimension_points(d);
        if (points == 0) *endless = d;
        n = points == 0 || n * points > LARGEST_GRID ? LARGEST_GRID + 1 : n * points;
    }
    return n;
}

static enum l2r_status grid_size(int64_t *n, const struct l2r_search *search, const struct l2r_config *config,
                                 struct l2r_error *error)
{
    const struct l2r_dimension *d;
    *n = count_combinations(&d, search, config);
    if (d != NULL)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "--space: a grid needs to know how many values of --%s to try; write %s=%s..%s%s:5 for five",
                        d->name, d->name, d->low_text, d->high_text, d->log ? ":log" : "");
    if (*n > LARGEST_GRID)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "--space: the grid has more than %d combinations; --search random tries a part of them",
                        LARGEST_GRID);
    if (search->trials > 0 && *n > search->trials)
        return l2r_fail(
            error, L2R_ERR_ARGUMENT,
            "--space: the grid has %lld combinations, more than --trials %lld; name fewer values, or try some "
            "of them with --search random",
            (long long)*n, (long long)search->trials);
    return L2R_OK;
}

enum l2r_status l2r_search_size(int64_t *n, const struct l2r_search *search, const struct l2r_config *config,
                                struct l2r_error *error)
{
    const struct l2r_dimension *endless;
    if (search->kind == L2R_SEARCH_GRID) return grid_size(n, search, config, error);
    int64_t combinations = count_combinations(&endless, search, config);
    *n = combinations < search->trials ? combinations : search->trials;
    return L2R_OK;
}

/* All values of the current draw in one text. */
static bool write_values(struct l2r_text *text, const struct l2r_search *search, const struct l2r_config *config)
{
    l2r_text_clear(text);
    l2r_text_puts(text, "");
    for (size_t i = 0; i < search->space->n; i++)
        if (l2r_config_has(config, search->space->dimensions[i].name))
            l2r_text_print(text, "%s\n", l2r_config_text(config, search->space->dimensions[i].name));
    return !text->failed;
}

enum l2r_status l2r_search_plan(int64_t *draws, const struct l2r_search *search, struct l2r_config *config, int64_t n,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_distinct_texts seen = {0};
    struct l2r_text text = {0};
    for (int64_t draw = 0, found = 0; found < n; draw++) {
        L2R_TRY(l2r_search_set(config, search, draw, error));
        int32_t number = write_values(&text, search, config) ? l2r_distinct_texts_add(&seen, text.text) : -1;
        if (number < 0) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the trials");
        if (number == found) draws[found++] = draw;
    }
done:
    l2r_distinct_texts_clear(&seen);
    l2r_text_clear(&text);
    return status;
}

enum l2r_status l2r_search_set(struct l2r_config *config, const struct l2r_search *search, int64_t draw,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t rest = draw;
    for (size_t i = search->space->n; i-- > 0;) {
        const struct l2r_dimension *d = &search->space->dimensions[i];
        char value[L2R_SPACE_VALUE];
        if (!l2r_config_has(config, d->name)) continue;
        int64_t points = search->kind == L2R_SEARCH_GRID ? l2r_dimension_points(d) : 0;
        if (points > 0) {
            l2r_dimension_point(value, d, rest % points);
            rest /= points;
        } else {
            l2r_dimension_draw(value, d, search->seed, draw);
        }
        L2R_TRY(l2r_config_set(config, d->name, value, error));
    }
done:
    return status;
}
