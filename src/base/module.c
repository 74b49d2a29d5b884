/* SPDX-License-Identifier: MIT
 * See module.h. A module is never unloaded: libraries like glib do not survive that. Two threads that load at the same
 * time get the same table. */
#include "base/module.h"

#include <dlfcn.h>
#include <l2r/l2r.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of the file that contains this code, program or library. */
static void own_folder(char *folder, size_t size)
{
    static const char here;
    char path[PATH_MAX] = "";
    struct link_map *map = NULL;
    Dl_info info;
    bool found = dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 && map;
    const char *name = found && *map->l_name ? map->l_name : "/proc/self/exe"; /* the program itself has no name */
    const char *end = realpath(name, path) ? strrchr(path, '/') : NULL;
    snprintf(folder, size, "%.*s", end ? (int)(end - path) : 0, path);
}

static void *open_at(const char *folder, const char *place, const char *file, char *reason, size_t size)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s%s%s", folder, place, file);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *words = library ? NULL : dlerror();
    snprintf(reason, size, "%s", words ? words : "unknown reason");
    return library;
}

/* Where modules are: beside a program in the build folder, an installed program, an installed library. */
static const char *const places[] = {"/modules/", "/" L2R_MODULES_FROM_BIN "/", "/l2r/"};

/* Tries these places, then the loader's search path. $ORIGIN would do without a sanitizer, which puts itself between
 * dlopen and its caller. */
static void *open_module(const char *file, char *reason, size_t size)
{
    char own[PATH_MAX];
    own_folder(own, sizeof own);
    const char *const folders[] = {"$ORIGIN", own};
    void *library = NULL;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            library = open_at(folders[i], places[k], file, reason, size);
            /* If the message is about another file, the module exists but one of its dependencies does not. */
            if (library || !strstr(reason, file)) return library;
        }
#ifdef L2R_MODULES_BUILT
    library = open_at(L2R_MODULES_BUILT, "/", file, reason, size);
    if (library) return library;
#endif
    return open_at("", "", file, reason, size);
}

void l2r_module_folder(char *folder, size_t size)
{
    char own[PATH_MAX], path[2 * PATH_MAX];
    if (!folder || size == 0) return;
    own_folder(own, sizeof own);
    path[0] = '\0';
    for (size_t i = 0; own[0] && i < sizeof places / sizeof *places; i++) { /* the first that exists, or the last */
        snprintf(path, sizeof path, "%s%s", own, places[i]);
        if (access(path, F_OK) == 0) break;
    }
    snprintf(folder, size, "%.*s", path[0] ? (int)strlen(path) - 1 : 0, path); /* without its last slash */
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
        l2r_fail(error, L2R_ERR_MISSING,
                 "this needs the module %s, which cannot be loaded (%s); put it into the folder l2r beside libl2r, or "
                 "add its folder to LD_LIBRARY_PATH",
                 file, reason);
        return NULL;
    }
    module = dlsym(library, table);
    if (!module || strcmp(module->version, l2r_version()) != 0) {
        l2r_fail(error, L2R_ERR_MISSING,
                 "the module %s has version %s, but l2r is %s; install both from the same build", file,
                 module ? module->version : "unknown", l2r_version());
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
