/* SPDX-License-Identifier: MIT
 * See watch.h. */
#include "train/watch.h"

#include "base/threads.h"
#include "comm/comm.h"
#include "data/reader.h"

#include <math.h>
#include <stdio.h>

void l2r_watch_note(const struct l2r_callbacks *watch, const char *sentence)
{
    if (watch && watch->note && *sentence) watch->note(watch->context, sentence);
}

/* What --class-weights auto has decided, or how targets are scaled, where the user left that to us; otherwise
 * nothing. */
static void describe_labels(char *text, size_t size, const struct l2r_trainer *t)
{
    const struct l2r_signature *s = &t->network.signature;
    text[0] = '\0';
    if (!l2r_config_is(t->config, "class-weights", "auto")) return;
    if (t->data->task == L2R_TASK_REGRESSION)
        snprintf(text, size, "labels  %d target%s, trained on as standard scores (mean %.4g, sd %.4g%s)", s->n_tasks,
                 s->n_tasks > 1 ? "s" : "", s->target_mean[0], s->target_sd[0], s->n_tasks > 1 ? " of the first" : "");
    else if (!isnan(t->rarest))
        snprintf(text, size, "labels  the rarest class has %.1f %% of them: %s", 100 * t->rarest,
                 t->network.class_weight ? "classes are balanced by weights" : "no class weights");
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

void l2r_watch_undefined(const struct l2r_callbacks *watch, const struct l2r_trainer *t)
{
    char sentence[256];
    bool none = l2r_split_size(t->split, t->selector) == 0;
    snprintf(sentence, sizeof sentence, "%s%s: the last epoch is kept, not the best", none ? "" : t->metric->name,
             none ? "there are no validation graphs" : " is not defined for the labels of the validation graphs");
    l2r_watch_note(watch, sentence);
}

static void add_table_line(void *context, const char *line)
{
    (void)l2r_notes_add(context, "table   %s", line); /* a line less where memory is short */
}

void l2r_watch_start(const struct l2r_callbacks *watch, const struct l2r_trainer *t, const char *dir)
{
    if (!watch || !watch->start) return;
    const struct l2r_split *split = t->split;
    struct l2r_notes text = {0};
    char labels[160], parts[160];
    describe_labels(labels, sizeof labels, t);
    l2r_notes_tell(t->data, 10, add_table_line, &text);
    bool made = l2r_notes_add(&text, "data    %s: %lld graphs, %lld nodes, %lld edges, %s task", t->data->name,
                              (long long)t->data->n_graphs, (long long)t->data->n_nodes,
                              (long long)l2r_dataset_edges(t->data), l2r_task_name(t->data->task));
    l2r_split_describe(parts, sizeof parts, split);
    made = made && l2r_notes_add(&text, "split   %s: %s%s%s%s", split->rule, parts, split->note[0] ? " (" : "",
                                 split->note, split->note[0] ? ")" : "");
    int64_t shared = l2r_split_shared(split, t->data);
    if (made && shared > 0)
        made = l2r_notes_add(&text,
                             "split   %lld molecule%s in several parts, which flatters the scores; "
                             "`duplicates=drop` keeps each once",
                             (long long)shared, shared == 1 ? " is" : "s are");
    if (made && t->environments.n > 0)
        made = l2r_notes_add(&text, "groups  %d environments (%s)", (int)t->environments.n, t->environments.rule);
    if (made && t->comm)
        made = l2r_notes_add(&text, "ranks   %d × %d thread%s", t->comm->size, l2r_threads_get(),
                             l2r_threads_get() > 1 ? "s" : "");
    if (made && t->features[0]) made = l2r_notes_add(&text, "beside  %s", t->features);
    if (made && labels[0]) made = l2r_notes_add(&text, "%s", labels);
    made =
        made && l2r_notes_add(&text, "model   %s, %lld parameters; method %s; seed %llu", t->network.type->name,
                              (long long)t->network.params.n_trainable, t->method->name, (unsigned long long)t->seed);
    made = made && (!dir || l2r_notes_add(&text, "run     %s", dir));
    if (made) watch->start(watch->context, text.text.text);
    if (labels_are_alike(t))
        l2r_watch_note(watch, "all training labels are the same: there is nothing to learn from them");
    l2r_notes_clear(&text);
}
