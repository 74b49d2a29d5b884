/* SPDX-License-Identifier: MIT
 * See summary.h. */
#include "recipe/summary.h"

#include "base/decimal.h"
#include "base/threads.h"
#include "comm/comm.h"
#include "data/reader.h"

#include <math.h>
#include <stdio.h>

void l2r_summary_note(const struct l2r_callbacks *to, const char *sentence)
{
    if (to && to->note && *sentence) to->note(to->context, sentence);
}

/* What targets are trained on; "": as they are. */
static void describe_maps(char *text, size_t size, const struct l2r_signature *s)
{
    int32_t n = 0;
    text[0] = '\0';
    for (int32_t k = 0; k < s->n_tasks; k++) n += l2r_target_is_mapped(s->target.map, k);
    const char *map = n > 0 && s->target.map[0].kind == L2R_MAP_RANK ? "ranks" : "log10";
    if (n > 0 && s->n_tasks == 1) snprintf(text, size, "%s (`transform`), ", map);
    if (n > 0 && s->n_tasks > 1)
        snprintf(text, size, "%d of %d targets mapped (`transform`), ", (int)n, (int)s->n_tasks);
}

/* The decision of --class-weights auto, or the scale of the targets, unless the user has set them. */
static void describe_labels(char *text, size_t size, const struct l2r_trainer *t)
{
    const struct l2r_signature *s = &t->network.signature;
    char maps[80];
    text[0] = '\0';
    describe_maps(maps, sizeof maps, s);
    if (t->options.class_weights != L2R_CLASS_WEIGHTS_AUTO && !*maps) return;
    if (t->data->task == L2R_TASK_REGRESSION)
        l2r_decimal_print(text, size, "labels  %sstandardised for training: %smean %.4g, sd %.4g%s", maps,
                          s->n_tasks > 1 ? "of the first target " : "", s->target.mean[0], s->target.sd[0],
                          s->n_tasks > 1 ? "; each by its own" : "");
    else if (!isnan(t->rarest))
        l2r_decimal_print(text, size, "labels  the rare%s class has %.1f %% of the training labels: %s",
                          t->data->task == L2R_TASK_BINARY && t->data->n_tasks == 1 ? "r" : "st", 100 * t->rarest,
                          t->network.class_weight ? "classes are balanced by weights (`class-weights`)"
                                                  : "no class weights");
}

/* Are the training labels the same in every task? */
static bool labels_are_alike(const struct l2r_trainer *t)
{
    const int32_t *train = l2r_split_part(t->split, L2R_PART_TRAIN);
    for (int32_t k = 0; k < t->data->n_tasks; k++) {
        float first = NAN;
        for (int64_t i = 0; i < l2r_split_size(t->split, L2R_PART_TRAIN); i++) {
            float label = t->data->labels[(int64_t)train[i] * t->data->n_tasks + k];
            if (isnan(first)) first = label;
            if (!isnan(label) && label != first) return false;
        }
    }
    return true;
}

/* The mean and the standard deviation of the labels of a part; false: too few to tell. */
static bool part_mean(double *mean, double *sd, const struct l2r_trainer *t, int part)
{
    const int32_t *graphs = l2r_split_part(t->split, part);
    int64_t n = 0;
    double sum = 0, square = 0;
    for (int64_t i = 0; i < l2r_split_size(t->split, part); i++) {
        double label = (double)t->data->labels[graphs[i]];
        if (isnan(label)) continue;
        n++;
        sum += label;
        square += label * label;
    }
    *mean = sum / (double)n;
    *sd = sqrt(fmax(square / (double)n - *mean * *mean, 0));
    return n >= 10;
}

/* A split by scaffold may give parts whose labels differ much, which the reader of their scores should know. */
static bool add_shift(struct l2r_notes *text, const struct l2r_trainer *t)
{
    bool binary = t->data->task == L2R_TASK_BINARY, apart = false;
    double mean[3], sd[3];
    if (t->data->n_tasks != 1 || t->data->task == L2R_TASK_MULTICLASS) return true;
    for (int p = 0; p < 3; p++) {
        if (!part_mean(&mean[p], &sd[p], t, p)) return true;
        apart = apart || fabs(mean[p] - mean[0]) > (binary ? 0.15 : 0.6 * sd[0]);
    }
    if (!apart) return true;
    if (binary)
        return l2r_notes_add(
            text, "split   its parts differ: %.1f %% of train are positive, %.1f %% of valid, %.1f %% of test",
            100 * mean[0], 100 * mean[1], 100 * mean[2]);
    return l2r_notes_add(
        text, "split   its parts differ: the mean of train is %.4g, of valid %.4g, of test %.4g (sd of train %.4g)",
        mean[0], mean[1], mean[2], sd[0]);
}

