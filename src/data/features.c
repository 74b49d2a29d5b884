/* SPDX-License-Identifier: MIT
 *
 * Raw features (features.h): computed on demand for the requested graphs, on all threads, and kept with the data set.
 *
 *     done[g]     bit k: block k of graph g is there
 *     counts[k]   [n × width] bytes; a count above 255 is 255
 *     values[k]   [n × width] floats
 *
 * One thread at a time computes; existing rows are read without a lock, because a row is always requested before it is
 * read. A table of features takes longer to compute than to read, so large ones go to the cache folder, a file for each
 * block, named after the SMILES and the version of RDKit. The file holds this name, under its checksums: a file with
 * another name is computed again, replaced and reported (l2r_features_refused).
 */
#include "data/features.h"

#include "base/memory.h"
#include "base/system.h"
#include "base/threads.h"
#include "base/watch.h"
#include "chem/molecule.h"
#include "data/cache.h"
#include "io/file.h"
#include "io/safetensors.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum {
    AT_ONCE = 16,       /* molecules that a thread takes: some ten milliseconds of work */
    WORTH_KEEPING = 500 /* molecules */
};

struct l2r_features {
    pthread_mutex_t lock;
    bool keep; /* in the cache folder */
    uint8_t *counts[L2R_DESCRIPTIONS];
    float *values[L2R_DESCRIPTIONS];
    uint8_t *done; /* [n graphs] */
    unsigned bad;  /* bit k: the file of block k was refused */
    char refused[4400];
};

struct l2r_features *l2r_features_new(void)
{
    struct l2r_features *f = l2r_alloc(1, sizeof *f);
    if (f) pthread_mutex_init(&f->lock, NULL);
    return f;
}

void l2r_features_free(struct l2r_features *f)
{
    if (!f) return;
    for (int k = 0; k < L2R_DESCRIPTIONS; k++) {
        l2r_free(f->counts[k]);
        l2r_free(f->values[k]);
    }
    l2r_free(f->done);
    pthread_mutex_destroy(&f->lock);
    l2r_free(f);
}

void l2r_features_keep(struct l2r_features *f)
{
    f->keep = true;
}

const char *l2r_features_refused(const struct l2r_features *f)
{
    return f->refused;
}

static enum l2r_status allocate(struct l2r_features *f, size_t n, unsigned blocks, struct l2r_error *error)
{
    if (!f->done) f->done = l2r_alloc(n, 1);
    if (!f->done) return l2r_fail_memory(error, n, "molecule features");
    for (int k = 0; k < L2R_DESCRIPTIONS; k++) {
        size_t width = (size_t)l2r_description_width((enum l2r_description)k);
        bool is_count = l2r_description_is_count((enum l2r_description)k);
        if (!(blocks >> k & 1) || f->counts[k] || f->values[k]) continue;
        if (is_count) f->counts[k] = l2r_alloc(n * width, 1);
        if (!is_count) f->values[k] = l2r_alloc(n * width, sizeof(float));
        if (!f->counts[k] && !f->values[k])
            return l2r_fail_memory(error, n * width * (is_count ? 1 : sizeof(float)), "molecule features");
    }
    return L2R_OK;
}

/* ---- computing ---- */

struct work {
    struct l2r_features *f;
    const struct l2r_dataset *data;
    unsigned blocks;
    const int32_t *graphs; /* [n] */
    int64_t n;
    enum l2r_status *status; /* [pieces] */
    struct l2r_error *errors;
    struct l2r_watched loop;
};

static void keep_row(struct l2r_features *f, int k, int64_t graph, const float *row)
{
    int64_t width = l2r_description_width((enum l2r_description)k);
    if (f->values[k]) memcpy(f->values[k] + graph * width, row, (size_t)width * sizeof *row);
    if (!f->counts[k]) return;
    uint8_t *counts = f->counts[k] + graph * width;
    for (int64_t i = 0; i < width; i++) counts[i] = (uint8_t)(row[i] < 255 ? row[i] : 255);
}

/* A molecule that RDKit cannot read any more (the graph came from a file) gets no features. */
static void describe_nothing(float *row, int k)
{
    bool is_count = l2r_description_is_count((enum l2r_description)k);
    for (int32_t i = 0; i < l2r_description_width((enum l2r_description)k); i++) row[i] = is_count ? 0 : NAN;
}

