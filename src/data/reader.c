/* SPDX-License-Identifier: MIT
 *
 * See reader.h. From the argument of --data to a data set:
 *
 *     an existing path  ->  source  ->  the reader that recognises it  ->  cache, or read and store in the cache
 *                                       (with options, if it has any)
 *     NAME[:key=value,…]            ->  the generator of that name, never cached
 *
 * Then the options for reading tables. Notes are in notes.c. */
#include "data/reader.h"

#include "base/memory.h"
#include "base/watch.h"
#include "data/cache.h"
#include "data/descriptor_labels.h"
#include "data/features.h"
#include "io/source.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <xxhash.h>

const struct l2r_generator *l2r_generator_find(const char *where)
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

/* "molecules, motif, …", for the message about a name that is neither a path nor a generator. */
static void list_names(char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; l2r_generators[i] && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", l2r_generators[i]->name);
}

/* What a cached data set depends on besides its file: the options, and the version of RDKit, which decides about bonds
 * and scaffolds. Formats without options depend on neither. NULL: out of memory. */
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
    struct l2r_watched loop;
    l2r_watched_begin(&loop, "graphs read", -1);
    if (!reader->read_with) {
        status = reader->read(data, source, error);
        goto done;
    }
    bool given = options && l2r_config_has(options, l2r_data_options[0].name);
    if (!given) {
        L2R_TRY(l2r_config_new(&defaults, error));
        L2R_TRY(l2r_config_declare(defaults, l2r_data_options, error));
    }
    L2R_TRY(reader->read_with(data, source, given ? options : defaults, error));
done:
    l2r_config_free(defaults);
    return l2r_watched_end(&loop, status, error);
}

static bool is_spreadsheet(const char *path)
{
    static const char *const endings[] = {".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if (length > n && strcasecmp(path + length - n, endings[i]) == 0) return true;
    }
    return false;
}

static bool given(const struct l2r_config *options, const char *name)
{
    return options && l2r_config_has(options, name) && l2r_config_text(options, name);
}

/* The reader that recognises a source, in which spreadsheets are none. */
static enum l2r_status find_reader(const struct l2r_reader **reader, const struct l2r_source *source, const char *path,
                                   struct l2r_error *error)
{
    *reader = NULL;
    for (size_t i = 0; l2r_readers[i] && !*reader; i++)
        if (l2r_readers[i]->recognise(source)) *reader = l2r_readers[i];
    if (*reader) return L2R_OK;
    return l2r_fail(error, L2R_ERR_FORMAT,
                    "%s: no data set is recognised here: expected NAME_A.txt with NAME_graph_indicator.txt "
                    "(TU) or raw/num-node-list.csv.gz (OGB), directly or one folder deep, or a table of SMILES (.csv, "
                    ".tsv, .sdf), or DrugOOD's .json",
                    path);
}

static enum l2r_status refuse_spreadsheet(const char *path, struct l2r_error *error)
{
    if (!is_spreadsheet(path)) return L2R_OK;
    return l2r_fail(error, L2R_ERR_FORMAT,
                    "%s: this is a spreadsheet, which cannot be read; save the sheet as CSV (in Excel: File, Save As, "
                    "CSV UTF-8) and give that file",
                    path);
}

static enum l2r_status load_path(struct l2r_dataset **data, const char *path, const struct l2r_config *options,
                                 bool use_cache, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_reader *reader = NULL;
    struct l2r_source *source = NULL;
    char cached[8192], *key = NULL;
    L2R_TRY(refuse_spreadsheet(path, error));
    L2R_TRY(l2r_source_open(&source, path, error));
    L2R_TRY(find_reader(&reader, source, path, error));
    bool excludes = given(options, "exclude");
    if (excludes && !reader->read_with)
        L2R_FAIL(L2R_ERR_ARGUMENT, "`exclude` leaves rows of a table of SMILES out; %s is none", path);
    key = key_of(reader, options);
    if (!key) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the name of a cache file");
    use_cache = use_cache && l2r_cache_path(cached, sizeof cached, source, reader->name, key);
    bool keep = use_cache && !excludes; /* a cached copy would not depend on the other table */
    /* The file holds its own name, too: a renamed file is not used. */
    uint64_t made_of = XXH3_64bits_withSeed(reader->name, strlen(reader->name), source->fingerprint);
    made_of = XXH3_64bits_withSeed(key, strlen(key), made_of);
    if (keep) *data = l2r_cache_load(cached, made_of);
    bool found = *data != NULL;
    if (!found) L2R_TRY(read_source(data, reader, source, options, error));
    assert(*data); /* a reader that succeeds has made one */
    if (use_cache) l2r_features_keep((*data)->features);
    if (keep && !found) l2r_cache_store(*data, cached, made_of); /* a failure only costs time next time */
done:
    l2r_free(key);
    l2r_source_free(source);
    return status;
}

