/* SPDX-License-Identifier: MIT
 *
 * Where a data set's files come from: a folder, an archive (zip or tar, recognised by content), a single table
 * (recognised by its name: .csv, .tsv, .tab, .txt or .smi, also with .gz), blocks of memory or standard input. A
 * source is a sorted list of entries; the bytes of one are a stream (below), its lines read with lines.h. Archives
 * are never extracted: each opened entry decompresses as it is read. Their headers are walked once, here; an entry
 * of a zip is opened where it begins.
 *
 *     folder   PROTEINS/            entries  PROTEINS_A.txt  PROTEINS_graph_indicator.txt  …
 *     archive  PROTEINS.zip         entries  PROTEINS/PROTEINS_A.txt  …        (double slashes made single)
 *     table    my.csv.gz            entry    my.csv.gz
 */
#ifndef L2R_IO_SOURCE_H
#define L2R_IO_SOURCE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum l2r_source_kind { L2R_SOURCE_FOLDER, L2R_SOURCE_ARCHIVE, L2R_SOURCE_FILE, L2R_SOURCE_MEMORY, L2R_SOURCE_INPUT };

struct l2r_entry {
    char *name;         /* relative, single slashes: "raw/edge.csv.gz" */
    int64_t size;       /* bytes after unpacking the archive; -1: unknown */
    uint64_t stamp;     /* folder, table: of size, times and place of the file */
    int64_t position;   /* archive: number of its header, from 0 */
    int64_t offset;     /* zip: where its header begins; -1: walk to `position` */
    const void *memory; /* memory source */
};

struct l2r_source {
    enum l2r_source_kind kind;
    char *path; /* as the caller gave it, without trailing slashes */
    struct l2r_entry *entries;
    size_t n_entries, capacity;
    int64_t packed;          /* archive, table: bytes of the file */
    uint64_t fingerprint;    /* changes when a file is added, removed, replaced, touched or changed: names, stamps and
                           * content, of files over a megabyte in samples */
    struct l2r_input *input; /* standard input; NULL: another kind */
};

enum l2r_status l2r_source_open(struct l2r_source **source, const char *path, struct l2r_error *error);
void l2r_source_free(struct l2r_source *source);

/* A source of blocks that the caller keeps alive; `path` only serves messages. */
struct l2r_memory_file {
    const char *name;
    const void *bytes;
    size_t size;
};
enum l2r_status l2r_source_from_memory(struct l2r_source **source, const char *path,
                                       const struct l2r_memory_file *files, size_t n_files, struct l2r_error *error);

/* A table that comes in through a descriptor, which can be read once only: a pipe. Readers look at the beginning of a
 * table before they read it, so what was read is kept, up to 64 MB, and every stream begins at the front; after
 * l2r_source_read_on nothing more is kept, and one stream goes on to the end in constant memory. The descriptor stays
 * the caller's. Fails when there is not a single byte. */
enum l2r_status l2r_source_from_input(struct l2r_source **source, int descriptor, const char *path,
                                      struct l2r_error *error);
void l2r_source_read_on(const struct l2r_source *source);

/* Is this the ending of the name, whatever the case of its letters, without a .gz after it? */
bool l2r_source_ends_with(const char *name, const char *ending);
/* Is this the name of a table? */
bool l2r_source_is_table(const char *path);

/* The entry called `name`, or NULL. */
const struct l2r_entry *l2r_source_find(const struct l2r_source *source, const char *name);
/* The same with the name made of two parts, prefix + suffix. */
const struct l2r_entry *l2r_source_find2(const struct l2r_source *source, const char *prefix, const char *suffix);
/* The first entry at or after number *from whose name ends with `suffix` and has at most `depth` slashes; NULL when
 * there is none. *from moves past it. */
const struct l2r_entry *l2r_source_match(const struct l2r_source *source, const char *suffix, int depth, size_t *from);

/* ---- The bytes of one entry, from front to back (stream.c) ----
 * Entries called *.gz are decompressed on the way, wherever they lie (folder, archive, memory), and so are single
 * tables that begin as gzip does. If the caller wants `ahead`, large entries are decompressed by a second thread that
 * runs ahead of the reader. Messages do not name the path: the caller puts "path:line: " in front. */

struct l2r_stream;

enum l2r_status l2r_stream_open(struct l2r_stream **stream, const struct l2r_source *source,
                                const struct l2r_entry *entry, bool ahead, struct l2r_error *error);
/* Up to `size` bytes; *got is 0 at the end only. */
enum l2r_status l2r_stream_read(struct l2r_stream *stream, void *bytes, size_t size, size_t *got,
                                struct l2r_error *error);
void l2r_stream_free(struct l2r_stream *stream);

#endif
