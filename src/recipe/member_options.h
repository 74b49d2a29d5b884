/* SPDX-License-Identifier: MIT
 *
 * Parses --members (recipe/recipe.h) into the options of each member. */
#ifndef L2R_RECIPE_MEMBER_OPTIONS_H
#define L2R_RECIPE_MEMBER_OPTIONS_H

#include "base/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { L2R_MEMBER_ITEM = 512 }; /* bytes of "boost:depth=4" */

/* How many, the first included; items of a list are counted. 0: not a committee. alike: so many of the run's model. */
enum l2r_status l2r_member_count(int *n, bool *alike, const struct l2r_config *config, struct l2r_error *error);
/* Item k of the list "A,B:x=1,C", from 0; false: there are not as many. */
bool l2r_member_item(char *item, size_t size, const char *list, int k);
/* The options of member k, which `item` describes; "": those of the run. `item` is modified. */
enum l2r_status l2r_member_config(struct l2r_config **config, const struct l2r_config *run, char *item, int k,
                                  struct l2r_error *error);

/* Many tasks in the default committee: fewer trees for each, and larger steps of boosted ones. Nothing for few tasks
 * and other members. */
enum l2r_status l2r_member_share_trees(struct l2r_config *member, const struct l2r_config *run,
                                       const struct l2r_dataset *data, struct l2r_error *error);

/* Bit k of *left_out: member k of the default committee is left out, because its trees would take too much memory or
 * time for this data; and a sentence about those members, "" where all are kept. */
enum l2r_status l2r_members_afford(uint64_t *left_out, char *sentence, size_t size, const struct l2r_config *config,
                                   const struct l2r_dataset *data, struct l2r_error *error);

#endif
