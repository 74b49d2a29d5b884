/* SPDX-License-Identifier: MIT
 *
 * The scale of a regression's targets in a model's signature: mean and deviation, and what is mapped before
 * (kernels/target_scale.h). In a file a map is "none", "log10", or the knots of ranks, from which the scores follow. */
#include "nn/signature.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *copy_of(struct l2r_arena *arena, const void *from, size_t count, size_t size)
{
    void *to = l2r_arena_alloc(arena, count, size);
    if (to && count) memcpy(to, from, count * size);
    return to;
}

/* The label of a graph, NaN where it is missing or only a bound. */
static float exact_label(const struct l2r_dataset *data, int64_t graph, int32_t k)
{
    int64_t at = graph * data->n_tasks + k;
    return data->bound && data->bound[at] != 0 ? NAN : data->labels[at];
}

void l2r_signature_scale_targets(double *mean, double *sd, const struct l2r_target_map *map,
                                 const struct l2r_dataset *data, const int32_t *train, int64_t n_train)
{
    for (int32_t k = 0; k < data->n_tasks; k++) {
        double sum = 0, square = 0;
        int64_t n = 0;
        for (int64_t i = 0; i < n_train; i++) {
            float label = exact_label(data, train[i], k);
            if (isnan(label)) continue;
            sum += l2r_target_transform(map, k, (double)label);
            n++;
        }
        mean[k] = n ? sum / (double)n : 0;
        for (int64_t i = 0; i < n_train; i++) {
            float label = exact_label(data, train[i], k);
            double away = l2r_target_transform(map, k, (double)label) - mean[k];
            if (!isnan(label)) square += away * away;
        }
        sd[k] = n && square > 0 ? sqrt(square / (double)n) : 1;
    }
}

