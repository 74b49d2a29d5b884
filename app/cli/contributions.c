/* SPDX-License-Identifier: MIT
 * See contributions.h. */
#include "cli/contributions.h"

#include "base/memory.h"
#include "io/csv.h"
#include "io/file.h"
#include "model/feature_effects.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 20, SHOWN = 5 /* features of a graph, in the file and on a line */ };

struct ranked {
    int32_t feature;
    double share;
};

/* One model of trees, and where its contributions go. */
struct teller {
    const struct l2r_network *network;
    char member[64];
    struct l2r_feature_effects effects;
    float *share;          /* [outputs × (features + 1)] */
    struct ranked *sorted; /* [features] */
    FILE *file, *lines;    /* lines: NULL: none */
};

int32_t cli_contributions_members(char *out, size_t size, const struct l2r_committee *model)
{
    int32_t n = 0, listed = 0;
    out[0] = '\0';
    for (int32_t k = 0; k < model->n; k++) n += model->members[k]->type->contributions != NULL;
    if (model->n > 1 && n > 0) snprintf(out, size, "member%s ", n == 1 ? "" : "s");
    for (int32_t k = 0; k < model->n; k++) {
        const struct l2r_model_type *type = model->members[k]->type;
        size_t used = strlen(out);
        if (!type->contributions) continue;
        if (model->n == 1)
            snprintf(out, size, "%s", type->name);
        else
            snprintf(out + used, size - used, "%s%d (%s)",
                     listed == 0      ? ""
                     : listed + 1 < n ? ", "
                                      : " and ",
                     (int)k + 1, type->name);
        listed++;
    }
    return n;
}

static int by_size(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    double left = fabs(x->share), right = fabs(y->share);
    return left > right ? -1 : left < right ? 1 : x->feature - y->feature;
}

static const char *unit_of(const struct l2r_network *network)
{
    if (network->signature.task == L2R_TASK_REGRESSION) return "value";
    return network->type->votes ? "probability" : "logit";
}

/* The task, or of several classes the class, that output k is of. */
static void write_output_name(FILE *file, const struct l2r_signature *s, int32_t k)
{
    bool classes = s->task == L2R_TASK_MULTICLASS;
    const char *word = classes ? l2r_signature_class_name(s, 0, k) : l2r_signature_task_name(s, k);
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)(classes ? s->class_value[k] : k));
    l2r_csv_write_text(file, ',', word ? word : number);
}

static void write_row(const struct teller *t, int32_t graph, int32_t k, const char *feature, double value, double share)
{
    fprintf(t->file, "%d", (int)graph);
    write_output_name(t->file, &t->network->signature, k);
    l2r_csv_write_text(t->file, ',', feature);
    if (isnan(value))
        fputc(',', t->file);
    else
        fprintf(t->file, ",%.6g", value);
    fprintf(t->file, ",%.6g,%s,%s\n", share, t->member, unit_of(t->network));
}

static void sort_output(struct teller *t, double *constant, int32_t k)
{
    int32_t n = t->network->signature.features.n;
    const float *share = t->share + (size_t)k * ((size_t)n + 1);
    for (int32_t i = 0; i < n; i++) t->sorted[i] = (struct ranked){i, (double)share[i]};
    *constant = (double)share[n];
}

static void write_output(struct teller *t, int32_t graph, int32_t k)
{
    const struct l2r_feature_scale *scale = &t->network->signature.features;
    char name[256];
    double constant, others = 0;
    sort_output(t, &constant, k);
    qsort(t->sorted, (size_t)scale->n, sizeof *t->sorted, by_size);
    if (t->lines) fprintf(t->lines, "graph %d", (int)graph);
    for (int32_t i = 0; i < scale->n; i++) {
        const struct ranked *r = &t->sorted[i];
        if (i >= MOST) others += r->share;
        if (i >= MOST || r->share == 0) continue;
        l2r_feature_name(name, sizeof name, scale, r->feature);
        write_row(t, graph, k, name, (double)l2r_feature_effects_value(&t->effects, graph, r->feature), r->share);
        if (t->lines && i < SHOWN) fprintf(t->lines, "%s %s %+.3g", i ? "," : ":", name, r->share);
    }
    write_row(t, graph, k, "other features", (double)NAN, others);
    write_row(t, graph, k, "constant", (double)NAN, constant);
    if (t->lines) fputc('\n', t->lines);
}

static enum l2r_status write_graphs(struct teller *t, const struct l2r_dataset *data, const int64_t *graphs, int64_t n,
                                    int32_t task, struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_network *network = t->network;
    const struct l2r_signature *s = &network->signature;
    size_t width = (size_t)s->features.n + 1;
    int32_t outputs = l2r_signature_outputs(s);
    FILE *lines = t->lines;
    struct l2r_arena arena;
    l2r_arena_init(&arena);
    t->share = l2r_arena_alloc(&arena, (size_t)outputs * width, sizeof *t->share);
    t->sorted = l2r_arena_alloc(&arena, width, sizeof *t->sorted);
    int32_t *list = l2r_arena_alloc(&arena, (size_t)n, sizeof *list);
    if (!t->share || !t->sorted || !list) L2R_FAIL(L2R_ERR_MEMORY, "out of memory: contributions of features");
    for (int64_t i = 0; i < n; i++) list[i] = (int32_t)graphs[i];
    L2R_TRY(l2r_feature_effects_open(&t->effects, network, data, list, n, error));
    for (int64_t i = 0; i < n; i++) {
        bool first = true;
        L2R_TRY(l2r_feature_effects_of(t->share, &t->effects, list[i], error));
        for (int32_t k = 0; k < outputs; k++) {
            if (s->task != L2R_TASK_MULTICLASS && task >= 0 && k != task) continue;
            t->lines = first ? lines : NULL;
            write_output(t, list[i], k);
            first = false;
        }
    }
done:
    l2r_feature_effects_clear(&t->effects);
    l2r_arena_clear(&arena);
    return status;
}

enum l2r_status cli_contributions_write(const char *dir, FILE *out, const struct l2r_predictor *predictor,
                                        const struct l2r_dataset *data, const int64_t *graphs, int64_t n, int32_t task,
                                        struct l2r_error *error)
{
    enum l2r_status status = L2R_OK;
    const struct l2r_committee *model = l2r_predictor_committee(predictor);
    struct l2r_atomic file = {0};
    char path[4400];
    L2R_TRY(l2r_path_join(path, sizeof path, dir, "contributions.csv", error));
    L2R_TRY(l2r_atomic_open(&file, path, error));
    fputs("graph,task,feature,value,contribution,member,unit\n", file.stream);
    for (int32_t k = 0; k < model->n; k++) {
        struct teller t = {.network = model->members[k], .file = file.stream};
        if (!t.network->type->contributions) continue;
        t.lines = model->n == 1 ? out : NULL;
        if (model->n == 1)
            snprintf(t.member, sizeof t.member, "%s", t.network->type->name);
        else
            snprintf(t.member, sizeof t.member, "%d-%s", (int)k + 1, t.network->type->name);
        L2R_TRY(write_graphs(&t, data, graphs, n, task, error));
    }
done:
    if (file.stream) status = l2r_atomic_close(&file, status, error);
    return status;
}
