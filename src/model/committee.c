/* SPDX-License-Identifier: MIT
 *
 * See committee.h. Means are taken in double precision and in the members' order. The logit of a mean probability is
 * made from the means of p and of 1 − p, each summed from small numbers, so nothing is clamped, and the order of graphs
 * is kept even where all members are nearly certain. */
#include "model/committee.h"

#include "base/memory.h"
#include "base/watch.h"
#include "batch/batches.h"
#include "data/features.h"
#include "metrics/probability.h"
#include "model/score.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the rule ---- */

/* log Σ exp(row), and NaN where the row is not finite. */
static double log_sum(const float *row, int32_t n)
{
    for (int32_t k = 0; k < n; k++)
        if (!isfinite(row[k])) return NAN;
    return l2r_log_sum(row, n);
}

/* sum [3 × outputs]: Σ p and Σ (1 − p), or Σ value and nothing; then how many members were added. */
static void add_row(double *sum, const float *row, const uint8_t *can_predict, enum l2r_task task,
                    const struct l2r_target_map *map, int32_t n)
{
    double total = task == L2R_TASK_MULTICLASS ? log_sum(row, n) : 0;
    for (int32_t k = 0; k < n; k++) {
        double x = (double)row[k];
        if (can_predict && !can_predict[k]) continue;
        sum[2 * n + k] += 1;
        if (task == L2R_TASK_REGRESSION) sum[k] += l2r_target_transform(map, k, x);
        if (task == L2R_TASK_MULTICLASS) sum[k] += exp(x - total);
        if (task == L2R_TASK_BINARY) sum[k] += isfinite(x) ? l2r_sigmoid(x) : (double)NAN;
        if (task == L2R_TASK_BINARY) sum[n + k] += l2r_sigmoid(-x);
    }
}

/* Logarithm of a probability that may have become 0; NaN stays. */
static double log_of(double p)
{
    return p < DBL_MIN ? log(DBL_MIN) : log(p);
}

static void take_row(float *row, const double *sum, const float *first, enum l2r_task task,
                     const struct l2r_target_map *map, int32_t n)
{
    for (int32_t k = 0; k < n; k++) {
        double members = sum[2 * n + k];
        if (members == 0) row[k] = first[k]; /* no member has learned this task */
        if (members == 0) continue;
        if (task == L2R_TASK_REGRESSION) row[k] = (float)l2r_target_restore(map, k, sum[k] / members);
        if (task == L2R_TASK_MULTICLASS) row[k] = (float)log_of(sum[k] / members);
        if (task == L2R_TASK_BINARY) row[k] = (float)(log_of(sum[k]) - log_of(sum[n + k]));
    }
}

void l2r_combine(float *output, double *room, const float *const *member, const uint8_t *can_predict, int32_t n,
                 enum l2r_task task, const struct l2r_target_map *map, int64_t rows, int32_t outputs)
{
    if (n == 1 && output != member[0]) memcpy(output, member[0], (size_t)(rows * outputs) * sizeof *output);
    for (int64_t i = 0; n > 1 && i < rows; i++) {
        for (int32_t k = 0; k < 3 * outputs; k++) room[k] = 0;
        for (int32_t m = 0; m < n; m++)
            add_row(room, member[m] + i * outputs, can_predict ? can_predict + (int64_t)m * outputs : NULL, task, map,
                    outputs);
        take_row(output + i * outputs, room, member[0] + i * outputs, task, map, outputs);
    }
}

/* Running means and squares around them, so that members that agree have a spread of exactly 0. */
static void spread_row(float *spread, double *room, const float *const *member, int32_t n, enum l2r_task task,
                       int64_t row, int32_t outputs)
{
    double *mean = room, *square = room + outputs;
    for (int32_t k = 0; k < 2 * outputs; k++) room[k] = 0;
    for (int32_t m = 0; m < n; m++) {
        const float *row_of = member[m] + row * outputs;
        double total = task == L2R_TASK_MULTICLASS ? log_sum(row_of, outputs) : 0;
        for (int32_t k = 0; k < outputs; k++) {
            double x = (double)row_of[k];
            if (task == L2R_TASK_MULTICLASS) x = exp(x - total);
            if (task == L2R_TASK_BINARY) x = isfinite(x) ? l2r_sigmoid(x) : (double)NAN;
            double far = x - mean[k];
            mean[k] += far / (m + 1);
            square[k] += far * (x - mean[k]);
        }
    }
    for (int32_t k = 0; k < outputs; k++) spread[k] = n > 1 ? (float)sqrt(square[k] / (n - 1)) : NAN;
}

