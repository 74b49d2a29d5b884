/* SPDX-License-Identifier: MIT
 *
 * See results.h. The file is opened for appending and locked (flock) for as long as it is open; the kernel drops the
 * lock when the process ends, however it ends. A line is on the disk before its caller removes the state from which the
 * run could be resumed, so that no work is lost.
 */
#include "results/results.h"

#include "base/memory.h"
#include "base/system.h"
#include "io/file.h"
#include "io/temporary.h"
#include "kernels/vector.h"
#include "metrics/metrics.h"
#include "model/run_names.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

static enum l2r_status keep(struct l2r_results *results, json_t *line, struct l2r_error *error)
{
    if (!l2r_reserve((void **)&results->lines, &results->capacity, results->n + 1, sizeof(json_t *))) {
        json_decref(line);
        return l2r_fail_memory(error, sizeof(json_t *), "the results");
    }
    results->lines[results->n++] = line;
    return L2R_OK;
}

/* Every line of l2r has a "kind". A file with damaged lines only may have been cut by a kill. */
static bool is_foreign(const struct l2r_results *results, const char *text)
{
    for (size_t i = 0; i < results->n; i++)
        if (!json_is_string(json_object_get(results->lines[i], "kind"))) return true;
    return results->n == 0 && results->n_skipped > 0 && text[0] != '{';
}

static enum l2r_status read_lines(struct l2r_results *results, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char *text = NULL;
    size_t length = 0;
    if (access(results->path, F_OK) != 0) return L2R_OK;
    L2R_TRY(l2r_file_read(&text, &length, results->path, (size_t)1 << 30, error));
    for (char *line = text; line < text + length;) {
        char *end = memchr(line, '\n', (size_t)(text + length - line));
        results->unfinished = end == NULL;
        if (end == NULL) end = text + length;
        json_t *object = NULL;
        if (l2r_json_parse(&object, line, (size_t)(end - line), results->path, error) == L2R_ERR_MEMORY) {
            status = L2R_ERR_MEMORY; /* unlike a line that is not JSON, which is skipped */
            goto done;
        }
        bool good = json_is_object(object);
        if (!good && end > line) results->n_skipped++;
        if (!good) json_decref(object);
        if (good) L2R_TRY(keep(results, object, error));
        line = end + 1;
    }
    if (results->file >= 0 && is_foreign(results, text))
        L2R_FAIL(L2R_ERR_ARGUMENT,
                 "%s exists and holds no results of l2r, whose lines have a \"kind\"; move it, or choose another file",
                 results->path);
done:
    l2r_free(text);
    return status;
}

enum l2r_status l2r_results_open(struct l2r_results *results, const char *path, bool writing, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *results = (struct l2r_results){.file = -1};
    snprintf(results->vector, sizeof results->vector, "%s", l2r_vector_width());
    L2R_TRY(l2r_path_join(results->path, sizeof results->path, "", path, error));
    if (writing) {
        results->file = l2r_sys_open(path, O_WRONLY | O_APPEND | O_CREAT);
        if (results->file < 0) L2R_FAIL(L2R_ERR_IO, "%s: cannot be written: %s", path, l2r_sys_reason(errno));
        if (flock(results->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            L2R_FAIL(L2R_ERR_ARGUMENT, "%s: another process is writing results there; wait, or choose another file",
                     path);
    }
    L2R_TRY(read_lines(results, error));
    if (writing) l2r_remove_litter_at(path); /* tables and plots that a killed process left half written */
done:
    return status;
}

void l2r_results_close(struct l2r_results *results)
{
    for (size_t i = 0; i < results->n; i++) json_decref(results->lines[i]);
    l2r_free(results->lines);
    if (results->file >= 0) (void)l2r_sys_close(results->file);
    *results = (struct l2r_results){.file = -1};
}

static enum l2r_status write_all(int file, const char *text, size_t length, const char *path, struct l2r_error *error)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = l2r_sys_write(file, text + done, length - done);
        if (n < 0) return l2r_fail(error, L2R_ERR_IO, "%s: cannot be written: %s", path, l2r_sys_reason(errno));
        done += (size_t)n;
    }
    return L2R_OK;
}

