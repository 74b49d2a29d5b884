/* SPDX-License-Identifier: MIT
 *
 * Modules: parts that need large third-party libraries and are not always used (PNG, molecules, downloads, several
 * ranks). Each is a shared object that is loaded on first use, so that the program starts in milliseconds.
 *
 *     l2r_draw.so     librsvg               src/draw/draw_module.c
 *     l2r_chem.so     RDKit                 src/chem/chem_module.c
 *     l2r_fetch.so    libcurl               src/io/fetch_module.c
 *     l2r_mpi.so      Open MPI              src/comm/mpi_module.c
 *     l2r_trees.so    XGBoost               src/nn/booster_module.c
 *     l2r_http.so     libmicrohttpd         app/serve/http_module.c
 *
 * A module exports one table of calls. Its source is compiled twice: into the module, where it is that table
 * (L2R_INSIDE_MODULE), and into the library, where the same calls forward to the table:
 *
 *     caller -> l2r_molecule_parse (library) -> calls->parse -> l2r_molecule_parse (module) -> RDKit
 *
 * Callers see ordinary functions. A module is looked for beside the program or library that loads it (the folder l2r
 * beside libl2r.so), then as shared libraries are, in LD_LIBRARY_PATH; never in the current folder.
 */
#ifndef L2R_BASE_MODULE_H
#define L2R_BASE_MODULE_H

#include "base/status.h"

/* Every table begins with this. */
struct l2r_module {
    const char *version; /* l2r_version() of its build: tables of two versions may differ */
};

#define L2R_MODULE_TABLE __attribute__((visibility("default"))) extern const

/* The table called `table` of the module `name`, loaded at the first call and kept in *kept. NULL, and an error that
 * names the file, when it is not there or belongs to another version. */
const struct l2r_module *l2r_module_load(const struct l2r_module *_Atomic *kept, const char *name, const char *table,
                                         struct l2r_error *error);

#endif
