/* SPDX-License-Identifier: MIT
 * See dataset.h. From the words of a user to a data set:
 *
 *     an existing path  ->  source  ->  the reader that recognises it  ->  cache, or read and store in the cache
 *                                       (with options, if it has any)
 *     NAME[:key=value,…]            ->  the generator of that name */
#include "data/dataset.h"

#include "base/memory.h"
#include "data/cache.h"
#include "data/options.h"
#include "data/reader.h"
#include "io/source.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

static const struct l2r_generator *find_generator(const char *where)
{
    size_t length = strcspn(where, ":");
    for (size_t i = 0; l2r_generators[i]; i++)
        if (strlen(l2r_generators[i]->name) == length && strncmp(l2r_generators[i]->name, where, length) == 0)
            return l2r_generators[i];
    return NULL;
}

/* "mu=0.8,seed=1" into the config; `pairs` is written to. */
static enum l2r_status set_pairs(struct l2r_config *config, char *pairs, const char *where, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char *rest = pairs;
    for (char *pair; (pair = strsep(&rest, ","));) {
        char *equals = strchr(pair, '=');
        if (*pair == '\0' && !rest) break; /* "motif:" and a comma at the end are harmless */
        if (!equals || equals == pair)
            L2R_FAIL(L2R_ERR_ARGUMENT, "%s: \"%s\" is not of the form key=value", where, pair);
        *equals = '\0';
        struct l2r_error reason = {0};
        status = l2r_config_set(config, pair, equals + 1, &reason);
        if (status != L2R_OK) L2R_FAIL(status, "%s: %s", where, reason.message);
    }
done:
    return status;
}

static enum l2r_status generate(struct l2r_dataset **data, const struct l2r_generator *generator, const char *where,
                                struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *config = NULL;
    char *copy = l2r_strdup(where);
    if (!copy) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a generator's options");
    L2R_TRY(l2r_config_new(&config, error));
    L2R_TRY(l2r_config_declare(config, generator->options, error));
    char *colon = strchr(copy, ':');
    if (colon) L2R_TRY(set_pairs(config, colon + 1, where, error));
    L2R_TRY(generator->generate(data, config, error));
done:
    l2r_config_free(config);
    l2r_free(copy);
    return status;
}

/* ", " between the names that a table of things with a `name` holds. */
static void list_names(char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; l2r_generators[i] && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", l2r_generators[i]->name);
}

/* What a cached data set depends on besides its file: the options, and the version of RDKit. NULL: out of memory. */
static char *key_of(const struct l2r_reader *reader, const struct l2r_config *options)
{
#ifdef L2R_WITH_RDKIT
    static const char version[] = L2R_WITH_RDKIT;
#else
    static const char version[] = "";
#endif
    if (!reader->read_with) return l2r_strdup("");
    char *text = l2r_data_options_text(options);
    size_t size = (text ? strlen(text) : 0) + sizeof version;
    char *key = text ? l2r_alloc(size, 1) : NULL;
    if (key) snprintf(key, size, "%s%s", text, version);
    l2r_free(text);
    return key;
}

static enum l2r_status read_source(struct l2r_dataset **data, const struct l2r_reader *reader,
                                   struct l2r_source *source, const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_config *defaults = NULL;
    if (!reader->read_with) return reader->read(data, source, error);
    bool given = options && l2r_config_has(options, l2r_data_options[0].name);
    if (!given) {
        L2R_TRY(l2r_config_new(&defaults, error));
        L2R_TRY(l2r_config_declare(defaults, l2r_data_options, error));
    }
    L2R_TRY(reader->read_with(data, source, given ? options : defaults, error));
done:
    l2r_config_free(defaults);
    return status;
}

static enum l2r_status load_path(struct l2r_dataset **data, const char *path, const struct l2r_config *options,
                                 bool use_cache, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_reader *reader = NULL;
    struct l2r_source *source = NULL;
    char cached[8192], *key = NULL;
    L2R_TRY(l2r_source_open(&source, path, error));
    for (size_t i = 0; l2r_readers[i] && !reader; i++)
        if (l2r_readers[i]->recognise(source)) reader = l2r_readers[i];
    if (!reader)
        L2R_FAIL(
            L2R_ERR_FORMAT,
            "%s: no data set is recognised here: expected NAME_A.txt with NAME_graph_indicator.txt "
            "(TU) or raw/num-node-list.csv.gz (OGB), directly or one folder deep, or a table of SMILES (.csv, .tsv)",
            path);
    key = key_of(reader, options);
    if (!key) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the name of a cache file");
    use_cache = use_cache && l2r_cache_path(cached, sizeof cached, source, reader->name, key);
    if (use_cache) *data = l2r_cache_load(cached, source->fingerprint);
    if (*data) goto done;
    L2R_TRY(read_source(data, reader, source, options, error));
    if (use_cache) l2r_cache_store(*data, cached, source->fingerprint); /* a failure only costs time next time */
done:
    l2r_free(key);
    l2r_source_free(source);
    return status;
}