enum l2r_status l2r_results_add(struct l2r_results *results, json_t *line, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (results->file < 0) return keep(results, line, error);
    char *text = l2r_json_dump(line, JSON_COMPACT | JSON_REAL_PRECISION(17)), *whole = NULL;
    size_t length = text != NULL ? strlen(text) : 0;
    whole = l2r_alloc(length + 3, 1);
    if (text == NULL || whole == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for a line of results");
    size_t first = results->unfinished ? 1 : 0; /* closes the line that was cut */
    if (first) whole[0] = '\n';
    snprintf(whole + first, length + 2, "%s\n", text);
    L2R_TRY(write_all(results->file, whole, first + length + 1, results->path, error));
    results->unfinished = false;
    if (l2r_sys_fsync(results->file) != 0)
        L2R_FAIL(L2R_ERR_IO, "%s: cannot be flushed to the disk: %s", results->path, strerror(errno));
    L2R_TRY(keep(results, json_incref(line), error));
done:
    json_decref(line);
    l2r_free(text);
    l2r_free(whole);
    return status;
}

/* ---- the identity of a run ---- */

static bool text_is(const json_t *line, const char *key, const char *wanted)
{
    const char *text = json_string_value(json_object_get(line, key));
    return text != NULL && strcmp(text, wanted) == 0;
}

/* The width of a line; "": none was kept. */
static const char *width_of(const json_t *line)
{
    const char *vector = json_string_value(json_object_get(line, "vector"));
    return vector != NULL ? vector : "";
}

static bool counts(const struct l2r_results *results, const json_t *line)
{
    const char *width = width_of(line);
    return *width == '\0' || strcmp(width, results->vector) == 0;
}

void l2r_results_take_width(struct l2r_results *results)
{
    const char *newest = "";
    for (size_t i = 0; i < results->n; i++) {
        const char *width = width_of(results->lines[i]);
        if (strcmp(width, results->vector) == 0) return;
        if (*width != '\0') newest = width;
    }
    if (*newest != '\0') snprintf(results->vector, sizeof results->vector, "%s", newest);
}

enum l2r_status l2r_run_id(char id[17], const char *data, const struct l2r_config *config, struct l2r_error *error)
{
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL) return l2r_fail_memory(error, 17, "the plan");
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, data, strlen(data) + 1);
    const struct l2r_option *option;
    for (size_t i = 0; (option = l2r_config_option(config, i)) != NULL; i++) {
        const char *value = l2r_config_text(config, option->name);
        if (!l2r_config_was_set(config, option->name) || option->neutral) continue;
        XXH3_64bits_update(state, option->name, strlen(option->name) + 1);
        XXH3_64bits_update(state, value, strlen(value) + 1);
    }
    snprintf(id, 17, "%016" PRIx64, (uint64_t)XXH3_64bits_digest(state));
    XXH3_freeState(state);
    return L2R_OK;
}

bool l2r_same_options(const json_t *before, const json_t *now, const struct l2r_config *config)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)now, name, value)
    {
        const json_t *old = json_object_get(before, name);
        if (old != NULL && !l2r_config_is_neutral(config, name) && !json_equal(old, value)) return false;
    }
    return true;
}

const json_t *l2r_results_find(const struct l2r_results *results, const char *kind, const char *id,
                               const struct l2r_config *config, const char *data)
{
    const json_t *found = NULL;
    json_t *now = NULL;
    for (size_t i = results->n; i-- > 0 && found == NULL;) {
        const json_t *line = results->lines[i];
        if (!text_is(line, "id", id) || !text_is(line, "kind", kind) || !counts(results, line)) continue;
        if (data != NULL && !text_is(line, "data", data)) continue;
        if (now == NULL) now = l2r_config_to_json(config);
        if (now != NULL && l2r_same_options(json_object_get(line, "config"), now, config)) found = line;
    }
    json_decref(now);
    return found;
}