/* Trees cannot learn from bounds. */
static bool add_bounds(struct l2r_notes *text, const struct l2r_trainer *t)
{
    const int32_t *train = l2r_split_part(t->split, L2R_PART_TRAIN);
    int64_t bounds = 0, tasks = t->data->n_tasks;
    if (!t->network.type->fit || !t->data->bound) return true;
    for (int64_t i = 0; i < l2r_split_size(t->split, L2R_PART_TRAIN); i++)
        for (int64_t k = 0; k < tasks; k++) bounds += t->data->bound[train[i] * tasks + k] != 0;
    return bounds == 0 || l2r_notes_add(text,
                                        "labels  %s learns from exact labels only: %lld training label%s a bound and "
                                        "left out; networks learn from bounds, too (`model`)",
                                        t->network.type->name, (long long)bounds, bounds == 1 ? " is" : "s are");
}

static void add_table_line(void *context, const char *line)
{
    (void)l2r_notes_add(context, "table   %s", line); /* a line less where memory is short */
}

void l2r_summary_tables(const struct l2r_callbacks *to, const struct l2r_dataset *data)
{
    struct l2r_notes text = {0};
    if (!to || !to->start) return;
    l2r_notes_report(data, 10, add_table_line, &text);
    if (text.text.length > 0 && !text.text.failed) to->start(to->context, text.text.text);
    l2r_notes_clear(&text);
}

/* The models of a committee and their size: "6 members: dmpnn, forest, …". */
static bool add_models(struct l2r_notes *text, const struct l2r_recipe *recipe)
{
    char names[400] = "";
    int64_t parameters = 0;
    const struct l2r_trainer *t = &recipe->members[0].fit.trainer;
    if (recipe->n == 1)
        return l2r_notes_add(text, "model   %s, %lld parameters; method %s; seed %llu", t->network.type->name,
                             (long long)t->network.params.n_trainable, t->method->name, (unsigned long long)t->seed);
    for (int k = 0; k < recipe->n; k++) {
        parameters += recipe->members[k].fit.trainer.network.params.n_trainable;
        l2r_name_add(names, sizeof names, recipe->members[k].fit.trainer.network.type->name);
    }
    return l2r_notes_add(text, "model   %d members: %s; %lld parameters; method %s; seed %llu", recipe->n, names,
                         (long long)parameters, t->method->name, (unsigned long long)t->seed);
}

void l2r_summary_start(const struct l2r_recipe *recipe, const char *dir)
{
    const struct l2r_callbacks *to = recipe->callbacks;
    const struct l2r_trainer *t = &recipe->members[0].fit.trainer;
    if (!to || !to->start) return;
    const struct l2r_split *split = t->split;
    struct l2r_notes text = {0};
    char labels[200], parts[160];
    describe_labels(labels, sizeof labels, t);
    l2r_notes_report(t->data, 10, add_table_line, &text);
    bool made = l2r_notes_add(&text, "data    %s: %lld graphs, %lld nodes, %lld edges, %s task", t->data->name,
                              (long long)t->data->n_graphs, (long long)t->data->n_nodes,
                              (long long)l2r_dataset_n_edges(t->data), l2r_task_name(t->data->task));
    l2r_split_describe(parts, sizeof parts, split);
    made = made && l2r_notes_add(&text, "split   %s: %s%s%s%s", split->rule, parts, split->note[0] ? " (" : "",
                                 split->note, split->note[0] ? ")" : "");
    int64_t shared = l2r_split_shared(split, t->data);
    if (made && shared > 0)
        made = l2r_notes_add(
            &text,
            "split   %lld molecule%s in several parts, so scores are too optimistic; `duplicates=drop` keeps each once",
            (long long)shared, shared == 1 ? " is" : "s are");
    made = made && add_shift(&text, t);
    if (made && t->environments.n > 0)
        made = l2r_notes_add(&text, "groups  %d environments (%s)", (int)t->environments.n, t->environments.rule);
    if (made && recipe->comm)
        made = l2r_notes_add(&text, "ranks   %d × %d thread%s", recipe->comm->size, l2r_threads_get(),
                             l2r_threads_get() > 1 ? "s" : "");
    if (made && t->features[0]) made = l2r_notes_add(&text, "beside  %s", t->features);
    if (made && labels[0]) made = l2r_notes_add(&text, "%s", labels);
    made = made && add_bounds(&text, t);
    made = made && add_models(&text, recipe);
    if (made && t->method->introduce) {
        char line[300];
        t->method->introduce(t->config, line, sizeof line);
        made = l2r_notes_add(&text, "method  %s", line);
    }
    made = made && (!dir || l2r_notes_add(&text, "run     %s", dir));
    if (made) to->start(to->context, text.text.text);
    if (labels_are_alike(t))
        l2r_summary_note(to, "all training labels are the same: there is nothing to learn from them");
    l2r_notes_clear(&text);
}
