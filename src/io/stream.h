/* SPDX-License-Identifier: MIT
 *
 * The bytes of one entry of a source, from front to back. Entries called *.gz are decompressed on the way, wherever
 * they lie (folder, archive, memory), and so are single tables that begin as gzip does. If the caller wants `ahead`,
 * large entries are decompressed by a second thread that runs ahead of the reader. Messages of this file do not name
 * the path: lines.c puts "path:line: " in front.
 */
#ifndef L2R_IO_STREAM_H
#define L2R_IO_STREAM_H

#include "io/source.h"

struct l2r_stream;

enum l2r_status l2r_stream_open(struct l2r_stream **stream, const struct l2r_source *source,
                                const struct l2r_entry *entry, bool ahead, struct l2r_error *error);
/* Up to `size` bytes; *got is 0 at the end only. */
enum l2r_status l2r_stream_read(struct l2r_stream *stream, void *bytes, size_t size, size_t *got,
                                struct l2r_error *error);
void l2r_stream_free(struct l2r_stream *stream);

#endif
