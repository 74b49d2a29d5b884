/* SPDX-License-Identifier: MIT
 *
 * Cycles of training, stopping, resuming, predicting and explaining in one process, for a given time and until there
 * are as many samples of its size as asked for, however long that takes:
 *
 *     soak_cycles SECONDS SAMPLES TU-FOLDER     prints a CSV line a sample:  seconds,cycles,rss_kb,descriptors,threads
 *
 * Every pair of a model and a method takes its turn, on generated graphs and on graphs from a file through the cache.
 * Memory and file descriptors must stay where they were after the warm-up, one turn of all pairs: the medians of the
 * second and the last quarter of the lines after it may differ by 2 MB, the descriptors by none; otherwise the program
 * ends with 1.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "explain/explainer.h"
#include "store/run.h"
#include "support/temporary.h"
#include "support/train_into.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const models[] = {"gcn", "gin", "sgc", "jknet", "pna", "factorgcn", "topkpool", "sagpool"};
static const char *const methods[] = {"erm", "l2r", "oodgnn", "stablegnn"};
enum { N_MODELS = 8, N_METHODS = 4, FEWEST_SAMPLES = 8, MOST_SAMPLES = 4096, ALLOWED_KB = 2048 };

struct sample {
    long rss, descriptors;
};

static char root[TEMPORARY_LENGTH];
static const char *tu;
static struct sample samples[MOST_SAMPLES];
static size_t n_samples;

static long entries(const char *folder)
{
    long n = -3; /* ".", ".." and the descriptor that reads the folder */
    DIR *dir = opendir(folder);
    while (dir && readdir(dir)) n++;
    if (dir) closedir(dir);
    return n;
}

static long resident_kb(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void check(enum l2r_status status, const char *what, const struct l2r_error *error)
{
    if (status == L2R_OK) return;
    printf("%s: %s\n", what, error->message);
    l2r_remove_tree(root);
    exit(1);
}

static bool stop_soon(void *context)
{
    int *left = context;
    return --*left < 0;
}

/* Stopped after three batches, then resumed to the end. */
static void train(const char *dir, const char *data, const char *model, const char *method)
{
    const char *const set[] = {"data", data, "hidden", "16", "layers", "2", "epochs", "2", "batch-size", "32", NULL};
    struct l2r_error error = {0};
    struct l2r_config *config = NULL;
    struct l2r_result result = {0};
    int left = 3;
    const struct l2r_callbacks watch = {.context = &left, .stop = stop_soon};
    check(l2r_config_new(&config, &error), "config", &error);
    check(l2r_run_declare(config, model, method, &error), "declare", &error);
    for (size_t i = 0; set[i]; i += 2) check(l2r_config_set(config, set[i], set[i + 1], &error), set[i], &error);
    enum l2r_status status = train_into(&result, config, dir, false, &watch, &error);
    l2r_result_clear(&result);
    if (status == L2R_ERR_INTERRUPTED) {
        status = train_into(&result, config, dir, true, NULL, &error);
        l2r_result_clear(&result);
    }
    check(status, "train", &error);
    l2r_config_free(config);
}

/* PNA has no explanations by masks. */
static void predict_and_explain(const char *dir, const char *where, bool explain)
{
    static const struct l2r_explain_settings settings = {
        .steps = 3, .restarts = 2, .learning_rate = 0.1, .edge_size = 0.005, .edge_entropy = 1, .task = -1, .motif = 1};
    struct l2r_error error = {0};
    struct l2r_predictor *model = NULL;
    struct l2r_dataset *data = NULL;
    struct l2r_explanation found[2];
    const int32_t some[] = {1, 0};
    check(l2r_predictor_open(&model, dir, &error), "model", &error);
    check(l2r_dataset_load(&data, where, true, &error), where, &error);
    int64_t n = l2r_dataset_n_graphs(data);
    int32_t *graphs = l2r_alloc((size_t)n, sizeof *graphs);
    float *output = l2r_alloc((size_t)(n * l2r_predictor_n_outputs(model)), sizeof *output);
    for (int32_t i = 0; graphs && i < n; i++) graphs[i] = i;
    check(l2r_predictor_represent(output, NULL, model, data, graphs, n, &error), "predict", &error);
    if (explain) {
        check(l2r_explain_graphs(found, model, data, some, 2, &settings, &error), "explain", &error);
        l2r_explanations_clear(found, 2);
    }
    l2r_free(output);
    l2r_free(graphs);
    l2r_dataset_free(data);
    l2r_predictor_free(model);
}

static void cycle(long k)
{
    char dir[256];
    const char *data = k / (N_MODELS * N_METHODS) % 2 ? tu : "motif:train=96,valid=32,test=32";
    snprintf(dir, sizeof dir, "%s/run", root);
    l2r_remove_tree(dir);
    const char *model = models[k % N_MODELS];
    train(dir, data, model, methods[k / N_MODELS % N_METHODS]);
    predict_and_explain(dir, data, strcmp(model, "pna") != 0);
}

static void note(double started, long cycles)
{
    struct sample s = {.rss = resident_kb(), .descriptors = entries("/proc/self/fd")};
    printf("%.0f,%ld,%ld,%ld,%ld\n", l2r_clock_seconds() - started, cycles, s.rss, s.descriptors,
           entries("/proc/self/task") + 1);
    fflush(stdout);
    if (n_samples < MOST_SAMPLES) samples[n_samples++] = s;
}

static int by_size(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static long median_rss(size_t begin, size_t end)
{
    long values[MOST_SAMPLES];
    for (size_t i = begin; i < end; i++) values[i - begin] = samples[i].rss;
    qsort(values, end - begin, sizeof *values, by_size);
    return values[(end - begin) / 2];
}

static int verdict(double seconds, long cycles)
{
    size_t quarter = n_samples / 4;
    long first = median_rss(quarter, 2 * quarter), last = median_rss(n_samples - quarter, n_samples), most = 0;
    for (size_t i = 0; i < n_samples; i++)
        if (samples[i].descriptors > most) most = samples[i].descriptors;
    bool flat = last - first <= ALLOWED_KB && most == samples[0].descriptors;
    printf(
        "# %ld cycles in %.0f s: resident %ld kB in the second quarter, %ld kB in the last; %ld descriptors, at most "
        "%ld: %s\n",
        cycles, seconds, first, last, samples[0].descriptors, most, flat ? "flat" : "GROWN");
    return flat ? 0 : 1;
}

int main(int argc, char **argv)
{
    size_t wanted = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    if (wanted < FEWEST_SAMPLES || wanted > MOST_SAMPLES || !temporary_folder_in_memory(root)) return 2;
    char cache[256];
    snprintf(cache, sizeof cache, "%s/cache", root);
    setenv("XDG_CACHE_HOME", cache, 1);
    double seconds = strtod(argv[1], NULL), started = l2r_clock_seconds(), noted = 0, every = seconds / 400;
    long k = 0;
    tu = argv[3];
    puts("seconds,cycles,rss_kb,descriptors,threads");
    for (; l2r_clock_seconds() - started < seconds || n_samples < wanted; k++) {
        cycle(k);
        /* Warm once all pairs had both kinds of data. Lines are taken at the same place of a turn, so that they
         * compare. */
        bool warm = k >= 2L * N_MODELS * N_METHODS;
        if (!warm || k % N_MODELS != 0 || l2r_clock_seconds() - noted < every) continue;
        noted = l2r_clock_seconds();
        note(started, k + 1);
    }
    l2r_remove_tree(root);
    return verdict(l2r_clock_seconds() - started, k);
}
