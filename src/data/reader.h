/* SPDX-License-Identifier: MIT
 *
 * A reader turns one file format into a data set. src/data/formats/NAME/NAME.c defines `l2r_reader_NAME`, with all that
 * belongs to the format beside it in its folder; the build writes the list of readers from the names of the folders.
 *
 * A generator (src/data/generators/NAME.c, `l2r_generator_NAME`) makes graphs instead of reading them and is asked for
 * as "NAME:key=value,key=value".
 */
#ifndef L2R_DATA_READER_H
#define L2R_DATA_READER_H

#include "base/config.h"
#include "data/dataset.h"

struct l2r_source; /* a folder, an archive or a table, see source.h */

struct l2r_reader {
    const char *name;        /* "tu" */
    const char *description; /* one line for `l2r list` */
    /* Does this folder, archive or table hold the format? Looks at names only. */
    bool (*recognise)(const struct l2r_source *source);
    enum l2r_status (*read)(struct l2r_dataset **data, struct l2r_source *source, struct l2r_error *error);
    /* Instead of `read`, for a format whose files alone do not say everything: with l2r_data_options (options.h). */
    enum l2r_status (*read_with)(struct l2r_dataset **data, struct l2r_source *source, const struct l2r_config *options,
                                 struct l2r_error *error);
};

struct l2r_generator {
    const char *name;
    const char *description;
    const struct l2r_option *options; /* ends with a zero row */
    enum l2r_status (*generate)(struct l2r_dataset **data, const struct l2r_config *config, struct l2r_error *error);
};

extern const struct l2r_reader *const l2r_readers[];       /* NULL at the end */
extern const struct l2r_generator *const l2r_generators[]; /* NULL at the end */

#endif
