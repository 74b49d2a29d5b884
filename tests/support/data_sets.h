/* SPDX-License-Identifier: MIT
 *
 * Small data sets for tests: text tables in memory that a test can change one file at a time, and a folder for files.
 */
#ifndef L2R_TESTS_DATA_SETS_H
#define L2R_TESTS_DATA_SETS_H

#include "data/dataset.h"
#include "data/reader.h"
#include "io/file.h"
#include "io/source.h"
#include "support/temporary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_FILES = 16 };

struct memory_set {
    struct l2r_memory_file files[MEMORY_FILES];
    size_t n;
};

/* Sets the text of a file, adding it if it is new; NULL removes it. */
static inline void memory_set_put(struct memory_set *set, const char *name, const void *bytes, size_t size)
{
    size_t i = 0;
    while (i < set->n && strcmp(set->files[i].name, name) != 0) i++;
    if (!bytes) {
        if (i < set->n) set->files[i] = set->files[--set->n];
        return;
    }
    if (i == set->n) set->n++;
    set->files[i] = (struct l2r_memory_file){.name = name, .bytes = bytes, .size = size};
}

static inline void memory_set_text(struct memory_set *set, const char *name, const char *text)
{
    memory_set_put(set, name, text, text ? strlen(text) : 0);
}

/* Reads the set with a reader as if it were the folder "set". */
static inline enum l2r_status memory_set_read(struct l2r_dataset **data, const struct memory_set *set,
                                              const struct l2r_reader *reader, struct l2r_error *error)
{
    struct l2r_source *source;
    *data = NULL;
    enum l2r_status status = l2r_source_from_memory(&source, "set", set->files, set->n, error);
    if (status != L2R_OK) return status;
    status = reader->recognise(source) ? reader->read(data, source, error)
                                       : l2r_fail(error, L2R_ERR_FORMAT, "not recognised");
    l2r_source_free(source);
    return status;
}

/* The undirected edges of a graph, each once, into edges [n × 2]; returns n. */
static inline int64_t graph_edges(int32_t *edges, const struct l2r_dataset *data, int64_t graph)
{
    int64_t first = data->node_start[graph], n = 0;
    for (int64_t v = first; v < data->node_start[graph + 1]; v++)
        for (int64_t a = data->arc_start[v]; a < data->arc_start[v + 1]; a++) {
            if (data->neighbour[a] < v - first) continue;
            edges[2 * n] = (int32_t)(v - first);
            edges[2 * n++ + 1] = data->neighbour[a];
        }
    return n;
}

static inline const struct l2r_reader *reader_named(const char *name)
{
    for (size_t i = 0; l2r_readers[i]; i++)
        if (strcmp(l2r_readers[i]->name, name) == 0) return l2r_readers[i];
    return NULL;
}

/* The tables of two graphs in OGB layout: nodes 0 and 1 with an edge, and a single node. Tests change one file at a
 * time. */
static inline struct memory_set small_ogb_set(const char *node_feat, const char *labels)
{
    struct memory_set set = {.n = 0};
    memory_set_text(&set, "m/raw/num-node-list.csv", "2\n1\n");
    memory_set_text(&set, "m/raw/num-edge-list.csv", "1\n0\n");
    memory_set_text(&set, "m/raw/edge.csv", "0,1\n");
    memory_set_text(&set, "m/raw/node-feat.csv", node_feat);
    memory_set_text(&set, "m/raw/edge-feat.csv", "4,5,1\n");
    memory_set_text(&set, "m/raw/graph-label.csv", labels);
    return set;
}

/* The path is overwritten by the next call. */
static inline char *fresh_folder(void)
{
    static char path[TEMPORARY_LENGTH];
    return temporary_folder(path);
}

/* DIR/NAME in one of a few buffers. */
static inline const char *path_in(const char *dir, const char *name)
{
    static char paths[8][4200];
    static int turn;
    turn = (turn + 1) % 8;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", dir, name);
    return paths[turn];
}

#endif