static enum l2r_status load(struct l2r_dataset **data, const char *where, const struct l2r_config *options,
                            bool use_cache, struct l2r_error *error)
{
    char names[256];
    if (l2r_cache_recognise(where)) return l2r_cache_open(data, where, error);
    if (access(where, F_OK) == 0) return load_path(data, where, options, use_cache, error);
    const struct l2r_generator *generator = l2r_generator_find(where);
    if (generator) return generate(data, generator, where, error);
    list_names(names, sizeof names);
    return l2r_fail(error, L2R_ERR_IO, "%s: no such file or folder, and no generator of that name (generators: %s)",
                    where, names);
}

/* Replaces the labels if the options say so; after a failure there is no data set. */
static enum l2r_status end_load(struct l2r_dataset **data, const struct l2r_config *options, enum l2r_status status,
                                struct l2r_error *error)
{
    if (status == L2R_OK && l2r_labels_are_descriptors(options))
        status = l2r_dataset_label_by_descriptors(data, l2r_config_text(options, "target-columns"), error);
    if (status == L2R_OK) return L2R_OK;
    l2r_dataset_free(*data);
    *data = NULL;
    return status;
}

enum l2r_status l2r_dataset_load_bytes(struct l2r_dataset **data, const char *name, const void *bytes, size_t size,
                                       const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_source *source = NULL;
    const struct l2r_reader *reader;
    const struct l2r_memory_file file = {name, bytes, size};
    *data = NULL;
    L2R_TRY(refuse_spreadsheet(name, error));
    L2R_TRY(l2r_source_from_memory(&source, name, &file, 1, error));
    L2R_TRY(find_reader(&reader, source, name, error));
    L2R_TRY(read_source(data, reader, source, options, error));
done:
    l2r_source_free(source);
    return end_load(data, options, status, error);
}

enum l2r_status l2r_dataset_load_with(struct l2r_dataset **data, const char *where, const struct l2r_config *options,
                                      bool use_cache, struct l2r_error *error)
{
    if (!data || !where) return l2r_fail(error, L2R_ERR_ARGUMENT, "%s is NULL", data ? "where" : "data");
    *data = NULL;
    return end_load(data, options, load(data, where, options, use_cache, error), error);
}

enum l2r_status l2r_dataset_load(struct l2r_dataset **data, const char *where, bool use_cache, struct l2r_error *error)
{
    return l2r_dataset_load_with(data, where, NULL, use_cache, error);
}

/* Options. */

