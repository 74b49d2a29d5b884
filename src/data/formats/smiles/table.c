/* SPDX-License-Identifier: MIT
 *
 * How a table of molecules is written (smiles.h). Guesses are made on a sample, the first 50 sound records, cell by
 * cell. Training, scoring and explaining all use this, so a file is always read in the same way under the same options.
 * Options of the user are never overridden. */
#include "data/formats/smiles/smiles.h"

#include "base/array.h"
#include "base/config.h"
#include "base/memory.h"
#include "base/text.h"
#include "chem/molecule.h"
#include "data/formats/smiles/cells.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SAMPLE_ROWS = 50, LETTERS = 400, MOST_COLUMNS = 100000, MOST_RECORDS = 1000, MANY_COLUMNS = 1000 };

/* Cells are cut to LETTERS. */
struct sample {
    int64_t n_rows;
    int32_t n_columns;
    struct l2r_array texts, starts; /* of the cells: bytes, and where each begins (size_t) */
    char **cells;                   /* [n_rows × n_columns]; once all are read */
};

static const char *cell_of(const struct sample *s, int64_t row, int32_t column)
{
    return s->cells[row * s->n_columns + column];
}

/* Without blanks around it. */
static bool add_cell(struct sample *s, const struct l2r_csv_field *field)
{
    const char *text = field->text, *stop = text + field->length;
    while (text < stop && isspace((unsigned char)*text)) text++;
    while (text < stop && isspace((unsigned char)stop[-1])) stop--;
    size_t length = stop - text < LETTERS ? (size_t)(stop - text) : LETTERS;
    size_t start = s->texts.n;
    return l2r_array_add(&s->texts, text, length, 1) && l2r_array_add(&s->texts, "", 1, 1) &&
           l2r_array_add(&s->starts, &start, 1, sizeof start);
}

static enum l2r_status add_row(struct sample *s, const struct l2r_csv_record *r, const char *path,
                               struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    if (r->n_fields > MOST_COLUMNS)
        L2R_FAIL(L2R_ERR_FORMAT, "%s:%lld: %d columns exceed the limit of %d; is this a table of molecules?", path,
                 (long long)r->line, (int)r->n_fields, (int)MOST_COLUMNS);
    s->n_columns = r->n_fields;
    for (int32_t k = 0; k < r->n_fields; k++)
        if (!add_cell(s, &r->fields[k])) return l2r_fail_memory(error, s->texts.n, "the first rows of a table");
    s->n_rows++;
done:
    return status;
}

/* Fails when the table has no row at all, or more columns than a table of molecules can have. */
static enum l2r_status read_sample(struct sample *s, struct l2r_csv *csv, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record = NULL;
    struct l2r_error first = {0}; /* what is wrong with the first record that is not sound */
    for (int i = 0; i < MOST_RECORDS && s->n_rows < SAMPLE_ROWS; i++) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (!record) break;
        if (!record->problem)
            L2R_TRY(add_row(s, record, l2r_csv_path(csv), error));
        else if (!first.message[0])
            l2r_fail(&first, L2R_ERR_FORMAT, "%s:%lld: no row of the table can be read; here %s", l2r_csv_path(csv),
                     (long long)record->line, record->problem);
    }
    if (s->n_rows == 0 && first.message[0]) L2R_FAIL(L2R_ERR_FORMAT, "%s", first.message);
    if (s->n_rows == 0) L2R_FAIL(L2R_ERR_FORMAT, "%s: the table is empty", l2r_csv_path(csv));
    s->cells = l2r_alloc(s->starts.n, sizeof *s->cells);
    if (!s->cells) return l2r_fail_memory(error, s->starts.n * sizeof *s->cells, "the first rows of a table");
    for (size_t i = 0; i < s->starts.n; i++)
        s->cells[i] = (char *)s->texts.items + ((const size_t *)s->starts.items)[i];
done:
    return status;
}

static void sample_clear(struct sample *s)
{
    l2r_array_clear(&s->texts);
    l2r_array_clear(&s->starts);
    l2r_free(s->cells);
    *s = (struct sample){0};
}

