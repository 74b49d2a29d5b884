/* SPDX-License-Identifier: MIT
 *
 * See rows.h. Rows are kept in the order of the table, and scaffolds, molecules and values are numbered by first
 * appearance in it, so threads and chunks leave no trace in the data set. */
#include "data/formats/smiles/rows.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum l2r_status l2r_rows_init(struct l2r_rows *r, const char *name, const struct l2r_molecule_table *table,
                              const struct l2r_targets *targets, const struct l2r_config *options,
                              struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    bool drop = l2r_config_is(options, "duplicates", "drop"), mean = l2r_config_is(options, "duplicates", "mean");
    *r = (struct l2r_rows){.table = table,
                           .targets = targets,
                           .fail = l2r_config_is(options, "on-bad-smiles", "fail"),
                           .duplicates = drop   ? L2R_DUPLICATES_DROP
                                         : mean ? L2R_DUPLICATES_MEAN
                                                : L2R_DUPLICATES_KEEP,
                           .max_skipped = l2r_config_real(options, "max-skipped")};
    int32_t n_classes = targets->task == L2R_TASK_MULTICLASS && targets->n > 0 ? targets->target[0].n_words : 0;
    L2R_TRY(l2r_rows_exclude(r, l2r_config_text(options, "exclude"), error));
    L2R_TRY(l2r_molecules_builder(&r->builder, name, targets->task, targets->n > 0 ? targets->n : 1, n_classes, error));
done:
    return status;
}

/* A label of a row whose molecule was seen before. */
struct again {
    int32_t graph, task;
    float label;
    int8_t bound;
};

static bool differ(float a, float b)
{
    return !isnan(a) && !isnan(b) && a != b;
}

/* Notes a row that repeats the molecule of graph g. False: out of memory. */
static bool repeat(struct l2r_rows *r, const struct l2r_molecule_row *row, const float *labels, const int8_t *bounds,
                   int32_t g)
{
    const float *first = r->labels.items; /* NULL without targets */
    if (first) first += (int64_t)g * r->targets->n;
    bool conflict = false;
    if (r->n_repeated++ == 0) {
        r->repeated_line = row->line;
        r->repeated_of = ((const int64_t *)r->line.items)[g];
    }
    for (int32_t k = 0; first && k < r->targets->n; k++) {
        const struct again label = {g, k, labels[k], bounds[k]};
        conflict = conflict || differ(labels[k], first[k]);
        if (r->duplicates != L2R_DUPLICATES_MEAN || isnan(labels[k])) continue;
        if (!l2r_array_add(&r->again, &label, 1, sizeof label)) return false;
    }
    r->n_conflicts += conflict;
    return true;
}

static enum l2r_status add_graph(struct l2r_rows *r, const struct l2r_molecule_row *row, const float *labels,
                                 const int8_t *bounds, const float *weight, struct l2r_error *error)
{
    const struct l2r_targets *t = r->targets;
    struct l2r_graph_view graph = l2r_molecule_view(row);
    bool bounded = false;
    for (int32_t k = 0; k < t->n; k++) bounded = bounded || bounds[k] != 0;
    graph.labels = t->n > 0 ? labels : NULL;
    graph.part = t->split_is_parts ? l2r_part_of(row->split) : L2R_PART_NONE;
    graph.bound = bounded ? bounds : NULL;
    graph.weight = t->weight >= 0 ? weight : NULL;
    return l2r_builder_add(r->builder, &graph, error);
}

