/* SPDX-License-Identifier: MIT
 *
 * Stands in for libFuzzer in ordinary builds: gives a fuzz target the empty input, then every file of the folders named
 * on the command line, in the order of their names. A folder that is missing or empty is fine: a new target has
 * no seeds yet. The test fails by what the target does: an assertion, a sanitizer, a crash.
 */
#include "base/memory.h"
#include "io/file.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    struct l2r_error error;
    char *content;
    size_t length;
    if (l2r_file_read(&content, &length, path, (size_t)64 << 20, &error) != L2R_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("%s\n", path);
    fflush(stdout); /* the last line names the culprit when the target crashes */
    LLVMFuzzerTestOneInput((const uint8_t *)content, length);
    l2r_free(content);
    return 0;
}

static int replay_folder(const char *folder)
{
    struct dirent **entries;
    int failures = 0, n = scandir(folder, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char path[4096];
        if (l2r_path_join(path, sizeof path, folder, entries[i]->d_name, NULL) != L2R_OK)
            failures++;
        else if (l2r_path_is_file(path))
            failures += replay_file(path);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
    return failures;
}

int main(int argc, char **argv)
{
    static const uint8_t nothing[1];
    int failures = 0;
    LLVMFuzzerTestOneInput(nothing, 0);
    for (int i = 1; i < argc; i++) failures += replay_folder(argv[i]);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