/* ---- numbers of a line ---- */

double l2r_line_number(const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

double l2r_line_metric(const json_t *line, const char *part, const char *metric)
{
    return l2r_line_number(json_object_get(json_object_get(line, "more"), part), metric);
}

void l2r_line_weights(double *ess, double *dependence_left, const char *dir)
{
    char path[4096], *text = NULL;
    size_t length = 0;
    double n = 0, sums[2] = {0, 0};
    *ess = *dependence_left = (double)NAN;
    if (l2r_path_join(path, sizeof path, dir, L2R_METRICS_FILE, NULL) != L2R_OK ||
        l2r_file_read(&text, &length, path, (size_t)1 << 28, NULL) != L2R_OK)
        return;
    for (char *line = text, *end; (end = memchr(line, '\n', (size_t)(text + length - line))); line = end + 1) {
        json_t *epoch = json_loadb(line, (size_t)(end - line), 0, NULL);
        const json_t *weights = json_object_get(epoch, "reweight");
        double left = l2r_line_number(weights, "dependence_after") / l2r_line_number(weights, "dependence_before");
        if (!isnan(l2r_line_number(weights, "ess"))) {
            n++;
            sums[0] += l2r_line_number(weights, "ess");
            sums[1] += isfinite(left) ? left : 1;
        }
        json_decref(epoch);
    }
    l2r_free(text);
    if (n == 0) return;
    *ess = sums[0] / n;
    *dependence_left = sums[1] / n;
}

double l2r_line_best_test(const char *dir, const char *metric)
{
    char path[4096], *text = NULL;
    size_t length = 0;
    double best = (double)NAN;
    const struct l2r_metric *known = l2r_metric_find(metric);
    if (!known || l2r_path_join(path, sizeof path, dir, L2R_METRICS_FILE, NULL) != L2R_OK ||
        l2r_file_read(&text, &length, path, (size_t)1 << 28, NULL) != L2R_OK)
        return best;
    for (char *line = text, *end; (end = memchr(line, '\n', (size_t)(text + length - line))); line = end + 1) {
        json_t *epoch = json_loadb(line, (size_t)(end - line), 0, NULL);
        double score = l2r_line_number(json_object_get(epoch, "test"), metric);
        if (!isnan(score) && l2r_metric_better(known, score, best)) best = score;
        json_decref(epoch);
    }
    l2r_free(text);
    return best;
}

void l2r_processor_name(char out[128])
{
    char *text = NULL;
    size_t length = 0;
    snprintf(out, 128, "%s", l2r_vector_of_processor());
    if (l2r_file_read(&text, &length, "/proc/cpuinfo", (size_t)1 << 24, NULL) != L2R_OK) return;
    const char *name = length > 0 ? strstr(text, "model name") : NULL;
    if (name) name = strchr(name, ':');
    if (name) name += 1 + strspn(name + 1, " \t");
    if (name) snprintf(out, 128, "%.*s", (int)strcspn(name, "\n"), name);
    l2r_free(text);
}

int l2r_line_origin(json_t *line)
{
    char processor[128], date[32];
    time_t now = time(NULL);
    struct tm parts;
    l2r_processor_name(processor);
    gmtime_r(&now, &parts);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
    json_t *origin = json_pack("{s:s, s:s, s:s, s:s, s:s}", "version", l2r_version(), "commit", l2r_build_commit,
                               "vector", l2r_vector_width(), "processor", processor, "date", date);
    const char *vector = json_string_value(json_object_get(line, "vector"));
    if (vector && origin) json_object_set_new(origin, "vector", json_string(vector));
    int failed = origin ? json_object_update(line, origin) : -1;
    json_decref(origin);
    return failed;
}
