/* SPDX-License-Identifier: MIT
 *
 * Fills the list of a source's entries (source.h).
 */
#ifndef L2R_IO_SOURCE_LIST_H
#define L2R_IO_SOURCE_LIST_H

#include "io/source.h"

enum { L2R_SOURCE_PATH = 4096 }; /* the longest name and path, with its end */

/* Adds a copy with a cleaned name; a hidden one is left out. */
enum l2r_status l2r_source_add(struct l2r_source *source, const struct l2r_entry *entry, struct l2r_error *error);

/* Everything below source->path. */
enum l2r_status l2r_source_list_folder(struct l2r_source *source, struct l2r_error *error);
enum l2r_status l2r_source_list_archive(struct l2r_source *source, struct l2r_error *error);

#endif