/* Everything else that is kept of a row. */
static bool keep(struct l2r_rows *r, const struct l2r_molecule_row *row, const float *labels, int32_t molecule)
{
    const struct l2r_targets *t = r->targets;
    int32_t scaffold = l2r_distinct_texts_add(&r->scaffolds, row->molecule.scaffold), value = 0, place = 0;
    if (row->environment) place = l2r_distinct_texts_add(&r->places, row->environment);
    if (t->split >= 0 && !t->split_is_parts) value = l2r_distinct_texts_add(&r->values, row->split);
    bool labelled = t->n == 0;
    for (int32_t k = 0; k < t->n; k++) labelled = labelled || !isnan(labels[k]);
    r->n_unlabelled += !labelled;
    if (strchr(row->smiles, '.') || row->fragment) {
        if (r->n_mixtures++ == 0) r->mixture_line = row->line;
    }
    return scaffold >= 0 && value >= 0 && place >= 0 && l2r_array_add(&r->place, &place, 1, sizeof place) &&
           l2r_array_add(&r->scaffold, &scaffold, 1, sizeof scaffold) &&
           l2r_array_add(&r->value, &value, 1, sizeof value) &&
           l2r_array_add(&r->molecule, &molecule, 1, sizeof molecule) &&
           l2r_array_add(&r->line, &row->line, 1, sizeof row->line) &&
           l2r_array_add(&r->labels, labels, (size_t)t->n, sizeof *labels);
}

static enum l2r_status take(struct l2r_rows *r, const struct l2r_molecule_chunk *chunk, int64_t i,
                            struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_molecule_row *row = &chunk->rows[i];
    const float *labels = chunk->labels + i * r->targets->n;
    const int8_t *bounds = chunk->bounds + i * r->targets->n;
    int32_t before = r->molecules.n - r->n_excluded, graph = (int32_t)r->n;
    int32_t number = l2r_distinct_texts_add(&r->molecules, row->molecule.canonical);
    int32_t molecule = number - r->n_excluded; /* by first sight in this table */
    bool kept = number >= 0;
    if (kept && molecule < 0) {
        r->n_left_out++;
        return L2R_OK;
    }
    if (kept && molecule == before)
        kept = l2r_array_add(&r->first, &graph, 1, sizeof graph);
    else if (kept)
        kept = repeat(r, row, labels, bounds, ((const int32_t *)r->first.items)[molecule]);
    if (!kept) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a table of molecules");
    if (molecule < before && r->duplicates != L2R_DUPLICATES_KEEP) goto done;
    L2R_TRY(add_graph(r, row, labels, bounds, chunk->weights + i, error));
    L2R_TRY(l2r_described_rows_add(&r->described, chunk, i, error));
    if (!keep(r, row, labels, molecule)) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a table of molecules");
    r->n++;
done:
    return status;
}

enum l2r_status l2r_rows_add(struct l2r_rows *r, const struct l2r_molecule_chunk *chunk, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const char *path = r->table->source->path;
    r->cells = &chunk->cells;
    for (int64_t i = 0; i < chunk->n; i++) {
        const struct l2r_molecule_row *row = &chunk->rows[i];
        if (l2r_molecule_row_is_good(row)) {
            L2R_TRY(take(r, chunk, i, error));
            continue;
        }
        if (r->fail)
            L2R_FAIL(L2R_ERR_FORMAT, "%s:%lld: %s; `on-bad-smiles=skip` skips such rows", path, (long long)row->line,
                     row->reason);
        if (!l2r_notes_add_row(&r->skipped, path, row->line, row->reason))
            L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a table of molecules");
    }
done:
    return status;
}

/* A value of a column, to be sorted: as a number if all are. */
struct ranked {
    double number;
    const char *text;
    int32_t value;
};

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->number < y->number || x->number > y->number) return x->number < y->number ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* The numbers of values become their places in ascending order; names, if not NULL, receives the values in that
 * order, each ending with 0. */
