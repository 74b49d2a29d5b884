/* SPDX-License-Identifier: MIT
 *
 * Stands in for libFuzzer in ordinary builds: gives a fuzz target the empty input, then every file of the folders named
 * on the command line, in the order of their names. A folder that is missing or empty is fine: a new target has
 * no seeds yet. The test fails by what the target does: an assertion, a sanitizer, a crash.
 *
 *     fuzz_NAME [FOLDER…]                  the files as they are
 *     fuzz_NAME --mutate N SEED [FOLDER…]  then N inputs made of them at random: cut, spliced, bytes overwritten
 *
 * Mutation is blind where libFuzzer looks at coverage, but several times as fast; with the corpus that libFuzzer grew
 * it asks for many sequences in a short time. The input at work stays in mutated-SEED.input, whatever happens.
 */
#include "base/memory.h"
#include "base/rng.h"
#include "io/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LONGEST = 1 << 16, MOST_SEEDS = 1 << 14 };

static struct {
    char *bytes;
    size_t n;
} seeds[MOST_SEEDS];
static size_t n_seeds;

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
    if (length == 0 || length > LONGEST || n_seeds == MOST_SEEDS) {
        l2r_free(content);
    } else {
        seeds[n_seeds].bytes = content;
        seeds[n_seeds++].n = length;
    }
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

/* A piece of one seed, often another's after it, and some bytes of it changed. */
static size_t mutate(uint8_t *input, struct l2r_rng *rng)
{
    size_t n = 0, pieces = 1 + l2r_rng_below(rng, 3);
    for (size_t i = 0; i < pieces; i++) {
        size_t k = l2r_rng_below(rng, n_seeds), from = l2r_rng_below(rng, seeds[k].n);
        size_t length = 1 + l2r_rng_below(rng, seeds[k].n - from);
        if (i == 0) from = 0;
        if (n + length > LONGEST) break;
        memcpy(input + n, seeds[k].bytes + from, length);
        n += length;
    }
    for (uint64_t changes = l2r_rng_below(rng, 8); changes > 0; changes--)
        input[l2r_rng_below(rng, n)] = (uint8_t)l2r_rng_u32(rng);
    return n;
}

/* The inputs are written into a mapped file, which outlives a crash. */
static int mutate_many(long n, long seed)
{
    char name[64];
    snprintf(name, sizeof name, "mutated-%ld.input", seed);
    int file = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0 || ftruncate(file, LONGEST) != 0) return 1;
    uint8_t *input = mmap(NULL, LONGEST, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (input == MAP_FAILED) return 1;
    size_t before = 0;
    for (long i = 0; n_seeds > 0 && i < n; i++) {
        struct l2r_rng rng = l2r_rng_at((uint64_t)seed, L2R_RANDOM_TEST, (uint64_t)i);
        size_t length = mutate(input, &rng);
        if (length < before) memset(input + length, 0, before - length);
        before = length;
        LLVMFuzzerTestOneInput(input, length);
        if ((i + 1) % 10000 == 0) fprintf(stderr, "%ld of %ld\n", i + 1, n);
    }
    munmap(input, LONGEST);
    unlink(name);
    return 0;
}

int main(int argc, char **argv)
{
    static const uint8_t nothing[1];
    bool mutating = argc > 3 && strcmp(argv[1], "--mutate") == 0;
    int failures = 0;
    LLVMFuzzerTestOneInput(nothing, 0);
    for (int i = mutating ? 4 : 1; i < argc; i++) failures += replay_folder(argv[i]);
    if (mutating) failures += mutate_many(strtol(argv[2], NULL, 10), strtol(argv[3], NULL, 10));
    while (n_seeds > 0) l2r_free(seeds[--n_seeds].bytes);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