/* By exact name, by name in any letters, by number. -1: none. */
static int32_t find_column(char *const *names, int32_t n, const char *word)
{
    int64_t number;
    for (int32_t k = 0; k < n; k++)
        if (strcmp(names[k], word) == 0) return k;
    bool digits = *word && word[strspn(word, "0123456789")] == '\0'; /* have no capitals */
    for (int32_t k = 0; k < n && !digits; k++)
        if (strcasecmp(names[k], word) == 0) return k;
    if (l2r_parse_int(&number, word) && number >= 1 && number <= n) return (int32_t)number - 1;
    return -1;
}

/* "a, b, c"; the end is cut off where it does not fit. */
static void list_columns(char *out, size_t size, const struct l2r_molecule_table *t)
{
    size_t used = 0;
    out[0] = '\0';
    for (int32_t k = 0; k < t->n_columns && used < size; k++) {
        if (used + strlen(t->names[k]) + 8 > size) {
            snprintf(out + used, size - used, ", …");
            return;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%s", k ? ", " : "", t->names[k]);
    }
}

/* The same among the names of the table. Lists of a hundred thousand names are looked up at once, as written. */
static int32_t find_named(const struct l2r_molecule_table *t, const char *word)
{
    int32_t number = t->named_column ? l2r_distinct_texts_find(&t->distinct, word) : -1;
    return number >= 0 ? t->named_column[number] : find_column(t->names, t->n_columns, word);
}

bool l2r_molecule_table_has(const struct l2r_molecule_table *t, const char *word)
{
    return find_named(t, word) >= 0;
}

enum l2r_status l2r_molecule_table_column(int32_t *column, const struct l2r_molecule_table *t, const char *word,
                                          const char *option, struct l2r_error *error)
{
    char columns[400];
    *column = find_named(t, word);
    if (*column >= 0) return L2R_OK;
    list_columns(columns, sizeof columns, t);
    return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: `%s`: there is no column \"%.100s\"%s; the columns are: %s",
                    t->source->path, option, word, t->has_header ? "" : " (the table seems to have no header)",
                    columns);
}

bool l2r_molecule_table_is_feature(const struct l2r_molecule_table *t, int32_t column)
{
    return t->is_feature && t->is_feature[column];
}

static enum l2r_status find_features(struct l2r_molecule_table *t, const struct l2r_config *options,
                                     struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char word[256];
    const char *list = l2r_config_text(options, "feature-columns");
    if (!list) return L2R_OK;
    t->features = l2r_alloc((size_t)t->n_columns + 1, sizeof *t->features);
    t->is_feature = l2r_alloc((size_t)t->n_columns, sizeof *t->is_feature);
    if (!t->features || !t->is_feature)
        return l2r_fail_memory(error, (size_t)t->n_columns * sizeof *t->features, "the columns of a table");
    while (l2r_next_word(word, sizeof word, &list)) {
        int32_t column;
        L2R_TRY(l2r_molecule_table_column(&column, t, word, "feature-columns", error));
        if (l2r_molecule_table_is_feature(t, column))
            L2R_FAIL(L2R_ERR_ARGUMENT, "`feature-columns` names column \"%s\" twice", word);
        if (column == t->smiles) L2R_FAIL(L2R_ERR_ARGUMENT, "`feature-columns`: column \"%s\" holds the SMILES", word);
        t->features[t->n_features++] = column;
        t->is_feature[column] = true;
    }
done:
    return status;
}

/* The first of the known names, the surest first, that a column has; -1: none. */
static int32_t find_known(char *const *cells, int32_t n, const char *const *known)
{
    for (size_t i = 0; known[i]; i++)
        for (int32_t k = 0; k < n; k++)
            if (strcasecmp(cells[k], known[i]) == 0) return k;
    return -1;
}

/* The names under which tables keep SMILES, and those of molecules. */
static const char *const smiles_names[] = {"smiles", "canonical_smiles", "isomeric_smiles", "smile", "smi",
                                           "mol",    "molecule",         "structure",       "drug",  NULL};
