/* SPDX-License-Identifier: MIT
 * See run_names.h. */
#include "predict/run_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int l2r_seed_folder(char *out, size_t size, const char *folder, int64_t seed)
{
    return snprintf(out, size, "%s/" L2R_SEED_FOLDER "%" PRId64, folder, seed);
}

int64_t l2r_seed_of_folder(const char *name)
{
    size_t start = strlen(L2R_SEED_FOLDER);
    char *end = NULL;
    if (strncmp(name, L2R_SEED_FOLDER, start) != 0 || name[start] < '0' || name[start] > '9') return -1;
    int64_t seed = strtoll(name + start, &end, 10);
    return *end == '\0' ? seed : -1;
}

int l2r_path_beside(char *out, size_t size, const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return snprintf(out, size, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
}