const struct l2r_option l2r_data_options[] = {
    {.name = "smiles-column",
     .kind = L2R_OPTION_TEXT,
     .value = "NAME",
     .group = "Tables of SMILES (.csv, .tsv, .txt, .sdf; also .gz)",
     .help = "column of the SMILES, by name or number from 1; by default the one that looks like SMILES"},
    {.name = "target-columns",
     .kind = L2R_OPTION_TEXT,
     .value = "A,B,…",
     .help = "columns of the labels, by names or numbers; by default ChEMBL's or PubChem's, or all that are alike: "
             "values in one range, or 0 and 1, active and inactive; none: there are no labels"},
    {.name = "relation-column",
     .kind = L2R_OPTION_TEXT,
     .value = "A,B,…",
     .help = "columns that hold =, > or < of the labels, one for each; by default the one called Standard Relation, "
             "relation, … (with `censored`)"},
    {.name = "targets",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "columns",
     .choices = "columns|descriptors",
     .help = "labels: columns, or descriptors of the molecules, which need no measurement (see l2r pretrain)"},
    {.name = "exclude",
     .kind = L2R_OPTION_TEXT,
     .value = "A.csv,…",
     .help = "tables whose molecules are left out, by canonical SMILES, such as those that a model will be tested on"},
    {.name = "feature-columns",
     .kind = L2R_OPTION_TEXT,
     .value = "A,B,…",
     .help = "columns of numbers about the molecules that the model reads beside the graph, such as a dose or a "
             "temperature"},
    {.name = "task-type",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "auto",
     .choices = "auto|binary|multiclass|regression",
     .help = "what the labels are; auto: binary if all are 0 or 1, multiclass for one column of few whole numbers"},
    {.name = "classes",
     .kind = L2R_OPTION_TEXT,
     .value = "A,B,…",
     .help = "the words of the classes, in order (the first is class 0); lists for several columns are separated by ;"},
    {.name = "decimal",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "auto",
     .choices = "auto|point|comma",
     .help = "how numbers are written; auto: column by column, comma where it can be nothing else"},
    {.name = "censored",
     .kind = L2R_OPTION_FLAG,
     .fallback = "false",
     .help = "bounds such as >10 and <0.1 are labels of a regression: predictions beyond them cost nothing"},
    {.name = "weight-column",
     .kind = L2R_OPTION_TEXT,
     .value = "NAME",
     .help = "column of weights, 0 or more: what each row's loss is multiplied by in training"},
    {.name = "split-column",
     .kind = L2R_OPTION_TEXT,
     .value = "NAME",
     .help = "column for `split=column`: holds train, valid and test, or values to group by, such as years"},
    {.name = "environment-column",
     .kind = L2R_OPTION_TEXT,
     .value = "NAME",
     .help = "column that says where a row comes from (a laboratory, an assay, a batch), for `environments=given`"},
    {.name = "on-bad-smiles",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "skip",
     .choices = "skip|fail",
     .help = "rows without a molecule are left out and listed, or the first one is an error"},
    {.name = "max-skipped",
     .kind = L2R_OPTION_REAL,
     .fallback = "0.5",
     .min = 0,
     .max = 1,
     .help = "stop when more than this share of the rows would be left out"},
    {.name = "duplicates",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "keep",
     .choices = "keep|drop|mean",
     .help = "rows of the same molecule (canonical SMILES): all are kept, the first one, or one with the mean label "
             "(classes: the most frequent)"},
    {.name = "largest-fragment",
     .kind = L2R_OPTION_FLAG,
     .fallback = "false",
     .help = "of salts and mixtures only the largest fragment is kept"},
    {.name = "header",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "auto",
     .choices = "auto|yes|no",
     .help = "whether the first line names the columns"},
    {.name = "delimiter",
     .kind = L2R_OPTION_CHOICE,
     .fallback = "auto",
     .choices = "auto|comma|semicolon|tab",
     .help = "what separates fields; auto: whichever is most frequent in the first line"},
    {0}};

const struct l2r_option l2r_cache_option[] = {{.name = "cache",
                                               .kind = L2R_OPTION_FLAG,
                                               .neutral = true,
                                               .fallback = "true",
                                               .help = "keep a binary copy of the data, which loads faster next time"},
                                              {0}};

enum l2r_status l2r_data_options_check(const struct l2r_config *options, struct l2r_error *error)
{
    if (!options || (l2r_config_has(options, l2r_data_options[0].name) && l2r_config_has(options, "cache")))
        return L2R_OK;
    return l2r_fail(error, L2R_ERR_ARGUMENT, "options are not those of data; l2r_config_for_data makes them");
}

/* Is the option's value another than the default? */
static bool differs(const struct l2r_option *option, const char *value)
{
    if (value == NULL || option->fallback == NULL) return value != option->fallback;
    return strcmp(value, option->fallback) != 0;
}

char *l2r_data_options_text(const struct l2r_config *options)
{
    struct l2r_text text = {0};
    char *string = NULL;
    bool known = options && l2r_config_has(options, l2r_data_options[0].name);
    for (const struct l2r_option *o = l2r_data_options; known && o->name; o++) {
        const char *value = l2r_config_text(options, o->name);
        if (differs(o, value)) l2r_text_print(&text, "%s=%s\n", o->name, value);
    }
    return l2r_text_finish(&string, &text, "data options", NULL) == L2R_OK ? string : NULL;
}

enum l2r_status l2r_data_options_copy(struct l2r_config *to, const struct l2r_config *from, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    for (const struct l2r_option *o = l2r_data_options; o->name; o++) {
        if (!l2r_config_has(from, o->name) || !l2r_config_was_set(from, o->name)) continue;
        L2R_TRY(l2r_config_set(to, o->name, l2r_config_text(from, o->name), error));
    }
done:
    return status;
}