enum l2r_status l2r_dataset_load_with(struct l2r_dataset **data, const char *where, const struct l2r_config *options,
                                      bool use_cache, struct l2r_error *error)
{
    char names[256];
    if (!data || !where) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", data ? "where" : "data");
    *data = NULL;
    if (access(where, F_OK) == 0) return load_path(data, where, options, use_cache, error);
    const struct l2r_generator *generator = find_generator(where);
    if (generator) return generate(data, generator, where, error);
    list_names(names, sizeof names);
    return l2r_fail(error, L2R_ERR_IO, "%s: no such file or folder, and no generator of that name (generators: %s)",
                    where, names);
}

enum l2r_status l2r_dataset_load(struct l2r_dataset **data, const char *where, bool use_cache, struct l2r_error *error)
{
    return l2r_dataset_load_with(data, where, NULL, use_cache, error);
}

void l2r_dataset_free(struct l2r_dataset *data)
{
    if (!data) return;
    if (data->mapped)
        munmap(data->block, data->block_size);
    else
        l2r_free(data->block);
    l2r_free(data);
}

enum { PIECE = 1 << 12, MOST_PIECES = 256 /* of an array; a megabyte */ };

/* All of it, or pieces evenly spaced. */
static uint64_t hash_array(uint64_t hash, const void *data, int64_t bytes)
{
    const char *from = data;
    if (!data || bytes <= 0) return hash;
    if (bytes <= (int64_t)PIECE * MOST_PIECES) return XXH3_64bits_withSeed(data, (size_t)bytes, hash);
    for (int64_t k = 0; k < MOST_PIECES; k++)
        hash = XXH3_64bits_withSeed(from + (bytes - PIECE) / (MOST_PIECES - 1) * k, PIECE, hash);
    return hash;
}

static uint64_t add_categories(uint64_t hash, const struct l2r_categories *c, int64_t n)
{
    const int32_t sizes[] = {c->n_columns, c->n_types};
    hash = hash_array(hash, sizes, sizeof sizes);
    hash = hash_array(hash, c->vocabulary, (int64_t)c->n_columns * (int64_t)sizeof *c->vocabulary);
    hash = hash_array(hash, c->rows, (int64_t)c->n_types * c->n_columns * (int64_t)sizeof *c->rows);
    return hash_array(hash, c->type, n * (int64_t)sizeof *c->type);
}

uint64_t l2r_dataset_fingerprint(const struct l2r_dataset *d)
{
    const int64_t sizes[] = {(int64_t)d->task, d->n_tasks, d->n_classes,   d->n_graphs,
                             d->n_nodes,       d->n_arcs,  d->n_node_reals};
    uint64_t hash = hash_array(0, sizes, sizeof sizes);
    hash = hash_array(hash, d->node_start, (d->n_graphs + 1) * (int64_t)sizeof *d->node_start);
    hash = hash_array(hash, d->arc_start, (d->n_nodes + 1) * (int64_t)sizeof *d->arc_start);
    hash = hash_array(hash, d->neighbour, d->n_arcs * (int64_t)sizeof *d->neighbour);
    hash = add_categories(hash, &d->nodes, d->n_nodes);
    hash = add_categories(hash, &d->arcs, d->n_arcs);
    hash = hash_array(hash, d->node_real, d->n_nodes * d->n_node_reals * (int64_t)sizeof *d->node_real);
    return hash_array(hash, d->labels, d->n_graphs * d->n_tasks * (int64_t)sizeof *d->labels);
}

const char *l2r_task_name(enum l2r_task task)
{
    switch (task) {
    case L2R_TASK_MULTICLASS:
        return "multiclass";
    case L2R_TASK_BINARY:
        return "binary";
    case L2R_TASK_REGRESSION:
        return "regression";
    }
    return "unknown";
}

int64_t l2r_dataset_graphs(const struct l2r_dataset *data)
{
    return data ? data->n_graphs : 0;
}
