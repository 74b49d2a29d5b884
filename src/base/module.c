/* SPDX-License-Identifier: MIT
 * See module.h. A module is never unloaded: libraries like glib do not survive that. Two threads that load at the same
 * time get the same table. */
#include "base/module.h"

#include <dlfcn.h>
#include <l2r/l2r.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* Beside a program of the build folder, an installed program, an installed library; else where the loader looks. The
 * loader knows $ORIGIN, the folder of the file that these lines are part of. */
static void *open_module(const char *file, char *reason, size_t size)
{
    static const char *const places[] = {"$ORIGIN/modules/", "$ORIGIN/" L2R_MODULES_FROM_BIN "/", "$ORIGIN/l2r/", ""};
    void *library = NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places && !library; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s%s", places[i], file);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        const char *words = library ? NULL : dlerror();
        if (!words) words = "unknown reason";
        snprintf(reason, size, "%s", words);
        if (!strstr(words, file)) break; /* it is there, but what it needs is not */
    }
    return library;
}

const struct l2r_module *l2r_module_load(const struct l2r_module *_Atomic *kept, const char *name, const char *table,
                                         struct l2r_error *error)
{
    char file[64], reason[400];
    const struct l2r_module *module = atomic_load(kept);
    if (module) return module;
    snprintf(file, sizeof file, "%s.so", name);
    void *library = open_module(file, reason, sizeof reason);
    if (!library) {
        l2r_fail(error, L2R_ERR_IO,
                 "this needs the module %s, which cannot be loaded (%s); put it into the folder l2r beside libl2r, or "
                 "add its folder to LD_LIBRARY_PATH",
                 file, reason);
        return NULL;
    }
    module = dlsym(library, table);
    if (!module || strcmp(module->version, l2r_version()) != 0) {
        l2r_fail(error, L2R_ERR_IO, "the module %s has version %s, but l2r is %s; install both from the same build",
                 file, module ? module->version : "unknown", l2r_version());
        dlclose(library);
        return NULL;
    }
    atomic_store(kept, module);
    return module;
}

/* The version comes from the public header, by way of CMakeLists.txt. */
const char *l2r_version(void)
{
    return L2R_VERSION;
}