enum l2r_status l2r_features_describe(struct l2r_features *f, int64_t row, unsigned blocks, const char *smiles,
                                      struct l2r_error *error)
{
    float room[3 * L2R_FOLDED + L2R_ERG_NUMBERS + L2R_DESCRIPTORS], *rows[L2R_DESCRIPTIONS], *at = room;
    for (int k = 0; k < L2R_DESCRIPTIONS; k++) {
        rows[k] = blocks >> k & 1 ? at : NULL;
        at += l2r_description_width((enum l2r_description)k);
    }
    enum l2r_status status = l2r_molecule_describe(rows, smiles, error);
    if (status != L2R_OK && status != L2R_ERR_FORMAT) return status;
    for (int k = 0; k < L2R_DESCRIPTIONS; k++) {
        if (!rows[k]) continue;
        if (status != L2R_OK) describe_nothing(rows[k], k);
        keep_row(f, k, row, rows[k]);
    }
    f->done[row] |= (uint8_t)blocks;
    return L2R_OK;
}

enum l2r_status l2r_features_make_room(struct l2r_features *f, int64_t n, unsigned blocks, struct l2r_error *error)
{
    return allocate(f, (size_t)n, blocks, error);
}

enum l2r_status l2r_features_take(const struct l2r_dataset *data, const struct l2r_features *from, const int64_t *rows,
                                  unsigned blocks, struct l2r_error *error)
{
    struct l2r_features *f = data->features;
    enum l2r_status status = allocate(f, (size_t)data->n_graphs, blocks, error);
    for (int64_t g = 0; status == L2R_OK && g < data->n_graphs; g++) {
        for (int k = 0; k < L2R_DESCRIPTIONS; k++) {
            size_t width = (size_t)l2r_description_width((enum l2r_description)k), to = (size_t)g * width;
            size_t row = (size_t)rows[g] * width;
            if (!(blocks >> k & 1)) continue;
            if (f->counts[k]) memcpy(f->counts[k] + to, from->counts[k] + row, width);
            if (f->values[k]) memcpy(f->values[k] + to, from->values[k] + row, width * sizeof(float));
        }
        f->done[g] |= (uint8_t)blocks;
    }
    return status;
}

static void describe_piece(void *context, int64_t piece)
{
    struct work *w = context;
    int64_t begin, end;
    if (l2r_watched_stop(&w->loop)) return;
    l2r_chunk_range(&begin, &end, w->n, AT_ONCE, piece);
    for (int64_t i = begin; i < end && w->status[piece] == L2R_OK; i++)
        w->status[piece] = l2r_features_describe(
            w->f, w->graphs[i], w->blocks, w->data->smiles + w->data->smiles_start[w->graphs[i]], &w->errors[piece]);
    l2r_watched_add(&w->loop, end - begin);
}

static enum l2r_status compute(struct work *w, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int64_t pieces = l2r_chunk_count(w->n, AT_ONCE);
    l2r_watched_begin(&w->loop, "molecules described", w->n);
    w->status = l2r_alloc((size_t)pieces, sizeof *w->status);
    w->errors = l2r_alloc((size_t)pieces, sizeof *w->errors);
    if (!w->status || !w->errors)
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: features of %lld molecules", (long long)w->n);
    l2r_parallel(pieces, describe_piece, w);
    for (int64_t p = 0; p < pieces; p++)
        if (w->status[p] != L2R_OK) L2R_FAIL(w->status[p], "%s", w->errors[p].message);
done:
    l2r_free(w->status);
    l2r_free(w->errors);
    return l2r_watched_end(&w->loop, status, error);
}

/* ---- the cache ---- */

static bool cache_path(char *path, size_t size, const struct l2r_dataset *data, int k)
{
    char folder[4096];
    const char *version = l2r_chem_version(), *name = l2r_description_name((enum l2r_description)k);
    if (!version || !l2r_cache_dir(folder, sizeof folder)) return false;
    uint64_t hash = XXH3_64bits(data->smiles, (size_t)data->n_smiles);
    /* The first numbers of reduced graphs were partly chance: a file of them is not this one. */
    int length = snprintf(path, size, "%s/%s-%016" PRIx64 "-%s-%d%s.safetensors", folder, name, hash, version,
                          (int)l2r_description_width((enum l2r_description)k), k == L2R_DESCRIBE_ERG ? "-2" : "");
    return length > 0 && (size_t)length < size;
}

enum { LONGEST_CONTENT = 200 };
static const char content_key[] = "features_of";

