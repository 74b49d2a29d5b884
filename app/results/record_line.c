/* SPDX-License-Identifier: MIT
 * See record_line.h. */
#include "results/record_line.h"

#include "base/memory.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

void l2r_record_weights(double *ess, double *dependence_left, const char *dir)
{
    char path[4096], *text = NULL;
    size_t length = 0;
    double n = 0, sums[2] = {0, 0};
    *ess = *dependence_left = (double)NAN;
    if (l2r_path_join(path, sizeof path, dir, "metrics.jsonl", NULL) != L2R_OK ||
        l2r_file_read(&text, &length, path, (size_t)1 << 28, NULL) != L2R_OK)
        return;
    for (char *line = text, *end; (end = memchr(line, '\n', (size_t)(text + length - line))); line = end + 1) {
        json_t *epoch = json_loadb(line, (size_t)(end - line), 0, NULL);
        const json_t *weights = json_object_get(epoch, "reweight");
        double left = number(weights, "dependence_after") / number(weights, "dependence_before");
        if (!isnan(number(weights, "ess"))) {
            n++;
            sums[0] += number(weights, "ess");
            sums[1] += isfinite(left) ? left : 1;
        }
        json_decref(epoch);
    }
    l2r_free(text);
    if (n == 0) return;
    *ess = sums[0] / n;
    *dependence_left = sums[1] / n;
}

void l2r_record_date(char out[32])
{
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

json_t *l2r_record_line(const struct l2r_spec *spec, const struct l2r_planned *run, const struct l2r_queue_done *done,
                        const char *data, const char *folder, const char *dir)
{
    const struct l2r_result *r = done->result;
    char date[32];
    double ess, left;
    l2r_record_date(date);
    l2r_record_weights(&ess, &left, dir);
    json_t *line =
        json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:I}", "kind", "run", "id", run->id, "data", data, "table",
                  spec->name, "system", spec->rows[run->row].label, "set", spec->columns[run->column].label, "model",
                  spec->rows[run->row].model, "method", spec->rows[run->row].method, "seed", (json_int_t)run->seed);
    json_t *scores =
        json_pack("{s:s,s:o,s:o,s:o,s:I,s:I,s:o,s:o}", "metric", r->metric, "train", l2r_json_real(r->train), "valid",
                  l2r_json_real(r->valid), "test", l2r_json_real(r->test), "best_epoch", (json_int_t)r->best_epoch,
                  "epochs", (json_int_t)r->epochs, "ess", l2r_json_real(ess), "dependence_left", l2r_json_real(left));
    json_t *rest = json_pack("{s:o,s:o,s:o,s:i,s:I,s:s,s:s,s:s}", "seconds", l2r_json_real(r->seconds), "cpu_seconds",
                             l2r_json_real(done->cpu_seconds), "graphs_per_second", l2r_json_real(r->graphs_per_second),
                             "threads", done->threads, "parameters", (json_int_t)r->n_parameters, "version",
                             l2r_version(), "date", date, "run", folder);
    bool failed = line == NULL || scores == NULL || rest == NULL || json_object_update(line, scores) != 0 ||
                  json_object_update(line, rest) != 0 || json_object_set(line, "more", r->more) != 0 ||
                  json_object_set_new(line, "config", l2r_config_to_json(run->config)) != 0;
    json_decref(scores);
    json_decref(rest);
    if (!failed) return line;
    json_decref(line);
    return NULL;
}
