/* SPDX-License-Identifier: MIT
 *
 * A recipe: the fits that make a model, and how they are combined. It does not depend on a folder; with a store
 * (store/store.h) or without, the model has the same bits.
 *
 *     build     --members ─► a fit for each member (recipe/member_options.h); all of them are checked and built before
 *               the first epoch
 *     train     each member: fit ─► with --refit, a refit on training and validation graphs (recipe/refit.h);
 *               members train side by side (recipe/scheduler.h)
 *     finish    the networks of the fits ─► one model with calibration and applicability domain; with --refit the model
 *               that validation chose and the refitted one, which has the calibration of the other; scores of all parts
 */
#ifndef L2R_RECIPE_RECIPE_H
#define L2R_RECIPE_RECIPE_H

#include "fit/fit.h"
#include "model/trained.h"
#include "recipe/result.h"

/* A member of the model: its fit and, with --refit, its refit. */
struct l2r_recipe_member {
    int number;                               /* from 1, among all that --members lists */
    struct l2r_config *config, *refit_config; /* the latter: NULL until the refit begins */
    struct l2r_fit_options options;           /* filled from config */
    struct l2r_fit fit, refit;                /* of members behind the first, cleared when they have ended */
    struct l2r_member *model, *refitted;      /* copies of the networks; the model takes them */
    int64_t best_epoch, epochs, n_parameters;
    double seconds; /* of both fits */
};

/* Saves fits and records their epochs; every function may be NULL. */
struct l2r_recipe_store {
    void *context;
    enum l2r_status (*restore)(void *context, struct l2r_fit *fit, struct l2r_error *error); /* see fit/fit.h */
    enum l2r_status (*save)(void *context, struct l2r_fit *fit, struct l2r_error *error);
    enum l2r_status (*record)(void *context, const char *fit, const json_t *line, struct l2r_error *error);
};

struct l2r_recipe {
    const struct l2r_config *config; /* of the run */
    struct l2r_fit_options options;  /* filled from it */
    const struct l2r_dataset *data;
    const struct l2r_split *split;
    struct l2r_comm *comm;                 /* ranks that share every batch; NULL: alone */
    const struct l2r_callbacks *callbacks; /* NULL: none */
    const struct l2r_recipe_store *store;  /* NULL: none */
    bool refits;
    struct l2r_split joined; /* validation graphs among the training graphs: the split of refits */
    int n;
    struct l2r_recipe_member *members; /* [n] */

    struct l2r_trained *model;  /* NULL: not finished; after divergence the best so far of a single member */
    struct l2r_trained *chosen; /* with refits: the model that validation chose */
    struct l2r_result result;
    struct l2r_history history;
};

/* Config, data, split and callbacks must outlive the recipe. */
enum l2r_status l2r_recipe_build(struct l2r_recipe *recipe, const struct l2r_config *config,
                                 const struct l2r_dataset *data, const struct l2r_split *split, struct l2r_comm *comm,
                                 const struct l2r_callbacks *callbacks, struct l2r_error *error);
/* Trains and finishes: model and result. store: NULL where nothing is kept. */
enum l2r_status l2r_recipe_train(struct l2r_recipe *recipe, const struct l2r_recipe_store *store,
                                 struct l2r_error *error);
void l2r_recipe_clear(struct l2r_recipe *recipe);

/* Checks the options alone, before the data is loaded: members that do not exist, an impossible refit. */
enum l2r_status l2r_recipe_check(const struct l2r_config *config, struct l2r_error *error);

/* recipe/finish.c */
enum l2r_status l2r_recipe_finish(struct l2r_recipe *recipe, struct l2r_error *error);
/* The model of the first `n` members as they were chosen. */
enum l2r_status l2r_recipe_assemble(struct l2r_trained **model, struct l2r_recipe *recipe, struct l2r_error *error);

#endif