/* z with Φ(z) = p. */
static double normal_score(double p)
{
    double low = -8, high = 8;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (erfc(-middle / sqrt(2)) / 2 < p)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Of ascending knots; equal ones share the mean of their scores. */
static const double *scores_of(struct l2r_arena *arena, const double *knot)
{
    double *score = l2r_arena_alloc(arena, L2R_TARGET_KNOTS, sizeof *score);
    for (int i = 0, end; score && i < L2R_TARGET_KNOTS; i = end) {
        double sum = 0;
        for (end = i; end < L2R_TARGET_KNOTS && knot[end] <= knot[i]; end++)
            sum += normal_score((end + 0.5) / L2R_TARGET_KNOTS);
        for (int j = i; j < end; j++) score[j] = sum / (end - i);
    }
    return score;
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Quantiles of label [n], which is sorted; n > 0. */
static bool make_ranks(struct l2r_target_map *map, struct l2r_arena *arena, float *label, int64_t n)
{
    double *knot = l2r_arena_alloc(arena, L2R_TARGET_KNOTS, sizeof *knot);
    if (!knot) return false;
    qsort(label, (size_t)n, sizeof *label, ascending);
    for (int i = 0; i < L2R_TARGET_KNOTS; i++) {
        double at = (double)i / (L2R_TARGET_KNOTS - 1) * (double)(n - 1);
        int64_t low = (int64_t)at, high = low + 1 < n ? low + 1 : low;
        knot[i] = (double)label[low] + (at - (double)low) * ((double)label[high] - (double)label[low]);
        if (i > 0 && knot[i] < knot[i - 1]) knot[i] = knot[i - 1];
    }
    *map = (struct l2r_target_map){L2R_MAP_RANK, knot, scores_of(arena, knot)};
    return map->score != NULL;
}

const struct l2r_target_map *l2r_signature_copy_maps(struct l2r_arena *arena, const struct l2r_target_map *map,
                                                     int32_t n)
{
    struct l2r_target_map *copy = copy_of(arena, map, (size_t)n, sizeof *map);
    for (int32_t k = 0; copy && k < n; k++) {
        if (map[k].kind != L2R_MAP_RANK) continue;
        copy[k].knot = copy_of(arena, map[k].knot, L2R_TARGET_KNOTS, sizeof(double));
        copy[k].score = copy_of(arena, map[k].score, L2R_TARGET_KNOTS, sizeof(double));
        if (!copy[k].knot || !copy[k].score) return NULL;
    }
    return copy;
}

json_t *l2r_signature_maps_to_json(const struct l2r_target_map *map, int32_t n)
{
    json_t *array = json_array();
    for (int32_t k = 0; k < n; k++) {
        json_t *knots = map[k].kind == L2R_MAP_RANK ? json_array() : NULL;
        for (int i = 0; knots && i < L2R_TARGET_KNOTS; i++) json_array_append_new(knots, json_real(map[k].knot[i]));
        json_array_append_new(array, knots ? knots : json_string(map[k].kind == L2R_MAP_LOG10 ? "log10" : "none"));
    }
    return array;
}

static enum l2r_status map_from_json(struct l2r_target_map *map, struct l2r_arena *arena, const json_t *item)
{
    const char *name = json_string_value(item);
    *map = (struct l2r_target_map){.kind = name && strcmp(name, "log10") == 0 ? L2R_MAP_LOG10 : L2R_MAP_NONE};
    if (name) return map->kind == L2R_MAP_LOG10 || strcmp(name, "none") == 0 ? L2R_OK : L2R_ERR_FORMAT;
    if (json_array_size(item) != L2R_TARGET_KNOTS) return L2R_ERR_FORMAT;
    double *knot = l2r_arena_alloc(arena, L2R_TARGET_KNOTS, sizeof *knot);
    if (!knot) return L2R_ERR_MEMORY;
    for (int i = 0; i < L2R_TARGET_KNOTS; i++) {
        const json_t *number = json_array_get(item, (size_t)i);
        knot[i] = json_number_value(number);
        if (!json_is_number(number) || !(fabs(knot[i]) <= (double)FLT_MAX) || (i > 0 && knot[i] < knot[i - 1]))
            return L2R_ERR_FORMAT;
    }
    *map = (struct l2r_target_map){L2R_MAP_RANK, knot, scores_of(arena, knot)};
    return map->score ? L2R_OK : L2R_ERR_MEMORY;
}

enum l2r_status l2r_signature_maps_from_json(const struct l2r_target_map **maps, int32_t n, struct l2r_arena *arena,
                                             const json_t *array)
{
    enum l2r_status status = L2R_OK;
    if (!json_is_array(array) || json_array_size(array) != (size_t)n) return L2R_ERR_FORMAT;
    struct l2r_target_map *map = l2r_arena_zeroed(arena, (size_t)n, sizeof *map);
    if (!map) return L2R_ERR_MEMORY;
    for (int32_t k = 0; k < n && status == L2R_OK; k++)
        status = map_from_json(&map[k], arena, json_array_get(array, (size_t)k));
    *maps = map;
    return status;
}

enum l2r_status l2r_signature_map_targets(struct l2r_signature *s, struct l2r_arena *arena,
                                          const struct l2r_dataset *data, const int32_t *train, int64_t n_train,
                                          const enum l2r_map *kind, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t tasks = (size_t)data->n_tasks;
    struct l2r_target_map *map = l2r_arena_zeroed(arena, tasks, sizeof *map);
    double *mean = l2r_arena_alloc(arena, tasks, sizeof *mean), *sd = l2r_arena_alloc(arena, tasks, sizeof *sd);
    float *label = l2r_alloc_raw((size_t)n_train, sizeof *label);
    bool whole = map && mean && sd && label;
    for (int32_t k = 0; whole && k < data->n_tasks; k++) {
        int64_t n = 0;
        map[k].kind = kind[k];
        if (kind[k] != L2R_MAP_RANK) continue;
        for (int64_t i = 0; i < n_train; i++) {
            label[n] = exact_label(data, train[i], k);
            n += !isnan(label[n]);
        }
        map[k].kind = L2R_MAP_NONE;
        if (n > 0) whole = make_ranks(&map[k], arena, label, n);
    }
    if (!whole) {
        status = l2r_fail_memory(error, (size_t)n_train * sizeof *label, "the scale of the targets");
        goto done;
    }
    l2r_signature_scale_targets(mean, sd, map, data, train, n_train);
    s->target = (struct l2r_target_scale){mean, sd, map};
done:
    l2r_free(label);
    return status;
}
