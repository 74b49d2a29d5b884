/* SPDX-License-Identifier: MIT
 *
 * See fragments.h. Molecules are taken apart and scored in parallel, each on its own; sums are then taken in the order
 * of the molecules, so that the same call always gives the same bits.
 */
#include "explain/fragments.h"

#include "base/array.h"
#include "base/decimal.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/threads.h"
#include "base/watch.h"
#include "chem/molecule.h"
#include "explain/contributions.h"
#include "explain/subject.h"
#include "io/csv.h"
#include "io/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One molecule. */
struct taken {
    struct l2r_molecule_pieces pieces;
    double *effect; /* [pieces.n] */
    enum l2r_status status;
    struct l2r_error error;
};

struct work {
    const struct l2r_committee *model; /* what is explained (subject.h) */
    const struct l2r_dataset *data;    /* in its numbers */
    struct l2r_explanation *const *explanations;
    struct taken *taken;
    struct l2r_watched loop;
};

static void take_apart(void *context, int64_t i)
{
    struct work *w = context;
    struct taken *t = &w->taken[i];
    if (l2r_watched_stop(&w->loop)) return;
    l2r_watched_add(&w->loop, 1);
    const struct l2r_explanation *e = w->explanations[i];
    enum l2r_status status = L2R_OK;
    struct l2r_error *error = &t->error;
    L2R_TRY(l2r_molecule_pieces_find(&t->pieces, l2r_dataset_smiles(w->data, e->graph), error));
    if (t->pieces.n_atoms != e->n_nodes)
        L2R_FAIL(L2R_ERR_FORMAT, "graph %d has %lld nodes, its SMILES %d atoms", (int)e->graph, (long long)e->n_nodes,
                 (int)t->pieces.n_atoms);
    t->effect = l2r_alloc((size_t)t->pieces.n, sizeof *t->effect);
    if (!t->effect) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: the pieces of a molecule");
    L2R_TRY(l2r_contributions_of_parts(t->effect, e, w->model, w->data, t->pieces.piece, t->pieces.n, error));
done:
    t->status = status;
}

/* ---- over the set ---- */

/* The fragment of this SMILES and class; NULL: out of memory. `texts` numbers both together. */
static struct l2r_fragment *find(struct l2r_fragments *f, struct l2r_distinct_texts *texts, const char *smiles,
                                 int32_t target)
{
    char *key = NULL;
    int32_t before = texts->n;
    if (asprintf(&key, "%d %s", (int)target, smiles) < 0) return NULL;
    int32_t k = l2r_distinct_texts_add(texts, key);
    free(key);
    if (k < 0) return NULL;
    if (k < before) return &f->items[k];
    if (!l2r_reserve((void **)&f->items, &f->capacity, f->n + 1, sizeof *f->items)) return NULL;
    f->items[f->n] = (struct l2r_fragment){
        .smiles = l2r_strdup(smiles), .target = target, .least = HUGE_VAL, .most = -HUGE_VAL, .seen = -1};
    return f->items[f->n].smiles ? &f->items[f->n++] : NULL;
}

/* Running mean and squares (Welford); sd holds the squares until the end. */
static void add(struct l2r_fragment *fragment, double effect, int64_t molecule)
{
    double difference = effect - fragment->mean;
    fragment->count++;
    fragment->mean += difference / (double)fragment->count;
    fragment->sd += difference * (effect - fragment->mean);
    fragment->least = fmin(fragment->least, effect);
    fragment->most = fmax(fragment->most, effect);
    fragment->molecules += fragment->seen != molecule;
    fragment->seen = molecule;
}

/* A fragment of one molecule alone shows little about the set: it comes after all shared ones. */
static double rank_of(const struct l2r_fragment *f)
{
    double size = fabs(f->mean) * sqrt((double)f->count);
    return f->molecules > 1 ? 1 + size : size / (1 + size);
}

static int by_rank(const void *left, const void *right)
{
    const struct l2r_fragment *a = left, *b = right;
    double x = rank_of(a), y = rank_of(b);
    if (x != y) return x > y ? -1 : 1;
    return a->target != b->target ? a->target - b->target : strcmp(a->smiles, b->smiles);
}

static enum l2r_status collect(struct l2r_fragments *f, const struct work *w, int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_distinct_texts texts = {0};
    bool classes = l2r_committee_signature(w->model)->task == L2R_TASK_MULTICLASS;
    for (int64_t i = 0; i < n; i++) {
        const struct taken *t = &w->taken[i];
        const char *smiles = t->pieces.smiles;
        int32_t target = classes ? (int32_t)w->explanations[i]->target[0] : -1;
        if (t->status != L2R_OK) L2R_FAIL(t->status, "%s", t->error.message);
        for (int32_t k = 0; k < t->pieces.n; k++, smiles += strlen(smiles) + 1) {
            struct l2r_fragment *fragment = find(f, &texts, smiles, target);
            if (!fragment) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: fragments of molecules");
            add(fragment, t->effect[k], i);
        }
    }
    for (size_t k = 0; k < f->n; k++)
        f->items[k].sd = f->items[k].count > 1 ? sqrt(f->items[k].sd / (double)(f->items[k].count - 1)) : (double)NAN;
    if (f->n > 1) qsort(f->items, f->n, sizeof *f->items, by_rank);
    f->molecules = n;
done:
    l2r_distinct_texts_clear(&texts);
    return status;
}