static const char *const title_names[] = {"name",      "compound_name", "molecule_name", "mol_name",
                                          "drug_name", "title",         "compound",      "chembl_id",
                                          "mol_id",    "molecule_id",   "drug_id",       "compound_id",
                                          "cmpd_id",   "compound id",   "cid",           "identifier",
                                          "id",        "key",           "pubchem_cid",   "molecule chembl id",
                                          NULL};

/* By a known name, or one that ends with it: "PUBCHEM_EXT_DATASOURCE_SMILES", "Ligand SMILES". */
static int32_t find_smiles_name(char *const *cells, int32_t n)
{
    int32_t known = find_known(cells, n, smiles_names);
    for (int32_t k = 0; k < n && known < 0; k++) {
        size_t length = strlen(cells[k]);
        if (length > 6 && strcasecmp(cells[k] + length - 6, "smiles") == 0) known = k;
    }
    return known;
}

static bool is_molecule(const char *cell)
{
    struct l2r_molecule_graph molecule;
    double number;
    if (l2r_cell_read(&number, NULL, cell, '.') != L2R_CELL_TEXT) return false;
    bool good = l2r_molecule_features(&molecule, cell, false, NULL) == L2R_OK;
    l2r_molecule_graph_clear(&molecule);
    return good;
}

/* The molecules of a column in rows from `first` on, and their letters. A column is given up after ten texts that are
 * no molecule, from the thousandth text on after one: RDKit is slow with names. */
static int64_t count_molecules(int64_t *length, const struct sample *s, int32_t k, int64_t first)
{
    int64_t count = 0, tried = 0, most = k < MANY_COLUMNS ? 10 : 1;
    *length = 0;
    for (int64_t i = first; i < s->n_rows && (tried < most || count > 0); i++) {
        const char *cell = cell_of(s, i, k);
        tried += *cell != '\0';
        if (!is_molecule(cell)) continue;
        count++;
        *length += (int64_t)strlen(cell);
    }
    return count;
}

/* The column with most molecules in rows from `first` on, at least in half of them; among equals the one with more
 * text. `but`: any other than this column. */
static int32_t find_molecules(const struct sample *s, int64_t first, int32_t but)
{
    int64_t best_count = 0, best_length = 0;
    int32_t best = -1;
    for (int32_t k = 0; k < s->n_columns; k++) {
        int64_t length = 0, count = k == but ? 0 : count_molecules(&length, s, k, first);
        if (2 * count < s->n_rows - first || count == 0) continue;
        if (but >= 0 && length < 4 * count) continue; /* a second column of SMILES is one beyond doubt */
        if (count < best_count || (count == best_count && length <= best_length)) continue;
        best = k;
        best_count = count;
        best_length = length;
    }
    return best;
}

/* Words in the first row over a column of numbers. */
static bool names_numbers(const struct sample *s)
{
    double number;
    for (int32_t k = 0; k < s->n_columns; k++) {
        int64_t numbers = 0, words = 0;
        for (int64_t i = 1; i < s->n_rows; i++) {
            enum l2r_cell cell = l2r_cell_read(&number, NULL, cell_of(s, i, k), '.');
            numbers += cell == L2R_CELL_NUMBER;
            words += cell == L2R_CELL_TEXT;
        }
        if (numbers > 0 && words == 0 && l2r_cell_read(&number, NULL, cell_of(s, 0, k), '.') == L2R_CELL_TEXT)
            return true;
    }
    return false;
}

static bool guess_header(const struct sample *s, const struct l2r_config *options)
{
    const char *word = l2r_config_text(options, "smiles-column");
    int64_t number;
    if (find_smiles_name(s->cells, s->n_columns) >= 0 || names_numbers(s)) return true;
    if (word && !l2r_parse_int(&number, word) && find_column(s->cells, s->n_columns, word) >= 0) return true;
    int32_t column = find_molecules(s, 1, -1);
    return column >= 0 && !is_molecule(cell_of(s, 0, column));
}

/* "y" becomes "y.2" where an earlier column is called y: tasks are known by their names. copies[number of a name]: how
 * many columns have asked for it. */
