/* SPDX-License-Identifier: MIT
 *
 * curves: losses over epochs, from the lines that every run wrote into metrics.jsonl. The first panel is the training
 * loss, the second the validation loss; a curve is the mean over the seeds of a series, with bars of ± sd at some
 * epochs, other ones for every series.
 *
 *     training loss      "train": {"loss": …}    the plain loss of the training graphs, all weights 1 (--eval-train);
 *                                                where a run has not scored them "loss", the weighted mean over the
 *                                                batches of the epoch
 *     validation loss    "valid": {"loss": …}
 */
#include "base/json.h"
#include "base/memory.h"
#include "figure/chart.h"
#include "io/file.h"
#include "model/run_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N_LOSSES = 2, N_BARS = 6, LONGEST_RECORD = 1 << 28 };

struct record {
    double (*loss)[N_LOSSES]; /* [n]: an epoch each */
    size_t n, capacity;
};

static enum l2r_status read_line(struct record *record, const json_t *line, const char *path, struct l2r_error *error)
{
    const json_t *plain = json_object_get(json_object_get(line, "train"), "loss");
    const json_t *train = plain != NULL ? plain : json_object_get(line, "loss");
    const json_t *valid = json_object_get(json_object_get(line, "valid"), "loss");
    if (!json_is_number(train) || !json_is_number(valid))
        return l2r_fail(error, L2R_ERR_FORMAT, "%s:%zu: expected the losses of an epoch: \"loss\" and \"valid\"", path,
                        record->n + 1);
    if (!l2r_reserve((void **)&record->loss, &record->capacity, record->n + 1, sizeof *record->loss))
        return l2r_fail_memory(error, sizeof *record->loss, path);
    record->loss[record->n][0] = json_number_value(train);
    record->loss[record->n++][1] = json_number_value(valid);
    return L2R_OK;
}

static enum l2r_status read_record(struct record *record, const struct l2r_chart_run *run, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[4096], *text = NULL;
    json_t *line = NULL;
    size_t length = 0;
    if (*run->dir == '\0')
        L2R_FAIL(L2R_ERR_ARGUMENT, "seed %lld of %s has no folder: its losses were not kept", (long long)run->seed,
                 run->series);
    L2R_TRY(l2r_path_join(path, sizeof path, run->dir, L2R_METRICS_FILE, error));
    L2R_TRY(l2r_file_read(&text, &length, path, LONGEST_RECORD, error));
    for (char *at = text, *end; (end = memchr(at, '\n', (size_t)(text + length - at))) != NULL; at = end + 1) {
        L2R_TRY(l2r_json_parse(&line, at, (size_t)(end - at), path, error));
        L2R_TRY(read_line(record, line, path, error));
        json_decref(line);
        line = NULL;
    }
done:
    json_decref(line);
    l2r_free(text);
    return status;
}

/* Mean over the records of a series; its bars are at every `step`-th epoch from `first` on. */
static enum l2r_status add_curve(struct l2r_plot *plot, size_t panel, const struct record *records, size_t n,
                                 const char *name, size_t style, size_t n_styles, struct l2r_error *error)
{
    size_t epochs = n > 0 ? records[0].n : 0, s = l2r_plot_add_series(plot, panel, L2R_SERIES_LINE, name, (int)style);
    double *values = l2r_alloc(n, sizeof *values);
    if (values == NULL) return l2r_fail_memory(error, n * sizeof *values, "the losses of an epoch");
    for (size_t i = 0; i < n; i++) epochs = records[i].n < epochs ? records[i].n : epochs;
    size_t step = epochs / N_BARS > 0 ? epochs / N_BARS : 1, first = step * (2 * style + 1) / (2 * n_styles);
    for (size_t e = 0; e < epochs; e++) {
        for (size_t i = 0; i < n; i++) values[i] = records[i].loss[e][panel];
        struct l2r_seed_mean at = l2r_mean_of_values(values, n);
        bool bar = e % step == first % step;
        l2r_plot_add_row(plot, panel, s, (double)(e + 1), at.mean, bar ? at.mean - at.bar : (double)NAN,
                         bar ? at.mean + at.bar : (double)NAN);
    }
    l2r_free(values);
    return L2R_OK;
}

static enum l2r_status add_series(struct l2r_plot *plot, const struct l2r_chart_runs *runs,
                                  const struct l2r_names *series, size_t which, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t n = 0;
    struct record *records = l2r_alloc(runs->n, sizeof *records);
    if (records == NULL) return l2r_fail_memory(error, runs->n * sizeof *records, "the losses of a figure");
    for (size_t i = 0; i < runs->n; i++)
        if (strcmp(runs->items[i].series, series->items[which]) == 0)
            L2R_TRY(read_record(&records[n++], &runs->items[i], error));
    for (size_t panel = 0; panel < N_LOSSES; panel++)
        L2R_TRY(add_curve(plot, panel, records, n, series->items[which], which, series->n, error));
done:
    for (size_t i = 0; i < runs->n; i++) l2r_free(records[i].loss);
    l2r_free(records);
    return status;
}

static enum l2r_status make(struct l2r_plot *plot, const struct l2r_chart_runs *runs, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_names series = {0};
    l2r_plot_add_panel(plot, "training loss");
    l2r_plot_add_panel(plot, "validation loss");
    L2R_TRY(l2r_names_find(&series, runs, L2R_NAME_SERIES, NULL, error));
    for (size_t s = 0; s < series.n; s++) L2R_TRY(add_series(plot, runs, &series, s, error));
done:
    l2r_names_clear(&series);
    return status;
}

const struct l2r_chart l2r_chart_curves = {.name = "curves", .reads_folders = true, .make = make};
