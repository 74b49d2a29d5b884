/* SPDX-License-Identifier: MIT
 * See calibration.h. */
#include "model/calibration.h"

#include "base/array.h"
#include "base/json.h"
#include "metrics/probability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- applying ---- */

/* The probability at x, linear between knots and constant outside them. */
static double step(const struct l2r_calibration_map *map, double x)
{
    int32_t low = 0, high = map->n - 1;
    if (!(x > map->x[low])) return map->p[low];
    if (x >= map->x[high]) return map->p[high];
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (map->x[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    double share = (x - map->x[low]) / (map->x[high] - map->x[low]);
    return map->p[low] + share * (map->p[high] - map->p[low]);
}

/* logit → logit */
static double mapped(const struct l2r_calibration_map *map, double x)
{
    if (map->n == 0 || isnan(x)) return map->slope * x + map->offset;
    double p = step(map, x);
    return log(p) - log1p(-p);
}

/* Each class against the rest; the softmax of log p_k divides by their sum, which need not be 1. out [n]: room. */
static void map_classes(float *row, double *out, const struct l2r_calibration *c, int32_t n)
{
    for (int32_t k = 0; k < n; k++) {
        double odds = mapped(&c->maps[k], l2r_class_odds(row, n, k));
        out[k] = odds > 0 ? -log1p(exp(-odds)) : odds - log1p(exp(odds)); /* log σ(odds) */
    }
    for (int32_t k = 0; k < n; k++) row[k] = (float)out[k];
}

void l2r_calibration_apply(float *output, const struct l2r_calibration *c, enum l2r_task task, int64_t n,
                           int32_t n_outputs)
{
    enum { FEW = 64 }; /* classes; above that each row would need memory */
    double out[FEW];
    if (!c || c->n_maps == 0 || task == L2R_TASK_REGRESSION) return;
    for (int64_t i = 0; i < n; i++) {
        float *row = output + i * n_outputs;
        if (task == L2R_TASK_MULTICLASS && !c->joint && n_outputs <= FEW) {
            map_classes(row, out, c, n_outputs);
            continue;
        }
        for (int32_t k = 0; k < n_outputs; k++) row[k] = (float)mapped(&c->maps[c->joint ? 0 : k], (double)row[k]);
    }
}

/* ---- intervals ---- */

/* kept[k] is the residual of this rank, 1 .. n. */
static int64_t rank_of(const struct l2r_residuals *r, int32_t k)
{
    return r->n_kept > 1 ? 1 + (int64_t)k * (r->n - 1) / (r->n_kept - 1) : r->n;
}

double l2r_residuals_half(const struct l2r_residuals *r, double coverage)
{
    if (r->n_kept == 0) return NAN;
    /* The rounding of a decimal fraction must not change a rank: 10 · 0.9 is 9. */
    int64_t rank = (int64_t)ceil((double)(r->n + 1) * coverage - 1e-9);
    for (int32_t k = 0; k < r->n_kept; k++)
        if (rank_of(r, k) >= rank) return r->kept[k];
    return INFINITY;
}

enum l2r_status l2r_residuals_keep(struct l2r_residuals *r, struct l2r_arena *arena, double *distance, int64_t n,
                                   struct l2r_error *error)
{
    *r = (struct l2r_residuals){.n = n, .n_kept = (int32_t)(n < L2R_RESIDUALS_KEPT ? n : L2R_RESIDUALS_KEPT)};
    double *kept = l2r_arena_alloc(arena, (size_t)r->n_kept, sizeof *kept);
    if (!kept) return l2r_fail_memory(error, (size_t)r->n_kept * sizeof *kept, "the errors on validation graphs");
    qsort(distance, (size_t)n, sizeof *distance, l2r_compare_double);
    for (int32_t k = 0; k < r->n_kept; k++) kept[k] = distance[rank_of(r, k) - 1];
    r->kept = kept;
    return L2R_OK;
}

/* ---- copies and files ---- */

static const double *copy_reals(struct l2r_arena *arena, const double *from, int32_t n, bool *failed)
{
    double *to = l2r_arena_alloc(arena, (size_t)n, sizeof *to);
    if (!to) *failed = true;
    if (to && n > 0) memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

const struct l2r_calibration *l2r_calibration_copy(struct l2r_arena *arena, const struct l2r_calibration *from)
{
    struct l2r_calibration *c = l2r_arena_alloc(arena, 1, sizeof *c);
    struct l2r_calibration_map *maps = l2r_arena_alloc(arena, (size_t)from->n_maps, sizeof *maps);
    struct l2r_residuals *residuals = l2r_arena_alloc(arena, (size_t)from->n_residuals, sizeof *residuals);
    bool failed = !c || !maps || !residuals;
    if (failed) return NULL;
    *c = *from;
    for (int32_t k = 0; k < c->n_maps; k++) {
        maps[k] = from->maps[k];
        maps[k].x = copy_reals(arena, maps[k].x, maps[k].n, &failed);
        maps[k].p = copy_reals(arena, maps[k].p, maps[k].n, &failed);
    }
    for (int32_t k = 0; k < c->n_residuals; k++) {
        residuals[k] = from->residuals[k];
        residuals[k].kept = copy_reals(arena, residuals[k].kept, residuals[k].n_kept, &failed);
    }
    c->method = l2r_arena_strdup(arena, from->method);
    c->maps = maps;
    c->residuals = residuals;
    return failed || !c->method ? NULL : c;
}

static json_t *reals_to_json(const double *values, int32_t n)
{
    json_t *array = json_array();
    for (int32_t i = 0; i < n; i++) json_array_append_new(array, json_real(values[i]));
    return array;
}

json_t *l2r_calibration_to_json(const struct l2r_calibration *c)
{
    json_t *object =
        json_pack("{s:s, s:b, s:o}", "method", c->method, "joint", c->joint, "coverage", l2r_json_real(c->coverage));
    json_t *maps = json_array(), *residuals = json_array();
    for (int32_t k = 0; k < c->n_maps; k++) {
        const struct l2r_calibration_map *map = &c->maps[k];
        json_array_append_new(maps, map->n > 0 ? json_pack("{s:o, s:o}", "x", reals_to_json(map->x, map->n), "p",
                                                           reals_to_json(map->p, map->n))
                                               : json_pack("{s:f, s:f}", "slope", map->slope, "offset", map->offset));
    }
    for (int32_t k = 0; k < c->n_residuals; k++)
        json_array_append_new(residuals, json_pack("{s:I, s:o}", "n", (json_int_t)c->residuals[k].n, "kept",
                                                   reals_to_json(c->residuals[k].kept, c->residuals[k].n_kept)));
    json_object_set_new(object, "maps", maps);
    json_object_set_new(object, "residuals", residuals);
    return object;
}

/* Numbers from low to high that do not fall; strict: that rise. */
static enum l2r_status read_rising(const double **out, int32_t *n, struct l2r_arena *arena, const json_t *array,
                                   double low, double high, bool strict)
{
    size_t count = json_array_size(array);
    if (!json_is_array(array) || count > 1 << 20) return L2R_ERR_FORMAT;
    double *values = l2r_arena_alloc(arena, count, sizeof *values);
    if (!values) return L2R_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(array, i);
        values[i] = json_number_value(item);
        if (!json_is_number(item) || !(values[i] >= low && values[i] <= high)) return L2R_ERR_FORMAT;
        if (i > 0 && (values[i] < values[i - 1] || (strict && values[i] == values[i - 1]))) return L2R_ERR_FORMAT;
    }
    *out = values;
    *n = (int32_t)count;
    return L2R_OK;
}

static enum l2r_status read_map(struct l2r_calibration_map *map, struct l2r_arena *arena, const json_t *object)
{
    enum l2r_status status = L2R_OK;
    int32_t n_p;
    *map = (struct l2r_calibration_map){.slope = json_number_value(json_object_get(object, "slope")),
                                        .offset = json_number_value(json_object_get(object, "offset"))};
    if (!json_object_get(object, "x")) return map->slope > 0 && isfinite(map->slope) ? L2R_OK : L2R_ERR_FORMAT;
    L2R_TRY(read_rising(&map->x, &map->n, arena, json_object_get(object, "x"), -HUGE_VAL, HUGE_VAL, true));
    L2R_TRY(read_rising(&map->p, &n_p, arena, json_object_get(object, "p"), 1e-15, 1 - 1e-15, false));
    if (map->n < 1 || n_p != map->n) status = L2R_ERR_FORMAT;
done:
    return status;
}

enum l2r_status l2r_calibration_from_json(const struct l2r_calibration **calibration, struct l2r_arena *arena,
                                          const json_t *object, enum l2r_task task, int32_t n_outputs)
{
    enum l2r_status status = L2R_OK;
    const char *method = json_string_value(json_object_get(object, "method"));
    const json_t *list = json_object_get(object, "maps"), *known = json_object_get(object, "residuals");
    size_t n = json_array_size(list), n_known = json_array_size(known);
    bool joint = json_is_true(json_object_get(object, "joint"));
    bool fits = n == 0 || (task != L2R_TASK_REGRESSION && n == (joint ? 1 : (size_t)n_outputs));
    fits = fits && (n_known == 0 || (task == L2R_TASK_REGRESSION && n_known == (size_t)n_outputs));
    double coverage = json_number_value(json_object_get(object, "coverage"));
    if (!method || strlen(method) > 64 || !fits || !(coverage > 0 && coverage < 1)) return L2R_ERR_FORMAT;
    struct l2r_calibration *c = l2r_arena_alloc(arena, 1, sizeof *c);
    struct l2r_calibration_map *maps = l2r_arena_alloc(arena, n, sizeof *maps);
    struct l2r_residuals *residuals = l2r_arena_alloc(arena, n_known, sizeof *residuals);
    if (!c || !maps || !residuals) return L2R_ERR_MEMORY;
    for (size_t k = 0; k < n; k++) L2R_TRY(read_map(&maps[k], arena, json_array_get(list, k)));
    for (size_t k = 0; k < n_known; k++) {
        struct l2r_residuals *r = &residuals[k];
        const json_t *one = json_array_get(known, k);
        r->n = json_integer_value(json_object_get(one, "n"));
        L2R_TRY(read_rising(&r->kept, &r->n_kept, arena, json_object_get(one, "kept"), 0, HUGE_VAL, false));
        if (r->n < r->n_kept || r->n > INT64_C(1) << 40) return L2R_ERR_FORMAT;
    }
    *c = (struct l2r_calibration){
        l2r_arena_strdup(arena, method), joint, (int32_t)n, maps, coverage, (int32_t)n_known, residuals};
    if (!c->method) return L2R_ERR_MEMORY;
    *calibration = c;
done:
    return status;
}
