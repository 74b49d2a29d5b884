/* SPDX-License-Identifier: MIT
 *
 * Models of different splits, as of a cross-validation: each graph is predicted by the models that may predict it, and
 * by no other.
 *
 *     uses      model 0 1 2
 *     graph 0         1 . .     fold 0 has not seen it
 *     graph 1         . 1 1     two replicates have not
 *
 * Graphs with equal rows of `uses` are predicted together, by an ensemble that borrows the models and the room of the
 * whole one. */
#include "model/ensemble.h"

#include "base/memory.h"
#include "model/predictor_state.h"

#include <stddef.h>
#include <string.h>

/* The models of one row of `uses`; models [n_models] is their room. */
static struct l2r_ensemble part_of(struct l2r_predictor **models, const struct l2r_ensemble *c, const uint8_t *uses)
{
    struct l2r_ensemble part = *c;
    part.models = models;
    part.n_models = part.n_members = 0;
    part.half = part.scale = NULL;
    for (int k = 0; k < c->n_models; k++) {
        if (!uses[k]) continue;
        models[part.n_models++] = c->models[k];
        part.n_members += c->models[k]->committee.n;
    }
    return part;
}

struct column {
    void *to;
    const void *from;
    size_t size; /* of a row */
};

/* The rows of `some` are rows at[0 … n−1] of `all`. */
static void scatter(const struct l2r_answers *all, const struct l2r_answers *some, const int64_t *at, int64_t n,
                    const struct l2r_ensemble *c)
{
    size_t row = (size_t)c->n_outputs * sizeof(float), classes = c->task == L2R_TASK_BINARY ? (size_t)c->n_outputs : 1;
    const struct column columns[] = {{all->output, some->output, row},
                                     {all->spread, some->spread, row},
                                     {all->low, some->low, row},
                                     {all->high, some->high, row},
                                     {all->distance, some->distance, sizeof(float)},
                                     {all->applicability, some->applicability, sizeof(float)},
                                     {all->unseen, some->unseen, sizeof(int32_t)},
                                     {all->choice, some->choice, classes * sizeof(int32_t)}};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        for (int64_t i = 0; columns[k].to && i < n; i++)
            memcpy((char *)columns[k].to + (size_t)at[i] * columns[k].size,
                   (const char *)columns[k].from + (size_t)i * columns[k].size, columns[k].size);
}

/* Room for the answers of n graphs, as many kinds as `like` has. */
static enum l2r_status make_room(struct l2r_answers *room, const struct l2r_answers *like, const struct l2r_ensemble *c,
                                 int64_t n, struct l2r_error *error)
{
    size_t rows = (size_t)n, cells = rows * (size_t)c->n_outputs;
    *room = *like;
    room->output = l2r_alloc(cells, sizeof(float));
    if (like->spread) room->spread = l2r_alloc(cells, sizeof(float));
    if (like->low) room->low = l2r_alloc(cells, sizeof(float));
    if (like->high) room->high = l2r_alloc(cells, sizeof(float));
    if (like->distance) room->distance = l2r_alloc(rows, sizeof(float));
    if (like->applicability) room->applicability = l2r_alloc(rows, sizeof(float));
    if (like->unseen) room->unseen = l2r_alloc(rows, sizeof(int32_t));
    if (like->choice) room->choice = l2r_alloc(c->task == L2R_TASK_BINARY ? cells : rows, sizeof(int32_t));
    bool whole = room->output && !room->spread == !like->spread && !room->low == !like->low &&
                 !room->high == !like->high && !room->distance == !like->distance &&
                 !room->applicability == !like->applicability && !room->unseen == !like->unseen &&
                 !room->choice == !like->choice;
    return whole ? L2R_OK : l2r_fail_memory(error, cells * sizeof(float), "predictions");
}

static void clear_room(struct l2r_answers *room)
{
    l2r_free(room->output);
    l2r_free(room->spread);
    l2r_free(room->low);
    l2r_free(room->high);
    l2r_free(room->distance);
    l2r_free(room->applicability);
    l2r_free(room->unseen);
    l2r_free(room->choice);
}

enum l2r_status l2r_ensemble_answer_by(const struct l2r_answers *answers, struct l2r_ensemble *ensemble,
                                       const struct l2r_dataset *data, const int32_t *graphs, const uint8_t *uses,
                                       int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t models = (size_t)ensemble->n_models;
    struct l2r_answers room = {0};
    struct l2r_ensemble part = {0};
    if (!uses || n == 0) return l2r_ensemble_answer(answers, ensemble, data, graphs, n, error);
    struct l2r_predictor **chosen = l2r_alloc(models, sizeof(struct l2r_predictor *));
    int32_t *some = l2r_alloc((size_t)n, sizeof *some);
    int64_t *at = l2r_alloc((size_t)n, sizeof *at);
    bool *done = l2r_alloc((size_t)n, sizeof *done);
    if (!chosen || !some || !at || !done)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: predictions by the models of different splits");
    if ((answers->distance || answers->applicability) && !ensemble->has_domain)
        L2R_TRY(l2r_ensemble_find_applicability(ensemble, error));
    L2R_TRY(make_room(&room, answers, ensemble, n, error));
    for (int64_t i = 0; i < n; i++) {
        const uint8_t *row = uses + (size_t)i * models;
        int64_t count = 0;
        if (done[i]) continue;
        for (int64_t j = i; j < n; j++) {
            if (done[j] || memcmp(row, uses + (size_t)j * models, models) != 0) continue;
            done[j] = true;
            some[count] = graphs[j];
            at[count++] = j;
        }
        part = part_of(chosen, ensemble, row);
        if (part.n_models == 0) L2R_FAIL(L2R_ERR_ARGUMENT, "no model may predict graph %d", (int)graphs[i]);
        L2R_TRY(l2r_ensemble_answer(&room, &part, data, some, count, error));
        scatter(answers, &room, at, count, ensemble);
        l2r_free(part.half);
        l2r_free(part.scale);
        part.half = part.scale = NULL;
    }
done:
    l2r_free(part.half);
    l2r_free(part.scale);
    clear_room(&room);
    l2r_free((void *)chosen);
    l2r_free(some);
    l2r_free(at);
    l2r_free(done);
    return status;
}