void l2r_spread(float *spread, double *room, const float *const *member, int32_t n, enum l2r_task task, int64_t rows,
                int32_t outputs)
{
    for (int64_t i = 0; i < rows; i++) spread_row(spread + i * outputs, room, member, n, task, i, outputs);
}

/* ---- members that do not belong together ---- */

static bool same(const void *a, const void *b, int64_t n, size_t size)
{
    return n == 0 || memcmp(a, b, (size_t)n * size) == 0;
}

/* What the graphs are made of: columns, their vocabularies, and what their categories are called. */
static bool same_graphs(const struct l2r_signature *a, const struct l2r_signature *b)
{
    return a->n_node_columns == b->n_node_columns && a->n_edge_columns == b->n_edge_columns &&
           a->n_node_reals == b->n_node_reals && a->n_edge_reals == b->n_edge_reals &&
           a->n_node_values == b->n_node_values && a->n_edge_values == b->n_edge_values &&
           same(a->node_vocabulary, b->node_vocabulary, a->n_node_columns, sizeof *a->node_vocabulary) &&
           same(a->edge_vocabulary, b->edge_vocabulary, a->n_edge_columns, sizeof *a->edge_vocabulary) &&
           same(a->node_value, b->node_value, a->n_node_values, sizeof *a->node_value) &&
           same(a->edge_value, b->edge_value, a->n_edge_values, sizeof *a->edge_value);
}

static bool same_answers(const struct l2r_signature *a, const struct l2r_signature *b)
{
    return a->task == b->task && a->n_tasks == b->n_tasks && a->n_classes == b->n_classes &&
           a->n_class_names == b->n_class_names &&
           same(a->class_value, b->class_value, a->n_classes, sizeof *a->class_value) &&
           same(a->class_names, b->class_names, a->n_class_names, 1);
}

enum l2r_status l2r_committee_check(const struct l2r_committee *c, const char *where, struct l2r_error *error)
{
    const struct l2r_signature *first = l2r_committee_signature(c);
    for (int32_t k = 1; k < c->n; k++) {
        const struct l2r_signature *other = &c->members[k]->signature;
        bool alike = same_answers(first, other);
        if (alike && same_graphs(first, other)) continue;
        return l2r_fail(error, L2R_ERR_FORMAT,
                        "%s: member %d was trained on other %s than member 1; the file was not written by l2r, or is "
                        "damaged",
                        where, (int)k + 1, alike ? "columns of nodes or edges" : "labels");
    }
    return L2R_OK;
}

/* ---- scoring ---- */

/* The data with the features that this member reads. */
static struct l2r_dataset seen_by(const struct l2r_dataset *data, const struct l2r_network *member)
{
    struct l2r_dataset view = *data;
    view.scale = member->signature.features.n > 0 ? &member->signature.features : NULL;
    return view;
}

unsigned l2r_committee_features(const struct l2r_committee *c)
{
    unsigned blocks = 0;
    for (int32_t k = 0; k < c->n; k++) blocks |= c->members[k]->signature.features.blocks;
    return blocks & ((1U << L2R_DESCRIPTIONS) - 1);
}

enum l2r_status l2r_committee_describe(const struct l2r_committee *c, const struct l2r_dataset *data,
                                       const int32_t *graphs, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_feature_scale all = {.blocks = l2r_committee_features(c)};
    struct l2r_dataset view = *data;
    for (int32_t k = 0; k < c->n; k++)
        if (c->members[k]->signature.features.n > 0)
            L2R_TRY(l2r_feature_scale_check(&c->members[k]->signature.features, data, error));
    view.scale = &all;
    L2R_TRY(l2r_features_fill(&view, graphs, n, error));
done:
    return status;
}

/* Room for the outputs of all members, cells each, as rows of pointers, and for the rule. */
struct room {
    float *outputs;
    const float **member; /* [members] */
    uint8_t *can_predict; /* [members × outputs] */
    double *sums;         /* [3 × outputs] */
};

