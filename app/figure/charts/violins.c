/* SPDX-License-Identifier: MIT
 *
 * violins: how learned weights are distributed, one shape a data set, its width the density of the training graphs'
 * weights; all seeds of a series together. Inside: quartiles (thick bar) and median (point); below: median and
 * standard deviation in numbers.
 *
 *      ╱╲
 *     ╱▐▌╲      The weights are those that the model keeps, of the graphs that split.json names as
 *     ╲▐▌╱      training graphs.
 *      ╲╱
 */
#include "base/array.h"
#include "base/memory.h"
#include "figure/chart.h"
#include "io/file.h"
#include "io/json_file.h"
#include "model/predictor.h"
#include "model/run_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sample {
    double *weight;
    size_t n, capacity;
};

static enum l2r_status take(struct sample *sample, const struct l2r_trained *trained, const json_t *graphs,
                            const char *path, struct l2r_error *error)
{
    size_t n = json_array_size(graphs);
    if (n == 0) return l2r_fail(error, L2R_ERR_FORMAT, "%s: split.json names no training graph", path);
    if (!l2r_reserve((void **)&sample->weight, &sample->capacity, sample->n + n, sizeof *sample->weight))
        return l2r_fail_memory(error, n * sizeof *sample->weight, path);
    for (size_t i = 0; i < n; i++) {
        json_int_t graph = json_integer_value(json_array_get(graphs, i));
        if (graph < 0 || graph >= trained->n_weights)
            return l2r_fail(error, L2R_ERR_FORMAT, "%s: there is no weight of training graph %lld", path,
                            (long long)graph);
        double weight = (double)trained->weights[graph];
        if (isfinite(weight)) sample->weight[sample->n++] = weight;
    }
    return L2R_OK;
}

static enum l2r_status read_weights(struct sample *sample, const struct l2r_chart_run *run, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_predictor *predictor = NULL;
    json_t *split = NULL;
    char path[4096];
    if (*run->dir == '\0')
        L2R_FAIL(L2R_ERR_ARGUMENT, "seed %lld of %s has no folder: its weights were not kept", (long long)run->seed,
                 run->x);
    L2R_TRY(l2r_path_join(path, sizeof path, run->dir, L2R_SPLIT_FILE, error));
    L2R_TRY(l2r_json_read(&split, path, error));
    L2R_TRY(l2r_predictor_open(&predictor, run->dir, error));
    const struct l2r_trained *trained = l2r_predictor_trained(predictor);
    if (trained->weights == NULL)
        L2R_FAIL(L2R_ERR_FORMAT, "%s has no weights: its method weights all graphs equally; train with --method l2r",
                 run->dir);
    L2R_TRY(take(sample, trained, json_object_get(split, "train"), run->dir, error));
done:
    l2r_predictor_free(predictor);
    json_decref(split);
    return status;
}

static void add_violin(struct l2r_plot *plot, size_t p, double x, const char *name, const struct sample *sample)
{
    struct l2r_density density;
    struct l2r_seed_mean spread = l2r_mean_of_values(sample->weight, sample->n);
    double median = l2r_quantile(sample->weight, sample->n, 0.5);
    char label[300];
    l2r_density_make(&density, sample->weight, sample->n);
    size_t shape = l2r_plot_add_series(plot, p, L2R_SERIES_SHAPE, NULL, 0);
    for (int k = 0; k < L2R_DENSITY_POINTS; k++)
        l2r_plot_add_row(plot, p, shape, x + 0.4 * density.height[k], density.at[k], NAN, NAN);
    for (int k = L2R_DENSITY_POINTS - 1; k >= 0; k--)
        l2r_plot_add_row(plot, p, shape, x - 0.4 * density.height[k], density.at[k], NAN, NAN);
    l2r_plot_add_row(plot, p, shape, x + 0.4 * density.height[0], density.at[0], NAN, NAN);
    size_t box = l2r_plot_add_series(plot, p, L2R_SERIES_BOX, NULL, 0);
    l2r_plot_add_row(plot, p, box, x, median, l2r_quantile(sample->weight, sample->n, 0.25),
                     l2r_quantile(sample->weight, sample->n, 0.75));
    /* Hundredths as integers: no decimal comma of any locale. */
    long m = lround(100 * median), s = lround(100 * spread.bar);
    snprintf(label, sizeof label, "%.200s\nmedian %ld.%02ld\nsd %ld.%02ld", name, m / 100, m % 100, s / 100, s % 100);
    l2r_plot_add_tick(plot, p, x, label, false);
}

static enum l2r_status add_panel(struct l2r_plot *plot, const struct l2r_chart_runs *runs, const char *panel,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_names sets = {0};
    struct sample sample = {0};
    size_t p = l2r_plot_add_panel(plot, panel);
    L2R_TRY(l2r_names_find(&sets, runs, L2R_NAME_X, panel, error));
    for (size_t v = 0; v < sets.n; v++) {
        sample.n = 0;
        for (size_t i = 0; i < runs->n; i++)
            if (strcmp(runs->items[i].panel, panel) == 0 && strcmp(runs->items[i].x, sets.items[v]) == 0)
                L2R_TRY(read_weights(&sample, &runs->items[i], error));
        if (sample.n == 0) continue;
        qsort(sample.weight, sample.n, sizeof *sample.weight, l2r_compare_double);
        add_violin(plot, p, (double)v, sets.items[v], &sample);
    }
done:
    l2r_names_clear(&sets);
    l2r_free(sample.weight);
    return status;
}

static enum l2r_status make(struct l2r_plot *plot, const struct l2r_chart_runs *runs, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_names panels = {0};
    L2R_TRY(l2r_names_find(&panels, runs, L2R_NAME_PANEL, NULL, error));
    for (size_t p = 0; p < panels.n; p++) L2R_TRY(add_panel(plot, runs, panels.items[p], error));
done:
    l2r_names_clear(&panels);
    return status;
}

const struct l2r_chart l2r_chart_violins = {.name = "violins", .reads_folders = true, .make = make};