static enum l2r_status rank_values(struct l2r_array *numbers, struct l2r_array *names,
                                   const struct l2r_distinct_texts *values, struct l2r_error *error)
{
    int32_t n = values->n, *value = numbers->items;
    struct ranked *sorted = l2r_alloc((size_t)n, sizeof *sorted);
    int32_t *rank = l2r_alloc((size_t)n, sizeof *rank);
    bool numeric = true, made = sorted && rank;
    for (int32_t i = 0; made && i < n; i++) {
        sorted[i] = (struct ranked){.text = l2r_distinct_text(values, i), .value = i};
        if (l2r_cell_read(&sorted[i].number, NULL, sorted[i].text, '.') != L2R_CELL_NUMBER) numeric = false;
    }
    for (int32_t i = 0; made && !numeric && i < n; i++) sorted[i].number = 0;
    if (made) qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    for (int32_t i = 0; made && i < n; i++) rank[sorted[i].value] = i;
    for (size_t g = 0; made && g < numbers->n; g++) value[g] = rank[value[g]];
    for (int32_t i = 0; made && names && i < n; i++) {
        const char *text = sorted[i].text[0] ? sorted[i].text : "(empty)";
        made = l2r_array_add(names, text, strlen(text) + 1, 1);
    }
    l2r_free(sorted);
    l2r_free(rank);
    return made ? L2R_OK : l2r_fail_memory(error, (size_t)n * sizeof *sorted, "a table of molecules");
}

static int by_place(const void *a, const void *b)
{
    const struct again *x = a, *y = b;
    if (x->graph != y->graph) return x->graph < y->graph ? -1 : 1;
    if (x->task != y->task) return x->task < y->task ? -1 : 1;
    return x->label < y->label ? -1 : x->label > y->label;
}

/* n equal labels of a task in a row, the first graph's own among them: the most frequent class, of several the one that
 * came first. */
static float most_frequent(float own, const struct again *all, size_t n)
{
    float best = own;
    size_t most = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        size_t count = !isnan(own) && own == all[begin].label;
        for (end = begin; end < n && all[end].label == all[begin].label; end++) count++;
        if (count > most || (count == most && all[begin].label == own)) best = all[begin].label, most = count;
    }
    return !isnan(own) && most <= 1 ? own : best;
}

static float mean_of(float own, const struct again *all, size_t n)
{
    double sum = isnan(own) ? 0 : (double)own;
    size_t count = !isnan(own);
    for (size_t i = 0; i < n; i++) {
        if (all[i].bound != 0) continue; /* bounds have no mean */
        sum += (double)all[i].label;
        count++;
    }
    return count > 0 ? (float)(sum / (double)count) : own;
}

/* One label for all rows of a molecule: the mean of values, the most frequent class. */
static void merge_labels(struct l2r_rows *r)
{
    struct again *all = r->again.items;
    float *labels = r->labels.items;
    if (r->again.n > 0) qsort(all, r->again.n, sizeof *all, by_place);
    for (size_t begin = 0, end; begin < r->again.n; begin = end) {
        const struct again *first = &all[begin];
        for (end = begin; end < r->again.n && all[end].graph == first->graph && all[end].task == first->task;) end++;
        float *label = &labels[(int64_t)first->graph * r->targets->n + first->task];
        *label = r->targets->task == L2R_TASK_REGRESSION ? mean_of(*label, first, end - begin)
                                                         : most_frequent(*label, first, end - begin);
    }
}

/* The names of the targets and of their classes, each ending with 0. */
static bool write_names(struct l2r_array *tasks, struct l2r_array *classes, const struct l2r_rows *r)
{
    const struct l2r_targets *t = r->targets;
    bool words = false, made = true;
    for (int32_t i = 0; i < t->n; i++) {
        const char *name = r->table->names[t->target[i].column];
        made = made && l2r_array_add(tasks, name, strlen(name) + 1, 1);
        words = words || t->target[i].n_words > 0;
    }
    for (int32_t i = 0; words && made && i < t->n; i++) {
        int32_t n = t->task == L2R_TASK_MULTICLASS ? t->target[i].n_words : 2;
        for (int32_t k = 0; made && k < n; k++) {
            const char *word = k < t->target[i].n_words ? t->target[i].words[k] : "";
            made = l2r_array_add(classes, word, strlen(word) + 1, 1);
        }
    }
    return made;
}

