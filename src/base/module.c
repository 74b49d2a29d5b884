/* SPDX-License-Identifier: MIT
 * See module.h. A module is never unloaded: libraries like glib do not survive that. Two threads that load at the same
 * time get the same table. */
#include "base/module.h"

#include <dlfcn.h>
#include <l2r/l2r.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

const struct l2r_module *l2r_module_load(const struct l2r_module *_Atomic *kept, const char *name, const char *table,
                                         struct l2r_error *error)
{
    char file[64];
    const struct l2r_module *module = atomic_load(kept);
    if (module) return module;
    snprintf(file, sizeof file, "%s.so", name);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        l2r_fail(error, L2R_ERR_IO,
                 "this needs the module %s, which cannot be loaded (%s); put it into the folder l2r beside libl2r, or "
                 "add its folder to LD_LIBRARY_PATH",
                 file, reason ? reason : "unknown reason");
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

/* The version comes from CMakeLists.txt, the one place that states it. */
const char *l2r_version(void)
{
    return L2R_VERSION;
}
