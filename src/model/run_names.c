/* SPDX-License-Identifier: MIT
 * See run_names.h. */
#include "model/run_names.h"

#include "io/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const l2r_sibling_names[L2R_N_SIBLINGS] = {"seed", "fold", "replicate"};

int l2r_sibling_folder(char *out, size_t size, const char *folder, enum l2r_sibling kind, int64_t number)
{
    return snprintf(out, size, "%s/%s-%" PRId64, folder, l2r_sibling_names[kind], number);
}

int64_t l2r_sibling_of_folder(enum l2r_sibling *kind, const char *name)
{
    for (int k = 0; k < L2R_N_SIBLINGS; k++) {
        size_t length = strlen(l2r_sibling_names[k]);
        const char *digits = name + length + 1;
        char *end = NULL;
        if (strncmp(name, l2r_sibling_names[k], length) != 0 || name[length] != '-') continue;
        if (*digits < '0' || *digits > '9') return -1;
        int64_t number = strtoll(digits, &end, 10);
        if (kind) *kind = (enum l2r_sibling)k;
        return *end == '\0' ? number : -1;
    }
    return -1;
}

int l2r_path_beside(char *out, size_t size, const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    return snprintf(out, size, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
}

bool l2r_chosen_is(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, L2R_CHOSEN_FILE) == 0;
}

bool l2r_chosen_find(char *out, size_t size, const char *path)
{
    int written = l2r_path_is_dir(path) ? snprintf(out, size, "%s/" L2R_CHOSEN_FILE, path)
                                        : l2r_path_beside(out, size, path, L2R_CHOSEN_FILE);
    return written >= 0 && (size_t)written < size && !l2r_chosen_is(path) && l2r_path_is_file(out);
}

static bool same_model(const char *a, const char *b)
{
    size_t length = strcspn(a, ",:");
    return strcspn(b, ",:") == length && strncmp(a, b, length) == 0;
}

void l2r_committee_name(char *out, size_t size, const char *members, const char *between, const char *last)
{
    size_t used = 0;
    out[0] = '\0';
    for (const char *at = members, *next; at && used < size; at = next) {
        char count[24] = "";
        int n = 0;
        for (next = at; next && same_model(at, next); n++)
            if ((next = strchr(next, ','))) next++;
        if (n > 1) snprintf(count, sizeof count, "%d ", n);
        used += (size_t)snprintf(out + used, size - used, "%s%s%.*s",
                                 at == members ? ""
                                 : next        ? between
                                               : last,
                                 count, (int)strcspn(at, ",:"), at);
    }
}