static enum l2r_status check_lost(const struct l2r_rows *r, struct l2r_error *error)
{
    const char *path = r->table->source->path, *column = r->table->names[r->table->smiles];
    int64_t lost = r->skipped.n_rows, all = r->targets->n_rows;
    const char *lines = r->skipped.text.text;
    if (r->n == 0 && r->n_left_out > 0)
        return l2r_fail(error, L2R_ERR_ARGUMENT, "%s: `exclude` leaves no molecule: all %lld are in the other tables",
                        path, (long long)r->n_left_out);
    if (r->n == 0 && lost == 0) return l2r_fail(error, L2R_ERR_FORMAT, "%s: the table has a header but no rows", path);
    if (r->n == 0)
        return l2r_fail(error, L2R_ERR_FORMAT,
                        "none of the %lld rows holds a molecule; %.*s (SMILES of column \"%.60s\")", (long long)lost,
                        (int)strcspn(lines, "\n"), lines, column);
    if ((double)lost <= r->max_skipped * (double)all) return L2R_OK;
    return l2r_fail(error, L2R_ERR_FORMAT,
                    "%s: %lld of %lld rows would be skipped, more than the share of `max-skipped`, %g; the first: %.*s "
                    "(SMILES of column \"%.60s\")",
                    path, (long long)lost, (long long)all, r->max_skipped, (int)strcspn(lines, "\n"), lines, column);
}

enum l2r_status l2r_rows_finish(struct l2r_dataset **data, struct l2r_rows *r, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_notes notes = {0};
    struct l2r_array tasks = {0}, classes = {0}, places = {0};
    bool ranked = r->targets->split >= 0 && !r->targets->split_is_parts;
    bool merged = r->duplicates == L2R_DUPLICATES_MEAN && r->again.n > 0;
    L2R_TRY(check_lost(r, error));
    if (ranked) L2R_TRY(rank_values(&r->value, NULL, &r->values, error));
    if (r->places.n > 0) L2R_TRY(rank_values(&r->place, &places, &r->places, error));
    if (merged) merge_labels(r);
    if (!l2r_rows_note(&notes, r) || !write_names(&tasks, &classes, r))
        L2R_FAIL(L2R_ERR_MEMORY, "out of memory: a table of molecules");
    struct l2r_origin origin = {.scaffold = r->scaffold.items,
                                .molecule = r->molecule.items,
                                .rank = ranked ? r->value.items : NULL,
                                .source_line = r->line.items,
                                .environment = r->places.n > 0 ? r->place.items : NULL,
                                .n_environments = r->places.n,
                                .environment_names = places.items,
                                .n_environment_names = places.n,
                                .task_names = tasks.items,
                                .n_task_names = tasks.n,
                                .class_names = classes.items,
                                .n_class_names = classes.n,
                                .labels = merged ? r->labels.items : NULL,
                                .notes = notes.text.text};
    L2R_TRY(l2r_described_rows_finish(&origin, &r->described, r->table, error));
    L2R_TRY(l2r_builder_set_origin(r->builder, &origin, error));
    L2R_TRY(l2r_builder_finish(data, r->builder, error));
done:
    l2r_notes_clear(&notes);
    l2r_array_clear(&tasks);
    l2r_array_clear(&classes);
    l2r_array_clear(&places);
    return status;
}

void l2r_rows_clear(struct l2r_rows *r)
{
    struct l2r_array *arrays[] = {&r->scaffold, &r->value,  &r->place, &r->molecule,
                                  &r->line,     &r->labels, &r->first, &r->again};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) l2r_array_clear(arrays[i]);
    l2r_distinct_texts_clear(&r->scaffolds);
    l2r_distinct_texts_clear(&r->values);
    l2r_distinct_texts_clear(&r->places);
    l2r_described_rows_clear(&r->described);
    l2r_distinct_texts_clear(&r->molecules);
    l2r_notes_clear(&r->skipped);
    l2r_builder_free(r->builder);
}