static bool make_unique(char *name, size_t size, struct l2r_distinct_texts *seen, int32_t *copies)
{
    char plain[480];
    snprintf(plain, sizeof plain, "%.470s", name);
    int32_t before = seen->n, first = l2r_distinct_texts_add(seen, name);
    if (first < 0 || seen->n > before) return first >= 0;
    do {
        snprintf(name, size, "%s.%d", plain, (int)++copies[first] + 1);
        if (l2r_distinct_texts_add(seen, name) < 0) return false;
    } while (seen->n == before);
    return true;
}

static enum l2r_status name_columns(struct l2r_molecule_table *t, const struct sample *s, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    char name[512];
    size_t n = (size_t)s->n_columns;
    int32_t *copies = l2r_alloc(n, sizeof *copies);
    t->names = l2r_alloc(n, sizeof *t->names);
    t->named_column = l2r_alloc(n, sizeof *t->named_column);
    if (!t->names || !t->named_column || !copies) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: %zu columns of a table", n);
    t->n_columns = s->n_columns;
    for (int32_t k = 0; k < s->n_columns; k++) {
        if (t->has_header)
            l2r_text_excerpt(name, sizeof name, cell_of(s, 0, k));
        else
            snprintf(name, sizeof name, "%d", (int)k + 1);
        bool named = !*name || make_unique(name, sizeof name, &t->distinct, copies);
        if (named && *name) t->named_column[t->distinct.n - 1] = k;
        t->names[k] = named ? l2r_strdup(name) : NULL;
        if (!t->names[k]) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the columns of a table");
    }
done:
    l2r_free(copies);
    return status;
}

static enum l2r_status find_smiles(struct l2r_molecule_table *t, const struct sample *s,
                                   const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *word = l2r_config_text(options, "smiles-column");
    char columns[400];
    if (word) return l2r_molecule_table_column(&t->smiles, t, word, "smiles-column", error);
    t->smiles = t->has_header ? find_smiles_name(t->names, t->n_columns) : -1;
    if (t->smiles < 0) t->smiles = find_molecules(s, t->has_header ? 1 : 0, -1);
    list_columns(columns, sizeof columns, t);
    if (t->smiles >= 0) goto done;
    for (int32_t k = 0; k < s->n_columns && s->n_rows > 1; k++)
        if (strncmp(cell_of(s, 1, k), "InChI=", 6) == 0)
            L2R_FAIL(L2R_ERR_FORMAT, "%s: column \"%.60s\" holds InChI, which is not read; convert it to SMILES",
                     t->source->path, t->names[k]);
    if (s->n_columns == 1 && s->n_rows > 0 && strpbrk(cell_of(s, 0, 0), "|: ") != NULL)
        L2R_FAIL(L2R_ERR_FORMAT,
                 "%s: no column of SMILES was found, and the first line is a single field, \"%.60s\"; fields are "
                 "separated by commas, semicolons or tabs",
                 t->source->path, cell_of(s, 0, 0));
    L2R_FAIL(L2R_ERR_FORMAT, "%s: no column of SMILES was found%s%s; name it with `smiles-column`", t->source->path,
             t->has_header ? " among " : "", t->has_header ? columns : "");
done:
    return status;
}

/* Are its lines a SMILES, blanks and a name, whose commas are part of it? So are those of .smi files, and may be those
 * of standard input. */
static enum l2r_status find_names(struct l2r_molecule_table *t, const struct l2r_config *options,
                                  struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_csv_record *record = NULL;
    struct l2r_csv *csv = NULL;
    char word[LETTERS];
    bool named = false, plain = true;
    bool may = t->source->kind == L2R_SOURCE_INPUT || l2r_source_ends_with(t->entry->name, ".smi");
    if (!may || !l2r_config_is(options, "delimiter", "auto") || l2r_config_is(options, "header", "yes")) return L2R_OK;
    L2R_TRY(l2r_csv_open(&csv, t->source, t->entry, L2R_CSV_WHOLE_LINES, error));
    for (int i = 0; i < SAMPLE_ROWS && plain; i++) {
        L2R_TRY(l2r_csv_next(&record, csv, error));
        if (!record) break;
        const char *line = record->n_fields > 0 ? record->fields[0].text : "";
        size_t length = strcspn(line, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, line);
        plain = !strpbrk(word, ",;\"") && !strchr(line, '\t') && (i > 0 || is_molecule(word));
        named = named || line[length] == ' ';
    }
    t->named = named && plain;
done:
    l2r_csv_free(csv);
    return status;
}

