/* SPDX-License-Identifier: MIT
 * See history.h. */
#include "recipe/history.h"

#include "base/array.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_NAME = 256 };

enum l2r_status l2r_history_add(struct l2r_history *h, const char *fit, const json_t *line, struct l2r_error *error)
{
    json_t *copy = l2r_json_copy(line);
    if (!h->lines) h->lines = json_array();
    bool kept = copy && (!fit || l2r_json_put(copy, "fit", json_string(fit)));
    if (kept && h->lines && json_array_append(h->lines, copy) == 0) {
        json_decref(copy);
        return L2R_OK;
    }
    json_decref(copy);
    return l2r_fail(error, L2R_ERR_MEMORY, "out of memory for the history of a run");
}

void l2r_history_clear(struct l2r_history *h)
{
    for (int32_t k = 0; k < h->n_curves; k++) {
        l2r_free(h->curves[k].name);
        l2r_free(h->curves[k].values);
    }
    l2r_free(h->curves);
    json_decref(h->lines);
    *h = (struct l2r_history){0};
}

const struct l2r_curve *l2r_history_curve(const struct l2r_history *h, const char *name)
{
    for (int32_t k = 0; k < h->n_curves; k++)
        if (strcmp(h->curves[k].name, name) == 0) return &h->curves[k];
    return NULL;
}

/* The lines of one fit: how many, and where they are collected. */
struct collection {
    struct l2r_history *history;
    struct l2r_array curves; /* struct l2r_curve */
    int64_t at, n;           /* line of the fit, and how many it has */
    bool failed;
};

static struct l2r_curve *find_or_make(struct collection *c, const char *name)
{
    struct l2r_curve *curves = c->curves.items;
    for (size_t k = 0; k < c->curves.n; k++)
        if (strcmp(curves[k].name, name) == 0) return &curves[k];
    struct l2r_curve made = {
        .name = l2r_strdup(name), .values = l2r_alloc_raw((size_t)c->n, sizeof(double)), .n = c->n};
    for (int64_t i = 0; made.values && i < c->n; i++) made.values[i] = (double)NAN;
    if (made.name && made.values && l2r_array_add(&c->curves, &made, 1, sizeof made))
        return (struct l2r_curve *)c->curves.items + c->curves.n - 1;
    l2r_free(made.name);
    l2r_free(made.values);
    c->failed = true;
    return NULL;
}

static void add_points(struct collection *c, const char *prefix, int depth, const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        char name[LONGEST_NAME];
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "/" : "", key);
        if (json_is_object(value) && depth == 0) add_points(c, name, 1, value);
        struct l2r_curve *curve = json_is_number(value) ? find_or_make(c, name) : NULL;
        if (curve) curve->values[c->at] = json_number_value(value);
    }
}

static const char *fit_of(const json_t *line)
{
    const char *fit = json_string_value(json_object_get(line, "fit"));
    return fit ? fit : "";
}

static int64_t count(const struct l2r_history *h, const char *fit)
{
    size_t i;
    json_t *line;
    int64_t n = 0;
    json_array_foreach(h->lines, i, line) n += strcmp(fit_of(line), fit) == 0;
    return n;
}

/* The lines of a fit stand one after the other. */
enum l2r_status l2r_history_finish(struct l2r_history *h, struct l2r_error *error)
{
    struct collection c = {.history = h};
    const char *fit = NULL;
    size_t i;
    json_t *line;
    json_array_foreach(h->lines, i, line)
    {
        if (!fit || strcmp(fit, fit_of(line)) != 0) {
            fit = fit_of(line);
            c.n = count(h, fit);
            c.at = 0;
        }
        if (c.at < c.n) add_points(&c, fit, 0, line);
        c.at++;
    }
    h->curves = c.curves.items; /* memory of l2r_alloc, which clear gives back */
    h->n_curves = (int32_t)c.curves.n;
    return c.failed ? l2r_fail(error, L2R_ERR_MEMORY, "out of memory for the history of a run") : L2R_OK;
}
