/* SPDX-License-Identifier: MIT
 * Functions shared by charts: see the second part of chart.h. A figure has a few hundred runs at most, so all is looked
 * up by text. */
#include "figure/chart.h"

#include "base/memory.h"
#include "metrics/statistics.h"

#include <math.h>
#include <string.h>

size_t l2r_names_place(const struct l2r_names *names, const char *text)
{
    size_t i = 0;
    while (i < names->n && strcmp(names->items[i], text) != 0) i++;
    return i;
}

void l2r_names_clear(struct l2r_names *names)
{
    l2r_free(names->items);
    *names = (struct l2r_names){0};
}

enum l2r_status l2r_names_find(struct l2r_names *names, const struct l2r_chart_runs *runs, enum l2r_name_of which,
                               const char *panel, struct l2r_error *error)
{
    for (size_t i = 0; i < runs->n; i++) {
        const struct l2r_chart_run *run = &runs->items[i];
        const char *text = which == L2R_NAME_PANEL ? run->panel : which == L2R_NAME_SERIES ? run->series : run->x;
        if (run->reference && which != L2R_NAME_SERIES) continue;
        if (panel != NULL && strcmp(run->panel, panel) != 0) continue;
        if (l2r_names_place(names, text) < names->n) continue;
        if (!l2r_reserve((void **)&names->items, &names->capacity, names->n + 1, sizeof *names->items))
            return l2r_fail_memory(error, sizeof *names->items, "the names in a figure");
        names->items[names->n++] = text;
    }
    return L2R_OK;
}

/* As JSON has numbers: a point in every locale. */
static bool read_number(double *number, const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    bool is_number = json_is_number(value);
    *number = json_number_value(value);
    json_decref(value);
    return is_number;
}

void l2r_names_sort(struct l2r_names *names)
{
    double a, b;
    for (size_t i = 0; i < names->n; i++)
        if (!read_number(&a, names->items[i])) return;
    for (size_t i = 1; i < names->n; i++) /* a handful: by insertion */
        for (size_t k = i; k > 0 && read_number(&a, names->items[k - 1]) && read_number(&b, names->items[k]) && a > b;
             k--) {
            const char *swapped = names->items[k];
            names->items[k] = names->items[k - 1];
            names->items[k - 1] = swapped;
        }
}

static bool agrees(const struct l2r_chart_run *run, const char *panel, const char *series, const char *x)
{
    return (panel == NULL || strcmp(run->panel, panel) == 0) && (series == NULL || strcmp(run->series, series) == 0) &&
           (x == NULL || strcmp(run->x, x) == 0) && isfinite(run->value);
}

struct l2r_seed_mean l2r_mean_of_values(const double *values, size_t n)
{
    struct l2r_seed_mean s = {.n = n};
    l2r_mean_sd(&s.mean, &s.sd, values, (int64_t)n);
    s.bar = n > 1 ? s.sd : 0;
    return s;
}

struct l2r_seed_mean l2r_mean_of_runs(struct l2r_plot *plot, const struct l2r_chart_runs *runs, const char *panel,
                                      const char *series, const char *x)
{
    size_t n = 0;
    double *values = l2r_alloc(runs->n, sizeof *values);
    if (values == NULL) plot->failed = true;
    for (size_t i = 0; values != NULL && i < runs->n; i++)
        if (agrees(&runs->items[i], panel, series, x)) values[n++] = runs->items[i].value;
    struct l2r_seed_mean mean = l2r_mean_of_values(values, n);
    l2r_free(values);
    return mean;
}

/* ---- The shape of a sample ---- */

double l2r_quantile(const double *sorted, size_t n, double share)
{
    double place = share * (double)(n - 1), below = floor(place);
    size_t i = (size_t)below, next = i + 1 < n ? i + 1 : i;
    return sorted[i] + (place - below) * (sorted[next] - sorted[i]);
}

/* Silverman's rule: 0.9 min(sd, quartile distance / 1.34) n^(-1/5); the quartiles may coincide, the sd then counts
 * alone. */
static double kernel_width(const double *sorted, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) sum += sorted[i];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) squares += (sorted[i] - mean) * (sorted[i] - mean);
    double sd = sqrt(squares / (double)n),
           middle = (l2r_quantile(sorted, n, 0.75) - l2r_quantile(sorted, n, 0.25)) / 1.34;
    double spread = middle > 0 ? fmin(sd, middle) : sd;
    return 0.9 * spread * pow((double)n, -0.2);
}

void l2r_density_make(struct l2r_density *density, const double *sorted, size_t n)
{
    double width = kernel_width(sorted, n), least = sorted[0], most = sorted[n - 1], top = 0;
    if (!(width > 0)) width = 1e-3 * fmax(1, fabs(least));
    if (!(most > least)) least -= 3 * width, most += 3 * width;
    for (int k = 0; k < L2R_DENSITY_POINTS; k++) {
        double at = least + (most - least) * k / (L2R_DENSITY_POINTS - 1), sum = 0;
        for (size_t i = 0; i < n; i++) {
            double z = (at - sorted[i]) / width;
            if (fabs(z) < 8) sum += exp(-0.5 * z * z);
        }
        density->at[k] = at;
        density->height[k] = sum;
        top = fmax(top, sum);
    }
    for (int k = 0; k < L2R_DENSITY_POINTS; k++) density->height[k] /= top;
}