static enum l2r_status make_room(struct room *room, float *given, int32_t members, int64_t cells, int32_t outputs,
                                 struct l2r_error *error)
{
    *room = (struct room){.outputs = given};
    if (!given) room->outputs = l2r_alloc((size_t)cells, (size_t)members * sizeof *room->outputs);
    room->member = l2r_alloc((size_t)members, sizeof *room->member);
    room->can_predict = l2r_alloc((size_t)members, (size_t)outputs);
    room->sums = l2r_alloc(3 * (size_t)outputs, sizeof *room->sums);
    for (int32_t k = 0; room->member && room->outputs && k < members; k++) room->member[k] = room->outputs + k * cells;
    if (room->outputs && room->member && room->can_predict && room->sums) return L2R_OK;
    return l2r_fail_memory(error, (size_t)cells * (size_t)members * sizeof(float), "the outputs of a committee");
}

static void clear_room(struct room *room, const float *given)
{
    if (!given) l2r_free(room->outputs);
    l2r_free((void *)room->member);
    l2r_free(room->can_predict);
    l2r_free(room->sums);
}

static void conclude(float *output, const struct room *room, const struct l2r_committee *c, int64_t n)
{
    enum l2r_task task = l2r_committee_signature(c)->task;
    int32_t outputs = l2r_committee_outputs(c);
    for (int32_t i = 0; i < c->n * outputs; i++) {
        int32_t column = task == L2R_TASK_MULTICLASS ? 0 : i % outputs;
        room->can_predict[i] = l2r_network_can_predict(c->members[i / outputs], column);
    }
    l2r_combine(output, room->sums, room->member, room->can_predict, c->n, task, l2r_committee_signature(c)->target.map,
                n, outputs);
    l2r_calibration_apply(output, c->calibration, task, n, outputs);
}

enum l2r_status l2r_committee_score(const struct l2r_committee_rows *to, const struct l2r_committee *c,
                                    struct l2r_tape *tape, const struct l2r_dataset *data, const int32_t *graphs,
                                    int64_t n, int64_t batch_size, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t outputs = l2r_committee_outputs(c), used = to->output || to->members ? c->n : 1;
    float *given = to->members ? to->members : c->n == 1 ? to->output : NULL;
    struct room room;
    struct l2r_watched loop;
    l2r_watched_begin(&loop, "graphs scored", n * used);
    L2R_TRY(make_room(&room, given, used, n * outputs, outputs, error));
    if (used == c->n) L2R_TRY(l2r_committee_describe(c, data, graphs, n, error)); /* all members' features at once */
    for (int32_t k = 0; k < used; k++) {
        struct l2r_dataset view = seen_by(data, c->members[k]);
        float *own = to->output || to->members ? room.outputs + k * n * outputs : NULL;
        if (view.scale) L2R_TRY(l2r_feature_scale_check(view.scale, data, error));
        L2R_TRY(
            l2r_score_represent(own, k == 0 ? to->z : NULL, c->members[k], tape, &view, graphs, n, batch_size, error));
    }
    if (to->output) conclude(to->output, &room, c, n);
done:
    clear_room(&room, given);
    return l2r_watched_end(&loop, status, error);
}

/* The batch as a member reads it. */
static enum l2r_status batch_for(struct l2r_batch *view, struct l2r_arena *arena, const struct l2r_network *member,
                                 const struct l2r_batch *b, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset data = seen_by(b->data, member);
    int64_t n = member->signature.features.n;
    *view = *b;
    L2R_TRY(l2r_batch_share(view, arena, b->data, &member->sharing, error));
    view->n_features = n;
    view->features = n > 0 ? l2r_arena_alloc(arena, (size_t)(b->n_graphs * n), sizeof *view->features) : NULL;
    if (n > 0 && !view->features) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: features of a batch");
    for (int64_t i = 0; n > 0 && i < b->n_graphs; i++) l2r_feature_row(view->features + i * n, &data, b->graphs[i]);
done:
    return status;
}

enum l2r_status l2r_committee_score_batch(float *output, const struct l2r_committee *c, struct l2r_tape *tape,
                                          const struct l2r_batch *batch, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t outputs = l2r_committee_outputs(c);
    int64_t cells = batch->n_graphs * outputs;
    float *given = c->n == 1 ? output : NULL;
    struct l2r_arena arena;
    struct room room;
    l2r_arena_init(&arena);
    L2R_TRY(make_room(&room, given, c->n, cells, outputs, error));
    for (int32_t k = 0; k < c->n; k++) {
        struct l2r_batch view = *batch;
        if (c->n > 1) L2R_TRY(batch_for(&view, &arena, c->members[k], batch, error));
        L2R_TRY(l2r_score_batch(room.outputs + k * cells, c->members[k], tape, &view, error));
    }
    conclude(output, &room, c, batch->n_graphs);
done:
    clear_room(&room, given);
    l2r_arena_clear(&arena);
    return status;
}