/* The unique description of a file's content: 128 bits of the SMILES in their order, kind and version. */
static void describe_content(char content[LONGEST_CONTENT], const struct l2r_dataset *data, int k)
{
    char molecules[L2R_CHECKSUM_TEXT];
    XXH128_hash_t hash = XXH3_128bits(data->smiles, (size_t)data->n_smiles);
    l2r_checksum_text(molecules, hash.high64, hash.low64);
    snprintf(content, LONGEST_CONTENT, "%s of %lld molecules %s, RDKit %s",
             l2r_description_name((enum l2r_description)k), (long long)data->n_graphs, molecules, l2r_chem_version());
}

/* Reads block k, if the content of its file matches its name. */
static bool read_block(struct l2r_features *f, const char *path, const struct l2r_dataset *data, int k)
{
    struct l2r_safetensors *file = NULL;
    char content[LONGEST_CONTENT];
    int64_t shape[] = {data->n_graphs, l2r_description_width((enum l2r_description)k)};
    void *to = f->counts[k] ? (void *)f->counts[k] : (void *)f->values[k];
    describe_content(content, data, k);
    bool good = l2r_safetensors_read(&file, path, NULL) == L2R_OK && l2r_safetensors_is_sealed(file);
    const char *stored = good ? l2r_safetensors_metadata(file, content_key) : NULL;
    good = stored && strcmp(stored, content) == 0 &&
           l2r_safetensors_copy(to, file, "features", f->counts[k] ? L2R_DTYPE_U8 : L2R_DTYPE_F32, shape, 2, NULL) ==
               L2R_OK;
    l2r_safetensors_free(file);
    return good;
}

/* A file that is not there, or not as it was written, is not used. */
static void load_blocks(struct l2r_features *f, const struct l2r_dataset *data, unsigned blocks)
{
    char path[4400];
    for (int k = 0; k < L2R_DESCRIPTIONS; k++) {
        if (!(blocks >> k & 1) || !cache_path(path, sizeof path, data, k) || !l2r_path_is_file(path)) continue;
        if (read_block(f, path, data, k)) {
            for (int64_t g = 0; g < data->n_graphs; g++) f->done[g] |= (uint8_t)(1U << k);
        } else {
            f->bad |= 1U << k;
            snprintf(f->refused, sizeof f->refused, "%s", path);
        }
    }
}

static void store_blocks(struct l2r_features *f, const struct l2r_dataset *data, unsigned blocks)
{
    char path[4400], folder[4096], content[LONGEST_CONTENT];
    for (int64_t g = 0; g < data->n_graphs; g++) blocks &= f->done[g];
    if (!l2r_cache_dir(folder, sizeof folder) || l2r_make_dirs(folder, NULL) != L2R_OK) return;
    for (int k = 0; k < L2R_DESCRIPTIONS; k++) {
        const struct l2r_tensor tensor = {.name = "features",
                                          .dtype = f->counts[k] ? L2R_DTYPE_U8 : L2R_DTYPE_F32,
                                          .n_dims = 2,
                                          .shape = {data->n_graphs, l2r_description_width((enum l2r_description)k)},
                                          .data =
                                              f->counts[k] ? (const void *)f->counts[k] : (const void *)f->values[k]};
        if (!(blocks >> k & 1) || !cache_path(path, sizeof path, data, k)) continue;
        if (l2r_path_is_file(path) && !(f->bad >> k & 1)) continue;
        describe_content(content, data, k);
        const struct l2r_metadatum stored = {content_key, content};
        if (l2r_safetensors_write(path, &tensor, 1, &stored, 1, NULL) == L2R_OK) f->bad &= ~(1U << k);
    }
}

/* ---- requests ---- */

/* The requested graphs that lack a block; a graph may be requested twice. */
static int64_t find_missing(int32_t *missing, const struct l2r_features *f, const int32_t *graphs, int64_t n,
                            unsigned blocks)
{
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++)
        if ((f->done[graphs ? graphs[i] : i] & blocks) != blocks) missing[found++] = graphs ? graphs[i] : (int32_t)i;
    return found;
}

/* Under the lock. Files hold all molecules of a data set, so they are read when many are requested. */
static enum l2r_status fill(struct l2r_features *f, const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                            unsigned blocks, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    int32_t *missing = l2r_alloc((size_t)n, sizeof *missing);
    if (!missing) return l2r_fail_memory(error, (size_t)n * sizeof *missing, "molecule features");
    L2R_TRY(allocate(f, (size_t)data->n_graphs, blocks, error));
    struct work w = {.f = f, .data = data, .blocks = blocks, .graphs = missing};
    w.n = find_missing(missing, f, graphs, n, blocks);
    bool many = f->keep && w.n >= WORTH_KEEPING;
    if (many) load_blocks(f, data, blocks);
    if (many) w.n = find_missing(missing, f, graphs, n, blocks);
    if (w.n > 0) L2R_TRY(compute(&w, error));
    if (many && w.n > 0) store_blocks(f, data, blocks);
done:
    l2r_free(missing);
    return status;
}

