/* SPDX-License-Identifier: MIT
 * See run_files.h. */
#include "report/run_files.h"

#include "base/config.h"
#include "base/memory.h"
#include "io/csv.h"
#include "io/file.h"
#include "io/json_file.h"
#include "model/run_names.h"
#include "report/drawing_check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATH = 4096, LARGEST_DRAWING = 64 << 20, LARGEST_METRICS = 1 << 30, MOST_FRAGMENTS = 30 };

/* Names in a folder that begin and end so, in the order of the number between. */
struct names {
    char **items;
    size_t n, capacity;
};

static void names_clear(struct names *names)
{
    for (size_t i = 0; i < names->n; i++) l2r_free(names->items[i]);
    l2r_free(names->items);
}

static int by_number(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    long long p = strtoll(x + strcspn(x, "0123456789"), NULL, 10), q = strtoll(y + strcspn(y, "0123456789"), NULL, 10);
    return p != q ? (p < q ? -1 : 1) : strcmp(x, y);
}

static enum l2r_status names_find(struct names *names, const char *dir, const char *begin, const char *end,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    DIR *folder = opendir(dir);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name), first = strlen(begin), last = strlen(end);
        if (length <= first + last || strncmp(entry->d_name, begin, first) != 0 ||
            strcmp(entry->d_name + length - last, end) != 0)
            continue;
        if (!l2r_reserve((void **)&names->items, &names->capacity, names->n + 1, sizeof *names->items) ||
            (names->items[names->n] = l2r_strdup(entry->d_name)) == NULL)
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the names of files");
        names->n++;
    }
    if (names->n > 1) qsort(names->items, names->n, sizeof *names->items, by_number);
done:
    if (folder != NULL) closedir(folder);
    return status;
}

static enum l2r_status read_drawings(struct l2r_run_files *run, const char *dir, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct names names = {0};
    char path[MAX_PATH];
    L2R_TRY(names_find(&names, dir, "graph-", ".svg", error));
    run->drawings = l2r_alloc(names.n, sizeof *run->drawings);
    if (run->drawings == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: drawings");
    for (size_t i = 0; i < names.n; i++) {
        char *svg = NULL;
        size_t length;
        L2R_TRY(l2r_path_join(path, sizeof path, dir, names.items[i], error));
        L2R_TRY(l2r_file_read(&svg, &length, path, LARGEST_DRAWING, error));
        if (l2r_drawing_is_safe(svg, length))
            run->drawings[run->n_drawings++] = svg;
        else {
            run->n_foreign++;
            l2r_free(svg);
        }
    }
done:
    names_clear(&names);
    return status;
}

static enum l2r_status read_json_if_there(json_t **root, const char *dir, const char *name, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[MAX_PATH];
    L2R_TRY(l2r_path_join(path, sizeof path, dir, name, error));
    if (l2r_path_is_there(path)) L2R_TRY(l2r_json_read(root, path, error));
done:
    return status;
}

/* A run that is being trained may have written half of its last line: that one is left out. */
static enum l2r_status read_epochs(struct l2r_run_files *run, const char *dir, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char path[MAX_PATH], *text = NULL;
    size_t length = 0;
    run->epochs = json_array();
    L2R_TRY(l2r_path_join(path, sizeof path, dir, L2R_METRICS_FILE, error));
    if (l2r_path_is_there(path)) L2R_TRY(l2r_file_read(&text, &length, path, LARGEST_METRICS, error));
    for (const char *line = text, *end; line != NULL && (end = strchr(line, '\n')) != NULL; line = end + 1) {
        json_t *epoch = NULL;
        L2R_TRY(l2r_json_parse(&epoch, line, (size_t)(end - line), path, error));
        if (json_array_append_new(run->epochs, epoch) != 0) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %s", path);
    }
done:
    l2r_free(text);
    return status;
}

/* The first records of a table, those that are whole. */
static enum l2r_status read_fragments(struct l2r_run_files *run, const char *dir, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_source *source = NULL;
    struct l2r_csv *csv = NULL;
    const struct l2r_csv_record *record;
    char path[MAX_PATH];
    L2R_TRY(l2r_path_join(path, sizeof path, dir, "fragments.csv", error));
    if (!l2r_path_is_there(path)) return L2R_OK;
    L2R_TRY(l2r_source_open(&source, path, error));
    L2R_TRY(l2r_csv_open(&csv, source, source->entries, ',', error));
    run->fragments = json_array();
    while (json_array_size(run->fragments) <= MOST_FRAGMENTS) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (record == NULL) break;
        if (record->problem != NULL) continue;
        json_t *row = json_array();
        for (int32_t f = 0; f < record->n_fields; f++) json_array_append_new(row, json_string(record->fields[f].text));
        if (json_array_append_new(run->fragments, row) != 0) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %s", path);
    }
done:
    l2r_csv_free(csv);
    l2r_source_free(source);
    return status;
}

