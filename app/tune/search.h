/* SPDX-License-Identifier: MIT
 *
 * Which values trial k gets.
 *
 *     random   each option's value is a pure function of (search seed, option name, k): trial k is the same whatever
 *              else ran, adding an option changes no draw of another, and methods that share an option share its draws
 *     grid     every combination, the last option changing fastest; a range needs a number of values unless it holds
 *              only a few integers
 *
 * Trial k is draw number k of an endless space; where few values can be combined, a draw that repeats an earlier one is
 * passed over, and there are no more trials than combinations.
 *
 * Values are text, as a user would type them (reals rounded to three digits), so that the printed command repeats the
 * trial exactly.
 */
#ifndef L2R_TUNE_SEARCH_H
#define L2R_TUNE_SEARCH_H

#include "tune/space.h"

enum l2r_search_kind { L2R_SEARCH_RANDOM, L2R_SEARCH_GRID };

struct l2r_search {
    const struct l2r_space *space;
    enum l2r_search_kind kind;
    uint64_t seed;
    int64_t trials; /* at most; of a grid 0: all */
};

/* Trials for a config: at most search->trials and at most the combinations of the dimensions that the config has. An
 * error when a grid has no end or is larger than search->trials. */
enum l2r_status l2r_search_size(int64_t *n, const struct l2r_search *search, const struct l2r_config *config,
                                struct l2r_error *error);

/* draws [n]: the numbers of the first n draws that differ from each other, n being the size above. The config is left
 * with the values of one of them. */
enum l2r_status l2r_search_plan(int64_t *draws, const struct l2r_search *search, struct l2r_config *config, int64_t n,
                                struct l2r_error *error);

/* Sets the values of a draw, of the dimensions that the config has. */
enum l2r_status l2r_search_set(struct l2r_config *config, const struct l2r_search *search, int64_t draw,
                               struct l2r_error *error);

/* Different values of a dimension; 0: too many to list. */
int64_t l2r_dimension_points(const struct l2r_dimension *dimension);
/* Value number i of these, and a random one. */
void l2r_dimension_point(char value[L2R_SPACE_VALUE], const struct l2r_dimension *dimension, int64_t i);
void l2r_dimension_draw(char value[L2R_SPACE_VALUE], const struct l2r_dimension *dimension, uint64_t seed,
                        int64_t trial);

#endif
