/* SPDX-License-Identifier: MIT
 *
 * Intervals of a regression around an ensemble's prediction (ensemble.h), in one of two ways:
 *
 *     conformal   ŷ ∓ h              the same width for all graphs: the mean of the models' own (model/calibration.h)
 *     by spread   ŷ ∓ q·(s + β)      s: the standard deviation over the models for this graph, so that the interval is
 *                                    wide where they disagree; q: the ⌈(n+1)c⌉-th smallest of |ŷ − y| / (s + β) over
 *                                    the n validation graphs, so that it covers a share c of these or more
 *
 * β is a tenth of the median s on validation: models that happen to agree must not give an interval of width 0.
 */
#include "base/memory.h"
#include "model/ensemble.h"
#include "model/predictor_state.h"
#include "model/run_names.h"
#include "model/scored.h"

#include <math.h>
#include <stdlib.h>

/* half [outputs]: the mean over the models of half the width of their intervals. */
static enum l2r_status find_half_widths(struct l2r_ensemble *c, double coverage, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t n = c->n_outputs;
    if (!c->half) c->half = l2r_alloc(2 * (size_t)n, sizeof *c->half);
    if (!c->half) return l2r_fail_memory(error, 2 * (size_t)n * sizeof *c->half, "intervals");
    for (int32_t i = 0; i < n; i++) c->half[i] = 0;
    for (int k = 0; k < c->n_models; k++) {
        double *of_model = c->half + n;
        L2R_TRY(l2r_predictor_half_widths(of_model, c->models[k], coverage == 0 ? (double)NAN : coverage, error));
        for (int32_t i = 0; i < n; i++) c->half[i] += of_model[i] / c->n_models;
    }
done:
    return status;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* q and β of target k. room: [2 × graphs]. */
static enum l2r_status scale_target(struct l2r_ensemble *c, int32_t k, double coverage, const struct l2r_scores *s,
                                    const float *spread, double *room, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_arena arena;
    struct l2r_residuals kept;
    double distance, *spreads = room, *ratios = room + s->n_graphs, least = 0;
    int64_t n = 0;
    l2r_arena_init(&arena);
    for (int64_t g = 0; g < s->n_graphs; g++)
        if (l2r_scores_distance(&distance, s, g, k)) spreads[n++] = (double)spread[g * s->n_tasks + k];
    if (n > 0) {
        qsort(spreads, (size_t)n, sizeof *spreads, ascending);
        least = 0.1 * spreads[n / 2];
    }
    n = 0;
    for (int64_t g = 0; g < s->n_graphs; g++)
        if (l2r_scores_distance(&distance, s, g, k))
            ratios[n++] = fabs(distance) / fmax((double)spread[g * s->n_tasks + k] + least, 1e-12);
    L2R_TRY(l2r_residuals_keep(&kept, &arena, ratios, n, error));
    c->scale[k] = l2r_residuals_half(&kept, coverage);
    c->scale[c->n_outputs + k] = least;
done:
    l2r_arena_clear(&arena);
    return status;
}

static enum l2r_status check(const struct l2r_ensemble *c, struct l2r_error *error)
{
    if (c->task != L2R_TASK_REGRESSION)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "a %s task has probabilities, not intervals", l2r_task_name(c->task));
    if (c->n_members < 2)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "one model has no spread; intervals that follow it need several, or a committee (`members`)");
    if (!l2r_ensemble_shares_split(c))
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "the models have different splits: validation graphs of one trained another, so the spread "
                        "cannot be scaled on them");
    return L2R_OK;
}

/* The models before the refit, where models were refitted (recipe/refit.h) and so were trained on the validation
 * graphs; NULL: none was. */
static enum l2r_status open_unseen(struct l2r_ensemble **unseen, const struct l2r_ensemble *c, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool any = false;
    size_t room = sizeof c->models[0]->checkpoint + sizeof L2R_CHOSEN_FILE;
    const char **paths = l2r_alloc((size_t)c->n_models, sizeof *paths);
    char *texts = l2r_alloc((size_t)c->n_models, room);
    *unseen = NULL;
    if (!paths || !texts) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: intervals");
    for (int k = 0; k < c->n_models; k++) {
        char *text = texts + (size_t)k * room;
        bool again = l2r_trained_is_refitted(c->models[k]->trained);
        bool found = again && l2r_chosen_find(text, room, c->models[k]->checkpoint);
        if (again && !found)
            L2R_FAIL(L2R_ERR_ARGUMENT,
                     "%s was trained on the validation graphs (`refit`), and " L2R_CHOSEN_FILE
                     " of its run, on which the spread could be scaled, is not beside it",
                     c->models[k]->checkpoint);
        paths[k] = found ? text : c->models[k]->checkpoint;
        any = any || found;
    }
    if (any) L2R_TRY(l2r_ensemble_open(unseen, paths, c->n_models, error));
done:
    l2r_free((void *)paths);
    l2r_free(texts);
    return status;
}

/* On the validation graphs of the runs, which are the same for all models. */
static enum l2r_status find_scale(struct l2r_ensemble *c, double coverage, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset *data = NULL;
    struct l2r_split split = {0};
    struct l2r_scored scored = {0};
    struct l2r_ensemble *unseen = NULL;
    struct l2r_answers answers = L2R_ANSWERS_INIT;
    const struct l2r_calibration *calibration = c->models[0]->committee.calibration;
    double *room = NULL;
    if (coverage == 0) coverage = calibration ? calibration->coverage : 0.9;
    if (c->scale && c->scaled_for == coverage) return L2R_OK;
    L2R_TRY(check(c, error));
    L2R_TRY(l2r_predictor_open_data(&data, &split, c->models[0], error));
    int64_t n = l2r_split_size(&split, L2R_PART_VALID);
    if (n == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "the runs have no validation graphs, on which the spread could be scaled");
    const int32_t *graphs = l2r_split_part(&split, L2R_PART_VALID);
    if (!c->scale) c->scale = l2r_alloc(2 * (size_t)c->n_outputs, sizeof *c->scale);
    answers.spread = l2r_alloc((size_t)(n * c->n_outputs), sizeof *answers.spread);
    room = l2r_alloc(2 * (size_t)n, sizeof *room);
    if (!c->scale || !answers.spread || !room) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: intervals");
    c->scaled_for = 0;
    L2R_TRY(open_unseen(&unseen, c, error));
    struct l2r_ensemble *scoring = unseen ? unseen : c;
    L2R_TRY(l2r_predictor_scored(&scored, scoring->models[0], data, graphs, n, error));
    answers.output = scored.output;
    L2R_TRY(l2r_ensemble_answer(&answers, scoring, data, graphs, n, error));
    for (int32_t k = 0; k < c->n_outputs; k++)
        L2R_TRY(scale_target(c, k, coverage, &scored.scores, answers.spread, room, error));
    c->scaled_for = coverage;
done:
    l2r_free(room);
    l2r_free(answers.spread);
    l2r_scored_clear(&scored);
    l2r_split_clear(&split);
    l2r_dataset_free(data);
    l2r_ensemble_free(unseen);
    return status;
}

enum l2r_status l2r_ensemble_find_intervals(struct l2r_ensemble *c, double coverage, bool by_spread,
                                            struct l2r_error *error)
{
    if (!(coverage >= 0 && coverage < 1))
        return l2r_fail(error, L2R_ERR_ARGUMENT, "coverage = %g; expected a number between 0 and 1", coverage);
    return by_spread ? find_scale(c, coverage, error) : find_half_widths(c, coverage, error);
}