static enum l2r_status read_run(struct l2r_run_files *run, const char *dir, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char pictures[MAX_PATH];
    run->dir = l2r_strdup(dir);
    if (run->dir == NULL) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a run");
    L2R_TRY(read_json_if_there(&run->config, dir, L2R_CONFIG_FILE, error));
    json_object_del(run->config, L2R_ORIGIN_KEY);
    if (!json_is_object(run->config))
        L2R_FAIL(L2R_ERR_IO,
                 "%s: no config.json; expected the folder of a run, or of runs of several seeds, folds or replicates",
                 dir);
    L2R_TRY(read_epochs(run, dir, error));
    L2R_TRY(read_json_if_there(&run->result, dir, L2R_RESULT_FILE, error));
    L2R_TRY(l2r_path_join(pictures, sizeof pictures, dir, "explanations", error));
    L2R_TRY(read_json_if_there(&run->explanations, pictures, "explanations.json", error));
    if (json_is_true(json_object_get(run->explanations, "incomplete"))) { /* l2r explain was killed */
        json_decref(run->explanations);
        run->explanations = NULL;
        return L2R_OK;
    }
    L2R_TRY(read_fragments(run, pictures, error));
    L2R_TRY(read_drawings(run, pictures, error));
done:
    return status;
}

static enum l2r_status add_run(struct l2r_run_list *list, const char *dir, struct l2r_error *error)
{
    if (!l2r_reserve((void **)&list->runs, &list->capacity, list->n + 1, sizeof *list->runs))
        return l2r_fail_memory(error, sizeof *list->runs, "a list of runs");
    struct l2r_run_files *run = &list->runs[list->n++];
    *run = (struct l2r_run_files){0};
    return read_run(run, dir, error);
}

enum l2r_status l2r_run_list_add(struct l2r_run_list *list, const char *dir, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct names seeds = {0};
    char path[MAX_PATH];
    L2R_TRY(l2r_path_join(path, sizeof path, dir, L2R_CONFIG_FILE, error));
    for (int kind = 0; kind < L2R_N_SIBLINGS && seeds.n == 0 && !l2r_path_is_there(path); kind++) {
        char prefix[32];
        snprintf(prefix, sizeof prefix, "%s-", l2r_sibling_names[kind]);
        L2R_TRY(names_find(&seeds, dir, prefix, "", error));
    }
    for (size_t i = 0; i < seeds.n; i++) {
        L2R_TRY(l2r_path_join(path, sizeof path, dir, seeds.items[i], error));
        L2R_TRY(add_run(list, path, error));
    }
    if (seeds.n == 0) L2R_TRY(add_run(list, dir, error));
done:
    names_clear(&seeds);
    return status;
}

void l2r_run_list_clear(struct l2r_run_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        struct l2r_run_files *run = &list->runs[i];
        l2r_free(run->dir);
        json_decref(run->config);
        json_decref(run->epochs);
        json_decref(run->result);
        json_decref(run->explanations);
        json_decref(run->fragments);
        for (size_t k = 0; k < run->n_drawings; k++) l2r_free(run->drawings[k]);
        l2r_free(run->drawings);
    }
    l2r_free(list->runs);
    *list = (struct l2r_run_list){0};
}
