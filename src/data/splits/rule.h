/* SPDX-License-Identifier: MIT
 *
 * A split rule divides graphs into training, validation and test graphs. src/data/splits/rules/NAME.c defines
 * `l2r_split_rule_NAME`; the build writes the list l2r_split_rules from the file names, and the choices of --split,
 * help and `l2r list splits` follow from it. An underscore in a file name is a hyphen in the rule's name:
 * scaffold_balanced.c is --split scaffold-balanced.
 *
 *     data set, options  --rule-->  part[g] for every graph g  --split.c-->  three sorted lists
 *
 * A rule is deterministic: its random numbers depend on the split seed alone. It does not check that something is left
 * to train on; split.c does that for all.
 */
#ifndef L2R_DATA_SPLITS_RULE_H
#define L2R_DATA_SPLITS_RULE_H

#include "data/splits/split.h"

/* Input and output of a rule. */
struct l2r_splitting {
    const struct l2r_dataset *data;
    const struct l2r_config *config; /* for the rule's own options */
    uint64_t seed;
    double valid_fraction, test_fraction;
    uint8_t *part;                         /* [n_graphs], to be filled: L2R_PART_* */
    struct l2r_environments *environments; /* a rule that knows some fills them (l2r_environments_name_all, "split") */
    const char *note;                      /* a note for the user; NULL: none */
    const char *rule; /* the rule's name; "file" puts the name and the seed of the rule that made the file here */
};

struct l2r_split_rule {
    const char *name;                 /* "size" */
    const char *help;                 /* one line for `l2r list splits` */
    const struct l2r_option *options; /* its own, ending with a zero row; NULL: none */
    const char *when_empty; /* what to do when no graph is left to train on, as a message goes on; may be NULL */
    enum l2r_status (*split)(struct l2r_splitting *s, struct l2r_error *error);
};

extern const struct l2r_split_rule *const l2r_split_rules[]; /* NULL at the end */
/* NULL: there is none of that name. */
const struct l2r_split_rule *l2r_split_rule_find(const char *name);

/* For rules that use the fractions: an error when these leave nothing to train on. */
enum l2r_status l2r_split_check_fractions(const struct l2r_splitting *s, struct l2r_error *error);

/* --folds and --fold: fills s->part and names the rule; note: "fold 2 of 5". rule: the name typed, NULL for auto, which
 * keeps scaffolds together where there are any and strata alike elsewhere (folds.c). */
enum l2r_status l2r_split_deal_folds(struct l2r_splitting *s, char *note, size_t size, const char *rule,
                                     struct l2r_error *error);

/* fraction of n, to the nearest whole number. */
int64_t l2r_split_share(int64_t n, double fraction);

/* Deals the graphs out at random, each stratum in proportion. stratum(data, g) is below n_strata. */
enum l2r_status l2r_split_by_chance(struct l2r_splitting *s, int32_t (*stratum)(const struct l2r_dataset *, int64_t),
                                    int32_t n_strata, struct l2r_error *error);

/* The largest training graph that published size splits use for a data set of this name; 0: none is known. */
int64_t l2r_split_known_size(const char *name);

/* Of molecules whose parts came with the data and do not validate: cuts the share of valid from train, whole scaffolds
 * as fixed-test does or, where these are too few, graphs at random. s->part is filled from data->official. */
enum l2r_status l2r_split_cut_validation(struct l2r_splitting *s, struct l2r_error *error);

/* Is the molecules' scaffold known? An error that names the rule otherwise. */
enum l2r_status l2r_split_need_scaffolds(const struct l2r_splitting *s, struct l2r_error *error);

/* Rules that keep groups of graphs together (molecules of one scaffold, rows of one year) count the groups, give each
 * of them a part, and spread the parts over the graphs. */
struct l2r_group {
    int32_t number;
    int64_t size, first; /* its lowest graph */
};

struct l2r_groups {
    const int32_t *group; /* [n_graphs]: the group of each graph, given */
    int32_t n;
    struct l2r_group *items; /* [n], by number */
    uint8_t *part;           /* [n], by number: to be filled, L2R_PART_TRAIN at first */
};

/* group [n_graphs]: numbers from 0 to below n_graphs. Clear it after a failure too. */
enum l2r_status l2r_groups_count(struct l2r_groups *groups, const int32_t *group, int64_t n_graphs,
                                 struct l2r_error *error);
/* The part of each group becomes that of its graphs. */
void l2r_groups_spread(uint8_t *part, const struct l2r_groups *groups, int64_t n_graphs);
void l2r_groups_clear(struct l2r_groups *groups);

#endif