static char chosen_delimiter(const struct l2r_config *options)
{
    return l2r_config_is(options, "delimiter", "comma")       ? ','
           : l2r_config_is(options, "delimiter", "semicolon") ? ';'
           : l2r_config_is(options, "delimiter", "tab")       ? '\t'
                                                              : '\0';
}

enum l2r_status l2r_molecule_table_find(struct l2r_molecule_table *t, const struct l2r_source *source,
                                        const struct l2r_config *options, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_molecule_graph carbon = {0};
    struct sample sample = {0};
    struct l2r_csv *csv = NULL;
    *t = (struct l2r_molecule_table){.source = source, .entry = &source->entries[0], .second = -1, .title = -1};
    L2R_TRY(l2r_molecule_features(&carbon, "C", false, error)); /* fails where RDKit is missing */
    if (l2r_sdf_recognise(t->entry->name)) {
        L2R_TRY(l2r_sdf_read(&t->sdf, source, t->entry, error));
        t->source = t->sdf->source;
        t->entry = &t->source->entries[0];
    }
    L2R_TRY(find_names(t, options, error));
    char delimiter = t->sdf ? ',' : t->named ? L2R_CSV_WHOLE_LINES : chosen_delimiter(options);
    L2R_TRY(l2r_csv_open(&csv, t->source, t->entry, delimiter, error));
    L2R_TRY(read_sample(&sample, csv, error));
    t->delimiter = t->named ? ',' : l2r_csv_delimiter(csv);
    t->has_header = t->sdf || l2r_config_is(options, "header", "yes") ||
                    (l2r_config_is(options, "header", "auto") && !t->named && guess_header(&sample, options));
    L2R_TRY(name_columns(t, &sample, error));
    L2R_TRY(find_smiles(t, &sample, options, error));
    for (int32_t k = 0; t->has_header && k < t->n_columns; k++)
        t->pubchem = t->pubchem || strncmp(t->names[k], "PUBCHEM_", 8) == 0;
    t->second = find_molecules(&sample, t->has_header ? 1 : 0, t->smiles);
    t->title = t->has_header ? find_known(t->names, t->n_columns, title_names) : -1;
    if (t->title == t->smiles) t->title = -1;
    t->largest_fragment = l2r_config_flag(options, "largest-fragment");
    L2R_TRY(find_features(t, options, error));
done:
    l2r_molecule_graph_clear(&carbon);
    sample_clear(&sample);
    l2r_csv_free(csv);
    if (status != L2R_OK) l2r_molecule_table_clear(t);
    return status;
}

void l2r_molecule_table_clear(struct l2r_molecule_table *t)
{
    for (int32_t k = 0; t->names && k < t->n_columns; k++) l2r_free(t->names[k]);
    l2r_free(t->names);
    l2r_sdf_free(t->sdf);
    l2r_free(t->features);
    l2r_free(t->is_feature);
    l2r_free(t->named_column);
    l2r_distinct_texts_clear(&t->distinct);
    *t = (struct l2r_molecule_table){0};
}

enum l2r_status l2r_molecule_table_open(struct l2r_csv **csv, const struct l2r_csv_record **header,
                                        const struct l2r_molecule_table *t, struct l2r_error *error)
{
    const struct l2r_csv_record *record = NULL;
    enum l2r_status status =
        l2r_csv_open(csv, t->source, t->entry, t->named ? L2R_CSV_WHOLE_LINES : t->delimiter, error);
    if (status == L2R_OK && t->sdf) l2r_csv_annotate(*csv, t->sdf->lines, t->sdf->problems, t->sdf->n);
    /* The header is the first sound record, as in the sample; what comes before it is not a row either. */
    while (status == L2R_OK && t->has_header) {
        status = l2r_csv_next(&record, *csv, error);
        if (status == L2R_OK && (!record || !record->problem)) break;
    }
    if (header) *header = record;
    if (status != L2R_OK) {
        l2r_csv_free(*csv);
        *csv = NULL;
    }
    return status;
}
