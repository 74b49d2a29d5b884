/* SPDX-License-Identifier: MIT
 * See placement.h. */
#include "reproduce/placement.h"

#include "base/memory.h"
#include "figure/figure.h"
#include "io/file.h"

#include <string.h>

struct drawn {
    struct l2r_chart_run *runs;
    size_t n, capacity;
    struct l2r_arena text; /* folders */
};

static bool is_one_of(const char *key, const char *const *known)
{
    while (*known != NULL && strcmp(*known, key) != 0) known++;
    return *known != NULL;
}

static enum l2r_status check_place(const json_t *place, const char *const *known, const char *label, const char *where,
                                   struct l2r_error *error)
{
    const char *key;
    json_t *value;
    if (!json_is_object(place))
        return l2r_fail(error, L2R_ERR_FORMAT, "%s: \"figure\" of %s must be an object or a list of objects", where,
                        label);
    json_object_foreach((json_t *)(uintptr_t)place, key, value)
    {
        bool flag = strcmp(key, "reference") == 0 || strcmp(key, "default") == 0;
        if (!is_one_of(key, known))
            return l2r_fail(error, L2R_ERR_FORMAT, "%s: \"figure\" of %s has no \"%s\"", where, label, key);
        if (flag ? !json_is_boolean(value) : !json_is_string(value))
            return l2r_fail(error, L2R_ERR_FORMAT, "%s: \"%s\" in \"figure\" of %s must be %s", where, key, label,
                            flag ? "true or false" : "a text");
    }
    return L2R_OK;
}

static enum l2r_status check_places(const json_t *list, const char *const *known, const char *where,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    size_t i, k;
    json_t *item, *place;
    json_array_foreach((json_t *)(uintptr_t)list, i, item)
    {
        const json_t *figure = json_object_get(item, "figure");
        const char *label = json_string_value(json_object_get(item, "label"));
        if (label == NULL) label = "a row";
        if (figure != NULL && !json_is_array(figure)) L2R_TRY(check_place(figure, known, label, where, error));
        json_array_foreach((json_t *)(uintptr_t)figure, k, place)
            L2R_TRY(check_place(place, known, label, where, error));
    }
done:
    return status;
}

enum l2r_status l2r_placement_check(const json_t *root, const char *where, struct l2r_error *error)
{
    static const char *const of_row[] = {"panel", "series", "x", "reference", "default", NULL};
    static const char *const of_column[] = {"panel", "x", NULL};
    enum l2r_status status = L2R_OK;
    const json_t *figure = json_object_get(root, "figure");
    if (figure != NULL) L2R_TRY(l2r_figure_check(figure, where, error));
    if (figure != NULL && l2r_figure_reads_folders(figure) && !json_is_true(json_object_get(root, "needs_folders")))
        L2R_FAIL(L2R_ERR_FORMAT, "%s: the chart reads the folders of the runs, so \"needs_folders\" must be true",
                 where);
    L2R_TRY(check_places(json_object_get(root, "rows"), of_row, where, error));
    L2R_TRY(check_places(json_object_get(root, "columns"), of_column, where, error));
    L2R_TRY(check_places(json_object_get(json_object_get(root, "quick"), "columns"), of_column, where, error));
done:
    return status;
}

/* The row's value, or else the column's, or else the default. */
static const char *word(const json_t *row, const json_t *column, const char *key, const char *otherwise)
{
    const char *text = json_string_value(json_object_get(row, key));
    if (text == NULL) text = json_string_value(json_object_get(column, key));
    return text != NULL ? text : otherwise;
}

static enum l2r_status place_run(struct drawn *drawn, const json_t *row, const struct l2r_spec *spec,
                                 const struct l2r_planned *run, const json_t *line, const char *dir,
                                 struct l2r_error *error)
{
    const struct l2r_spec_column *column = &spec->columns[run->column];
    if (!l2r_reserve((void **)&drawn->runs, &drawn->capacity, drawn->n + 1, sizeof *drawn->runs))
        return l2r_fail_memory(error, sizeof *drawn->runs, "the runs of a figure");
    drawn->runs[drawn->n++] =
        (struct l2r_chart_run){.panel = word(row, column->figure, "panel", ""),
                               .series = word(row, NULL, "series", spec->rows[run->row].label),
                               .x = word(row, column->figure, "x", column->label),
                               .reference = json_is_true(json_object_get(row, "reference")),
                               .standard = json_is_true(json_object_get(row, "default")),
                               .seed = run->seed,
                               .value = l2r_line_number(l2r_spec_scores(&spec->rows[run->row], line), "test"),
                               .dir = dir};
    return L2R_OK;
}

static enum l2r_status add_run(struct drawn *drawn, const struct l2r_reproduce *job, const struct l2r_planned *run,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const json_t *line = l2r_results_find(job->results, "run", run->id, run->config, NULL);
    const json_t *row = job->spec->rows[run->row].figure;
    const char *folder = json_string_value(json_object_get(line, "run"));
    char path[4096] = "", *dir;
    size_t i;
    json_t *place;
    if (line == NULL) return L2R_OK;
    if (folder != NULL) L2R_TRY(l2r_path_join(path, sizeof path, job->dir, folder, error));
    dir = l2r_arena_strdup(&drawn->text, path);
    if (dir == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory for the runs of a figure");
    if (!json_is_array(row)) L2R_TRY(place_run(drawn, row, job->spec, run, line, dir, error));
    json_array_foreach((json_t *)(uintptr_t)row, i, place)
        L2R_TRY(place_run(drawn, place, job->spec, run, line, dir, error));
done:
    return status;
}

enum l2r_status l2r_placement_draw(const struct l2r_reproduce *job, bool partial, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct drawn drawn = {0};
    char note[L2R_FIGURE_NOTE];
    l2r_arena_init(&drawn.text);
    for (size_t i = 0; i < job->plan->n; i++) L2R_TRY(add_run(&drawn, job, &job->plan->runs[i], error));
    if (partial && drawn.n == 0) goto done;
    const struct l2r_chart_runs runs = {.items = drawn.runs, .n = drawn.n};
    L2R_TRY(l2r_figure_write(job->dir, job->spec->name, job->spec->figure, &runs, note, error));
    if (*note != '\0' && job->report != NULL) job->report(job->context, note);
done:
    l2r_free(drawn.runs);
    l2r_arena_clear(&drawn.text);
    return status;
}
