/* SPDX-License-Identifier: MIT
 *
 * A data set as one binary file that needs no parsing, so that the second start takes milliseconds. It is copied, not
 * mapped: truncating the file must not kill a process that uses the data.
 *
 *     [header: magic, versions, sizes, fingerprint of the source, counts, checksums][block, see block.h]
 *
 * The fingerprint is of the source, the reader and its options together (reader.c). The file lies in $L2R_CACHE_DIR,
 * $XDG_CACHE_HOME/l2r or ~/.cache/l2r, named after the absolute path of the source, the reader and its options. A cache
 * never causes an error: a file that is missing, old, damaged or made from other sources is simply not used, and a
 * folder that cannot be written stays as it is.
 */
#ifndef L2R_DATA_CACHE_H
#define L2R_DATA_CACHE_H

#include "data/dataset.h"
#include "io/source.h"

/* The folder; false when there is none (no home). */
bool l2r_cache_dir(char *out, size_t size);

/* The file for a source read by a reader with these options (any text that identifies them); false when no name can be
 * made. */
bool l2r_cache_path(char *out, size_t size, const struct l2r_source *source, const char *reader, const char *options);

/* NULL unless the file is intact and was made from the current source. */
struct l2r_dataset *l2r_cache_load(const char *path, uint64_t fingerprint);

/* False when it could not be written; the previous file, if any, is then still there. */
bool l2r_cache_store(const struct l2r_dataset *data, const char *path, uint64_t fingerprint);

/* The same for files of a user: at any path, with an error on failure. */
enum l2r_status l2r_cache_save(const struct l2r_dataset *data, const char *path, struct l2r_error *error);
/* Does the file begin like one of this format? */
bool l2r_cache_recognise(const char *path);
enum l2r_status l2r_cache_open(struct l2r_dataset **data, const char *path, struct l2r_error *error);

#endif