enum l2r_status l2r_features_fill(const struct l2r_dataset *data, const int32_t *graphs, int64_t n,
                                  struct l2r_error *error)
{
    unsigned blocks = data->scale ? data->scale->blocks & ((1U << L2R_DESCRIPTIONS) - 1) : 0;
    if (blocks == 0 || n == 0) return L2R_OK;
    pthread_mutex_lock(&data->features->lock);
    enum l2r_status status = fill(data->features, data, graphs, n, blocks, error);
    pthread_mutex_unlock(&data->features->lock);
    return status;
}

/* ---- scaled rows ---- */

/* Standard normal quantiles of the levels (k + ½) / KNOTS. */
static const float normal[L2R_FEATURE_KNOTS] = {
    -2.1661F, -1.6906F, -1.4342F, -1.2478F, -1.0968F, -0.9674F, -0.8525F, -0.7479F, -0.6508F, -0.5596F, -0.4728F,
    -0.3894F, -0.3087F, -0.2299F, -0.1525F, -0.0760F, 0.0000F,  0.0760F,  0.1525F,  0.2299F,  0.3087F,  0.3894F,
    0.4728F,  0.5596F,  0.6508F,  0.7479F,  0.8525F,  0.9674F,  1.0968F,  1.2478F,  1.4342F,  1.6906F,  2.1661F};

/* Outside the training range a straight line goes on, to at most 3. */
static float rank_normal(float x, const float *knots)
{
    enum { LAST = L2R_FEATURE_KNOTS - 1 };
    int low = -1, high;
    float range = knots[LAST] - knots[0];
    if (!isfinite(x)) return 0;
    if (x < knots[0]) return fmaxf(-3, normal[0] - (knots[0] - x) / range);
    if (x > knots[LAST]) return fminf(3, normal[LAST] + (x - knots[LAST]) / range);
    for (int k = 0; k < L2R_FEATURE_KNOTS; k++) low += knots[k] <= x; /* knots[low] <= x, the next is above */
    if (knots[low] < x)
        return normal[low] + (normal[low + 1] - normal[low]) * ((x - knots[low]) / (knots[low + 1] - knots[low]));
    for (high = low; low > 0 && knots[low - 1] >= x;) low--; /* ties: their mean rank */
    return (normal[low] + normal[high]) / 2;
}

float l2r_feature_raw(const struct l2r_dataset *data, int k, int64_t graph, int32_t column)
{
    if (k == L2R_FEATURE_COLUMNS) return data->graph_real[graph * data->n_graph_reals + column];
    int64_t width = l2r_description_width((enum l2r_description)k);
    const struct l2r_features *f = data->features;
    return f->counts[k] ? (float)f->counts[k][graph * width + column] : f->values[k][graph * width + column];
}

/* log2(1 + c) of every count, which is a byte: batches are made of little else. */
static float log_of_count[256];

static void fill_logs(void)
{
    for (int c = 0; c < 256; c++) log_of_count[c] = log2f(1 + (float)c);
}

void l2r_feature_row(l2r_real *row, const struct l2r_dataset *data, int64_t graph)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct l2r_feature_scale *s = data->scale;
    const struct l2r_features *f = data->features;
    const float *knots = s->knots;
    (void)pthread_once(&once, fill_logs);
    for (int k = 0; k < L2R_FEATURE_BLOCKS; k++) {
        bool own = k == L2R_FEATURE_COLUMNS;
        if (s->first[k] == s->first[k + 1]) continue;
        int64_t width = own ? data->n_graph_reals : l2r_description_width((enum l2r_description)k);
        const uint8_t *counts = own || !f->counts[k] ? NULL : f->counts[k] + graph * width;
        const float *values = own ? data->graph_real + graph * width : counts ? NULL : f->values[k] + graph * width;
        for (int32_t i = s->first[k]; counts && i < s->first[k + 1]; i++)
            row[i] = (l2r_real)log_of_count[counts[s->column[i]]];
        for (int32_t i = s->first[k]; values && i < s->first[k + 1]; i++, knots += L2R_FEATURE_KNOTS)
            row[i] = (l2r_real)rank_normal(values[s->column[i]], knots);
    }
}
