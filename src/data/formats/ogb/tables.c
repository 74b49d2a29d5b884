/* SPDX-License-Identifier: MIT
 *
 * The tables of ogb.h with a row per graph. num-node-list says how many graphs there are, and every other table must
 * agree: a table that is one row short would shift all labels, so it is an error.
 *
 * Labels decide the task: all of them 0, 1 or missing is binary, anything else regression (OGB has no multi-class
 * molecule set). The split is split/scaffold if there is one, else the only split there is. */
#include "data/formats/ogb/ogb.h"

#include "base/memory.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_TASKS = 4096 };

/* The file that marks a root. Packed tables first: a folder may hold both, and then the packed ones are read. */
static const char *const endings[] = {"raw/num-node-list.csv.gz", "raw/num-node-list.csv"};

bool l2r_ogb_find_root(char *root, size_t size, int *n_found, const struct l2r_source *source)
{
    *n_found = 0;
    for (int i = 0; i < 2 && *n_found == 0; i++) {
        for (size_t k = 0; k < source->n_entries; k++) {
            const char *name = source->entries[k].name, *raw = strstr(name, endings[i]);
            if (!raw || strcmp(raw, endings[i]) != 0 || (raw > name && raw[-1] != '/')) continue;
            size_t length = (size_t)(raw - name);
            if (memchr(name, '/', length ? length - 1 : 0) || length >= size) continue; /* one folder deep at most */
            if (++*n_found > 1) continue;
            memcpy(root, name, length);
            root[length] = '\0';
        }
    }
    return *n_found > 0;
}

const struct l2r_entry *l2r_ogb_find(const struct l2r_ogb_tables *t, const char *folder, const char *table)
{
    char rest[512];
    snprintf(rest, sizeof rest, "%s/%s.csv.gz", folder, table);
    const struct l2r_entry *entry = l2r_source_find2(t->source, t->root, rest);
    if (entry) return entry;
    snprintf(rest, sizeof rest, "%s/%s.csv", folder, table);
    return l2r_source_find2(t->source, t->root, rest);
}

enum l2r_status l2r_ogb_need(const struct l2r_entry **entry, const struct l2r_ogb_tables *t, const char *table,
                             struct l2r_error *error)
{
    *entry = l2r_ogb_find(t, "raw", table);
    if (*entry) return L2R_OK;
    return l2r_fail(error, L2R_ERR_FORMAT, "%s/%sraw/%s.csv.gz: the file is missing; an OGB data set needs it",
                    t->source->path, t->root, table);
}

static enum l2r_status open_table(struct l2r_lines *lines, const struct l2r_ogb_tables *t, const char *table,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_entry *entry;
    L2R_TRY(l2r_ogb_need(&entry, t, table, error));
    L2R_TRY(l2r_lines_open(lines, t->source, entry, error));
done:
    return status;
}

/* One count per graph. The first such table tells how many graphs there are (*n_graphs 0), the second must agree. */
static enum l2r_status read_counts(int64_t **counts, int64_t *n_graphs, const struct l2r_ogb_tables *t,
                                   const char *table, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    int64_t n = 0, count;
    size_t capacity = 0;
    bool more;
    L2R_TRY(open_table(&lines, t, table, error));
    for (;; n++) {
        L2R_TRY(l2r_lines_ints(&lines, &count, 1, &more, error));
        if (*n_graphs > 0 && more != (n < *n_graphs)) {
            status = l2r_lines_wrong_count(&lines, *n_graphs, "graphs in num-node-list.csv.gz", error);
            goto done;
        }
        if (!more) break;
        if (count < 0 || count >= INT32_MAX - 1) {
            status = l2r_lines_fail(&lines, error, "%lld is outside 0..%d", (long long)count, INT32_MAX - 2);
            goto done;
        }
        if (n >= INT32_MAX - 1 || !l2r_reserve((void **)counts, &capacity, (size_t)n + 1, sizeof **counts))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: sizes of %lld graphs", (long long)n);
        (*counts)[n] = count;
    }
    if (n == 0) status = l2r_lines_fail(&lines, error, "the file is empty, expected one row per graph");
    *n_graphs = n;
done:
    l2r_lines_close(&lines);
    return status;
}

static void choose_task(struct l2r_ogb_tables *t)
{
    t->task = L2R_TASK_BINARY;
    for (int64_t i = 0; i < t->n_graphs * t->n_tasks; i++) {
        float y = t->labels[i];
        if (!isnan(y) && y != 0 && y != 1) t->task = L2R_TASK_REGRESSION;
    }
}