static enum l2r_status check(const struct l2r_committee *model, const struct l2r_dataset *data,
                             struct l2r_explanation *const *explanations, int64_t n, struct l2r_error *error)
{
    const struct l2r_signature *s = l2r_committee_signature(model);
    int32_t tasks = 0;
    for (int32_t k = 0; n > 0 && k < s->n_tasks; k++) tasks += !isnan(explanations[0]->target[k]);
    if (tasks > 1)
        return l2r_fail(error, L2R_ERR_ARGUMENT,
                        "fragments contribute to one task, and %d are explained; choose one with `task`", (int)tasks);
    for (int64_t i = 0; i < n; i++)
        if (!l2r_dataset_smiles(data, explanations[i]->graph))
            return l2r_fail(error, L2R_ERR_ARGUMENT,
                            "data set \"%s\" has no SMILES, so its graphs have no fragments of molecules", data->name);
    return L2R_OK;
}

enum l2r_status l2r_fragments_find(struct l2r_fragments *fragments, const struct l2r_predictor *predictor,
                                   const struct l2r_dataset *data, struct l2r_explanation *const *explanations,
                                   int64_t n, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_dataset view;
    struct l2r_arena arena;
    struct l2r_subject subject;
    struct work w = {.model = &subject.committee, .data = &view, .explanations = explanations};
    *fragments = (struct l2r_fragments){0};
    l2r_arena_init(&arena);
    L2R_TRY(l2r_subject_init(&subject, l2r_predictor_committee(predictor), L2R_EXPLAINER_OCCLUSION, error));
    L2R_TRY(check(w.model, data, explanations, n, error));
    L2R_TRY(l2r_signature_view(&view, &arena, l2r_committee_signature(w.model), data, error));
    w.taken = l2r_alloc((size_t)n, sizeof *w.taken);
    if (!w.taken) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: fragments of %lld molecules", (long long)n);
    l2r_watched_begin(&w.loop, "molecules taken apart", n);
    l2r_parallel(n, take_apart, &w);
    L2R_TRY(l2r_watched_end(&w.loop, L2R_OK, error));
    L2R_TRY(collect(fragments, &w, n, error));
done:
    for (int64_t i = 0; w.taken && i < n; i++) {
        l2r_molecule_pieces_clear(&w.taken[i].pieces);
        l2r_free(w.taken[i].effect);
    }
    l2r_free(w.taken);
    l2r_subject_clear(&subject);
    l2r_arena_clear(&arena);
    return status;
}

void l2r_fragments_clear(struct l2r_fragments *f)
{
    for (size_t k = 0; k < f->n; k++) l2r_free(f->items[k].smiles);
    l2r_free(f->items);
    *f = (struct l2r_fragments){0};
}

/* ---- as JSON and CSV ---- */

static json_t *class_to_json(const struct l2r_fragment *f, const struct l2r_signature *s)
{
    const char *word = f->target >= 0 ? l2r_signature_class_name(s, 0, f->target) : NULL;
    if (f->target < 0) return json_null();
    return word ? l2r_json_name(word) : json_integer(s->class_value[f->target]);
}

json_t *l2r_fragments_to_json(const struct l2r_fragments *fragments, const struct l2r_signature *s)
{
    json_t *rows = json_array();
    for (size_t k = 0; k < fragments->n; k++) {
        const struct l2r_fragment *f = &fragments->items[k];
        json_array_append_new(rows, json_pack("{s:s, s:o, s:I, s:I, s:f, s:o, s:f, s:f}", "fragment", f->smiles,
                                              "class", class_to_json(f, s), "molecules", (json_int_t)f->molecules,
                                              "count", (json_int_t)f->count, "mean", f->mean, "sd",
                                              l2r_json_real(f->sd), "min", f->least, "max", f->most));
    }
    return rows;
}

enum l2r_status l2r_fragments_write(const struct l2r_fragments *fragments, const struct l2r_signature *s,
                                    const char *path, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    struct l2r_atomic file = {0};
    L2R_TRY(l2r_atomic_open(&file, path, error));
    fputs("fragment,class,molecules,count,mean,sd,min,max\n", file.stream);
    for (size_t k = 0; k < fragments->n; k++) {
        const struct l2r_fragment *f = &fragments->items[k];
        const char *word = f->target >= 0 ? l2r_signature_class_name(s, 0, f->target) : NULL;
        char number[32] = "";
        if (f->target >= 0) snprintf(number, sizeof number, "%lld", (long long)s->class_value[f->target]);
        l2r_csv_write_first(file.stream, ',', f->smiles);
        l2r_csv_write_text(file.stream, ',', word ? word : number);
        l2r_decimal_write(file.stream, ",%lld,%lld,%.6g,", (long long)f->molecules, (long long)f->count, f->mean);
        if (!isnan(f->sd)) l2r_decimal_write(file.stream, "%.6g", f->sd);
        l2r_decimal_write(file.stream, ",%.6g,%.6g\n", f->least, f->most);
    }
done:
    return l2r_atomic_close(&file, status, error);
}