static enum l2r_status read_labels(struct l2r_ogb_tables *t, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    double *row = NULL;
    bool more;
    L2R_TRY(open_table(&lines, t, "graph-label", error));
    lines.keep_empty = true; /* with one task a missing label is an empty line */
    L2R_TRY(l2r_lines_columns(&lines, &t->n_tasks, MAX_TASKS, error));
    if (t->n_tasks == 0) {
        status = l2r_lines_wrong_count(&lines, t->n_graphs, "graphs in num-node-list.csv.gz", error);
        goto done;
    }
    size_t columns = (size_t)t->n_tasks;
    t->labels = l2r_alloc_raw((size_t)t->n_graphs * columns, sizeof *t->labels);
    row = l2r_alloc_raw(columns, sizeof *row);
    if (!t->labels || !row) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: labels");
    for (int64_t g = 0; g < t->n_graphs; g++) {
        L2R_TRY(l2r_lines_reals(&lines, row, t->n_tasks, true, &more, error));
        if (!more) {
            status = l2r_lines_wrong_count(&lines, t->n_graphs, "graphs in num-node-list.csv.gz", error);
            goto done;
        }
        for (size_t k = 0; k < columns; k++) t->labels[(size_t)g * columns + k] = (float)row[k];
    }
    lines.keep_empty = false;
    L2R_TRY(l2r_lines_next(&lines, error));
    if (lines.text) status = l2r_lines_wrong_count(&lines, t->n_graphs, "graphs in num-node-list.csv.gz", error);
    choose_task(t);
done:
    l2r_free(row);
    l2r_lines_close(&lines);
    return status;
}

static enum l2r_status read_part(struct l2r_ogb_tables *t, const struct l2r_entry *entry, int part,
                                 struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_lines lines = {0};
    int64_t graph;
    bool more;
    L2R_TRY(l2r_lines_open(&lines, t->source, entry, error));
    for (;;) {
        L2R_TRY(l2r_lines_ints(&lines, &graph, 1, &more, error));
        if (!more) break;
        if (graph < 0 || graph >= t->n_graphs) {
            status = l2r_lines_fail(&lines, error, "graph %lld is outside 0..%lld", (long long)graph,
                                    (long long)t->n_graphs - 1);
            goto done;
        }
        if (t->part[graph] != L2R_PART_NONE) {
            status = l2r_lines_fail(&lines, error, "graph %lld is in the split twice", (long long)graph);
            goto done;
        }
        t->part[graph] = (uint8_t)part;
    }
done:
    l2r_lines_close(&lines);
    return status;
}

/* The split folder to use: "split/scaffold" if there, else the only one. *n counts the folders. */
static void choose_split(char *folder, size_t size, int *n, const struct l2r_ogb_tables *t)
{
    size_t root = strlen(t->root);
    *n = 0;
    for (size_t i = 0; i < t->source->n_entries; i++) {
        const char *name = t->source->entries[i].name;
        if (strncmp(name, t->root, root) != 0 || strncmp(name + root, "split/", 6) != 0) continue;
        const char *slash = strchr(name + root + 6, '/');
        if (!slash || strncmp(slash, "/train.csv", 10) != 0) continue;
        snprintf(folder, size, "%.*s", (int)(slash - name - (ptrdiff_t)root), name + root);
        ++*n;
        if (strcmp(folder, "split/scaffold") == 0) {
            *n = 1;
            return;
        }
    }
}

static enum l2r_status read_split(struct l2r_ogb_tables *t, struct l2r_error *error)
{
    static const char *const parts[] = {"train", "valid", "test"};
    enum l2r_status status = L2R_OK;
    char folder[256];
    int n;
    t->part = l2r_alloc_raw((size_t)t->n_graphs, 1);
    if (!t->part) return l2r_fail_memory(error, (size_t)t->n_graphs, "a split");
    memset(t->part, L2R_PART_NONE, (size_t)t->n_graphs);
    choose_split(folder, sizeof folder, &n, t);
    if (n == 0) return L2R_OK;
    if (n > 1)
        L2R_FAIL(L2R_ERR_FORMAT, "%s/%ssplit holds %d splits and none is called scaffold; keep one", t->source->path,
                 t->root, n);
    for (int p = 0; p < 3; p++) {
        const struct l2r_entry *entry = l2r_ogb_find(t, folder, parts[p]);
        if (!entry)
            L2R_FAIL(L2R_ERR_FORMAT, "%s/%s%s/%s.csv.gz: the file is missing; a split has train, valid and test",
                     t->source->path, t->root, folder, parts[p]);
        L2R_TRY(read_part(t, entry, p, error));
    }
done:
    return status;
}

/* The folder that holds raw/, or else the source's name up to its first dot: bace.zip is "bace". */
static void choose_name(struct l2r_ogb_tables *t)
{
    l2r_path_base(t->name, sizeof t->name, t->root[0] ? t->root : t->source->path);
    char *dot = strchr(t->name, '.');
    if (dot && dot > t->name && !t->root[0]) *dot = '\0'; /* bace.zip */
}

enum l2r_status l2r_ogb_tables_read(struct l2r_ogb_tables *t, const struct l2r_source *source, const char *root,
                                    struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    *t = (struct l2r_ogb_tables){.source = source};
    snprintf(t->root, sizeof t->root, "%s", root);
    choose_name(t);
    L2R_TRY(read_counts(&t->n_nodes, &t->n_graphs, t, "num-node-list", error));
    L2R_TRY(read_counts(&t->n_edges, &t->n_graphs, t, "num-edge-list", error));
    L2R_TRY(read_labels(t, error));
    L2R_TRY(read_split(t, error));
    L2R_TRY(l2r_ogb_smiles_read(t, error));
done:
    return status;
}

void l2r_ogb_tables_clear(struct l2r_ogb_tables *t)
{
    l2r_free(t->n_nodes);
    l2r_free(t->n_edges);
    l2r_free(t->labels);
    l2r_free(t->part);
    l2r_array_clear(&t->smiles);
    l2r_array_clear(&t->smiles_start);
    *t = (struct l2r_ogb_tables){0};
}
